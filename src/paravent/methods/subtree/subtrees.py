"""Subtrees: values that move between the labels of their tree, one label and its children at a time.

The labels are those of the levels of a tree as it is given: a group with one child that occurs is a label of its own,
since a reader knows the other children. What is published in the end is the lowest label over the same values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paravent.hierarchy.axis import Axis
from paravent.methods.method import Labels, Recoding, Task
from paravent.methods.trace import Change, Step, in_words


@dataclass(frozen=True)
class Value:
    """A label and the codes it covers."""

    label: str
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class TreeLabels:
    """The labels of one tree. `children` of a leaf are none; every value but the root has a `parent`."""

    root: Value
    leaves: tuple[Value, ...]
    parent: dict[Value, Value]
    children: dict[Value, tuple[Value, ...]]

    @classmethod
    def of(cls, axis: Axis) -> TreeLabels:
        assert axis.tree is not None
        known: dict[str, Value] = {}
        parent: dict[Value, Value] = {}
        below: list[Value] = []
        for level in axis.tree.levels:
            bounds = [*level.starts.tolist(), len(axis)]
            here = []
            for label, first, end in zip(level.labels, bounds[:-1], bounds[1:], strict=True):
                here.append(known.setdefault(label, Value(label, first, end - 1)))
            for value in below:
                above = here[int(level.codes[value.first])]
                if above != value:
                    parent[value] = above
            below = here
        children: dict[Value, list[Value]] = {}
        for value, above in parent.items():
            children.setdefault(above, []).append(value)
        leaves = tuple(known[label] for label in axis.tree.levels[0].labels)
        sorted_children = {v: tuple(sorted(found, key=lambda c: c.first)) for v, found in children.items()}
        return cls(below[0], leaves, parent, sorted_children)

    def lowest(self, value: Value) -> Value:
        """The lowest label over the values that a label covers."""
        while len(children := self.children.get(value, ())) == 1:
            (value,) = children
        return value


def recoded(
    task: Task, values: Sequence[Sequence[Value]], of_row: np.ndarray, suppressed: np.ndarray, steps: Sequence[Step]
) -> Recoding:
    """The release in which each code of column j is published as the lowest label over what the one of `values[j]` that
    covers it covers. `of_row` tells the classes, all of whose rows are suppressed or none."""
    left, compact = np.unique(of_row[~suppressed], return_inverse=True)
    final = np.full(task.n_rows, -1, dtype=np.int32)
    final[~suppressed] = compact.reshape(-1)
    example = np.full(len(left), -1, dtype=np.int64)
    example[compact.reshape(-1)] = np.flatnonzero(~suppressed)
    cells, lowered = {}, []
    for axis, chosen in zip(task.axes, values, strict=True):
        cut = list(chosen) if axis.tree is None else list(map(TreeLabels.of(axis).lowest, chosen))
        changed = (after for before, after in zip(chosen, cut, strict=True) if before != after)
        lowered += [Change(axis.name, after.label, after.first, after.last) for after in changed]
        used, codes = np.unique(positions(cut, axis)[axis.codes[example]], return_inverse=True)
        cells[axis.name] = Labels(codes.reshape(-1).astype(np.int32), tuple(cut[i].label for i in used.tolist()))
    sizes = np.bincount(final[final >= 0], minlength=len(left))
    if lowered:
        steps = (*steps, Step("Labels became the lowest over the values that occur under them.", {}, tuple(lowered)))
    words = f"{int(suppressed.sum())} rows are suppressed. " if suppressed.any() else ""
    words += f"Every class holds: {len(left)} classes of {sizes.min()} to {sizes.max()} rows."
    steps = (*steps, Step(words, {"suppressed": int(suppressed.sum())}, suppressed=np.flatnonzero(suppressed)))
    return Recoding(final, len(left), cells, in_words(steps), steps)


def positions(cut: Sequence[Value], axis: Axis) -> np.ndarray:
    """Which of the values of a cut covers each code."""
    found = np.empty(len(axis), dtype=np.int32)
    for i, value in enumerate(cut):
        found[value.first : value.last + 1] = i
    return found
