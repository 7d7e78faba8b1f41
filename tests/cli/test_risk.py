"""paravent risk, from its arguments to its figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

Run = Callable[..., Any]

QUASI = ("--quasi", "age,zip code", "-q", "naïve-job")


def _json(result: Any) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_it_says_who_could_be_found_and_what_that_assumes(run: Run, patients: Path) -> None:
    result = run("risk", patients, *QUASI, "--population", "0.05", "--suda", 2, "--subsets", 2)
    assert result.exit_code == 0, result.output
    for words in (
        "stand alone",
        "risk.population.uniques",
        "risk.suda.contribution.zip code",
        "Assumed:",
        "Sets of col",
    ):
        assert words in result.stdout


def test_it_gives_a_document(run: Run, patients: Path) -> None:
    document = _json(run("risk", patients, *QUASI, "--population", 1_000, "--subsets", 2, "--threshold", 0.3, "--json"))
    assert document["risk.prosecutor.max"] == 1
    assert "risk.above.0.3" in document
    assert document["assumptions"]["risk.population"]
    assert len(document["subsets"]["sets"]) == 7
    assert document["sentences"]


def test_each_rows_risk_is_written_without_its_values(run: Run, patients: Path, tmp_path: Path) -> None:
    frame = pl.read_csv(patients).with_columns(w=20.0, home=pl.int_range(pl.len()) // 2)
    frame.write_csv(tmp_path / "survey.csv")
    result = run(
        "risk", "survey.csv", *QUASI, "--weights", "w", "--household", "home", "--exact", "--rows", "risks.csv"
    )
    assert result.exit_code == 0, result.output
    risks = pl.read_csv(tmp_path / "risks.csv")
    assert risks.columns == ["class_size", "prosecutor", "individual", "household"]
    assert risks.height == frame.height
    assert (risks["household"] >= risks["individual"] - 1e-12).all()


def test_a_release_is_looked_at_by_its_plan_beside_its_original(run: Run, patients: Path) -> None:
    assert (
        run(
            "anonymize",
            patients,
            *QUASI,
            "-s",
            "disease",
            "-i",
            "name",
            "-k",
            4,
            "-o",
            "out.csv",
            "--save-plan",
            "plan.toml",
        ).exit_code
        == 0
    )
    document = _json(run("risk", "out.csv", "--plan", "plan.toml", "--original", patients, "--json"))
    assert document["risk.prosecutor.max"] <= 0.25
    assert document["risk.hidden_failure.count"] == 0


def test_a_table_of_the_population(run: Run, patients: Path, tmp_path: Path) -> None:
    pl.read_csv(patients).head(10).write_csv(tmp_path / "sample.csv")
    document = _json(run("risk", "sample.csv", *QUASI, "--population", patients, "--json"))
    assert 0 < document["risk.journalist.average"] <= 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "Name them with --quasi"),
        ((*QUASI, "--plan", "plan.toml"), "both say which columns"),
        (("-q", "age", "--population", "many"), "no number and no file"),
        (("-q", "age", "--population", "-5"), "neither a number of people"),
        (("-q", "age", "--population", "7"), "smaller than the table"),
        (("-q", "age", "--weights", "naïve-job"), "must be numbers"),
        (("-q", "age", "--weights", "fax"), "survey weights"),
        (("-q", "age", "--household", "hut"), "no column 'hut'"),
        (("-q", "age", "--suda", "0"), "max_size must be at least 1"),
        (("-q", "age", "--subsets", "0"), "max_size must be at least 1"),
        (("-q", "age", "--numbers", "age"), "original"),
        (("-q", "years",), "no column 'years'"),
    ],
)  # fmt: skip
def test_one_sentence_for_a_mistake(run: Run, patients: Path, words: tuple[str, ...], says: str) -> None:
    result = run("risk", patients, *words)
    assert result.exit_code == 2
    assert says in result.output
    assert "Traceback" not in result.output
