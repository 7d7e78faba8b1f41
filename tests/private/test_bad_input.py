"""Bad input through every door: bounds reversed, ε ≤ 0, δ ≥ 1 / n, an unknown category, an empty list of groups, a unit
column that is missing. Each gets one sentence, nothing is spent, and nothing is written."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app

PEOPLE = pl.DataFrame({"sex": ["f", "m"] * 30, "job": ["cook", "vet", "vet"] * 20, "age": [30, 40, 50] * 20})
DOMAINS: dict[str, Any] = {"sex": ["f", "m"], "job": ["cook", "vet"], "age": range(18, 66)}
M = pv.methods


def private(folder: Path, domains: Any = None, **named: Any) -> pv.private.Questions:
    return pv.private(PEOPLE, folder / "x.ledger", domains or DOMAINS, **named)


def released(folder: Path, *, method: Any = None, dp: Any = None, **options: Any) -> pv.Release:
    promise = dp or pv.DifferentialPrivacy(epsilon=1, delta=1e-6)
    plan = pv.Plan({}, [promise], method or M.MST(domains=DOMAINS), **{"person": None, **options})
    return pv.anonymize(PEOPLE, plan, budget=pv.Budget(folder / "x.ledger"))


def mst(never: Any = (), **domains: Any) -> Any:
    return M.MST(domains={**DOMAINS, **domains}, impossible=never)


Door = Callable[[Path], Any]
BAD: list[tuple[str, Door, str]] = [
    ("bounds reversed: a domain", lambda f: private(f, {"age": (90, 17)}), "The lower bound comes first"),
    ("bounds reversed: a condition", lambda f: private(f).count({"age": (60, 40)}, epsilon=1), "lower one comes first"),
    ("bounds reversed: a synthesis", lambda f: released(f, method=mst(age={"from": 9, "to": 1})),
     "Write the lower bound first"),
    ("epsilon 0: a question", lambda f: private(f).count(epsilon=0), "epsilon must be above 0"),
    ("epsilon negative: a question", lambda f: private(f).mean("age", epsilon=-1), "epsilon must be a number from 0"),
    ("epsilon 0: a budget", lambda f: pv.Budget(f / "y.ledger", epsilon=0), "epsilon must be above 0"),
    ("epsilon negative: a release", lambda f: released(f, dp=pv.DifferentialPrivacy(epsilon=-1)), "must be above 0"),
    ("delta 1: a budget", lambda f: pv.Budget(f / "y.ledger", epsilon=1, delta=1), "delta must be below 1"),
    ("delta 1: a release", lambda f: released(f, dp=pv.DifferentialPrivacy(delta=1.0)), "must be from 0 to below 1"),
    ("unknown category: a condition", lambda f: private(f).count({"job": "vett"}, epsilon=1), "Did you mean 'vet'"),
    ("unknown category: a constraint", lambda f: released(f, method=mst([{"job": "pope"}])),
     "has no value 'pope'"),
    ("unknown column", lambda f: private(f).histogram("jobb", epsilon=1), "no column 'jobb'"),
    ("empty group list: no column", lambda f: private(f).group_by(), "at least one column"),
    ("empty group list: no value", lambda f: private(f, {"job": []}), "names no values"),
    ("empty group list: no statistic", lambda f: private(f).group_by("job").agg(epsilon=1), "say what is wanted"),
    ("empty group list: a synthesis", lambda f: released(f, method=mst(job=[])),
     "must be a list of values"),
    ("unit column missing: questions", lambda f: private(f, person="who"), "person: the table has no column 'who'"),
    ("unit column missing: a release", lambda f: released(f, person="who"), "no column 'who'"),
    ("unit column missing: several rows each", lambda f: released(f, method=M.MST(domains=DOMAINS, rows_each=2)),
     "names no"),
]  # fmt: skip


@pytest.mark.parametrize(("door", "words"), [bad[1:] for bad in BAD], ids=[bad[0] for bad in BAD])
def test_bad_input_gets_one_sentence_and_costs_nothing(tmp_path: Path, door: Door, words: str) -> None:
    budget = pv.Budget(tmp_path / "x.ledger", epsilon=3, delta=1e-6)
    with pytest.raises(pv.ParaventError, match=words) as caught:
        door(tmp_path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith((".", "?"))
    assert budget.entries == ()
    assert not (tmp_path / "y.ledger").exists()


COMMANDS: list[tuple[str, list[str], str]] = [
    ("bounds reversed", ["query", "data.csv", "mean", "age", "--domain", "age=90..17"], "lower bound comes first"),
    ("epsilon 0", ["query", "data.csv", "count", "--epsilon", "0"], "epsilon must be above 0"),
    ("unknown category", ["query", "data.csv", "count", "--domain", "job=cook|vet", "--where", "job=vett"], "'vett'"),
    ("unit column missing", ["query", "data.csv", "count", "--person", "who"], "no column 'who'"),
    ("unit column missing, synthesis", ["synthesize", "data.csv", "--person", "who"], "'who'"),
]


@pytest.mark.parametrize(("words", "sentence"), [each[1:] for each in COMMANDS], ids=[each[0] for each in COMMANDS])
def test_bad_options_get_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    PEOPLE.write_csv("data.csv")
    budget = pv.Budget("x.ledger", epsilon=3, delta=1e-6)
    priced = words if "--epsilon" in words else [*words, "--epsilon", "1"]
    result = CliRunner().invoke(app, [*priced, "--budget", "x.ledger"])
    assert result.exit_code != 0
    assert sentence in result.output
    assert "Traceback" not in result.output
    assert budget.entries == ()


def test_a_delta_of_one_over_the_people_is_warned_of(tmp_path: Path) -> None:
    """60 rows: 1/60 is too much, and 1/61 is let pass without a word. The release says it by its own noisy rows."""
    for number, (delta, warned) in enumerate([("1/60", True), ("1/61", False)]):
        budget = pv.Budget(tmp_path / f"{number}.ledger", epsilon=1, delta=delta)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            pv.private(PEOPLE, budget, DOMAINS)
        assert ["is not below 1 / the 60 rows" in str(each.message) for each in found] == [True] * warned
    dp = pv.DifferentialPrivacy(epsilon=20, delta=0.05)
    plan = pv.Plan({}, [dp], M.MST(domains=DOMAINS), person=None)
    assert "delta = 0.05 is not below 1 / rows" in str(pv.anonymize(PEOPLE, plan).verdict)


def test_people_are_counted_where_a_column_names_them(tmp_path: Path) -> None:
    """20 people of three rows each: delta is held against the rows that take part, one for each."""
    table = PEOPLE.with_columns(who=pl.int_range(60) // 3)
    budget = pv.Budget(tmp_path / "x.ledger", epsilon=1, delta="1/30")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        pv.private(table, budget, DOMAINS, person="who")
    assert not found
    pv.Budget(tmp_path / "y.ledger", epsilon=1, delta="1/20")
    with pytest.warns(UserWarning, match="the 20 rows that take part"):
        pv.private(table, tmp_path / "y.ledger", DOMAINS, person="who")


def test_the_command_says_the_caution_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    PEOPLE.write_csv("data.csv")
    pv.Budget("x.ledger", epsilon=3, delta=0.5)
    result = CliRunner().invoke(app, ["query", "data.csv", "count", "--epsilon", "1", "--budget", "x.ledger"])
    assert result.exit_code == 0
    assert "Caution: delta = 0.5 of the ledger is not below 1 / the 60 rows" in " ".join(result.output.split())
