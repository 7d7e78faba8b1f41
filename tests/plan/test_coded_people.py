"""People whom somebody can name are coded as the release was: who has the plan knows how."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import paravent as pv
from paravent.errors import TableError
from paravent.treatments import Mask, Noise, Recode, Round, Suppress, TopCode, Treatment

ROWS = pl.DataFrame(
    {"age": [20, 21, 33, 34, 80, 81, 90, 95], "town": ["aa", "aa", "bb", "bb"] * 2, "ill": ["x", "y"] * 4}
)
NAMED = pl.DataFrame(
    {
        "name": list("ABCDEFGHIJ"),
        "age": [20, 21, 33, 34, 80, 81, 90, 95, 99, 35],
        "town": ["aa", "aa", "bb", "bb", "aa", "aa", "bb", "bb", "bb", "bb"],
    }
)


def plan_of(*treat: Treatment) -> pv.Plan:
    roles: dict[str, Any] = {
        "age": pv.Quasi(missing="own value"),
        "town": pv.Quasi(missing="own value"),
        "ill": pv.Sensitive(),
    }
    return pv.Plan(roles, [], method=pv.methods.AsIs(), treat=treat, person=None)


# How many rows each of A to J fits, by hand.
FITS: dict[str, tuple[Treatment, list[int]]] = {
    "top coding": (TopCode("age", above=75), [1, 1, 1, 1, 2, 2, 2, 2, 2, 0]),
    "a share": (TopCode("age", share=0.5), [1, 1, 1, 1, 2, 2, 2, 2, 2, 2]),  # the limit is 34
    "the mean": (TopCode("age", above=75, replace="mean"), [1, 1, 1, 1, 2, 2, 2, 2, 2, 0]),
    "width": (Recode("age", width=10), [2] * 10),
    "groups": (Recode("age", groups=2), [2] * 9 + [0]),  # 35 lies between the groups, 99 beyond the last
    "rounding": (Round("age", base=10), [2, 2, 2, 2, 2, 2, 1, 1, 1, 0]),
    "masking": (Mask("town", first=1), [1] * 8 + [0, 0]),
}


@pytest.mark.parametrize(("treatment", "fits"), FITS.values(), ids=FITS)
def test_named_people_fit_the_rows_that_are_coded_alike(treatment: Treatment, fits: list[int]) -> None:
    release = pv.anonymize(ROWS, plan_of(treatment))
    found = release.attack(against=NAMED, attacks=[pv.attacks.RecordLinkage])["attack.linkage"]
    matched = [count for count in fits if count]
    assert found["matched"] == len(matched) / len(fits)
    assert found.value == sum(count == 1 for count in fits) / len(fits)
    assert found["max"] == 1 / min(matched)


def test_rules_of_the_plan_need_no_original() -> None:
    release = pv.anonymize(ROWS, plan_of(TopCode("age", above=75)))
    found = pv.attack(release.frame, release.plan, against=NAMED, attacks=[pv.attacks.RecordLinkage])
    assert found["attack.linkage"]["matched"] == 0.9


def test_people_who_are_coded_already_stay_as_they_are() -> None:
    release = pv.anonymize(ROWS, plan_of(Recode("age", width=10)))
    labels = pl.DataFrame({"age": ["[20, 30[", "[80, 90[", "[50, 60["], "town": ["aa", "aa", "aa"]})
    found = release.attack(against=labels, attacks=[pv.attacks.RecordLinkage])["attack.linkage"]
    assert found["matched"] == pytest.approx(2 / 3)


def test_values_that_the_plan_does_not_map_are_refused() -> None:
    release = pv.anonymize(ROWS, plan_of(Recode("town", mapping={"aa": "north", "bb": "south"})))
    strange = NAMED.with_columns(town=pl.lit("cc"))
    with pytest.raises(
        TableError, match="the table of people: Recode: the mapping leaves out 1 values of column 'town'"
    ):
        release.attack(against=strange, attacks=[pv.attacks.RecordLinkage])


def test_a_control_group_is_coded_too() -> None:
    release = pv.anonymize(ROWS, plan_of(TopCode("age", above=75)))
    linked = release.attack(control=NAMED[8:], attacks=[pv.attacks.Linkability(attempts=8)])
    assert linked["attack.linkability"].trial.control is not None


def test_a_population_is_coded_as_the_rows_were() -> None:
    """>75 in bb: three people, G, H and I; >75 in aa: E and F; the others are alone."""
    release = pv.anonymize(ROWS.with_columns(town=NAMED["town"][:8]), plan_of(TopCode("age", above=75)))
    found = pv.risk(release, release.plan, population=NAMED)
    assert found["risk.journalist.average"] == pytest.approx((4 * 1 + 2 * (1 / 2) + 2 * (1 / 3)) / 8)


def test_columns_that_may_be_false_stay_as_they_are() -> None:
    release = pv.anonymize(ROWS, plan_of(Noise("age", scale=0.1), Suppress("town", values=("aa",))))
    found = release.attack(against=NAMED, attacks=[pv.attacks.RecordLinkage], strict=False)
    assert "attack.linkage" in found
