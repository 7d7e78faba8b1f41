"""One run of GkAA or GAA read at several k: the run for a larger k passes through the result for a smaller one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from paravent.errors import PlanError
from paravent.methods.merging.criteria import Criteria, table_alteration, table_criteria
from paravent.methods.merging.merge_run import MergeRun
from paravent.methods.method import Recoding, Task
from paravent.privacy.k_anonymity import KAnonymity, beside_k

if TYPE_CHECKING:
    from paravent.methods.merging.gaa import GAA
    from paravent.methods.merging.gkaa import GkAA


@dataclass(frozen=True, eq=False, repr=False)
class KSweep:
    """The results of one run, for each of `ks`."""

    method: GkAA | GAA
    task: Task
    run: MergeRun
    ks: tuple[int, ...]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.task.n_rows} rows, k = {', '.join(map(str, self.ks))}>"

    def recoding(self, k: int) -> Recoding:
        """Classes and cells for k: what a run for k alone gives."""
        self.check(k)
        others = beside_k(self.task.models)
        return self.method.finished(replace(self.task, models=(KAnonymity(k), *others)), self.run, k)

    def classes(self, k: int) -> np.ndarray:
        """The class of every row (−1: left out)."""
        return self.recoding(k).of_row

    def criteria(self, k: int) -> Criteria:
        """What the table for k costs."""
        found = self.recoding(k)
        return table_criteria(self.task.axes, found.of_row, found.n_classes, self.method)

    def alteration(self, k: int) -> float:
        """The cost of the table for k under the metric of the run, in percent of the most it could cost."""
        found = self.recoding(k)
        return table_alteration(self.task.axes, found.of_row, found.n_classes, self.method)

    def check(self, k: int) -> None:
        """Raise PlanError where k is not among those that the run was read for."""
        if k not in self.ks:
            raise PlanError(f"k = {k} is no part of this sweep. Ask for one of {', '.join(map(str, self.ks))}.")


def checked_ks(ks: Iterable[int]) -> tuple[int, ...]:
    """The k of a sweep in rising order.

    >>> checked_ks([10, 3, 3])
    (3, 10)
    """
    asked = tuple(dict.fromkeys(ks))
    if not asked or any(isinstance(k, bool) or not isinstance(k, int) or k < 1 for k in asked):
        raise PlanError("ks: must name whole numbers from 1 on, such as [3, 5, 10].")
    return tuple(sorted(asked))
