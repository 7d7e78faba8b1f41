"""MDAV (Domingo-Ferrer, Torra 2005): groups of k rows from the outside in, by maximum distance to the average."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.errors import PlanError
from paravent.kernels import threads
from paravent.kernels.micro import MicroColumn, mdav
from paravent.methods.method import Task
from paravent.methods.microaggregation.groups import median_blocks, part
from paravent.methods.microaggregation.microaggregation import Microaggregation


@dataclass(frozen=True, kw_only=True)
class MDAV(Microaggregation):
    """The row farthest from the average and the row farthest from that one each take their k − 1 nearest, again and
    again; what is left at the end is one group. Means are kept exactly.

    Tables of more than `block` rows are cut at medians into blocks first, and each block is microaggregated by itself:
    the cost then grows with the rows, not with their square. Ties: the lowest row.

    >>> MDAV(publish="interval")
    MDAV(publish='interval', median='median', nominal='equal', whole=False, rescale=False, own_k=None, block=1000000)
    """

    block: int = 1_000_000

    title: ClassVar[str] = "MDAV microaggregation"
    source: ClassVar[str] = (
        "Domingo-Ferrer, Torra: Ordinal, continuous and heterogeneous k-anonymity through microaggregation. DMKD 2005"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.block, bool) or not isinstance(self.block, int) or self.block < 100:
            raise PlanError(f"MDAV: block must be a whole number of at least 100, not {self.block!r}.")

    def groups(self, columns: list[MicroColumn], k: int, task: Task) -> tuple[np.ndarray, int]:
        rows = len(columns[0].values)
        most = max(self.block, 3 * k)
        if rows <= most:
            return mdav(columns, k=k, watch=lambda done: task.progress("grouping", done))
        blocks = median_blocks(columns, np.arange(rows), most)
        of_row, count = np.empty(rows, dtype=np.int32), 0
        with ThreadPoolExecutor(threads()) as pool:
            found = pool.map(lambda block: mdav(part(columns, block), k=k), blocks)
            for done, (block, (groups, size)) in enumerate(zip(blocks, found, strict=True), start=1):
                of_row[block] = groups + count
                count += size
                task.progress("grouping", done / len(blocks))
        return of_row, count
