"""Fixed-size microaggregation (Defays, Nanopoulos 1993): rows sorted by one column, k at a time, and averaged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.errors import PlanError
from paravent.kernels.micro import MicroColumn
from paravent.methods.method import Task
from paravent.methods.microaggregation.microaggregation import Microaggregation


@dataclass(frozen=True, kw_only=True)
class FixedSize(Microaggregation):
    """Rows stand in the order of the column `by`; every k of them are a group, and the last group takes what is left
    over. Each quasi-identifier is published by the averages of the groups.

    `by` is any column of the table that the release keeps, with an order: a quasi-identifier, which is then averaged
    like the others (the first one, where none is named), or another column, which is released as it is. `publish`,
    `median`, `nominal`, `whole` and `rescale` as for MDAV. Other models than k-anonymity are reached by joining groups.
    Ties, and rows without a value (they come last): in the order of the table.

    >>> FixedSize(by="age").by
    'age'
    """

    by: str | None = None

    title: ClassVar[str] = "Fixed-size microaggregation"
    source: ClassVar[str] = (
        "Defays, Nanopoulos: Panels of enterprises and confidentiality: the small aggregates method. 1993"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.by is not None and (not isinstance(self.by, str) or not self.by):
            raise PlanError(f"FixedSize: by must be the name of the column to sort by, not {self.by!r}.")
        if self.own_k is not None:
            raise PlanError("FixedSize: every group has the plan's k. Leave own_k out, or take MDAV.")

    @property
    def targets(self) -> tuple[str, ...]:
        return () if self.by is None else (self.by,)

    @property
    def weighs(self) -> bool:
        return False

    def groups(self, columns: list[MicroColumn], k: int, task: Task) -> tuple[np.ndarray, int]:
        del columns
        order = np.argsort(self._places(task), kind="stable")
        n_groups = max(1, task.n_rows // k)
        of_row = np.empty(task.n_rows, dtype=np.int32)
        of_row[order] = np.minimum(np.arange(task.n_rows) // k, n_groups - 1)
        return of_row, n_groups

    def _places(self, task: Task) -> np.ndarray:
        """Where each row stands; a missing value stands last."""
        if self.by is not None:
            key = task.targets[self.by]
            if key.ordered:
                return key.codes  # they ascend with the values
        elif task.axes[0].positions is not None:
            return np.asarray(task.axes[0].positions[task.axes[0].codes])
        elif task.axes[0].kind.is_ordered and task.axes[0].tree is None:
            return task.axes[0].codes
        name = task.axes[0].name if self.by is None else self.by
        raise PlanError(f"FixedSize: the values of {name!r} have no order to sort by. Name another column with by=.")
