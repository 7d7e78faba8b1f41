"""Encoding: orders, trees, weights, and codes that say exactly what the cells said."""

from __future__ import annotations

import polars as pl
import pytest

import paravent as pv
from paravent.plan.encode import MISSING_LABEL, encode
from paravent.table.text import as_text


def axis_of(cells: list, tree=None, **more):
    table = pv.read(pl.DataFrame({"q": cells}))
    (axis,) = encode(table, pv.Plan({"q": pv.Quasi(tree, **more)}, pv.KAnonymity(1)))
    assert [axis.values[code] for code in axis.codes] == as_text(table.frame["q"]).to_list()
    assert sorted(set(axis.codes.tolist())) == list(range(len(axis)))
    assert axis.codes.dtype == "int32"
    return axis


def test_numbers_ascend() -> None:
    axis = axis_of([10, -3, 7, 10])
    assert axis.values == ("-3", "7", "10")
    assert axis.positions.tolist() == [-3, 7, 10]
    assert axis.tree is None


def test_names_descend_by_frequency_then_text() -> None:
    assert axis_of(["c", "b", "a", "b", "c", "d"]).values == ("b", "c", "a", "d")


def test_a_tree_gives_its_leaf_order() -> None:
    axis = axis_of(["d", "a", "c", "b"], pv.groups({"x": ["d", "b"], "y": ["c", "a"]}))
    assert axis.values[:2] in (("d", "b"), ("b", "d"))
    assert axis.tree.labels[: len(axis)] == axis.values


def test_a_tree_over_numbers_keeps_their_places() -> None:
    axis = axis_of([31, 5, 12, 7, 5], pv.intervals(10, 20))
    assert axis.positions.tolist() == [float(value) for value in axis.values]


def test_weights_arrive() -> None:
    assert axis_of([1, 2], weight=2.5).weight == 2.5


def test_values_outside_a_tree() -> None:
    groups = pv.groups({"x": ["a", "b"], "y": ["c", "d"]})
    with pytest.raises(pv.TreeError, match="'e'"):
        axis_of(["a", "e"], groups)
    assert set(axis_of(["a", "e"], groups, outside="root").values) == {"a", "e"}


def test_a_bad_tree_file_is_named() -> None:
    with pytest.raises(pv.ParaventError, match="nowhere"):
        axis_of(["a"], "nowhere/tree.csv")


def test_a_column_without_missing_cells_has_no_value_for_them() -> None:
    plan = pv.Plan({"town": pv.Quasi(missing="own value")}, [pv.KAnonymity(1)], person=None)
    (axis,) = encode(pv.read(pl.DataFrame({"town": ["b", "a", "b"]})), plan)
    assert sorted(axis.values) == ["a", "b"]
    (axis,) = encode(pv.read(pl.DataFrame({"town": ["b", None, "b"]})), plan)
    assert axis.values == ("b", MISSING_LABEL)


@pytest.mark.parametrize("wages", [[1.0, float("inf")], [float("-inf"), 2.0], [float("inf")] * 2])
def test_numbers_have_an_end(wages: list[float]) -> None:
    plan = pv.Plan({"wage": pv.Quasi()}, [pv.KAnonymity(1)], person=None)
    with pytest.raises(pv.PlanError, match=r"columns\.wage: the column holds infinite numbers"):
        encode(pv.read(pl.DataFrame({"wage": wages})), plan)
