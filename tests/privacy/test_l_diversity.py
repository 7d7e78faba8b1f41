"""l-diversity: the literature's tables, brute force, and the laws it must obey."""

from __future__ import annotations

import math
import tomllib
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.errors import InfeasibleError, PlanError
from paravent.privacy import KAnonymity, LDiversity
from paravent.privacy.classes import Classes
from paravent.privacy.entropy import effective_numbers, exactly_at_least

GOLDEN = Path(__file__).parents[3] / "shared/data/golden"
WORKED = tomllib.loads((Path(__file__).parents[1] / "oracles/models.toml").read_text())["table"]
TABLES = tomllib.loads((Path(__file__).parents[1] / "oracles/l_diversity.toml").read_text())["table"]
histograms = st.lists(st.integers(1, 12), min_size=1, max_size=6)


def classes_of(lists: list[list[str]]) -> Classes:
    values = {value: i for i, value in enumerate(sorted({value for held in lists for value in held}))}
    of_row = np.array([c for c, held in enumerate(lists) for _ in held])
    codes = np.array([values[value] for held in lists for value in held])
    return Classes.of(of_row, len(lists), {"s": codes})


def one_class(counts: list[int]) -> Classes:
    return classes_of([[f"v{i}" for i, count in enumerate(counts) for _ in range(count)]])


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table["name"])
def test_worked_tables(table: dict) -> None:
    classes = classes_of(table["classes"])
    assert KAnonymity(2).level(classes) == table["k"]
    assert LDiversity(2, "s").level(classes) == table["distinct"]
    assert LDiversity(table["distinct"], "s").holds(classes).all()
    assert not LDiversity(table["distinct"] + 1, "s").holds(classes).all()
    entropy = LDiversity(2, "s", kind="entropy")
    assert entropy.level(classes) == pytest.approx(min(table["entropy"]), abs=5e-4)
    if "recursive" in table:
        least, bound = table["recursive"]["l"], table["recursive"]["bound"]
        assert LDiversity(least, "s", kind="recursive", c=2).level(classes) == bound
        assert not LDiversity(least, "s", kind="recursive", c=bound).holds(classes).all()
        assert LDiversity(least, "s", kind="recursive", c=bound + 0.01).holds(classes).all()


@given(st.lists(histograms, min_size=1, max_size=5), st.integers(1, 6))
def test_distinct_by_brute_force(lists: list[list[int]], least: int) -> None:
    classes = classes_of([[f"v{i}" for i, count in enumerate(counts) for _ in range(count)] for counts in lists])
    assert LDiversity(least, "s").holds(classes).tolist() == [len(counts) >= least for counts in lists]


@given(histograms, st.sampled_from([1, 1.5, 2, 3, 4]))
def test_frequency_by_brute_force_and_what_it_implies(counts: list[int], least: float) -> None:
    classes, size = one_class(counts), sum(counts)
    frequency = LDiversity(least, "s", kind="frequency")
    held = bool(frequency.holds(classes).all())
    assert held == (max(counts) * Fraction(str(least)) <= size)
    assert frequency.level(classes) == pytest.approx(size / max(counts))
    if held:
        assert LDiversity(int(least), "s").holds(classes).all()
        assert LDiversity(least, "s", kind="entropy").holds(classes).all()
        assert LDiversity(int(least), "s", kind="recursive", c=1.0001).holds(classes).all()


@given(histograms, st.integers(1, 5), st.sampled_from([0.5, 1, 1.5, 2, 2.01, 3, 7.3]))
def test_recursive_by_brute_force(counts: list[int], least: int, c: float) -> None:
    ranked = sorted(counts, reverse=True)
    expected = ranked[0] < Fraction(str(c)) * sum(ranked[least - 1 :])
    assert LDiversity(least, "s", kind="recursive", c=c).holds(one_class(counts)).tolist() == [expected]


@given(histograms, st.sampled_from([1, 1.5, 2, 2.2, 3, 3.5, 4, 5, 6]))
def test_entropy_by_exact_integers(counts: list[int], least: float) -> None:
    n, demand = sum(counts), Fraction(str(least))
    product = math.prod(count**count for count in counts)
    expected = n**n * demand.denominator**n >= demand.numerator**n * product
    assert LDiversity(least, "s", kind="entropy").holds(one_class(counts)).tolist() == [expected]


@pytest.mark.parametrize("values", range(1, 60))
@pytest.mark.parametrize("each", [1, 3, 7, 1000])
def test_equally_frequent_values_hold_for_their_number(values: int, each: int) -> None:
    classes = one_class([each] * values)
    assert LDiversity(values, "s", kind="entropy").holds(classes).all()
    assert not LDiversity(values + 1e-9, "s", kind="entropy").holds(classes).any()
    assert LDiversity(1, "s", kind="entropy").level(classes) == values


@pytest.mark.parametrize("big", [10, 10**3, 10**5, 10**8, 10**12])
def test_a_violation_below_rounding_is_refused(big: int) -> None:
    # Two values that differ by one row: entropy misses ln 2 by about 1 / (2 · big²), far below float precision.
    assert not exactly_at_least((big, big + 1), Fraction(2))
    assert exactly_at_least((big, big), Fraction(2))


def test_an_equality_of_unequal_counts_is_recognised() -> None:
    # counts (2, 1, 1): exp(H) = 4 / (2²)^(1/4) = 2 · √2, so its square is 8: the tie lies between rational demands.
    assert exactly_at_least((2, 1, 1), Fraction(28284271, 10**7))
    assert not exactly_at_least((2, 1, 1), Fraction(28284272, 10**7))
    # counts (4, 1, 1, 1, 1): exp(H) = 8 / (4⁴)^(1/8) = 4 exactly, though no two ways to compute it in floats agree.
    assert exactly_at_least((4, 1, 1, 1, 1), Fraction(4))
    assert LDiversity(4, "s", kind="entropy").holds(one_class([4, 1, 1, 1, 1])).all()


def test_a_level_never_claims_what_does_not_hold() -> None:
    classes = one_class([500_001, 500_000])
    model = LDiversity(2, "s", kind="entropy")
    assert not model.holds(classes).any()
    assert model.level(classes) < 2


@pytest.mark.parametrize("table", [t for t in WORKED if "tolerance" in t], ids=lambda table: table["name"])
def test_worked_tolerances(table: dict) -> None:
    classes = classes_of(table["classes"])
    for case in table["tolerance"]:
        found = [Fraction(epsilon) for epsilon in case["epsilon"]]
        model = LDiversity(case["l"], "s", kind="tolerance", epsilon=float(max(found)))
        assert model.holds(classes).all()
        assert model.level(classes) == float(max(found))
        if max(found) > 0:
            tighter = LDiversity(case["l"], "s", kind="tolerance", epsilon=float(max(found)) - 1e-9)
            assert tighter.holds(classes).tolist() == [epsilon < max(found) for epsilon in found]


def test_tolerance_is_refused_only_where_no_division_helps() -> None:
    # One value has 3 of 4 rows: the two most frequent of any class then differ by half of some class at least.
    with pytest.raises(InfeasibleError, match=r"epsilon of at least 0\.5"):
        LDiversity(2, "s", kind="tolerance", epsilon=0.4).check_feasible(one_class([3, 1]))
    LDiversity(2, "s", kind="tolerance", epsilon=0.5).check_feasible(one_class([3, 1]))
    # The whole table fails (4, 2, 2), its halves {a, a, b, b} and {a, a, c, c} hold.
    whole = one_class([4, 2, 2])
    model = LDiversity(2, "s", kind="tolerance", epsilon=0)
    assert not model.holds(whole).any()
    model.check_feasible(whole)
    assert model.holds(classes_of([["a", "a", "b", "b"], ["a", "a", "c", "c"]])).all()


@pytest.mark.skipif(not GOLDEN.exists(), reason="the reference data of other tools are not there")
def test_sdcmicro_on_its_test_data() -> None:
    """Distinct and entropy l, and the largest l of recursive (2, l)-diversity, of every row as sdcMicro gives them."""
    frame = pl.read_csv(GOLDEN / "testdata.csv")
    theirs = pl.read_csv(GOLDEN / "golden_sdc_testdata_ldiv.csv")
    quasi = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    of_row = frame.select(pl.struct(quasi).rank("dense").alias("class"))["class"].to_numpy().astype(np.int64) - 1
    classes = Classes.of(of_row, int(of_row.max()) + 1, {"s": frame["hhcivil"].to_numpy()})
    histogram = classes.histograms["s"]
    assert np.diff(histogram.start)[of_row].tolist() == theirs["hhcivil_Distinct_Ldiversity"].to_list()
    entropy = effective_numbers(histogram)[of_row]
    np.testing.assert_allclose(entropy, theirs["hhcivil_Entropy_Ldiversity"].to_numpy(), rtol=0, atol=1e-9)
    recursive = sum(LDiversity(at, "s", kind="recursive", c=2).holds(classes).astype(int) for at in range(1, 6))
    assert recursive[of_row].tolist() == theirs["hhcivil_Recursive_Ldiversity"].to_list()


@given(histograms, histograms, st.sampled_from(["distinct", "entropy", "recursive"]), st.integers(1, 4))
def test_the_union_of_two_good_classes_is_good(left: list[int], right: list[int], kind: str, least: int) -> None:
    model = LDiversity(least, "s", kind=kind, c=1.7 if kind == "recursive" else None)
    both = [[f"v{i}" for i, n in enumerate(counts) for _ in range(n)] for counts in (left, right[::-1])]
    if model.holds(classes_of(both)).all():
        assert model.holds(classes_of([both[0] + both[1]])).all()


@pytest.mark.parametrize(
    ("model", "advice"),
    [
        (LDiversity(4, "s"), "l of at most 3"),
        (LDiversity(3, "s", kind="entropy"), "l of at most 2.3811"),
        (LDiversity(2, "s", kind="recursive", c=1), "c above 2"),
        (LDiversity(4, "s", kind="recursive", c=9), "smaller l"),
    ],
)
def test_infeasible_demands_name_the_best_value(model: LDiversity, advice: str) -> None:
    whole = one_class([4, 1, 1])
    with pytest.raises(InfeasibleError, match=advice) as raised:
        model.check_feasible(whole)
    if "at most" in str(raised.value):
        best = float(str(raised.value).rsplit(" ", 1)[1].rstrip("."))
        LDiversity(best, "s", kind=model.kind).check_feasible(whole)


@pytest.mark.parametrize(
    "wrong",
    [
        {"l": 0},
        {"l": 2.5},
        {"l": math.nan, "kind": "entropy"},
        {"l": True},
        {"l": 2, "kind": "entropie"},
        {"l": 2, "kind": "recursive"},
        {"l": 2, "kind": "recursive", "c": 0},
        {"l": 2, "c": 3},
        {"l": 2, "epsilon": 0.1},
        {"l": 2, "kind": "tolerance"},
        {"l": 2, "kind": "tolerance", "epsilon": 1.1},
        {"l": 2.5, "kind": "tolerance", "epsilon": 0.1},
        {"l": 2, "column": ""},
    ],
)
def test_bad_parameters(wrong: dict) -> None:
    with pytest.raises(PlanError, match="LDiversity"):
        LDiversity(**{"column": "s", **wrong})


def test_the_tolerance_that_is_advised_is_the_least_that_can_hold() -> None:
    """Of three values, one with 6 of 8 rows: (3 · 0.75 − 1) / 2."""
    with pytest.raises(InfeasibleError, match=r"epsilon of at least 0\.625,"):
        LDiversity(3, "s", kind="tolerance", epsilon=0.1).check_feasible(one_class([6, 1, 1]))
    LDiversity(3, "s", kind="tolerance", epsilon=0.625).check_feasible(one_class([6, 1, 1]))


@pytest.mark.parametrize("kind", ["distinct", "entropy"])
def test_no_class_has_endlessly_many_values(kind: str) -> None:
    with pytest.raises(PlanError, match="l must be a number"):
        LDiversity(float("inf"), "s", kind=kind)  # type: ignore[arg-type]
