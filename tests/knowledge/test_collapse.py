"""How a table collapses: against counts by hand, and against plain loops over rows."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.knowledge.collapse import collapse as module
from paravent.knowledge.collapse.collapse import NAMES, Collapse
from paravent.knowledge.collapse.groups import Groups
from paravent.knowledge.collapse.parts import Halves, Nearest, sorted_tuples, strips
from paravent.knowledge.descriptors import describe

EIGHT = pl.DataFrame(
    {
        "age": [20, 21, 22, 23, 40, 41, 42, 43],
        "sex": ["f", "f", "f", "f", "m", "m", "m", "f"],
        "ill": ["a", "a", "a", "b", "b", "b", "b", "a"],
        "pay": [1.0, 1.0, 3.0, 3.0, 9.0, 9.0, 9.0, 9.0],
    }
)


def _plan(**more: pv.Quasi) -> pv.Plan:
    quasi = {"age": pv.Quasi(pv.intervals(2, 20)), "sex": pv.Quasi(), **more}
    return pv.Plan({**quasi, "ill": pv.Sensitive(), "pay": pv.Insensitive()}, [])


def _facts(k: int, suppression: float = 0.0) -> dict[str, float]:
    return dict(describe(pv.read(EIGHT), _plan(), number="pay").at(k, suppression))


def test_every_fact_is_there() -> None:
    assert set(_facts(2)) == set(NAMES)


def test_the_table_as_it_is() -> None:
    """Every row stands alone: at k = 2 none is kept, and nobody tells anything."""
    found = _facts(2)
    assert found["own.loss"] == 1.0
    assert found["own.kept"] == 0.0
    assert found["own.wrong"] == 1.0
    assert found["own.untold"] == pytest.approx(1.0)
    assert found["own.least"] == 2 / 8


def test_one_level_up() -> None:
    """Pairs of ages; everybody's sex is gone: 20-21, 22-23, 40-41, 42-43, with * as sex."""
    found = _facts(2)
    assert found["one.kept"] == 1.0
    assert found["one.loss"] == pytest.approx((1 / 23 + 1) / 2)
    assert found["one.least"] == 1.0
    assert found["one.size"] == pytest.approx(math.log(2))
    assert found["one.wrong"] == 2 / 8  # 22-23 are a and b, 42-43 are b and a
    assert found["one.untold"] == pytest.approx(0.0)  # pairs are paid alike
    assert found["one.shift"] == pytest.approx((0 + 1 / 8) / 2)  # five f of eight, said to be four


def test_rows_may_be_left_out() -> None:
    """Sex stays and the youngest f are told by pairs of ages if the two of 42-43 may go."""
    strict, loose = _facts(2), _facts(2, 0.25)
    assert loose["low.kept"] == 6 / 8
    assert loose["low.loss"] == pytest.approx((6 * (1 / 23) / 2 + 2) / 8)
    assert loose["low.loss"] < strict["low.loss"]
    assert strict["low.kept"] == 1.0


def test_halves() -> None:
    """Age has the widest span: 20-23 and 40-43, then f and m are further apart than any ages of the second half."""
    found = _facts(3)
    assert found["halves.kept"] == 1.0
    assert found["halves.least"] == 3 / 4
    assert found["halves.mean"] == 3 * 2 / 8
    assert found["halves.wrong"] == 2 / 8


def test_columns_without_trees_and_missing_cells() -> None:
    table = pv.read(pl.DataFrame({"a": [1, 2, None, 4], "b": ["x", None, "x", "x"]}))
    found = describe(table, ["a", "b"]).at(2)
    assert all(math.isfinite(value) for value in found.values())
    assert 0 <= found["low.loss"] <= 1


def test_numbers_alone_and_one_value_alone() -> None:
    for frame in (pl.DataFrame({"a": [1, 1, 1]}), pl.DataFrame({"a": [None, None]}), pl.DataFrame({"a": [5]})):
        found = describe(frame, ["a"], number=None).at(10)
        assert all(math.isfinite(value) for value in found.values())


def test_descriptors_that_were_read_say_that_the_table_is_not_at_hand() -> None:
    found = describe(pv.read(EIGHT), _plan())
    read = type(found).from_dict(found.to_dict())
    assert read == found
    with pytest.raises(pv.PlanError, match=r"Describe the table itself\."):
        read.at(5)


def test_no_cell_is_told_by_what_descriptors_print() -> None:
    found = describe(pv.read(EIGHT), _plan())
    found.at(2)
    assert "folding" not in repr(found)
    assert "array" not in repr(found.collapse)


def test_a_number_that_is_none_is_left_out() -> None:
    assert describe(pv.read(EIGHT), _plan(), number="ill").at(2)["own.untold"] == 1.0
    with pytest.raises(pv.PlanError, match="no column 'pya'"):
        describe(pv.read(EIGHT), _plan(), number="pya")


def test_many_different_rows_are_joined_and_keep_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_TUPLES", 5)
    described = describe(pv.read(EIGHT), _plan(), number="pay")
    assert described.collapse is not None
    folded = described.collapse.table
    assert len(folded) <= 5
    assert folded.rows == 8
    assert described.at(2)["one.untold"] == pytest.approx(0.0)


# -- against plain loops ---------------------------------------------------------------------------------------------


@st.composite
def drawn_tables(draw: st.DrawFn) -> tuple[pl.DataFrame, pv.Plan]:
    rows = draw(st.integers(1, 40))
    columns: dict[str, list[int]] = {}
    quasi = {}
    for j in range(draw(st.integers(1, 3))):
        columns[f"q{j}"] = draw(st.lists(st.integers(0, draw(st.integers(0, 9))), min_size=rows, max_size=rows))
        quasi[f"q{j}"] = pv.Quasi(draw(st.sampled_from([None, pv.intervals(2, 6), pv.flat()])))
    columns["s"] = draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
    columns["y"] = draw(st.lists(st.integers(-5, 5), min_size=rows, max_size=rows))
    frame = pl.DataFrame(columns).with_columns(pl.col("s").cast(pl.String), pl.col("y").cast(pl.Float64))
    return frame, pv.Plan({**quasi, "s": pv.Sensitive(), "y": pv.Insensitive()}, [])


def _collapse(frame: pl.DataFrame, plan: pv.Plan) -> Collapse:
    found = describe(frame, plan, number="y").collapse
    assert found is not None
    return found


def _rows_of(collapse: Collapse, frame: pl.DataFrame, plan: pv.Plan) -> list[tuple[int, ...]]:
    """The ranks of every row. In these tables ranks ascend with the numbers, as trees of intervals do."""
    ranks = []
    for name in plan.quasi_names:
        values = sorted(set(frame[name].to_list()))
        ranks.append([values.index(value) for value in frame[name].to_list()])
    assert len(set(zip(*ranks, strict=True))) == len(collapse.table)
    return list(zip(*ranks, strict=True))


@settings(max_examples=60)
@given(drawn_tables(), st.integers(1, 6), st.data())
def test_a_node_says_what_a_loop_over_its_classes_says(
    drawn: tuple[pl.DataFrame, pv.Plan], k: int, data: st.DataObject
) -> None:
    frame, plan = drawn
    table = _collapse(frame, plan).table
    rows = _rows_of(_collapse(frame, plan), frame, plan)
    node = [data.draw(st.integers(0, column.top)) for column in table.columns]
    labels = [
        tuple(int(column.codes[at][rank]) for column, at, rank in zip(table.columns, node, row, strict=True))
        for row in rows
    ]
    sizes = Counter(labels)
    kept = [sizes[label] >= k for label in labels]
    said, pay = frame["s"].to_list(), np.array(frame["y"].to_list()) - np.mean(frame["y"].to_list())
    loss = 0.0
    for row, stays in zip(rows, kept, strict=True):
        cells = [float(c.cost[at][rank]) for c, at, rank in zip(table.columns, node, row, strict=True)]
        loss += float(np.mean(cells)) if stays else 1.0
    found = Groups.at_node(table, node).facts(k)
    assert found["loss"] == pytest.approx(loss / len(rows))
    assert found["kept"] == pytest.approx(sum(kept) / len(rows))
    held = [size for size in sizes.values() if size >= k]
    if held:
        assert found["least"] == pytest.approx(k / min(held))
        assert found["mean"] == pytest.approx(k / np.mean(held))
    penalties = sum(size**2 if size >= k else size * len(rows) for size in sizes.values())
    assert found["size"] == pytest.approx(math.log(penalties / len(rows)))
    classes: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for place, label in enumerate(labels):
        classes[label].append(place)
    right = sum(max(Counter(said[i] for i in own).values()) for own in classes.values() if len(own) >= k)
    assert found["wrong"] == pytest.approx(1 - right / len(rows))
    if (pay**2).sum() > 0:
        from paravent.utility.regression import unexplained

        of_row = np.array([list(classes).index(label) if len(classes[label]) >= k else -1 for label in labels])
        assert found["untold"] == pytest.approx(unexplained(pay, of_row))
    shifts = []
    for j, column in enumerate(table.columns):
        spread, own = np.zeros(len(column)), np.zeros(len(column))
        for row, stays in zip(rows, kept, strict=True):
            own[row[j]] += 1 / len(rows)
            if stays:
                under = [r for r in range(len(column)) if column.codes[node[j]][r] == column.codes[node[j]][row[j]]]
                spread[under] += 1 / len(under) / sum(kept)
        shifts.append(np.abs(own - spread).sum() / 2 if any(kept) else 1.0)
    assert found["shift"] == pytest.approx(np.mean(shifts))


@settings(max_examples=60)
@given(drawn_tables(), st.integers(1, 6), st.sampled_from([0.0, 0.1, 0.5]))
def test_nodes_are_the_first_that_hold_and_none_below_the_lowered_holds(
    drawn: tuple[pl.DataFrame, pv.Plan], k: int, suppression: float
) -> None:
    frame, plan = drawn
    collapse = _collapse(frame, plan)
    table, chains, rows = collapse.table, collapse._chains, _rows_of(collapse, frame, plan)
    limit = int(suppression * len(rows))

    def holds(node: Sequence[int]) -> bool:
        sizes = Counter(
            tuple(int(c.codes[at][rank]) for c, at, rank in zip(table.columns, node, row, strict=True)) for row in rows
        )
        return sum(size for size in sizes.values() if size < k) <= limit

    for name, chain in chains.all.items():
        assert chain[0] == (0,) * len(table.columns)
        assert chain[-1] == tuple(column.top for column in table.columns)
        assert all(all(a <= b for a, b in zip(low, high, strict=True)) for low, high in zip(chain, chain[1:]))  # noqa: B905, RUF007
        expected = next((node for node in chain if holds(node)), chain[-1])
        assert chains.first(name, k, limit) == expected
    lowered = chains.lowered(k, limit)
    assert holds(lowered) or len(rows) < k
    for j, at in enumerate(lowered):
        if at and len(rows) >= k:
            assert not holds((*lowered[:j], at - 1, *lowered[j + 1 :]))


@settings(max_examples=60)
@given(drawn_tables(), st.integers(1, 8))
def test_parts_hold_whole_tuples_and_k_rows(drawn: tuple[pl.DataFrame, pv.Plan], k: int) -> None:
    frame, plan = drawn
    table = _collapse(frame, plan).table
    for parts in (Halves.of(table).at(k), strips(table, sorted_tuples(table), k)):
        assert sorted(set(parts.tolist())) == list(range(int(parts.max()) + 1))
        sizes = np.bincount(parts, table.weight)
        assert sizes.min() >= min(k, table.rows)
        assert sizes.sum() == table.rows
        found = Groups.of_parts(table, parts).facts(min(k, int(sizes.min())))
        assert 0 <= found["loss"] <= 1
        assert found["kept"] == 1.0
        assert found["least"] == pytest.approx(min(k, sizes.min()) / sizes.min())


@settings(max_examples=40)
@given(drawn_tables(), st.integers(1, 6))
def test_halves_are_those_of_a_recursion(drawn: tuple[pl.DataFrame, pv.Plan], k: int) -> None:
    """The same halves, made row by row and without a tree of all of them."""
    frame, plan = drawn
    table = _collapse(frame, plan).table
    leaves = np.stack(table.leaves, axis=1)

    def halved(own: list[int]) -> list[list[int]]:
        spans = [
            (column.line[leaves[own, j].max()] - column.line[leaves[own, j].min()], -j)
            for j, column in enumerate(table.columns)
        ]
        span, j = max(spans)
        if span <= 0:
            return [own]
        ranks = sorted(int(leaves[t, -j]) for t in own for _ in range(int(table.weight[t])))
        cut = ranks[(len(ranks) - 1) // 2]
        cut -= cut == ranks[-1]
        sides = [[t for t in own if leaves[t, -j] <= cut], [t for t in own if leaves[t, -j] > cut]]
        if min(sum(int(table.weight[t]) for t in side) for side in sides) < k:
            return [own]
        return [part for side in sides for part in halved(side)]

    found = Halves.of(table).at(k)
    expected = {frozenset(part) for part in halved(list(range(len(table))))}
    assert {frozenset(np.flatnonzero(found == part).tolist()) for part in set(found.tolist())} == expected


@settings(max_examples=40)
@given(drawn_tables(), st.integers(1, 6))
def test_the_nearest_are_those_of_a_loop(drawn: tuple[pl.DataFrame, pv.Plan], k: int) -> None:
    frame, plan = drawn
    table = _collapse(frame, plan).table
    nearest = Nearest.of(table)
    seeds = np.unique(np.searchsorted(np.cumsum(table.weight), (np.arange(120) + 0.5) / 120 * table.rows))

    def apart(first: int, second: int) -> float:
        costs = [
            float(column.cost_between(leaves[[first]], leaves[[second]])[0])
            if column.has_tree
            else abs(float(column.line[leaves[first]] - column.line[leaves[second]]))
            for column, leaves in zip(table.columns, table.leaves, strict=True)
        ]
        return float(np.float32(np.mean(costs)))

    losses = []
    for seed in seeds.tolist():
        own: list[int] = []
        for other in sorted(range(len(table)), key=lambda t: (round(apart(seed, t), 5), t)):
            if sum(int(table.weight[t]) for t in own) >= k:
                break
            own.append(other)
        ends = [(leaves[own].min(keepdims=True), leaves[own].max(keepdims=True)) for leaves in table.leaves]
        losses.append(np.mean([c.cost_between(*end)[0] for c, end in zip(table.columns, ends, strict=True)]))
    assert nearest.at(k)["loss"] == pytest.approx(np.mean(losses), abs=0.02)
