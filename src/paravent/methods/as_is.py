"""No generalization: rows are published as they are, or as treatments left them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from paravent.errors import InfeasibleError
from paravent.hierarchy.axis import MISSING_LABEL
from paravent.methods.method import Axis, Method, Published, Recoding, Representatives, RoleName, Task
from paravent.published import Untouched
from paravent.published.by_row import missing_cells


@dataclass(frozen=True, kw_only=True)
class AsIs(Method):
    """Publishes every cell as it is, after the plan's treatments.

    Where the plan asks for class models, rows that are equal in every quasi-identifier are a class, and classes that
    fail are suppressed as far as the plan allows; nothing is generalized to save them.
    """

    title: ClassVar[str] = "As it is"
    source: ClassVar[str] = "for plans that only treat columns"
    suppresses: ClassVar[Literal["nothing", "rows", "cells"]] = "rows"
    makes_classes: ClassVar[bool] = False

    @property
    def weighs(self) -> bool:
        return False

    def may_be_false(self, roles: Mapping[str, RoleName]) -> frozenset[str]:  # noqa: ARG002
        return frozenset()

    def run(self, task: Task) -> Recoding:
        if not task.axes:
            return Recoding(np.zeros(task.n_rows, dtype=np.int64), 1, {})
        cells = {axis.name: _published(axis, task) for axis in task.axes}
        of_row, count = task.folded.tuple_of_row.astype(np.int64), len(task.folded.weight)
        kept = task.suppress_failing(of_row, count) if task.models else of_row
        if kept is None:
            asked = ", ".join(model.describe() for model in task.models)
            raise InfeasibleError(
                f"AsIs: with nothing generalized, more than {task.max_suppressed} rows are in classes that break "
                f"{asked}. Treat columns more coarsely, allow more suppression, or take a method that generalizes."
            )
        suppressed = int((kept < 0).sum())
        return Recoding(kept, count, cells, trace=(f"AsIs: {suppressed} rows of failing classes are suppressed.",))


def _published(axis: Axis, task: Task) -> Published:
    """The cells as they are; where missing ones are imputed, the value that each class has."""
    own_leaf = axis.values[-1:] == (MISSING_LABEL,)
    if own_leaf or axis.unknown is not None or not missing_cells(task.cells[axis.name]).any():
        return Untouched()
    return Representatives(axis.category[axis.codes[task.folded.representative]])
