"""Columns that follow others are empty wherever these are not released as they were."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import paravent as pv
from paravent.errors import PlanError, UnsafeReleaseError
from paravent.plan import assemble as assembling
from paravent.plan import ghosts
from paravent.plan.ghosts import _differs
from paravent.treatments import Ghost, Sample, Suppress, TopCode

PEOPLE = pl.DataFrame(
    {
        "age": [30, 30, 41, 49, 80, 90],
        "pay": [1, 2, 3, 4, 5, 6],
        "born": [1994, None, 1983, 1975, 1944, 1934],
        "sign": ["a", "b", "c", "d", "e", "f"],
    }
)
ROLES = {"age": pv.Quasi(), "pay": pv.Insensitive(), "born": pv.Insensitive(), "sign": pv.Insensitive()}
GHOST = Ghost(("born", "sign"), of="age")


def release(*treat: pv.treatments.Treatment, **more: Any) -> pv.Release:
    settings: dict[str, Any] = {"order": "source", "person": None, **more}
    return pv.anonymize(PEOPLE, pv.Plan(ROLES | settings.pop("columns", {}), pv.KAnonymity(2), treat=treat, **settings))


def test_ghosts_follow_generalization() -> None:
    found = release(GHOST).frame
    assert found["age"].to_list()[:2] == ["30", "30"]
    assert found["born"].to_list() == [1994, None, None, None, None, None]
    assert found["sign"].to_list() == ["a", "b", None, None, None, None]


def test_ghosts_follow_treatments_of_other_columns() -> None:
    found = release(TopCode("pay", above=4), Ghost("born", of="pay")).frame
    assert found["born"].to_list() == [1994, None, 1983, 1975, None, None]
    found = release(Ghost("sign", of="pay"), Suppress("pay", values=["2"])).frame  # wherever it stands among the steps
    assert found["sign"].to_list() == ["a", None, "c", "d", "e", "f"]


def test_a_ghost_of_a_column_that_is_left_out_tells_nothing() -> None:
    found = release(Ghost("born", of="pay"), columns={"pay": pv.Drop()}).frame
    assert found["born"].null_count() == 6


def test_the_order_of_the_rows_does_not_tell_what_was_emptied() -> None:
    """All twenty are one class, so that nothing but the emptied column could sort them."""
    born = list(range(1960, 1980))
    roles = {"age": pv.Quasi(), "born": pv.Insensitive()}
    plan = pv.Plan(roles, pv.KAnonymity(20), treat=Ghost("born", of="age"), order="sorted")
    made = pv.anonymize(pl.DataFrame({"age": [2000 - year for year in born], "born": born}), plan)
    assert made.kept is not None
    assert made.frame["born"].null_count() == 20
    assert made.kept.tolist() not in (list(range(20)), list(range(20))[::-1])


def test_a_release_with_ghosts_is_matched_and_measured() -> None:
    made = release(GHOST, Sample(size=4), order="shuffled")
    again = pv.measure(PEOPLE, made.frame, made.plan)
    assert again["utility.gcp"] == made.measure()["utility.gcp"]
    assert pv.verify(made, made.plan)


def test_what_cannot_follow_is_refused() -> None:
    with pytest.raises(PlanError, match="cannot be its own ghost"):
        Ghost("age", of="age")
    with pytest.raises(PlanError, match="column 'age' is a quasi-identifier, and only an insensitive"):
        release(Ghost("age", of="pay"))
    with pytest.raises(PlanError, match="the table has no column 'aeg'"):
        release(Ghost("born", of="aeg"))


def test_a_ghost_that_tells_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembling, "emptied", lambda columns, original, plan: columns)  # noqa: ARG005
    with pytest.raises(UnsafeReleaseError, match="column 'born': a cell tells what column 'age' hides"):
        release(GHOST)
    assert ghosts.ghosts_of(pv.Plan(ROLES, pv.KAnonymity(2), treat=GHOST)) == [("born", "age"), ("sign", "age")]


def test_a_number_is_what_its_text_was() -> None:
    assert _differs(pl.Series([1, 2]), pl.Series(["1", "3"])).tolist() == [False, True]
