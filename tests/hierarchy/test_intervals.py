from __future__ import annotations

import re
from collections.abc import Callable

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.errors import TreeError
from paravent.hierarchy.builders import intervals
from paravent.table.domain import Domain
from paravent.table.kinds import Kind

Make = Callable[..., Domain]
_LABEL = re.compile(r"([\[\]])(\S+), (\S+)([\[\]])")


def lies_in(value: float, label: str) -> bool:
    """What a reader takes a label to mean."""
    if label == "*" or label == str(value):
        return True
    for sign, holds in (
        ("<= ", value.__le__),
        (">= ", value.__ge__),
        ("< ", value.__lt__),
        ("> ", value.__gt__),
    ):
        if label.startswith(sign):
            bound = label.removeprefix(sign)
            return bool(holds(type(value)(bound)))
    found = _LABEL.fullmatch(label)
    assert found, label
    low, high = type(value)(found[2]), type(value)(found[3])
    return (low <= value if found[1] == "[" else low < value) and (value <= high if found[4] == "]" else value < high)


def test_nested_intervals_over_ages(domain_of: Make) -> None:
    tree = intervals(5, 10, 20).build(domain_of([17, 19, 20, 24, 25, 90], Kind.INTEGER, name="age"))
    assert [level.labels for level in tree.levels[1:]] == [
        ("[15, 20[", "[20, 25[", "[25, 30[", "[90, 95["),
        ("[10, 20[", "[20, 30[", "[90, 100["),
        ("[0, 20[", "[20, 40[", "[80, 100["),
        ("*",),
    ]
    assert tree.leaves == ("17", "19", "20", "24", "25", "90")


def test_width_w_puts_v_into_w_floor_v_over_w(domain_of: Make) -> None:
    values = list(range(-25, 40))
    tree = intervals(10).build(domain_of(values, Kind.INTEGER))
    level = tree.levels[1]
    for value in values:
        begin = 10 * (value // 10)
        assert level.labels[level.codes[tree.leaf_of[str(value)]]] == f"[{begin}, {begin + 10}["


@pytest.mark.parametrize(
    ("closed", "labels"),
    [
        ("left", ("[0, 5[", "[5, 10[", "[10, 15[")),
        ("right", ("]-5, 0]", "]0, 5]", "]5, 10]")),
        ("both", ("[0, 4]", "[5, 9]", "[10, 14]")),
    ],
)
def test_closed_ends(domain_of: Make, closed: str, labels: tuple[str, ...]) -> None:
    tree = intervals(5, closed=closed).build(domain_of([0, 5, 10], Kind.INTEGER))
    assert tree.levels[1].labels == labels
    assert tree.n_nodes == 4  # chains of one value are collapsed


def test_open_ends_are_one_group_on_every_level(domain_of: Make) -> None:
    domain = domain_of([3, 12, 20, 33, 79, 80, 99], Kind.INTEGER)
    tree = intervals(10, 20, low=20, high=80).build(domain)
    assert tree.levels[1].labels == ("< 20", "[20, 30[", "[30, 40[", "[70, 80[", ">= 80")
    assert tree.levels[2].labels == ("< 20", "[20, 40[", "[60, 80[", ">= 80")
    assert tree.labels[tree.ancestor([0], [1])[0]] == "< 20"
    right = intervals(10, low=20, high=80, closed="right").build(domain)
    assert right.levels[1].labels == ("<= 20", "]30, 40]", "]70, 80]", "> 80")
    assert intervals(10, low=17, high=33).build(domain).levels[1].labels == ("< 17", "[20, 30[", ">= 33")
    assert intervals(20, low=17).build(domain_of([3, 18, 19], Kind.INTEGER)).levels[1].labels == ("< 17", "[17, 20[")


def test_decimal_widths_are_decimal(domain_of: Make) -> None:
    values = [i / 10 for i in range(100)]
    tree = intervals(0.1, 0.5, 2).build(domain_of(values, Kind.FLOAT))
    for value, code in zip(values, tree.levels[1].codes, strict=True):
        low = tree.levels[1].labels[code].split(",")[0][1:]
        assert float(low) == value  # 0.3 / 0.1 is less than 3, and yet 0.3 begins its interval
    assert tree.levels[2].labels[:3] == ("[0, 0.5[", "[0.5, 1[", "[1, 1.5[")


@given(
    st.lists(st.integers(-(2**63), 2**64 - 1), min_size=1, max_size=20, unique=True),
    st.integers(1, 10**6),
    st.integers(2, 7),
    st.integers(-100, 100),
    st.sampled_from(["left", "right", "both"]),
    st.none() | st.integers(-1000, -1),
    st.none() | st.integers(0, 1000),
)
def test_integers_lie_in_their_labels(
    domain_of: Make,
    values: list[int],
    width: int,
    factor: int,
    origin: int,
    closed: str,
    low: int | None,
    high: int | None,
) -> None:
    domain = domain_of(sorted(values), Kind.INTEGER, dtype=pl.Int128)
    tree = intervals(width, width * factor, origin=origin, closed=closed, low=low, high=high).build(domain)
    for value, text in zip(sorted(values), domain.text, strict=True):
        leaf = tree.leaf_of[text]
        assert all(lies_in(value, level.labels[level.codes[leaf]]) for level in tree.levels[1:])


@given(
    st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=20, unique_by=lambda x: x + 0.0),
    st.sampled_from([0.1, 0.25, 0.3, 0.001, 1, 2.5, 7]),
    st.integers(2, 7),
    st.sampled_from([0, 0.1, -3, 0.37]),
    st.sampled_from(["left", "right"]),
)
def test_floats_lie_in_their_labels(
    domain_of: Make, values: list[float], width: float, factor: int, origin: float, closed: str
) -> None:
    from decimal import Decimal

    wide = float(Decimal(str(width)) * factor)
    domain = domain_of(sorted(values), Kind.FLOAT)
    tree = intervals(width, wide, origin=origin, closed=closed).build(domain)
    for value, text in zip(sorted(values), domain.text, strict=True):
        leaf = tree.leaf_of[text]
        assert all(lies_in(value, level.labels[level.codes[leaf]]) for level in tree.levels[1:])


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=5, unique=True)
    | st.lists(st.floats(allow_nan=False), min_size=1, max_size=5, unique_by=lambda x: x + 0.0),
    st.integers(1, 10**40) | st.floats(0, exclude_min=True, allow_infinity=False),
    st.integers(2, 10**30),
    st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
)
def test_extreme_numbers_build_or_get_a_sentence(
    domain_of: Make, values: list[float], width: float, factor: int, origin: float, high: float | None
) -> None:
    kind = Kind.INTEGER if isinstance(values[0], int) else Kind.FLOAT
    try:
        spec = intervals(width, width * factor, origin=origin, high=high)
        assert spec.build(domain_of(sorted(values), kind)).n_leaves == len(values)
    except TreeError:
        pass


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((), {}, "widths () must be one or more positive numbers"),
        ((5, 12), {}, "width 12 is not a multiple of 5, so the levels are not nested"),
        ((0.1, 0.25), {}, "width 0.25 is not a multiple of 0.1"),
        ((10, 5), {}, "width 5 is not a multiple of 10"),
        ((-5,), {}, "positive numbers"),
        ((True,), {}, "positive numbers"),
        (("5",), {}, "positive numbers"),
        ((float("nan"),), {}, "positive numbers"),
        ((5,), {"closed": "open"}, "closed 'open' must be one of left, right, both"),
        ((5,), {"low": 9, "high": 3}, "low 9 must be less than high 3"),
        ((1e300,), {}, "beyond 10^18"),
        ((1e-20,), {}, "more than 15 decimals"),
        ((5,), {"origin": None}, "origin None must be a number"),
    ],
)
def test_widths_that_make_no_tree(arguments: tuple[object, ...], options: dict[str, object], message: str) -> None:
    with pytest.raises(TreeError) as error:
        intervals(*arguments, **options)  # type: ignore[arg-type]
    assert message in str(error.value)


def test_columns_without_intervals(domain_of: Make) -> None:
    with pytest.raises(TreeError, match="tree 'job': intervals need numbers, and the column is nominal"):
        intervals(5).build(domain_of(["a"], name="job"))
    with pytest.raises(TreeError, match="closed='both' needs whole numbers"):
        intervals(5, closed="both").build(domain_of([1.5], Kind.FLOAT))
    with pytest.raises(TreeError, match=r"value nan lies in no interval. Make it missing."):
        intervals(5).build(domain_of([1.5, float("nan")], Kind.FLOAT))
    with pytest.raises(TreeError, match=r"value inf lies in no interval. Give open ends"):
        intervals(5).build(domain_of([1.5, float("inf")], Kind.FLOAT))
    assert intervals(5, high=10).build(domain_of([1.5, float("inf")], Kind.FLOAT)).levels[1].labels == (
        "[0, 5[",
        ">= 10",
    )
    with pytest.raises(TreeError, match=r"width 0.001 is too fine"):
        intervals(0.001).build(domain_of([1.5, 1e300], Kind.FLOAT))
    with pytest.raises(TreeError, match="column 'q': it has no values"):
        intervals(5).build(domain_of([], Kind.INTEGER, dtype=pl.Int64))
