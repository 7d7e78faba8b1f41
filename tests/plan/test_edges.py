"""The checks before a release at their very edges: one step further and they must say no."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.errors import UnsafeReleaseError
from paravent.methods.method import Axis
from paravent.privacy.verify import verify_frame
from paravent.published import Averages, Labels, Place, Source
from paravent.table.kinds import Kind
from paravent.utility.cost.weights import p2

AGES = Axis(
    "age", Kind.INTEGER, np.array([0, 1, 2], dtype=np.int32), ("20", "30", "40"), None, np.array([20.0, 30, 40])
)
SOURCE, ALL = Source("age", pl.Series("cells", [20, 30, 40]), AGES), np.arange(3)


def test_every_marked_row_must_be_blank_and_not_only_one() -> None:
    frame = pl.DataFrame({"age": ["*", "*", "5", "5"], "name": [None, "Ann", "Bea", "Cy"]})
    marked = np.array([True, True, False, False])
    assert not verify_frame(frame, ["age"], [pv.KAnonymity(2)], marked=marked, allowed=2)
    blank = frame.with_columns(name=pl.Series([None, None, "Bea", "Cy"]))
    assert verify_frame(blank, ["age"], [pv.KAnonymity(2)], marked=marked, allowed=2)


@pytest.mark.parametrize(("label", "true"), [("[20, 40]", True), ("[20, 30]", False), ("[30, 40]", False)])
def test_a_label_covers_up_to_its_last_value_and_no_further(label: str, true: bool) -> None:
    released = pl.Series("age", [label] * 3)
    cells = Labels(np.zeros(1, dtype=np.int32), (label,))
    if true:
        cells.check(SOURCE, released, Place.of(ALL))
    else:
        with pytest.raises(UnsafeReleaseError, match="does not cover"):
            cells.check(SOURCE, released, Place.of(ALL))


@pytest.mark.parametrize(("average", "true"), [(20.0, True), (40.0, True), (19.99, False), (40.01, False)])
def test_an_average_lies_among_its_values_ends_included(average: float, true: bool) -> None:
    released = pl.Series("age", [average] * 3)
    if true:
        Averages(np.array([average])).check(SOURCE, released, Place.of(ALL))
    else:
        with pytest.raises(UnsafeReleaseError, match="does not lie among"):
            Averages(np.array([average])).check(SOURCE, released, Place.of(ALL))


def test_p2_is_the_highest_tree_over_this_one() -> None:
    assert [p2([5, 3, 2], at) for at in range(3)] == [1, Fraction(5, 3), Fraction(5, 2)]
    assert [p2([2, 5], at) for at in range(2)] == [Fraction(5, 2), 1]


def test_who_is_exactly_as_sure_as_asked_is_counted() -> None:
    """Three rows, four people who fit: a chance of 3/4 is at least 3/4."""
    release, people = pl.DataFrame({"q": ["a"] * 3}), pl.DataFrame({"q": ["a"] * 4})
    plan = pv.Plan({"q": pv.Quasi()}, [pv.KAnonymity(1)], person=None)
    for belief, share in ((0.75, 1.0), (0.76, 0.0)):
        tried = pv.attacks.Membership(belief=belief)
        assert pv.attack(release, plan, against=people, attacks=[tried])["attack.membership"].value == share
