from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.errors import TreeError
from paravent.hierarchy.builders import (
    balanced,
    by_frequency,
    dates,
    flat,
    groups,
    ordered_groups,
    prefixes,
    quantiles,
)
from paravent.hierarchy.tree import Tree
from paravent.table.domain import Domain
from paravent.table.kinds import Kind

Make = Callable[..., Domain]


def labels(tree: Tree) -> list[tuple[str, ...]]:
    return [level.labels for level in tree.levels]


@pytest.mark.parametrize("n", range(1, 8))
def test_balanced_binary_trees(domain_of: Make, n: int) -> None:
    tree = balanced().build(domain_of(range(2**n), Kind.INTEGER))
    assert tree.height == n + 1
    assert np.bincount(tree.level).tolist() == [2 ** (n - j) for j in range(n + 1)]


@given(st.integers(1, 200))
def test_balanced_trees_of_any_size_are_as_even_as_can_be(domain_of: Make, n: int) -> None:
    tree = balanced().build(domain_of(range(n), Kind.INTEGER))
    assert tree.height == max((n - 1).bit_length(), 1) + 1
    for node in range(tree.n_leaves, tree.n_nodes):
        sizes = tree.leaf_counts[tree.children(node)]
        assert len(sizes) == min(n, 2)
        assert sizes.max() - sizes.min() <= 1
    assert tree.leaves == tuple(map(str, range(n)))


def test_labels_of_neighbours_follow_the_kind(domain_of: Make) -> None:
    days = [date(2020, 1, d) for d in (1, 2, 3, 4)]
    assert labels(balanced().build(domain_of(days, Kind.DATE)))[1] == (
        "[2020-01-01, 2020-01-02]",
        "[2020-01-03, 2020-01-04]",
    )
    assert labels(balanced().build(domain_of(["low", "mid", "high"], Kind.ORDINAL)))[1] == ("low~mid", "high")


def test_quantiles_hold_similar_numbers_of_rows(domain_of: Make) -> None:
    domain = domain_of(range(8), Kind.INTEGER, counts=[1, 1, 1, 1, 4, 4, 2, 2])
    tree = quantiles(4, 2).build(domain)
    assert labels(tree)[1:] == [("[0, 3]", "4", "5", "[6, 7]"), ("[0, 4]", "[5, 7]"), ("*",)]


@given(st.lists(st.integers(1, 50), min_size=1, max_size=40), st.sampled_from([(2,), (4, 2), (12, 6, 3), (100,)]))
def test_quantiles_never_stray_by_more_than_a_value(domain_of: Make, counts: list[int], steps: tuple[int, ...]) -> None:
    domain = domain_of(range(len(counts)), Kind.INTEGER, counts=counts)
    tree = quantiles(*steps).build(domain)
    level = tree.levels[1]
    rows = np.bincount(level.codes, weights=counts)
    assert (rows <= sum(counts) / steps[0] + max(counts)).all()


def test_equal_groups_of_a_uniform_column(domain_of: Make) -> None:
    tree = quantiles(5).build(domain_of(range(100), Kind.INTEGER))
    assert np.bincount(tree.levels[1].codes).tolist() == [20] * 5


def test_ordered_groups_by_size(domain_of: Make) -> None:
    tree = ordered_groups(3, 4, 3).build(domain_of(range(72), Kind.INTEGER))
    assert (tree.n_nodes, tree.height) == (105, 5)
    assert [len(level.labels) for level in tree.levels] == [72, 24, 6, 2, 1]
    assert labels(ordered_groups(2).build(domain_of("abcde", Kind.ORDINAL)))[1] == ("a~b", "c~d", "e")


def test_ordered_groups_by_cuts(domain_of: Make) -> None:
    ages = domain_of([5, 17, 18, 30, 64, 65], Kind.INTEGER)
    tree = ordered_groups(cuts=[[18, 30, 65], [18]]).build(ages)
    assert labels(tree)[1:] == [("< 18", "[18, 30[", "[30, 65[", ">= 65"), ("< 18", ">= 18"), ("*",)]
    grades = domain_of(["bad", "fair", "good", "best"], Kind.ORDINAL)
    assert labels(ordered_groups(cuts=["good"]).build(grades))[1] == ("bad~fair", "good~best")
    born = domain_of([date(1980, 1, 1), date(1999, 12, 31), date(2000, 1, 1)], Kind.DATE)
    for cut in ("2000-01-01", date(2000, 1, 1)):
        assert labels(ordered_groups(cuts=[cut]).build(born))[1] == ("< 2000-01-01", ">= 2000-01-01")
    names = domain_of(["ann", "bob", "mia", "zoe"])
    assert labels(ordered_groups(cuts=["m"]).build(names))[1] == ("ann~bob", "mia~zoe")
    heights = domain_of([1.5, 1.75, 2.0], Kind.FLOAT)
    assert labels(ordered_groups(cuts=[1.75]).build(heights))[1] == ("< 1.75", ">= 1.75")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (ordered_groups, "give either sizes or cuts"),
        (lambda: ordered_groups(3, cuts=[1]), "give either sizes or cuts"),
        (lambda: ordered_groups(1), "size 1 must be a whole number of at least 2"),
        (lambda: ordered_groups(cuts=[[1], [2]]), "cut 2 is missing on the finer level"),
        (lambda: ordered_groups(cuts=[1, 1]), "must be different values"),
        (quantiles, "no number of groups is given"),
        (lambda: quantiles(10, 4), "10 groups cannot be merged evenly into 4"),
        (lambda: quantiles(2.5), "number of groups 2.5 must be a whole number"),  # type: ignore[arg-type]
        (lambda: by_frequency(2, 4), "2 groups cannot be merged evenly into 4"),
        (lambda: dates("fortnight"), "'fortnight' is no unit. The choices are 'day', 'decade', 'hour'"),
        (lambda: dates("week", "month"), "weeks do not nest in a month"),
        (lambda: dates("year", "month"), "from fine to coarse"),
        (lambda: prefixes(2, 1), "must grow from level to level"),
        (lambda: prefixes(0), "number of masked characters 0 must be a whole number of at least 1"),
        (lambda: prefixes(keep="middle"), "keep 'middle' must be 'left' or 'right'"),
        (lambda: prefixes(mask="**"), "mask '**' must be one character"),
        (lambda: groups({}), "must be a mapping from labels to lists of values"),
        (lambda: groups("abc"), "must be a mapping from labels to lists of values"),
        (lambda: groups({"a": []}), "group 'a' is empty"),
        (lambda: groups({"a": ["x"], "b": ["x"]}), "value 'x' appears twice"),
        (lambda: groups({"a": {"x": ["1"]}, "b": {"x": ["2"]}}), "label 'x' names two groups"),
        (lambda: groups({"a": ["a", "b"], "c": ["d"]}), "label 'a' names two different nodes"),
        (lambda: groups({"a": ["x", None]}), "None is neither a value nor a group"),
        (lambda: groups({1: ["x"]}), "group label 1 must be text"),
        (lambda: groups({"a": [""]}), "it has an empty value"),
    ],
)
def test_specs_that_make_no_tree(make: Callable[[], object], message: str) -> None:
    with pytest.raises(TreeError) as error:
        make()
    assert message in str(error.value)


def test_nesting_has_a_limit() -> None:
    deep: object = ["x"]
    for i in range(150):
        deep = {f"g{i}": deep}
    with pytest.raises(TreeError, match="more than 100 deep"):
        groups(deep)


def test_cuts_that_do_not_fit_the_column(domain_of: Make) -> None:
    with pytest.raises(TreeError, match="tree 'q': cut 'x' is no number"):
        ordered_groups(cuts=["x"]).build(domain_of([1, 2], Kind.INTEGER))
    with pytest.raises(TreeError, match="tree 'q': cut 'best' is not a value of the column"):
        ordered_groups(cuts=["best"]).build(domain_of(["bad", "good"], Kind.ORDINAL))
    with pytest.raises(TreeError, match="tree 'q': cut 'soon' is no date"):
        ordered_groups(cuts=["soon"]).build(domain_of([date(2020, 1, 1)], Kind.DATE))
    with pytest.raises(TreeError, match="tree 'q': cut 5 is no date"):
        ordered_groups(cuts=[5]).build(domain_of([date(2020, 1, 1)], Kind.DATE))


def test_prefixes(domain_of: Make) -> None:
    tree = prefixes().build(domain_of(["13053", "13058", "13068", "14850"], name="zip"))
    assert labels(tree)[1:] == [
        ("1305*", "1306*", "1485*"),
        ("130**", "148**"),
        ("13***", "14***"),
        ("1****",),
        ("*",),
    ]
    assert labels(prefixes(3, keep="right", mask="x").build(domain_of(["13053", "14853"])))[1] == ("xxx53",)
    assert prefixes().build(domain_of(["a", "b"])).n_nodes == 3
    assert labels(prefixes(1, 2, 9).build(domain_of(["é1", "é2"])))[1:] == [("é*",), ("*",)]


def test_codes_of_different_lengths_meet_in_their_prefix(domain_of: Make) -> None:
    tree = prefixes().build(domain_of(["C5", "C50", "C501", "D1"]))
    assert labels(tree)[1:] == [("C5", "C50*", "D1"), ("C5**", "D1**"), ("C***", "D***"), ("*",)]


def test_masks_that_are_in_the_values(domain_of: Make) -> None:
    with pytest.raises(
        TreeError, match=r"tree 'zip': value '13\*' holds the mask sign '\*'. Choose another with mask="
    ):
        prefixes().build(domain_of(["13*", "130"], name="zip"))
    assert prefixes(mask="#").build(domain_of(["13*", "130"])).levels[1].labels == ("13#",)


def test_dates_by_the_calendar(domain_of: Make) -> None:
    days = [date(2019, 12, 29), date(2019, 12, 30), date(2020, 1, 1), date(2020, 4, 1), date(1987, 5, 5)]
    domain = domain_of(sorted(days), Kind.DATE)
    assert labels(dates("day", "month", "quarter", "year", "decade").build(domain))[1:] == [
        ("1987-05-05", "2019-12-29", "2019-12-30", "2020-01-01", "2020-04-01"),
        ("1987-05", "2019-12", "2020-01", "2020-04"),
        ("1987-Q2", "2019-Q4", "2020-Q1", "2020-Q2"),
        ("1987", "2019", "2020"),
        ("1980s", "2010s", "2020s"),
        ("*",),
    ]
    weeks = dates("week").build(domain)
    assert labels(weeks)[1] == ("1987-W19", "2019-W52", "2020-W01", "2020-W14")
    assert weeks.labels[weeks.ancestor([2], [3])[0]] == "2020-W01"  # 30 December 2019 and 1 January 2020


def test_times(domain_of: Make) -> None:
    stamps = domain_of([datetime(2020, 1, 1, 8, 5), datetime(2020, 1, 1, 8, 55)], Kind.DATE)
    assert labels(dates("hour", "day").build(stamps))[1:] == [("2020-01-01 08h",), ("2020-01-01",), ("*",)]
    clock = domain_of([time(8, 5), time(8, 6), time(23)], Kind.DATE)
    assert labels(dates("hour").build(clock))[1] == ("08h", "23h")
    with pytest.raises(TreeError, match="times of day, which have hours alone"):
        dates("month").build(clock)
    with pytest.raises(TreeError, match="days without hours"):
        dates("hour").build(domain_of([date(2020, 1, 1)], Kind.DATE))
    with pytest.raises(TreeError, match="dates need a date column, and this one is nominal"):
        dates().build(domain_of(["2020-01-01"]))


@given(st.lists(st.dates(), min_size=1, max_size=30, unique=True))
def test_any_dates_have_a_tree(domain_of: Make, days: list[date]) -> None:
    tree = dates("day", "month", "quarter", "year", "decade").build(domain_of(sorted(days), Kind.DATE))
    assert tree.n_leaves == len(days)
    assert dates("week").build(domain_of(sorted(days), Kind.DATE)).leaves == tree.leaves


def test_rare_values_are_gathered(domain_of: Make) -> None:
    domain = domain_of(["a", "b", "c", "d", "e", "f"], counts=[1, 50, 1, 25, 1, 22])
    tree = by_frequency(4, 2).build(domain)
    assert labels(tree)[1:] == [("b", "d", "#3~#6"), ("b", "#2~#6"), ("*",)]
    named = by_frequency(4, 2, named=True).build(domain)
    assert labels(named)[1:] == [("b", "d", "{f, a, c, e}"), ("b", "{d, f, a, c, e}"), ("*",)]


def test_a_value_that_reads_like_a_group_of_frequencies(domain_of: Make) -> None:
    with pytest.raises(TreeError, match="named=True"):
        by_frequency().build(domain_of(["#1~#2", "b", "c"]))


def test_by_frequency_halves_the_rows(domain_of: Make) -> None:
    domain = domain_of(["a", "b", "c", "d", "e"], counts=[1, 50, 2, 25, 12])
    tree = by_frequency().build(domain)
    assert labels(tree)[1:] == [
        ("b", "d", "e", "#4~#5"),
        ("b", "d", "#3~#5"),
        ("b", "#2~#5"),
        ("*",),
    ]


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=60))
def test_by_frequency_never_separates_rare_from_rarer(domain_of: Make, counts: list[int]) -> None:
    tree = by_frequency().build(domain_of([f"v{i:02}" for i in range(len(counts))], counts=counts))
    in_order = np.array([counts[int(leaf[1:])] for leaf in tree.leaves])
    assert (np.diff(in_order) <= 0).all()
    for node in range(tree.n_leaves, tree.n_nodes):
        children = tree.children(node)
        assert len(children) == min(2, len(counts))
        if len(children) == 2:
            left, right = (in_order[tree.first[c] : tree.last[c] + 1] for c in children)
            uneven = abs(left.sum() - right.sum())
            # No other cut halves the rows better.
            assert len(left) == 1 or uneven <= abs(left[:-1].sum() - right.sum() - left[-1])
            assert len(right) == 1 or uneven <= abs(left.sum() + right[0] - right[1:].sum())


def test_by_frequency_into_given_numbers_of_groups(domain_of: Make) -> None:
    names = [f"v{i:03}" for i in range(300)]
    tree = by_frequency(64, 16, 4).build(domain_of(names, counts=list(range(1, 301))))
    assert [len(level.labels) for level in tree.levels] == [300, 64, 16, 4, 1]
    rows = np.bincount(tree.levels[3].codes, weights=[int(leaf[1:]) + 1 for leaf in tree.leaves])
    assert rows.max() / rows.min() < 1.1


def test_flat(domain_of: Make) -> None:
    assert flat().build(domain_of(["x", "y"])).labels == ("x", "y", "*")
    assert flat().build(domain_of(["x"])).labels == ("x", "*")


def test_groups_beside_values() -> None:
    spec = groups(["Private", {"Gov": ["Federal", "Local"], "None": {"Paid": ["a", "b"], "Unpaid": "c"}}])
    tree = spec.tree("work")
    assert [[level.labels[code] for code in level.codes] for level in tree.levels] == [
        ["Private", "Federal", "Local", "a", "b", "c"],
        ["Private", "Gov", "Gov", "Paid", "Paid", "Unpaid"],
        ["Private", "Gov", "Gov", "None", "None", "None"],
        ["*"] * 6,
    ]
    assert tree.height == 4


def test_values_of_another_type_are_refused(domain_of: Make) -> None:
    numbers = groups({"low": [1, 2], "high": [3]})
    assert numbers.build(domain_of([1, 2, 3], Kind.INTEGER)).leaves == ("1", "2", "3")
    for column in (domain_of(["1", "2", "3"]), domain_of([1.0, 2.0, 3.0], Kind.FLOAT)):
        with pytest.raises(TreeError, match="tree 'q': 1 is of type int") as error:
            numbers.build(column)
        assert "in quotes" in str(error.value)
    assert groups({"low": [1.0], "high": [2.5]}).build(domain_of([1.0, 2.5], Kind.FLOAT)).leaves == ("1.0", "2.5")
    assert groups({"y": [True], "n": [False]}).build(domain_of([False, True])).leaves == ("true", "false")
    day = groups({"then": [date(2020, 1, 1)], "now": ["2024-01-01"]})
    assert day.build(domain_of([date(2020, 1, 1)], Kind.DATE)).leaves == ("2020-01-01", "2024-01-01")


def test_a_column_of_a_hundred_thousand_numbers(domain_of: Make) -> None:
    from paravent.hierarchy.builders import intervals

    domain = domain_of(range(100_000), Kind.INTEGER)
    for spec in (intervals(5, 10, 20, 1000), balanced(), quantiles(1000, 10), ordered_groups(3, 4, 3), prefixes()):
        assert spec.build(domain).n_leaves == 100_000
    text = pl.Series(range(100_000)).cast(pl.String).sort().to_list()
    for spec in (by_frequency(), flat(), groups({"a": text[:50_000], "b": text[50_000:]})):
        assert spec.build(domain_of(text)).n_leaves == 100_000
