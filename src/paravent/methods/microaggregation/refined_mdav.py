"""MDAV made better: several starts, then rows moved and swapped, groups emptied and parted, by simulated annealing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from paravent.errors import PlanError
from paravent.kernels import threads
from paravent.kernels.micro import MicroColumn, mdav, refine
from paravent.methods.method import Task
from paravent.methods.microaggregation.groups import median_blocks, part, with_leftovers
from paravent.methods.microaggregation.microaggregation import Microaggregation
from paravent.methods.microaggregation.space import embedded

_NEIGHBOURS = 24
_GAINS = (0.2, 0.6, 1.1)
_AT_ONCE = 1024


@dataclass(frozen=True, kw_only=True)
class RefinedMDAV(Microaggregation):
    """Groups of least squared error that a search finds: it starts from the best of MDAV and three V-MDAV, and makes
    `effort` proposals for each row: move it, swap it, empty its group, or cut one group or two anew. It is
    never worse than MDAV by the squared error of standardised columns (names: 0 or 1 apart). `chains` searches run
    beside each other and the best is taken. Tables of more than `block` rows are cut at medians into blocks first.

    The moves are simulated annealing and ours; that refinement pays is known since Domingo-Ferrer and Mateo-Sanz 2002.
    Everything follows from the seed of the plan. Ties: the first chain.

    >>> RefinedMDAV(effort=1000).chains
    2
    """

    effort: int = 8000
    chains: int = 2
    block: int = 5000

    title: ClassVar[str] = "MDAV refined by annealing"
    source: ClassVar[str] = "paravent; start: Domingo-Ferrer, Torra 2005 and Solanas, Martinez-Balleste 2006"

    def __post_init__(self) -> None:
        super().__post_init__()
        for field, least in (("effort", 0), ("chains", 1), ("block", 100)):
            value = getattr(self, field)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise PlanError(f"RefinedMDAV: {field} must be a whole number of at least {least}, not {value!r}.")

    def groups(self, columns: list[MicroColumn], k: int, task: Task) -> tuple[np.ndarray, int]:
        rows = len(columns[0].values)
        blocks = median_blocks(columns, np.arange(rows), max(self.block, 3 * k))
        of_row, count = np.empty(rows, dtype=np.int32), 0
        with ThreadPoolExecutor(threads()) as pool:
            jobs = [_Job(part(columns, block), k, self.effort, task.seed) for block in blocks]
            starts = list(pool.map(_Job.start, jobs))
            work = [
                (job, start, chain) for job, start in zip(jobs, starts, strict=True) for chain in range(self.chains)
            ]
            chains: list[np.ndarray] = []
            for found in pool.map(lambda one: one[0].search(one[1], one[2]), work):
                chains.append(found)
                task.progress("refining", len(chains) / len(work))
        for at, (block, job) in enumerate(zip(blocks, jobs, strict=True)):
            candidates = [starts[at], *chains[at * self.chains : (at + 1) * self.chains]]
            best = min(candidates, key=job.error)
            used, groups = np.unique(best, return_inverse=True)
            of_row[block] = groups.reshape(-1) + count
            count += len(used)
        return of_row, count


class _Job:
    """One block: its starts and its searches."""

    def __init__(self, columns: list[MicroColumn], k: int, effort: int, seed: int) -> None:
        self.columns, self.k, self.effort, self.seed = columns, k, effort, seed
        self.points = embedded(columns)

    def error(self, of_row: np.ndarray) -> float:
        """The squared error, up to what does not depend on the grouping."""
        sizes = np.maximum(np.bincount(of_row), 1)
        sums = (np.bincount(of_row, weights=self.points[:, j]) for j in range(self.points.shape[1]))
        return -float(sum((s * s / sizes).sum() for s in sums))

    def start(self) -> np.ndarray:
        starts = [mdav(self.columns, k=self.k)[0]]
        for gain in _GAINS:
            of_row, count = mdav(self.columns, k=self.k, gain=gain)
            starts.append(with_leftovers(self.columns, of_row, count).astype(np.int32))
        return min(starts, key=self.error)

    def search(self, start: np.ndarray, chain: int) -> np.ndarray:
        rows = len(start)
        groups = int(start.max(initial=-1)) + 1
        if self.effort == 0 or groups < 2:
            return start
        spread = float(((self.points - self.points.mean(axis=0)) ** 2).sum())
        typical = max((self.error(start) - self.error(np.arange(rows))) / rows, 1e-12 * max(spread, 1e-300))
        return refine(
            self.points,
            self.neighbours,
            start,
            k=self.k,
            proposals=self.effort * rows,
            hot=0.3 * typical,
            cold=0.003 * typical,
            seed=self.seed * 64 + chain,
        )

    @cached_property
    def neighbours(self) -> np.ndarray:
        """The nearest rows of each, without itself."""
        rows = len(self.points)
        width = min(max(_NEIGHBOURS, 2 * self.k), rows - 1)
        squares = (self.points**2).sum(axis=1)
        found = np.empty((rows, width), dtype=np.int32)
        for begin in range(0, rows, _AT_ONCE):
            here = np.arange(begin, min(rows, begin + _AT_ONCE))
            distance = squares[None, :] - 2 * self.points[here] @ self.points.T
            distance[np.arange(len(here)), here] = np.inf
            found[here] = np.sort(np.argpartition(distance, width - 1, axis=1)[:, :width], axis=1)
        return found
