"""A candidate that generalizes nothing is proposed only where it can be run."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paravent as pv
from paravent.errors import InfeasibleError
from paravent.guide.as_they_are import RowsAsTheyAre

TABLE = pl.DataFrame({"zip": ["1"] * 6 + ["2"] * 3 + ["3"], "ill": ["a", "b"] * 5})


def as_it_is(frame: pl.DataFrame, k: int, suppression: float, *more: object, **options: object) -> tuple[str, bool]:
    """What is said of a plan, and whether it runs."""
    columns = {name: pv.Sensitive() if name == "ill" else pv.Quasi() for name in frame.columns if name != "who"}
    if "who" in frame.columns:
        columns["who"] = pv.Identifier()
    protect = [pv.KAnonymity(k), *more]
    plan = pv.Plan(columns, protect=protect, method=pv.methods.AsIs(), suppression=suppression, **options)
    said = RowsAsTheyAre(pv.read(frame)).failure(plan)
    try:
        pv.anonymize(frame, plan)
    except InfeasibleError:
        return said, False
    return said, True


@pytest.mark.parametrize(
    ("k", "suppression", "possible"),
    [(1, 0.0, True), (2, 0.0, False), (2, 0.1, True), (3, 0.1, True), (4, 0.3, False), (4, 0.4, True), (7, 0.4, False)],
)
def test_rows_in_small_classes_must_not_exceed_the_limit(k: int, suppression: float, possible: bool) -> None:
    said, runs = as_it_is(TABLE, k, suppression)
    assert runs is possible
    assert (said == "") is possible
    if not possible:
        assert f"more than {round(suppression * 10)} rows are in classes of fewer than {k}" in said


def test_other_models_and_persons_are_asked_of_the_method_itself() -> None:
    assert as_it_is(TABLE, 2, 0.1, pv.LDiversity(2, "ill")) == ("", True)
    said, runs = as_it_is(TABLE, 2, 0.1, pv.LDiversity(3, "ill"))
    assert (runs, "3-diversity" in said) == (False, True)
    whose = TABLE.with_columns(who=pl.Series([1, 1, 1, 1, 2, 2, 3, 4, 4, 5]))
    said, runs = as_it_is(whose, 3, 0.4, person="who")
    assert (said == "") is runs


@given(
    zips=st.lists(st.sampled_from(["1", "2", "3", None]), min_size=1, max_size=30),
    k=st.integers(1, 6),
    suppression=st.sampled_from([0.0, 0.1, 0.25, 0.5]),
    missing=st.sampled_from(["own value", "wildcard", "drop rows", "impute"]),
)
def test_what_is_proposed_runs(zips: list[str | None], k: int, suppression: float, missing: str) -> None:
    frame = pl.DataFrame({"zip": pl.Series(zips, dtype=pl.String)})
    if frame["zip"].null_count() < len(frame):
        said, runs = as_it_is(frame, k, suppression, missing=missing)
        assert (said == "") is runs


def test_the_guide_drops_it_with_its_reason() -> None:
    people = pv.data.adult().frame.head(400)
    found = pv.guide(people, pv.Context(risk=0.2, suppression=0.05))
    assert "as-is" in found.dropped
    assert "with nothing generalized, more than 20 rows" in found.dropped["as-is"][0].sentence
    assert not [each for each in found.signatures if each.plan.method == pv.methods.AsIs()]


def test_groups_are_of_people_where_people_have_several_rows() -> None:
    frame = pl.DataFrame({"who": [1, 1, 2, 2, 3, 3, 4, 4] * 5, "age": [30, 30, 41, 41, 52, 52, 63, 63] * 5})
    roles = {"who": pv.Identifier(), "age": pv.Quasi(pv.intervals(10, 20))}
    plan = pv.Plan(roles, [pv.KAnonymity(2)], person="who")
    found = pv.guide(frame, pv.Context(risk=0.5), plan)
    assert {each.k for each in found.signatures} == {2, 4}  # 6 is more than there are people
    with pytest.raises(InfeasibleError, match="groups of 5, and the table has 4 people"):
        pv.guide(frame, pv.Context(risk=0.2), plan)
