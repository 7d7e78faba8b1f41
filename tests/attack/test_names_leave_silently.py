"""Names leave silently: a column that could name people needs a role before anything is released."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pl.DataFrame:
    """200 people, with a name, an e-mail address and a social security number each, in `people.csv` too."""
    rng = np.random.default_rng(5)
    n = 200
    frame = pl.DataFrame(
        {
            "name": [f"Anna{i} Muster{i}" for i in range(n)],
            "e-mail": [f"anna{i}@example.org" for i in range(n)],
            "SSN": [f"{100 + i}-{10 + i % 80}-{1000 + 7 * i}" for i in range(n)],
            "age": rng.integers(20, 80, n),
            "zip": rng.integers(10_000, 10_040, n),
            "disease": rng.choice(["flu", "cold", "asthma"], n),
        }
    )
    monkeypatch.chdir(tmp_path)
    frame.write_csv("people.csv")
    return frame


def test_the_command_refuses_and_names_columns_and_remedy(people: pl.DataFrame) -> None:
    del people
    done = CliRunner().invoke(app, ["anonymize", "people.csv", "-q", "age,zip", "-k", "5", "-o", "out.csv"])
    assert done.exit_code == 1
    assert not Path("out.csv").exists()
    said = done.stderr
    assert said.count("\n") == 1
    for name in ("'name'", "'e-mail'", "'SSN'"):
        assert name in said
    assert "'disease'" not in said
    assert "--identifier name,e-mail,SSN" in said
    assert "pv." not in said


def test_the_remedy_works_as_it_is_written(people: pl.DataFrame) -> None:
    words = ["anonymize", "people.csv", "-q", "age,zip", "-k", "5", "-o", "out.csv", "--identifier", "name,e-mail,SSN"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    text = Path("out.csv").read_text()
    for name in ("name", "e-mail", "SSN"):
        assert not any(value in text for value in people[name].to_list())


def test_python_refuses_in_words_of_python(people: pl.DataFrame) -> None:
    plan = pv.Plan({"age": pv.Quasi(), "zip": pv.Quasi()}, pv.KAnonymity(5))
    with pytest.raises(pv.RoleError) as told:
        pv.anonymize(people, plan)
    assert isinstance(told.value, pv.PlanError)
    assert "pv.Identifier()" in str(told.value)
    assert "--identifier" not in str(told.value)
    for value in people["name"].to_list():
        assert value not in str(told.value)


def test_plan_check_says_so_too(people: pl.DataFrame) -> None:
    del people
    plan = pv.Plan({"age": pv.Quasi(), "zip": pv.Quasi()}, pv.KAnonymity(5))
    plan.save("plan.toml")
    done = CliRunner().invoke(app, ["plan", "check", "plan.toml", "people.csv"])
    assert done.exit_code == 1
    assert 'role = "identifier"' in done.stderr


def test_a_near_unique_column_without_a_telling_name(people: pl.DataFrame) -> None:
    odd = people.select("age", "zip", pl.Series("x17", np.random.default_rng(1).normal(size=200)))
    plan = pv.Plan({"age": pv.Quasi(), "zip": pv.Quasi()}, pv.KAnonymity(5))
    with pytest.raises(pv.RoleError, match="'x17' \\(nearly every row has a value of its own\\)"):
        pv.anonymize(odd, plan)


def test_an_explicit_insensitive_is_the_owners_word_and_a_caution(people: pl.DataFrame) -> None:
    columns = {"age": pv.Quasi(), "zip": pv.Quasi(), "name": pv.Insensitive()}
    dropped = {"e-mail": pv.Identifier(), "SSN": pv.Identifier()}
    release = pv.anonymize(people, pv.Plan({**columns, **dropped}, pv.KAnonymity(5)))
    found = [caution for caution in release.cautions if caution.kind == "identifying-column"]
    assert [(caution.columns, caution.severity) for caution in found] == [(("name",), "serious")]


def test_insensitive_on_the_command_line(people: pl.DataFrame) -> None:
    del people
    words = ["anonymize", "people.csv", "-q", "age,zip", "-k", "5", "-o", "out.csv", "-i", "e-mail,SSN"]
    done = CliRunner().invoke(app, [*words, "--insensitive", "name"])
    assert done.exit_code == 0, done.output
    assert "SERIOUS: “name” can identify people by itself" in done.stdout
    last = done.stdout[done.stdout.index("Before you hand it on") :]
    assert "serious" in last.split("\n")[0]
    assert "Where it lies" not in last
