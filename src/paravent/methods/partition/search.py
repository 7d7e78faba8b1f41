"""Partitions made better: searches that take over from one another, none of which ends worse than it began.

Labels opened and closed while rows move between them, and neighbouring classes made anew, which alone knows models
beyond k-anonymity. Limits are counts, so that a run can be repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from paravent.kernels import CutAxis, Guard, Style
from paravent.kernels.opening import has_room, open_labels
from paravent.kernels.regrouping import A_SECOND, regroup
from paravent.methods.method import Progress, silent
from paravent.methods.partition.space import Space

Effort = Literal["fast", "normal", "high"]


class Budget(NamedTuple):
    """How much is tried: the work of opening labels and that of making neighbouring classes anew
    (`kernels.regrouping`), and what either takes for a cell at most."""

    labels: int
    work: int
    a_cell: int


BUDGETS: dict[Effort, Budget] = {
    "fast": Budget(A_SECOND, A_SECOND, 20_000),
    "normal": Budget(3 * A_SECOND, 5 * A_SECOND, 100_000),
    "high": Budget(60 * A_SECOND, 60 * A_SECOND, 10**6),
}
_ENOUGH = 10**6
"""What either takes for a cell at most where seconds are named."""
_HOT = 0.35
"""The first temperature at k = 1, in what a row costs; it grows with √k."""


@dataclass(frozen=True, eq=False)
class Search:
    """Better partitions of the rows of a space (all rows of it are in a class), into classes of at least k rows."""

    space: Space
    k: int
    effort: Effort = "normal"
    seed: int = 0
    progress: Progress = silent
    seconds: float | None = None
    """Seconds of the processor that count instead of those of the effort: half of them for each search."""

    def cost(self, of_row: np.ndarray) -> int:
        return self.space.cost(self.space.parts(of_row))

    def improved(self, of_row: np.ndarray) -> tuple[np.ndarray, list[str]]:
        """A partition that costs no more, where k rows a class are all that is asked; and which searches helped."""
        best, cost, said = of_row, self.cost(of_row), []
        for name, search in (
            ("labels opened and closed", self.opened),
            ("neighbouring classes made anew", self.regrouped),
        ):
            if cost == 0:
                break
            found = search(best)
            now = self.cost(found)
            if now < cost:
                said.append(f"{name.capitalize()}: {1 - now / cost:.2%} less loss.")
                best, cost = found, now
        return best, said

    def opened(self, of_row: np.ndarray) -> np.ndarray:
        """Labels opened and closed while rows move between them."""
        if not has_room(len(self.space.weight), self._axes):
            return of_row
        found = open_labels(
            self._leaves,
            self._axes,
            _numbered(of_row),
            k=self.k,
            work=self._work(self._budget.labels),
            hot=max(_HOT * self.k**0.5, 0.2),
            seed=self.seed + 1,  # other draws than a base that opened labels too
            watch=lambda done: self.progress("opening", done),
        )
        return found.of_row

    def regrouped(
        self, of_row: np.ndarray, *, judged: Sequence[np.ndarray] = (), guard: Guard | None = None
    ) -> np.ndarray:
        """Neighbouring classes put together and clustered anew; with a guard every class that is made is one that it
        allows by its counts of `judged`."""
        found = regroup(
            self._leaves,
            self._axes,
            _numbered(of_row),
            k=self.k,
            work=self._work(self._budget.work),
            seed=self.seed,
            judged=judged,
            guard=guard,
            watch=lambda done: self.progress("regrouping", done),
        )
        return found.of_row

    @cached_property
    def _leaves(self) -> np.ndarray:
        return np.ascontiguousarray(self.space.leaves[self.space.folded.tuple_of_row].astype(np.int32))

    @cached_property
    def _axes(self) -> list[CutAxis]:
        return [
            CutAxis(Style.TREE, np.arange(t.n_leaves), 0, t.parent, t.first, t.last, int(c.max(initial=0)) - c)
            for t, c in zip(self.space.trees, self.space.climb, strict=True)
        ]

    @property
    def _budget(self) -> Budget:
        if self.seconds is None:
            return BUDGETS[self.effort]
        half = int(self.seconds / 2 * A_SECOND)
        return Budget(half, half, _ENOUGH)

    def _work(self, most: int) -> int:
        return min(most, self._budget.a_cell * self._leaves.size)


def _numbered(of_row: np.ndarray) -> np.ndarray:
    return np.unique(of_row, return_inverse=True)[1].reshape(-1).astype(np.int32)
