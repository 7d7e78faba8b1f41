"""Blocks of columns that are published together: as they are given, or by how much they tell about one another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from paravent.errors import PlanError
from paravent.methods.method import Task
from paravent.methods.tables.association import Measured, associations
from paravent.methods.tables.knowing import knowing
from paravent.methods.tables.medoids import medoids
from paravent.near import suggest

Blocks = tuple[tuple[str, ...], ...]


def given_blocks(columns: Sequence[Sequence[str]], names: Sequence[str]) -> Blocks:
    """The blocks as they were given, if every one of `names` is in one of them and nothing else is."""
    listed = list(chain.from_iterable(columns))
    for name in listed:
        if name not in names:
            raise PlanError(
                f"Slicing: columns names {name!r}, which is neither a quasi-identifier nor the sensitive column of the "
                f"plan. {suggest(name, names)}"
            )
        if listed.count(name) > 1:
            raise PlanError(f"Slicing: columns names {name!r} twice. Leave it in one block.")
    absent = [name for name in names if name not in listed]
    if absent:
        raise PlanError(f"Slicing: {absent[0]!r} is in no block of columns. Put it into one.")
    if len(columns) < 2 or not all(columns):
        raise PlanError("Slicing: columns must be two blocks or more, none of them empty, or nothing is hidden.")
    return tuple(tuple(block) for block in columns)


def by_association(task: Task, column: str, count: int) -> tuple[Blocks, tuple[str, ...]]:
    """`count` blocks of columns that tell much about one another, in the order of the plan, and what was done, in
    words. The models must hold for the block of the sensitive column with all rows in one bucket: what is least
    associated with it leaves the block until they do."""
    names = [*(axis.name for axis in task.axes), column]
    if count > len(names):
        raise PlanError(
            f"Slicing: {count} blocks cannot be made of {len(names)} columns. Ask for {len(names)} at most."
        )
    measured = [Measured(axis.codes, None if axis.line is None else axis.line[axis.codes]) for axis in task.axes]
    told = associations([*measured, Measured(task.sensitive[column])])
    group = medoids(1 - told, count)
    own, words = int(group[-1]), []
    inside = sorted(np.flatnonzero(group[:-1] == own).tolist(), key=lambda j: (-told[-1, j], j))
    whole = np.zeros(task.n_rows, dtype=np.int32)
    while inside:
        judged = knowing(task, column, [names[j] for j in inside])
        if judged.holds(judged.classes(whole, 1)).all():
            break
        gone = inside.pop()
        others = [j for j in range(len(names) - 1) if group[j] != own]
        group[gone] = group[max(others, key=lambda j: (told[gone, j], -j))] if others else own + 1
        words.append(f"{names[gone]!r} left the block of {column!r}, beside which it tells too much.")
    blocks = [tuple(names[j] for j in np.flatnonzero(group == g)) for g in np.unique(group)]
    return tuple(sorted(blocks, key=lambda block: column in block)), tuple(words)
