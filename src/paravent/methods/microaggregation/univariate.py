"""The best microaggregation of one column (Hansen, Mukherjee 2003): a shortest path over the sorted values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.errors import PlanError
from paravent.kernels.micro import Measure, MicroColumn, shortest_cuts
from paravent.methods.method import Task
from paravent.methods.microaggregation.microaggregation import Microaggregation


@dataclass(frozen=True, kw_only=True)
class UnivariateOptimal(Microaggregation):
    """Groups of neighbours in the order of the only quasi-identifier, with the least squared error of all groupings
    into groups of at least k. Other models than k-anonymity are reached by joining groups; the optimum is that of k.

    Ties: of equal values the lowest row first; of equal errors the longest last group.

    >>> UnivariateOptimal().optimal
    True
    """

    title: ClassVar[str] = "Optimal univariate microaggregation"
    source: ClassVar[str] = (
        "Hansen, Mukherjee: A polynomial algorithm for optimal univariate microaggregation. IEEE TKDE 2003"
    )
    optimal: ClassVar[bool] = True

    def groups(self, columns: list[MicroColumn], k: int, task: Task) -> tuple[np.ndarray, int]:
        if len(task.axes) != 1:
            raise PlanError(
                f"UnivariateOptimal: it is for one quasi-identifier, the plan has {len(task.axes)}. "
                "Take MDAV, or IndividualRanking for each column by itself."
            )
        return best_groups(columns, k, task.axes[0].name)


def best_groups(columns: list[MicroColumn], k: int, name: str) -> tuple[np.ndarray, int]:
    """The grouping of one column with the least squared error. Missing numbers stand after all others."""
    if columns[0].measure > Measure.ORDER:
        raise PlanError(f"column {name!r}: its values have no order. Leave it out, or take MDAV.")
    order = np.lexsort(tuple(column.values for column in columns))
    points = np.stack([column.values[order] for column in columns], axis=1)
    of_row = np.empty(len(order), dtype=np.int32)
    of_row[order] = shortest_cuts(points, k=k)
    return of_row, int(of_row.max(initial=-1)) + 1
