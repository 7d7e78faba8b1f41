"""t-closeness: the literature's tables, order and trees of the sensitive column, exact thresholds."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.errors import InfeasibleError, PlanError
from paravent.privacy import TCloseness
from paravent.privacy.classes import Classes, Histogram
from paravent.privacy.distances import equal_distance, hierarchical_distance, ordered_distance
from paravent.privacy.value_order import heights_of
from paravent.privacy.verify import verify_frame

ORACLES = tomllib.loads((Path(__file__).parents[1] / "oracles/models.toml").read_text())
Make = Callable[..., Classes]


def exactly(model: TCloseness, classes: Classes) -> list[Fraction]:
    over, under = model._distances(classes.histograms["s"])
    return [Fraction(int(a), int(b)) for a, b in zip(over, under, strict=True)]


@pytest.mark.parametrize("table", [t for t in ORACLES["table"] if "t" in t], ids=lambda table: table["name"])
def test_worked_tables(table: dict, classes_of: Make) -> None:
    classes, expected = classes_of(table["classes"]), [Fraction(t) for t in table["t"]]
    assert exactly(TCloseness(0.1, "s"), classes) == expected
    assert TCloseness(0.1, "s").level(classes) == float(max(expected))
    if "l1" in table:
        assert exactly(TCloseness(0.1, "s", normalised=False), classes) == [Fraction(t) for t in table["l1"]]


@pytest.mark.parametrize("table", ORACLES["salaries"], ids=lambda table: table["name"])
def test_worked_salaries(table: dict, classes_of: Make) -> None:
    classes = classes_of(table["classes"])
    assert exactly(TCloseness(0.1, "s", distance="ordered"), classes) == [Fraction(t) for t in table["ordered"]]
    if "sums" in table:
        sums = exactly(TCloseness(0.1, "s", distance="ordered", normalised=False), classes)
        assert sums == [Fraction(t) for t in table["sums"]]


def test_worked_diseases(classes_of: Make, tmp_path: Path) -> None:
    table = ORACLES["diseases"]
    path = tmp_path / "disease.csv"
    path.write_text("\n".join(",".join(row) for row in table["paths"]))
    model = TCloseness(0.3, "s", distance="hierarchical", tree=str(path))
    assert exactly(model, classes_of(table["classes"])) == [Fraction(t) for t in table["hierarchical"]]


def test_two_values_are_as_far_apart_as_their_ancestor_is_high(classes_of: Make) -> None:
    tree = pv.groups({"infection": ["flu", "bronchitis"], "stomach": ["ulcer"]})
    model = TCloseness(0.5, "s", distance="hierarchical", tree=tree)
    among = ["flu", "bronchitis", "ulcer"]
    flu = classes_of([["flu"]], among=among)
    # From (1, 0, 0) to (1/3, 1/3, 1/3): a third moves half the height, a third all of it.
    assert exactly(model, flu) == [Fraction(1, 2)]


@pytest.mark.parametrize("t", [0.05, 0.0500000001, 1 / 12])
def test_the_threshold_itself_is_allowed(t: float, classes_of: Make) -> None:
    classes = classes_of(ORACLES["table"][1]["classes"])  # 1/20 and 1/12
    assert TCloseness(t, "s").holds(classes).tolist() == [True, False]  # the float 1/12 is a little less than 1/12
    assert TCloseness(0.0833333334, "s").holds(classes).all()


def test_a_level_never_claims_what_does_not_hold(classes_of: Make) -> None:
    classes = classes_of(ORACLES["table"][1]["classes"])
    assert TCloseness(1 / 12, "s").level(classes) > 1 / 12


def test_the_order_of_categories_changes_nothing(classes_of: Make) -> None:
    # A peer's t-closeness overwrote its own threshold and accepted a distance of 0.45 at t = 0.01, or not, depending on
    # which category came first.
    for swap in ({"a": "a", "b": "b"}, {"a": "b", "b": "a"}):
        low = [swap[value] for value in ["a"] * 95 + ["b"] * 5]
        classes = classes_of([low, [swap[value] for value in ["a"] * 5 + ["b"] * 95]])
        model = TCloseness(0.01, "s")
        assert not model.holds(classes).any()
        assert model.level(classes) == 0.45
        assert model.t == 0.01


def test_texts_need_an_order(classes_of: Make) -> None:
    classes = classes_of([["low", "mid"], ["high", "high"]])
    with pytest.raises(PlanError, match="no order of its own"):
        TCloseness(0.5, "s", distance="ordered").holds(classes)
    with pytest.raises(PlanError, match="'mid' of column 's' is not in the order"):
        TCloseness(0.5, "s", distance="ordered", order=["low", "high"]).holds(classes)
    model = TCloseness(0.5, "s", distance="ordered", order=["low", "mid", "high"])
    assert exactly(model, classes) == [Fraction(3, 8), Fraction(3, 8)]
    assert model.order == ("low", "mid", "high")


def test_a_missing_value_has_no_place_in_an_order_but_hangs_on_the_root() -> None:
    frame = pl.DataFrame({"age": ["*"] * 4, "s": [1, 2, None, 3]})
    plan = pv.Plan({"age": pv.Quasi(), "s": pv.Sensitive(missing="own value")}, TCloseness(0, "s", distance="ordered"))
    with pytest.raises(PlanError, match="missing value has no place"):
        pv.verify(frame, plan)
    with pytest.raises(PlanError, match="missing value has no place"):
        pv.anonymize(frame, plan)
    tree = TCloseness(0, "s", distance="hierarchical", tree=pv.groups({"low": ["1", "2"], "high": ["3"]}))
    assert pv.verify(frame, pv.Plan(dict(plan.columns), tree))


def test_counts_beyond_63_bits() -> None:
    big = 2**40
    table = np.array([big, big], dtype=np.int64)
    pairs = Histogram(np.array([0, 2]), np.array([0, 1]), np.array([big // 2 + 1, big // 2]), table)
    for found in (equal_distance(pairs), ordered_distance(pairs, np.array([0, 1]))[:2]):
        assert Fraction(int(found[0][0]), int(found[1][0])) == Fraction(1, 2 * (big + 1))
    over, under = pairs.ratios()  # the first value: (big/2 + 1) of big + 1 rows, where the table has one half
    assert Fraction(int(over[0]), int(under[0])) == Fraction(2 * (big // 2 + 1), big + 1)


def test_levels_of_a_tree_by_moving_earth(classes_of: Make) -> None:
    """The mean over the levels is the cost of the flow that Li et al. describe, node by node."""
    tree = pv.groups({"x": {"xx": ["a", "b"], "xy": ["c"]}, "y": ["d", "e"]})
    rng = np.random.default_rng(4)
    for _ in range(50):
        rows = rng.choice(list("abcde"), 30).tolist()
        if len(set(rows)) < 5:
            continue
        classes = classes_of([rows[:9], rows[9:]])
        histogram = classes.histograms["s"]
        heights = heights_of(histogram, tree, "s")
        over, under = hierarchical_distance(histogram, heights)
        for c, held in enumerate((rows[:9], rows[9:])):
            extra = {v: Fraction(held.count(v), len(held)) - Fraction(rows.count(v), 30) for v in "abcde"}
            assert Fraction(int(over[c]), int(under[c])) == _cost_of_flow(extra)


def _cost_of_flow(extra: dict[str, Fraction]) -> Fraction:
    """Li et al. 2007, §5.2: at each node what its children have too much meets what they have too little."""

    def cost(height: int, children: list[Fraction]) -> Fraction:
        surplus = sum((e for e in children if e > 0), Fraction(0))
        lack = -sum((e for e in children if e < 0), Fraction(0))
        return Fraction(height, 3) * min(surplus, lack)

    xx, xy = [extra["a"], extra["b"]], [extra["c"]]
    y = [extra["d"], extra["e"]]
    x = [sum(xx, Fraction(0)), sum(xy, Fraction(0))]
    root = [sum(x, Fraction(0)), sum(y, Fraction(0))]
    return cost(1, xx) + cost(1, xy) + cost(2, x) + cost(1, y) + cost(3, root)


def test_known_columns_can_make_it_impossible() -> None:
    frame = pl.DataFrame({"age": [1, 2, 3, 4], "s": ["a", "a", "b", "b"], "o": ["x", "x", "y", "y"]})
    columns = {"age": pv.Quasi(), "s": pv.Sensitive(), "o": pv.Sensitive()}
    with pytest.raises(InfeasibleError, match=r"share 'o', it takes t of 0\.5"):
        pv.anonymize(frame, pv.Plan(columns, TCloseness(0.4, "s", knowing=["o"])))


@pytest.mark.parametrize(
    "wrong",
    [
        {"t": -0.1},
        {"t": 1.5},
        {"t": True},
        {"t": float("nan")},
        {"distance": "euclid"},
        {"distance": "hierarchical"},
        {"tree": "trees/s.csv"},
        {"order": ("a",)},
        {"distance": "ordered", "order": ("a", "a")},
        {"normalised": 1},
        {"column": ""},
        {"knowing": ("s",)},
        {"knowing": 3},
        {"distance": "hierarchical", "tree": "x.csv", "normalised": False},
    ],
)
def test_bad_parameters(wrong: dict) -> None:
    with pytest.raises(PlanError, match="TCloseness"):
        TCloseness(**{"t": 0.2, "column": "s", **wrong})


def test_a_tree_over_values_in_their_order_does_not_follow_how_a_frame_keeps_them() -> None:
    """Alphabetically a and b are one half and y and z the other: half of each class must move from one to the other."""
    frame = pl.DataFrame({"zip": ["1", "1", "2", "2"], "s": ["a", "b", "y", "z"]})
    plan = pv.Plan(
        {"zip": pv.Quasi(), "s": pv.Sensitive()},
        [TCloseness(0.5, "s", distance="hierarchical", tree=pv.balanced())],
    )
    for kept_as in (pl.String(), pl.Enum(["z", "a", "y", "b"])):
        verdict = pv.verify(frame.with_columns(pl.col("s").cast(kept_as)), plan)
        assert verdict.levels == {"privacy.t_hierarchical.s": 0.5}


def test_people_who_hold_several_values_in_an_order() -> None:
    """A holds 1 and 3, B, C and D hold 2. Of the table's people (¼, ¾, ¼) hold the three values, of the class of A and
    B (½, ½, ½): cumulated, ¼ too many hold the first, and ¼ hold one value more. Over two steps ¼ is ⅛, and half of
    what no moving can mend is ⅛ more. For C and D it is the same with the other sign."""
    frame = pl.DataFrame({"zip": ["1", "1", "1", "2", "2"], "s": [1, 3, 2, 2, 2]})
    model = TCloseness(0.3, "s", distance="ordered")
    verdict = verify_frame(frame, ["zip"], [model], persons=np.array([0, 0, 1, 2, 3]))
    assert verdict.levels == {model.key: 0.25}


def test_a_high_tree_over_a_billion_people_does_not_overflow() -> None:
    """p = (1, 0, 0, 0), q = (1/2, 1/4, 1/8, 1/8): 1/2 apart by values, 1/4 by the two groups of the 19 levels above."""
    table = np.array([2**29, 2**28, 2**27, 2**27])
    histogram = Histogram(np.array([0, 1]), np.array([0]), np.array([2**29]), table)
    over, under = hierarchical_distance(histogram, [np.arange(4), *[np.array([0, 0, 1, 1])] * 19])
    assert Fraction(int(over[0]), int(under[0])) == Fraction(21, 80)
