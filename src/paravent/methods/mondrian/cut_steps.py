"""The cuts of Mondrian as steps that can be taken again, made from the tree of cuts when somebody asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from paravent import kernels
from paravent.kernels import Folded, Partition, Style
from paravent.methods.labelling import set_cells, span_cells, tree_cells
from paravent.methods.method import Axis
from paravent.methods.trace import Change, Step


def over_rows(partition: Partition, folded: Folded | None) -> Partition:
    """A partition of tuples as one of the rows they stand for."""
    if folded is None:
        return partition
    place = np.empty(len(partition.order), dtype=np.int64)
    place[partition.order] = np.arange(len(place))
    order = np.argsort(place[folded.tuple_of_row], kind="stable").astype(np.int32)
    first = np.r_[0, np.cumsum(folded.weight[partition.order], dtype=np.int64)]
    tree = partition.tree.copy()
    tree[:, :3] = first[partition.tree[:, :3]]
    return partition._replace(order=order, starts=first[partition.starts], tree=tree)


def cut_steps(
    axes: Sequence[Axis],
    styles: Sequence[Style],
    partition: Partition,
    last: str,
    scores: tuple[str, np.ndarray] | None,
) -> Iterator[Step]:
    """The steps of a partition of rows with its tree. `scores` names and tells what each cut left, `last` is how it
    ends."""
    begin, mid, end, axis = partition.tree.T
    n = len(partition.order)
    parts = np.r_[[[0, n]], np.stack([begin, mid, mid, end], axis=1).reshape(-1, 2)]
    labels = [_labels(a, style, partition, parts, j) for j, (a, style) in enumerate(zip(axes, styles, strict=True))]

    def change(i: int) -> list[Change]:
        rows = partition.order[parts[i, 0] : parts[i, 1]]
        return [Change(a.name, found[i], 0, len(a) - 1, rows) for a, found in zip(axes, labels, strict=True)]

    yield Step(f"Began with one group of {n} rows.", {}, tuple(change(0)))
    for i in range(len(partition.tree)):
        left, right = int(mid[i] - begin[i]), int(end[i] - mid[i])
        words = f"Cut a group of {left + right} rows by {axes[int(axis[i])].name} into {left} and {right}"
        figures: dict[str, float] = {"left": left, "right": right}
        if scores is not None:
            figures = {scores[0]: float(scores[1][i]), **figures}
            words += f": {scores[0]} {scores[1][i]:.6g}"
        yield Step(f"{words}.", figures, (*change(2 * i + 1), *change(2 * i + 2)))
    yield Step(last)


def _labels(axis: Axis, style: Style, partition: Partition, parts: np.ndarray, j: int) -> list[str]:
    """The label that each part would have on a column."""
    if style is Style.SET:
        order = np.concatenate([partition.order[begin:end] for begin, end in parts.tolist()])
        starts = np.r_[0, np.cumsum(parts[:, 1] - parts[:, 0])].astype(np.int64)
        cells = set_cells(axis, kernels.class_sets(order, starts, np.ascontiguousarray(axis.codes)))
    else:
        ends = []
        classes = np.searchsorted(partition.starts, parts)
        for least, box in ((np.minimum, partition.low), (np.maximum, partition.high)):
            column = np.append(box[:, j], box[-1, j])  # the last part ends where the classes do
            ends.append(least.reduceat(column, classes.reshape(-1))[::2])
        cells = (tree_cells if style is Style.TREE else span_cells)(axis, *ends)
    return [cells.labels[code] for code in cells.codes.tolist()]
