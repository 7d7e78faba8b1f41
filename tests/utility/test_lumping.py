"""What a shared page may show: no bar about too few people, no extreme value of one person."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.hierarchy.tree import Tree
from paravent.methods.method import Axis
from paravent.table.kinds import Kind
from paravent.utility.bins import bins_of, size_bounds
from paravent.utility.lumping import Bar, distribution, lump


def axis_of_counts(kind: Kind, values: list[float], counts: list[int]) -> Axis:
    codes = np.repeat(np.arange(len(values)), counts).astype(np.int32)
    positions = np.array(values, dtype=np.float64) if kind.is_numeric or kind is Kind.DATE else None
    return Axis("column", kind, codes, tuple(f"v{value:g}" for value in values), None, positions)


counts = st.lists(st.integers(1, 40), min_size=1, max_size=60)


@given(counts, st.integers(1, 30), st.integers(2, 20))
def test_no_bar_is_about_too_few_people(sizes: list[int], fewest: int, most: int) -> None:
    bars = lump([Bar(f"v{i}", size, size) for i, size in enumerate(sizes)], fewest=fewest, most=most)
    assert sum(bar.before for bar in bars) == sum(sizes)
    assert len(bars) <= max(most, 1)
    if sum(sizes) >= fewest:
        assert all(bar.before >= fewest for bar in bars)


@given(
    st.sampled_from([Kind.INTEGER, Kind.FLOAT, Kind.DATE, Kind.NOMINAL, Kind.ORDINAL]),
    st.lists(
        st.tuples(st.integers(-3000, 40_000), st.integers(1, 30)), min_size=1, max_size=60, unique_by=lambda p: p[0]
    ),
    st.integers(2, 25),
)
def test_every_distribution_keeps_that_promise(kind: Kind, pairs: list[tuple[int, int]], fewest: int) -> None:
    pairs.sort()
    axis = axis_of_counts(kind, [float(value) for value, _ in pairs], [count for _, count in pairs])
    before = np.bincount(axis.codes).astype(float)
    bars = distribution(axis, before, fewest=fewest)
    if before.sum() < fewest:
        assert bars == []
    else:
        assert all(bar.before >= fewest for bar in bars)
        assert sum(bar.before for bar in bars) == pytest.approx(before.sum())
        assert sum(bar.after for bar in bars) == pytest.approx(before.sum())


def test_the_rest_cannot_be_worked_out() -> None:
    """One value of two people alone in the rest would be given away by the total: a larger one joins it."""
    bars = lump([Bar("common", 90, 90), Bar("less", 8, 8), Bar("rare", 2, 2)], fewest=5, most=10)
    assert [(bar.label, bar.before) for bar in bars] == [("common", 90), ("2 others", 10)]


def test_the_oldest_person_does_not_show() -> None:
    ages = [*range(20, 80), 107]
    axis = axis_of_counts(Kind.INTEGER, [float(age) for age in ages], [10] * 60 + [1])
    labels = [bar.label for bar in distribution(axis, np.bincount(axis.codes).astype(float), fewest=5)]
    assert labels[0].startswith("below ")
    assert labels[-1].endswith(" and above")
    assert not any(int(number) > 80 for label in labels for number in re.findall(r"\d+", label))


def test_many_values_are_shown_by_the_groups_of_their_tree() -> None:
    paths = [[f"130{i:02}", f"130{i // 10}*", "*"] for i in range(40)]
    tree = Tree.from_paths("zip", paths)
    axis = Axis("zip", Kind.NOMINAL, np.repeat(np.arange(40), 3).astype(np.int32), tree.labels[:40], tree)
    bars = distribution(axis, np.full(40, 3.0), fewest=5)
    assert sorted((bar.label, bar.before) for bar in bars) == [(f"130{i}*", 30) for i in range(4)]


def test_a_missing_value_that_counts_as_one_has_its_own_bar() -> None:
    values = (*map(str, range(20, 60)), "(missing)")
    axis = Axis("age", Kind.INTEGER, np.repeat(np.arange(41), 10).astype(np.int32), values)
    bars = distribution(axis, np.full(41, 10.0), fewest=5)
    assert bars[-1].label == "(missing)"
    assert bars[-1].before == 10
    assert len(bars) < 25


@pytest.mark.parametrize(
    ("kind", "places", "label"),
    [
        (Kind.INTEGER, np.arange(17, 91), "25–29"),
        (Kind.FLOAT, np.linspace(0, 1, 200), "0.1–0.2"),
        (Kind.FLOAT, np.linspace(0, 200_000, 500), "20k–40k"),
        (Kind.DATE, np.arange(-10_000, 10_000, 10), "1955–1959"),
        (Kind.DATE, np.arange(0, 400, 1), "1970-03"),
        (Kind.DATE, np.arange(0, 12, 1), "1970-01-05"),
        (Kind.DATE, np.arange(0, 1, 1 / 96), "08:00–09:00"),
    ],
)
def test_bins_have_round_names(kind: Kind, places: np.ndarray, label: str) -> None:
    bins = bins_of(kind, places, np.ones(len(places)))
    assert label in [bins.label(i, i + 1) for i in range(len(bins))]
    assert len(bins) <= 25


@given(st.integers(1, 5000), st.integers(1, 10**7))
def test_a_size_of_k_begins_a_bin(k: int, largest: int) -> None:
    bounds = size_bounds(k, largest)
    assert k in bounds
    assert bounds[0] == 1
    assert bounds == sorted(set(bounds))
    assert len(bounds) <= 16


@pytest.mark.parametrize("kind", [Kind.INTEGER, Kind.FLOAT])
def test_a_column_of_one_number_has_one_bar(kind: Kind) -> None:
    bins = bins_of(kind, np.array([7.0, 7.0]), np.ones(2))
    assert len(bins) == 1
    assert all(np.isfinite(bins.bounds))
