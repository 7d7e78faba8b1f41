"""Clustering: the compiled kernels and their plain twins make the same groups, row by row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent import kernels
from paravent.hierarchy.tree import Tree
from paravent.kernels import CutAxis, Grouped, Judge, Members, Points, PricedAxis, Style
from tests.kernels.twins import clustering as twin


def random_axis(rng: np.random.Generator) -> PricedAxis:
    size = int(rng.integers(1, 8))
    style = Style(int(rng.integers(0, 3)))
    ruler = np.cumsum(rng.integers(0, 4, size)).astype(np.int64)
    if style is not Style.TREE:
        return PricedAxis(CutAxis(style, ruler, int(rng.integers(0, 4))), int(ruler[-1] * rng.choice([1.0, 0.5])))
    group = np.sort(rng.integers(0, max(1, size // 2), size))
    tree = Tree.from_paths("t", [[f"v{i}", f"g{g}", f"h{g // 2}", "*"] for i, g in enumerate(group.tolist())])
    step = rng.integers(0, 4, tree.n_nodes)  # small steps, zero among them: many ties
    climb = np.zeros(tree.n_nodes, dtype=np.int64)
    for node in range(tree.n_nodes - 2, -1, -1):
        climb[node] = climb[tree.parent[node]] + step[node]
    axis = CutAxis(style, ruler, 0, tree.parent, tree.first, tree.last, climb.max() - climb)
    return PricedAxis(axis, int(climb.max()))


def random_points(rng: np.random.Generator, most: int = 30) -> Points:
    axes = [random_axis(rng) for _ in range(int(rng.integers(1, 5)))]
    drawn = np.stack([rng.integers(0, priced.axis.size, most) for priced in axes], axis=1)
    codes = np.unique(drawn, axis=0).astype(np.int32)[rng.permutation(len(np.unique(drawn, axis=0)))]
    codes = codes[: int(rng.integers(1, len(codes) + 1))]
    counts = rng.integers(1, 4, len(codes)).astype(np.int64)
    base = None
    if rng.random() < 0.4:
        base = rng.integers(0, 3, len(codes)).astype(np.int64)
    return Points(np.ascontiguousarray(codes), counts, axes, base)


def random_members(rng: np.random.Generator, points: Points) -> Members:
    units = rng.permutation(np.repeat(np.arange(len(points.codes), dtype=np.int32), points.counts))
    groups = int(rng.integers(1, len(units) + 1))
    group = np.r_[np.arange(groups), rng.integers(0, groups, len(units) - groups)].astype(np.int32)
    return Members.of(units, group, groups)


def two_kinds(units: np.ndarray) -> bool:
    """A demand as models make it."""
    return len(set((np.asarray(units) % 3).tolist())) >= 2


@pytest.mark.parametrize("most", [30, 120])
@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_growing(most: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = random_points(rng, int(rng.integers(1, most)))
    k, centred, judged = int(rng.integers(1, 7)), bool(rng.integers(2)), bool(rng.integers(2))
    seeds = rng.permutation(len(points.codes)).astype(np.int32) if rng.integers(2) else None
    start = int(rng.integers(len(points.codes)))
    kind = (np.arange(len(points.codes)) % 3).astype(np.int32)
    table = np.bincount(kind, weights=points.counts, minlength=3).astype(np.int64)
    judge = Judge(two_kinds, kind, table) if judged else None
    found = kernels.grow(points, k=k, centred=centred, seeds=seeds, start=start, judge=judge)
    given_seeds = np.zeros(0, dtype=np.int32) if seeds is None else seeds
    unit, group = twin.grow_twin(points, k, centred, given_seeds, start, judge, None)
    np.testing.assert_array_equal(found.unit, unit)
    np.testing.assert_array_equal(found.group, group)
    if not judged and int(points.counts.sum()) >= k:
        assert set(np.bincount(found.group).tolist()) == {k}


@settings(max_examples=250, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_joining(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = random_points(rng)
    members = random_members(rng, points)
    rows = rng.integers(0, len(points.codes), int(rng.integers(0, 12))).astype(np.int32)
    below, spare = int(rng.choice([0, 3, 6])), int(rng.choice([0, 2]))
    judge = (lambda group, unit: (group + unit) % 3 == 0) if rng.integers(2) else None
    tries = int(rng.integers(1, 4))
    found = kernels.join(points, members, rows, below=below, spare=spare, judge=judge, tries=tries)
    np.testing.assert_array_equal(found, twin.join_twin(points, members, rows, below, spare, judge, tries, None))


@settings(max_examples=250, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 6))
def test_shedding(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    points = random_points(rng)
    members = random_members(rng, points)
    np.testing.assert_array_equal(kernels.shed(points, members, k=k), twin.shed_twin(points, members, k))


@settings(max_examples=250, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 8))
def test_absorbing(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    points = random_points(rng)
    members = random_members(rng, points)
    sizes = np.diff(members.start)
    waiting = rng.permutation(len(members)).astype(np.int32)
    waiting = waiting[sizes[waiting] < k]
    divide, spare = bool(rng.integers(2)), int(rng.choice([0, 3]))
    found = kernels.absorb(points, members, waiting, k=k, divide=divide, spare=spare)
    unit, group = twin.absorb_twin(points, members, waiting, k, divide, spare, None)
    np.testing.assert_array_equal(found.unit, unit)
    np.testing.assert_array_equal(found.group, group)
    np.testing.assert_array_equal(np.sort(found.unit), np.sort(members.row))


def test_leftovers_join_the_cheapest_group_not_the_last() -> None:
    line = CutAxis(Style.SPAN, np.array([0, 1, 2, 10, 11, 12], dtype=np.int64))
    points = Points(np.arange(6, dtype=np.int32).reshape(-1, 1), np.ones(6, dtype=np.int64), [PricedAxis(line, 12)])
    members = Members.of(np.array([0, 1, 3, 4], dtype=np.int32), np.array([0, 0, 1, 1], dtype=np.int32), 2)
    assert kernels.join(points, members, np.array([2, 5], dtype=np.int32)).tolist() == [0, 1]


def test_what_would_be_read_out_of_bounds_is_refused() -> None:
    line = PricedAxis(CutAxis(Style.SPAN, np.arange(3, dtype=np.int64)), 2)
    one = np.ones(1, dtype=np.int64)
    with pytest.raises(ValueError, match="between 0 and 2"):
        kernels.grow(Points(np.array([[3]], dtype=np.int32), one, [line]), k=1)
    good = Points(np.array([[2]], dtype=np.int32), one, [line])
    with pytest.raises(ValueError, match="seeds"):
        kernels.grow(good, k=1, seeds=np.array([0, 0]))
    with pytest.raises(ValueError, match="empty"):
        kernels.shed(good, Members(np.array([0, 0, 1], dtype=np.int64), np.array([0], dtype=np.int32)), k=1)
    with pytest.raises(ValueError, match="positive"):
        kernels.grow(Points(good.codes, 0 * one, [line]), k=1)


def test_progress_may_stop_the_run() -> None:
    points = random_points(np.random.default_rng(1))

    def stop(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kernels.grow(points, k=1, watch=stop)


def test_rows_of_one_unit_are_dealt_out() -> None:
    line = PricedAxis(CutAxis(Style.SPAN, np.arange(2, dtype=np.int64)), 1)
    points = Points(np.array([[0], [1]], dtype=np.int32), np.array([3, 2], dtype=np.int64), [line])
    found = kernels.grow(points, k=2)
    assert isinstance(found, Grouped)
    assert found.unit.tolist() == [1, 1, 0, 0]
