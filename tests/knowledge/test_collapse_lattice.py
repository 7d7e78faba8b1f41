"""The cheapest node of a lattice: by hand, and against a plain look at every node."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.knowledge.collapse import lattice
from paravent.knowledge.collapse.folded import FoldedTable
from paravent.knowledge.collapse.lattice import PRICES, Lattice
from paravent.knowledge.descriptors import describe


def _table(frame: pl.DataFrame) -> FoldedTable:
    found = describe(frame, pv.Plan({name: pv.Quasi(pv.intervals(2, 4)) for name in frame.columns}, [])).collapse
    assert found is not None
    return found.table


def _left_out(table: FoldedTable, node: tuple[int, ...], k: int) -> int:
    """The rows in classes below k."""
    sizes: dict[tuple[int, ...], int] = {}
    for t in range(len(table)):
        key = tuple(
            int(c.codes[at][c_leaf[t]]) for c, at, c_leaf in zip(table.columns, node, table.leaves, strict=True)
        )
        sizes[key] = sizes.get(key, 0) + int(table.weight[t])
    return sum(size for size in sizes.values() if size < k)


def _price(name: str, table: FoldedTable, node: tuple[int, ...], gone: int) -> float:
    lost, prices = gone / table.rows, []
    for column, at in zip(table.columns, node, strict=True):
        cost = {"raised": float(at), "lowest": float(at)}.get(name, float(column.kept[at]))
        whole = {"raised": float(column.top)}.get(name, 1.0)
        prices.append(cost if name == "lowest" else cost + lost * (whole - cost))
    if name == "lowest":
        return sum(prices)
    return float(table.shares @ np.array(prices))


@settings(max_examples=80)
@given(st.data())
def test_the_cheapest_node_is_that_of_a_plain_look(data: st.DataObject) -> None:
    rows, k = data.draw(st.integers(1, 20)), data.draw(st.integers(1, 6))
    columns = {f"q{j}": data.draw(st.lists(st.integers(0, 9), min_size=rows, max_size=rows)) for j in range(2)}
    table, limit = _table(pl.DataFrame(columns)), data.draw(st.integers(0, rows))
    found = Lattice.of(table).cheapest(k, limit)
    nodes = list(product(*(range(column.top + 1) for column in table.columns)))
    held = [node for node in nodes if _left_out(table, node, k) <= limit]
    for name in ("best", "raised", "lowest"):
        if not held:
            assert found[name] == tuple(column.top for column in table.columns)
            continue
        cheapest = min(_price(name, table, node, _left_out(table, node, k)) for node in held)
        assert found[name] in held
        assert _price(name, table, found[name], _left_out(table, found[name], k)) == pytest.approx(cheapest)


def test_rows_left_out_cost_as_much_as_they_could() -> None:
    """3, 3, 3, 9 at k = 2: to leave out the 9 costs a quarter, and one label for all costs everything."""
    frame = pl.DataFrame({"age": [3, 3, 3, 9]})
    assert Lattice.of(_table(frame)).cheapest(2, 1)["best"] == (0,)
    assert Lattice.of(_table(frame)).cheapest(2, 0)["best"] == (_table(frame).columns[0].top,)


def test_a_large_lattice_is_looked_at_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 4 x 4 x 4 levels eight combinations are looked at. What is found holds, and no level can be lowered."""
    rng = np.random.default_rng(2)
    table = _table(pl.DataFrame({f"q{j}": rng.integers(0, 16, 60) for j in range(3)}))
    whole = Lattice.of(table).cheapest(3, 5)
    monkeypatch.setattr(lattice, "_MOST_NODES", 8)
    part = Lattice.of(table)
    assert len(part._nodes) <= 8
    assert set(part.levels[0]) < set(range(table.columns[0].top + 1))
    found = part.cheapest(3, 5)
    assert set(found) == set(PRICES)
    for name in ("best", "raised", "lowest"):
        node, gone = found[name], _left_out(table, found[name], 3)
        assert gone <= 5
        best = _price(name, table, whole[name], _left_out(table, whole[name], 3))
        assert _price(name, table, node, gone) >= best - 1e-12
        for j, at in enumerate(node):
            lower = (*node[:j], at - 1, *node[j + 1 :])
            left = _left_out(table, lower, 3) if at else 99
            assert left > 5 or _price(name, table, lower, left) >= _price(name, table, node, gone) - 1e-12
