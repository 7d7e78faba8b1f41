"""The compiled Mondrian and its NumPy twin decide alike, to the byte, and both keep their promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent import kernels
from paravent.hierarchy.tree import Tree
from paravent.kernels.checks import Histograms
from paravent.kernels.cutting import SCALE, WIDEST_SET, CutAxis, Rule, Style
from tests.kernels.twins.cutting import mondrian_twin
from tests.kernels.twins.folding import class_sets_twin, fold_twin


def random_tree(rng: np.random.Generator, size: int) -> Tree:
    group = np.sort(rng.integers(0, max(1, size // 2), size))
    paths = [[f"v{i}", f"g{g}", f"h{g // 3}", "*"] for i, g in enumerate(group.tolist())]
    return Tree.from_paths("random", paths)


def random_axis(rng: np.random.Generator, size: int, style: Style) -> CutAxis:
    ruler = np.floor(SCALE * np.sort(rng.random(size))).astype(np.int64)
    if style is not Style.TREE:
        return CutAxis(style, ruler, SCALE // max(1, size - 1))
    tree = random_tree(rng, size)
    return CutAxis(style, ruler, 0, tree.parent, tree.first, tree.last, ruler[tree.last] - ruler[tree.first])


def random_problem(seed: int) -> tuple[np.ndarray, list[CutAxis], np.ndarray]:
    rng = np.random.default_rng(seed)
    rows, width = int(rng.integers(1, 160)), int(rng.choice([1, 2, 3, 5, 8, 9, 17]))
    axes, columns = [], []
    for _ in range(width):
        size = int(rng.integers(1, 30) if rng.random() < 0.9 else rng.integers(200, WIDEST_SET + 300))
        axes.append(random_axis(rng, size, Style(int(rng.integers(0, 3)))))
        columns.append((rng.random(rows) ** 2 * size).astype(np.int32))
    return np.stack(columns, axis=1), axes, rng.integers(0, 5, rows).astype(np.int32)


def two_values(_: np.ndarray, histograms: Histograms) -> np.ndarray:
    return np.diff(histograms[0][0]) >= 2


@settings(max_examples=300, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    k=st.integers(1, 8),
    rule=st.sampled_from([Rule.LEAST_COST, Rule.MEDIAN]),
    relaxed=st.booleans(),
    sample=st.sampled_from([0, 16, 40]),
    guarded=st.booleans(),
)
def test_twins_agree(seed: int, k: int, rule: Rule, relaxed: bool, sample: int, guarded: bool) -> None:
    codes, axes, sensitive = random_problem(seed)
    options = {"k": k, "rule": rule, "relaxed": relaxed, "sample": sample, "record": True}
    if guarded:
        options |= {"sensitive": [sensitive], "guard": two_values}
    elif not relaxed and seed % 2:
        options["weights"] = sensitive + 1
    expected = mondrian_twin(codes, axes, **options)
    found = kernels.mondrian(codes, axes, **options)
    for name, a, b in zip(found._fields, found, expected, strict=True):
        np.testing.assert_array_equal(a, b, err_msg=name)
    for column in codes.T:
        for a, b in zip(
            kernels.class_sets(expected.order, expected.starts, column),
            class_sets_twin(expected.order, expected.starts, column),
            strict=True,
        ):
            np.testing.assert_array_equal(a, b)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    k=st.integers(1, 8),
    rule=st.sampled_from([Rule.LEAST_COST, Rule.MEDIAN]),
    relaxed=st.booleans(),
)
def test_classes_are_a_partition_into_boxes_of_k(seed: int, k: int, rule: Rule, relaxed: bool) -> None:
    codes, axes, _ = random_problem(seed)
    found = kernels.mondrian(codes, axes, k=k, rule=rule, relaxed=relaxed)
    assert sorted(found.order.tolist()) == list(range(len(codes)))
    for c, (begin, end) in enumerate(zip(found.starts[:-1], found.starts[1:], strict=True)):
        members = codes[found.order[begin:end]]
        assert len(members) >= min(k, len(codes))
        np.testing.assert_array_equal(found.low[c], members.min(axis=0))
        np.testing.assert_array_equal(found.high[c], members.max(axis=0))
    if not relaxed:
        of_row = np.empty(len(codes), dtype=int)
        of_row[found.order] = np.repeat(np.arange(len(found.starts) - 1), np.diff(found.starts))
        for tuple_ in np.unique(codes, axis=0):
            assert len(set(of_row[(codes == tuple_).all(axis=1)])) == 1, "a strict cut parted equal rows"


def test_one_thread_and_two_give_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 12, (20_000, 5)).astype(np.int32)
    axes = [random_axis(rng, 12, style) for style in (Style.SPAN, Style.TREE, Style.SET, Style.SPAN, Style.TREE)]
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("PARAVENT_THREADS", threads)
        found.append(kernels.mondrian(codes, axes, k=5, sample=1000))
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_a_large_domain_needs_wide_lanes() -> None:
    codes = np.arange(40_000, dtype=np.int32).reshape(-1, 1)
    axis = CutAxis(Style.SPAN, np.arange(40_000, dtype=np.int64))
    found = kernels.mondrian(codes, [axis], k=3, rule=Rule.MEDIAN)
    sizes = np.diff(found.starts)
    assert sizes.min() >= 3
    assert sizes.max() < 6


@pytest.mark.parametrize(
    ("codes", "problem"),
    [
        (np.array([[0], [5]], dtype=np.int32), "between 0 and 2"),
        (np.array([[0], [-1]], dtype=np.int32), "between 0 and 2"),
        (np.array([[0], [1]], dtype=np.int64), "int32"),
        (np.array([0, 1], dtype=np.int32), "matrix"),
    ],
)
def test_codes_are_checked_before_the_kernel_sees_them(codes: np.ndarray, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        kernels.mondrian(codes, [CutAxis(Style.SPAN, np.arange(3, dtype=np.int64))], k=1)


def test_a_broken_tree_is_refused() -> None:
    leaves = np.arange(2, dtype=np.int32)
    axis = CutAxis(
        Style.TREE,
        np.arange(2, dtype=np.int64),
        parent=np.array([2, 7, -1], dtype=np.int32),
        first=np.append(leaves, 0).astype(np.int32),
        last=np.append(leaves, 1).astype(np.int32),
        node_cost=np.zeros(3, dtype=np.int64),
    )
    with pytest.raises(ValueError, match="tree"):
        kernels.mondrian(np.zeros((3, 1), dtype=np.int32), [axis], k=1)


class StopError(Exception):
    pass


def test_what_the_guard_or_the_watch_raises_ends_the_run() -> None:
    codes, axes, sensitive = random_problem(3)

    def refuse(*_: object) -> np.ndarray:
        raise StopError

    with pytest.raises(StopError):
        kernels.mondrian(codes, axes, k=1, sensitive=[sensitive], guard=refuse)
    rng = np.random.default_rng(0)
    many = rng.integers(0, 1000, (300_000, 8)).astype(np.int32)
    span = CutAxis(Style.SPAN, np.arange(1000, dtype=np.int64))
    with pytest.raises(StopError):
        kernels.mondrian(many, [span] * 8, k=2, watch=refuse)


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_folding_agrees_with_its_twin(seed: int) -> None:
    codes, axes, _ = random_problem(seed)
    sizes = [axis.size for axis in axes]
    for a, b in zip(kernels.fold(list(codes.T), sizes), fold_twin(list(codes.T)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_folding_many_wide_columns() -> None:
    """The packed key of 20 columns of 30 000 codes does not fit into 64 bits."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 30_000, (50, 20)).astype(np.int32)[rng.integers(0, 50, 400)]
    found = kernels.fold(list(codes.T), [30_000] * 20)
    assert len(found.weight) == len(np.unique(codes, axis=0))
    np.testing.assert_array_equal(codes[found.representative][found.tuple_of_row], codes)


@pytest.mark.parametrize("sizes", [(2, 70, 5, 40), (13_000, 29_000, 1_600, 430, 3_000, 190)])
def test_folding_parts_among_threads(sizes: tuple[int, ...]) -> None:
    """So many rows that threads share them, some of them in one part (nine of ten begin alike), and a key that needs
    two numbers."""
    rng = np.random.default_rng(3)
    few = [rng.integers(0, size, 9_000).astype(np.int32) for size in sizes]
    few[0][rng.random(9_000) < 0.9] = 0
    pick = rng.integers(0, 9_000, 70_000)
    columns = [column[pick] for column in few]
    for a, b in zip(kernels.fold(columns, sizes), fold_twin(columns), strict=True):
        np.testing.assert_array_equal(a, b)
