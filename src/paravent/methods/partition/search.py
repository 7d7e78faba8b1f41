"""Partitions made better: searches that take over from one another, none of which ends worse than it began.

Covers by labels (few labels, many rows each), annealing over open labels (small classes), and neighbouring classes made
anew, which alone knows models beyond k-anonymity. Limits are counts, so that a run can be repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from paravent import kernels
from paravent.kernels import CutAxis, Guard, Style
from paravent.kernels.regrouping import A_SECOND, regroup
from paravent.methods.local.label_pool import label_nodes
from paravent.methods.method import Progress, silent
from paravent.methods.partition.bound import levels_of
from paravent.methods.partition.covering import Covering
from paravent.methods.partition.repartition import MANY_COLUMNS
from paravent.methods.partition.space import Space

Effort = Literal["fast", "normal", "high"]


class Budget(NamedTuple):
    """How much is tried. Covers: words of bits read in all, proposals at most. Annealing: tuples looked up while labels
    are listed, choices in all, proposals a row and in all, the first temperature. Neighbouring classes made anew: the
    work (`kernels.regrouping`) in all, and for a cell at most."""

    words: int
    covers: int
    lookups: int
    choices: int
    proposals: int
    in_all: int
    hot: float
    work: int
    a_cell: int


BUDGETS: dict[Effort, Budget] = {
    "fast": Budget(2 * 10**9, 30_000, 14_000_000, 12_000_000, 30, 10**7, 0.5, A_SECOND, 20_000),
    "normal": Budget(2 * 10**10, 200_000, 36_000_000, 12_000_000, 150, 10**8, 1.3, 5 * A_SECOND, 100_000),
    "high": Budget(4 * 10**11, 2_000_000, 200_000_000, 24_000_000, 20_000, 5 * 10**9, 2.0, 60 * A_SECOND, 10**6),
}
_BY_COLUMNS = ("covers",)
"""What takes the longer the more columns there are."""
_SMALL = 32
"""Annealing over labels moves row by row: for classes of up to so many rows. Covers are for larger."""
_LITTLE = 2000
"""Tables of up to so many rows are searched in every way."""


@dataclass(frozen=True, eq=False)
class Search:
    """Better partitions of the rows of a space (all rows of it are in a class), into classes of at least k rows."""

    space: Space
    k: int
    effort: Effort = "normal"
    seed: int = 0
    progress: Progress = silent

    @property
    def budget(self) -> Budget:
        """What the effort allows; beyond many columns, as much work in fewer proposals."""
        usual, columns = BUDGETS[self.effort], len(self.space.trees)
        if columns <= MANY_COLUMNS:
            return usual
        fewer = {name: max(1, getattr(usual, name) * MANY_COLUMNS // columns) for name in _BY_COLUMNS}
        return usual._replace(**fewer)

    def cost(self, of_row: np.ndarray) -> int:
        return self.space.cost(self.space.parts(of_row))

    def improved(self, of_row: np.ndarray) -> tuple[np.ndarray, list[str]]:
        """A partition that costs no more, where k rows a class are all that is asked; and which searches helped."""
        best, cost, said = of_row, self.cost(of_row), []
        for name, search in (
            ("a cover by labels", self.covered),
            ("annealing over labels", self.annealed),
            ("neighbouring classes made anew", self.regrouped),
        ):
            if cost == 0:
                break
            found = search(best)
            if found is None:
                continue
            now = self.cost(found)
            if now < cost:
                said.append(f"{name.capitalize()}: {1 - now / cost:.2%} less loss.")
                best, cost = found, now
        return best, said

    def covered(self, of_row: np.ndarray) -> np.ndarray | None:
        """A search over which labels are open; None where they would be too many."""
        space, n = self.space, self.space.n_rows
        if self.k <= _SMALL and n > _LITTLE:
            return None
        covering = Covering(self._leaves, space.tree_costs, self.k)
        proposals = min(self.budget.covers, self.budget.words // covering.a_reading)
        if not covering.is_enough(proposals):
            return None
        labels = space.labels(space.parts(of_row))
        return covering.search(labels, proposals, seed=self.seed, watch=lambda done: self.progress("covering", done))

    def annealed(self, of_row: np.ndarray) -> np.ndarray | None:  # noqa: ARG002
        """Labels opened and closed while rows move between them, begun anew; None where classes are large, or where
        columns are so many that hardly any of the cheap labels is one of k rows."""
        if (self.k > _SMALL and self.space.n_rows > _LITTLE) or len(self.space.trees) > MANY_COLUMNS:
            return None
        space, budget = self.space, self.budget
        priced_levels = [levels_of(tree, climb) for tree, climb in zip(space.trees, space.climb, strict=True)]
        leaves = [np.ascontiguousarray(space.leaves[:, j]) for j in range(len(priced_levels))]
        weight = space.weight.astype(np.int32)
        nodes = label_nodes(leaves, priced_levels, weight, max(64, budget.lookups // len(weight)))
        found = kernels.local_search(
            leaves,
            priced_levels,
            weight,
            nodes,
            k=self.k,
            most=int(np.clip(budget.choices // len(weight), 24, 440)),
            proposals=max(50_000, min(budget.proposals * space.n_rows, budget.in_all)),
            hot=budget.hot,
            seed=self.seed + 1,  # other draws than a base that annealed labels too
            watch=lambda done: self.progress("annealing", done),
        )
        opened = np.empty(space.n_rows, dtype=np.int32)
        opened[np.argsort(space.folded.tuple_of_row, kind="stable")] = found.of_row
        return opened

    def regrouped(
        self, of_row: np.ndarray, *, judged: Sequence[np.ndarray] = (), guard: Guard | None = None
    ) -> np.ndarray:
        """Neighbouring classes put together and clustered anew; with a guard every class that is made is one that it
        allows by its counts of `judged`."""
        space, budget = self.space, self.budget
        axes = [
            CutAxis(Style.TREE, np.arange(t.n_leaves), 0, t.parent, t.first, t.last, int(c.max(initial=0)) - c)
            for t, c in zip(space.trees, space.climb, strict=True)
        ]
        found = regroup(
            self._leaves,
            axes,
            np.unique(of_row, return_inverse=True)[1].reshape(-1).astype(np.int32),
            k=self.k,
            work=min(budget.work, budget.a_cell * self._leaves.size),
            seed=self.seed,
            judged=judged,
            guard=guard,
            watch=lambda done: self.progress("regrouping", done),
        )
        return found.of_row

    @cached_property
    def _leaves(self) -> np.ndarray:
        return np.ascontiguousarray(self.space.leaves[self.space.folded.tuple_of_row].astype(np.int32))
