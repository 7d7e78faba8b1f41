"""The columns of a table as labels are put on classes of its rows: in which style, what a label costs, how it is
written, and which classes it makes one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from paravent import kernels
from paravent.kernels import CutAxis, Folded, Sets, Style
from paravent.kernels.cutting import SCALE
from paravent.methods.labelling import set_cells, span_cells, tree_cells
from paravent.methods.method import Axis, Labels

LabelStyle = Literal["tree", "interval", "set"]

Covered = tuple[np.ndarray, np.ndarray] | Sets
"""What classes hold on a column: the lowest and highest code of each, or the set of its codes."""


@dataclass(frozen=True, eq=False)
class LabelSpace:
    """`axes` have ranks that ascend along the line where spans of them are labelled, `cuts` what labels cost on them:
    SCALE for a cell that says nothing, at the weight of the heaviest column (NCP, Xu et al. 2006)."""

    axes: tuple[Axis, ...]
    styles: tuple[Style, ...]
    cuts: tuple[CutAxis, ...]

    @classmethod
    def of(cls, axes: Sequence[Axis], labels: LabelStyle) -> LabelSpace:
        styles = tuple(_style(axis, labels) for axis in axes)
        ordered = tuple(_in_order(axis, style) for axis, style in zip(axes, styles, strict=True))
        heaviest = max(axis.weight for axis in axes)
        cuts = tuple(
            _cut_axis(axis, style, axis.weight / heaviest) for axis, style in zip(ordered, styles, strict=True)
        )
        return cls(ordered, styles, cuts)

    def folded(self) -> Folded:
        """Rows that are alike on all columns as one tuple."""
        return kernels.fold([axis.codes for axis in self.axes], [len(axis) for axis in self.axes], self.axes[0].times)

    def covered(self, of_row: np.ndarray, n_classes: int) -> list[Covered]:
        """What the rows of each class hold on every column (class −1: none)."""
        order, starts = members(of_row, n_classes)
        return [covered(style, axis.codes, order, starts) for axis, style in zip(self.axes, self.styles, strict=True)]

    def costs(self, held: Sequence[Covered]) -> np.ndarray:
        """What a row of each class costs at its tightest label."""
        costs = [label_costs(a, c, h) for a, c, h in zip(self.axes, self.cuts, held, strict=True)]
        return np.asarray(np.sum(costs, axis=0))

    def released(self, of_row: np.ndarray, held: Sequence[Covered]) -> tuple[np.ndarray, int, dict[str, Labels]]:
        """The class of each row, how many there are, and their labels. Classes that are labelled alike are one: two
        parts of a node of a tree can both need its name."""
        cells = []
        for axis, style, each in zip(self.axes, self.styles, held, strict=True):
            if isinstance(each, Sets):
                cells.append(set_cells(axis, each))
            else:
                cells.append((tree_cells if style is Style.TREE else span_cells)(axis, *each))
        joined = kernels.fold([cell.codes for cell in cells], [len(cell.labels) for cell in cells])
        first, number = joined.representative, joined.tuple_of_row
        if len(first) == len(number):  # all differ: they keep their numbers
            first = number = np.arange(len(number), dtype=np.int32)
        labels = {
            axis.name: Labels(np.ascontiguousarray(cell.codes[first]), cell.labels)
            for axis, cell in zip(self.axes, cells, strict=True)
        }
        return np.append(number, np.int32(-1))[of_row], len(first), labels  # class −1 takes the last entry


def members(of_row: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows of class c are `order[starts[c]:starts[c + 1]]`; those of class −1 are left out."""
    order = np.argsort(of_row, kind="stable").astype(np.int32)[int((of_row < 0).sum()) :]
    return order, np.r_[0, np.cumsum(np.bincount(of_row[order], minlength=n_classes))].astype(np.int64)


def covered(style: Style, codes: np.ndarray, order: np.ndarray, starts: np.ndarray) -> Covered:
    """What classes `order[starts[c]:starts[c + 1]]` hold on a column of codes."""
    if style is Style.SET:
        return kernels.class_sets(order, starts, np.ascontiguousarray(codes))
    ordered = codes[order]
    return np.minimum.reduceat(ordered, starts[:-1]), np.maximum.reduceat(ordered, starts[:-1])


def label_costs(axis: Axis, cut: CutAxis, held: Covered) -> np.ndarray:
    """What the tightest label of each class costs on a column."""
    if isinstance(held, Sets):
        return np.asarray(cut.unit * (np.diff(held.starts)[held.of_class] - 1))
    low, high = held
    if cut.style is Style.TREE:
        assert axis.tree is not None
        return np.asarray(cut.node_cost[axis.tree.ancestor(low, high)])
    return np.asarray(cut.ruler[high] - cut.ruler[low])


def ascends(positions: np.ndarray) -> bool:
    """Whether those of the positions that are known stand in their order."""
    placed = positions[np.isfinite(positions)]
    return bool(np.all(np.diff(placed) >= 0))


def _style(axis: Axis, labels: LabelStyle) -> Style:
    on_a_line = axis.positions is not None
    if labels == "tree" and axis.tree is not None:
        return Style.TREE
    if labels == "set" and not on_a_line:
        return Style.SET
    return Style.SPAN if on_a_line or axis.kind.is_ordered or axis.tree is not None else Style.SET


def _in_order(axis: Axis, style: Style) -> Axis:
    """An axis whose ranks ascend along the line, where spans of it are to be labelled (a tree may order otherwise)."""
    if style is not Style.SPAN or axis.positions is None or ascends(axis.positions):
        return axis
    order = np.argsort(axis.positions, kind="stable")  # a missing value (nan) stays last
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    values = tuple(axis.values[i] for i in order.tolist())
    return Axis(
        axis.name,
        axis.kind,
        rank[axis.codes],
        values,
        None,
        axis.positions[order],
        axis.weight,
        grid=axis.grid,
        times=axis.times,
    )


def _cut_axis(axis: Axis, style: Style, weight: float) -> CutAxis:
    """The costs of an axis in whole numbers: SCALE × weight for a cell that says nothing (NCP, Xu et al. 2006)."""
    n = len(axis)
    place = np.arange(n, dtype=np.float64)
    if axis.positions is not None and ascends(axis.positions):
        place = axis.positions
    placed = place[np.isfinite(place)]
    low, high = (float(placed[0]), float(placed[-1])) if len(placed) else (0.0, 0.0)
    # A missing value lies two widths beyond the last place: it is set apart before others are told apart.
    relative = np.where(np.isfinite(place), (place - low) / ((high - low) or 1.0), 3.0)
    ruler = np.floor(SCALE * weight * relative).astype(np.int64)
    if style is not Style.TREE:
        return CutAxis(style, ruler, int(SCALE * weight / max(n - 1, 1)))
    assert axis.tree is not None
    tree = axis.tree
    return CutAxis(style, ruler, 0, tree.parent, tree.first, tree.last, ruler[tree.last] - ruler[tree.first])
