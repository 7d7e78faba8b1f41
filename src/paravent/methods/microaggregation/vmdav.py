"""V-MDAV (Solanas, Martínez-Ballesté 2006): groups of k to 2k − 1 rows, as the data lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.errors import PlanError
from paravent.kernels.micro import MicroColumn, mdav
from paravent.methods.method import Task
from paravent.methods.microaggregation.groups import with_leftovers
from paravent.methods.microaggregation.microaggregation import Microaggregation


@dataclass(frozen=True, kw_only=True)
class VMDAV(Microaggregation):
    """The row farthest from the average of the table takes its k − 1 nearest; the group then takes each row that is
    nearer to one of its own than `gain` times its nearest row outside, up to 2k − 1 rows. Fewer than k rows that are
    left join the group of the nearest average. A gain of 0.2 suits scattered data, 1.1 data in clusters.

    Ties: the lowest row.

    >>> VMDAV(gain=1.1).gain
    1.1
    """

    gain: float = 0.2

    title: ClassVar[str] = "V-MDAV microaggregation"
    source: ClassVar[str] = (
        "Solanas, Martinez-Balleste: V-MDAV: a multivariate microaggregation with variable group size. COMPSTAT 2006"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        number = isinstance(self.gain, int | float) and not isinstance(self.gain, bool)
        if not number or not 0 <= self.gain < float("inf"):
            raise PlanError(f"VMDAV: gain must be a number from 0 on, not {self.gain!r}.")

    def groups(self, columns: list[MicroColumn], k: int, task: Task) -> tuple[np.ndarray, int]:
        of_row, count = mdav(columns, k=k, gain=float(self.gain), watch=lambda done: task.progress("grouping", done))
        return with_leftovers(columns, of_row, count), count
