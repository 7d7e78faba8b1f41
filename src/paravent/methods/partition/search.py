"""Partitions made better: searches that take over from one another, none of which ends worse than it began.

Covers by labels (few labels, many rows each), annealing over open labels (small classes), neighbouring classes parted
anew, and exchanges of rows between classes, which alone know models beyond k-anonymity. Limits are counts, so that a
run can be repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from paravent import kernels
from paravent.kernels import Guard
from paravent.kernels.partition import Groupings, cover_search, improve_partition
from paravent.methods.local.label_pool import label_nodes
from paravent.methods.method import Progress, silent
from paravent.methods.partition.bound import levels_of
from paravent.methods.partition.neighbours import parted_anew
from paravent.methods.partition.repartition import MANY_COLUMNS
from paravent.methods.partition.space import Space

Effort = Literal["fast", "normal", "high"]


class Budget(NamedTuple):
    """How much is tried. Covers: words of bits read in all, proposals at most. Annealing: tuples looked up while labels
    are listed, choices in all, proposals a row and in all, the first temperature. Exchanges: proposals a row and in
    all; under a guard, which is asked in Python, in all. Rounds in which neighbouring classes are parted anew."""

    words: int
    covers: int
    lookups: int
    choices: int
    proposals: int
    in_all: int
    hot: float
    exchanges: int
    most: int
    guarded: int
    rounds: int


BUDGETS: dict[Effort, Budget] = {
    "fast": Budget(2 * 10**9, 30_000, 14_000_000, 12_000_000, 30, 10**7, 0.5, 10, 10**6, 40_000, 16),
    "normal": Budget(2 * 10**10, 200_000, 36_000_000, 12_000_000, 150, 10**8, 1.3, 150, 10**7, 200_000, 64),
    "high": Budget(4 * 10**11, 2_000_000, 200_000_000, 24_000_000, 20_000, 5 * 10**9, 2.0, 1000, 10**9, 4_000_000, 400),
}
_BY_COLUMNS = ("covers", "exchanges", "most", "guarded", "rounds")
"""What takes the longer the more columns there are."""
_SMALL = 32
"""Annealing over labels and exchanges move row by row: for classes of up to so many rows. Covers are for larger."""
_LITTLE = 2000
"""Tables of up to so many rows are searched in every way."""
_CHAINS = 4
_CLASS = 10
"""Of larger classes fewer exchanges are tried: what a proposal takes grows with k."""
_GROUPINGS = 24
_MULTIPLIER = 0x9E3779B97F4A7C15
_SAMPLE = 20_000
"""Groupings are chosen by so many tuples at most."""


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
            ("neighbouring classes parted anew", self.parted_anew),
            ("exchanges of rows", self._exchanged_if_small),
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
        a_reading = max(1, n * n // (64 * self.k))
        proposals = min(self.budget.covers, self.budget.words // a_reading)
        if proposals < 4 * n // self.k:
            return None
        labels = space.labels(space.parts(of_row)).astype(np.int32)
        found = cover_search(
            self._leaves[self._by_width],
            space.tree_costs,
            labels,
            k=self.k,
            proposals=proposals,
            hot=0.1,
            cold=0.001,
            chains=_CHAINS,
            seed=self.seed,
            watch=lambda done: self.progress("covering", done),
        )
        opened = np.empty(n, dtype=np.int32)
        opened[self._by_width] = found.of_row
        return opened

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

    def parted_anew(self, of_row: np.ndarray) -> np.ndarray:
        """Neighbouring classes put together and split in the best way, again and again."""
        return parted_anew(
            self.space,
            of_row,
            self.k,
            rounds=self.budget.rounds,
            seed=self.seed,
            watch=lambda done: self.progress("parting", done),
        )

    def _exchanged_if_small(self, of_row: np.ndarray) -> np.ndarray | None:
        return None if self.k > _SMALL and self.space.n_rows > _LITTLE else self.exchanged(of_row)

    def exchanged(
        self, of_row: np.ndarray, *, sensitive: Sequence[np.ndarray] = (), guard: Guard | None = None
    ) -> np.ndarray:
        """Rows exchanged between classes; with a guard every class that is touched is one that it allows."""
        budget = self.budget
        asked = min(budget.exchanges * self.space.n_rows, budget.most if guard is None else budget.guarded)
        proposals = max(200, asked * _CLASS // max(_CLASS, self.k))  # each looks at the rows of some classes
        _, numbered = np.unique(of_row, return_inverse=True)
        found = improve_partition(
            self._leaves,
            self.space.tree_costs,
            numbered.reshape(-1).astype(np.int32),
            self.groupings,
            k=self.k,
            proposals=proposals,
            hot=0.08,
            cold=0.02,
            seed=self.seed,
            sensitive=sensitive,
            guard=guard,
            watch=lambda done: self.progress("exchanging", done),
        )
        return found.of_row

    @cached_property
    def _leaves(self) -> np.ndarray:
        return np.ascontiguousarray(self.space.leaves[self.space.folded.tuple_of_row].astype(np.int32))

    @cached_property
    def _by_width(self) -> np.ndarray:
        """The rows by the columns of fewest values first: labels then cover few stretches of rows."""
        widths = [tree.n_leaves for tree in self.space.trees]
        return np.lexsort([self._leaves[:, j] for j in sorted(range(len(widths)), key=lambda j: -widths[j])])

    @cached_property
    def groupings(self) -> Groupings:
        """Rows that agree on some ancestors: levels are raised by draws, the cheaper of two columns at a time, until a
        row has about k, 2k or 4k others beside it."""
        space, rng = self.space, np.random.default_rng(self.seed)
        priced_levels = [levels_of(tree, climb) for tree, climb in zip(space.trees, space.climb, strict=True)]
        costs = [
            [float(level.cost[space.leaves[:, j]].mean()) for level in priced] for j, priced in enumerate(priced_levels)
        ]
        sample = rng.permutation(len(space.weight))[:_SAMPLE]
        share = float(space.weight[sample].sum()) / space.n_rows
        made = []
        lowest = self._key(priced_levels, [0] * len(priced_levels), sample)
        for g in range(_GROUPINGS):
            levels = [0] * len(priced_levels)
            open_ = [j for j, priced in enumerate(priced_levels) if len(priced) > 1]
            wanted = (1 + (1, 2, 4)[g % 3] * self.k) * share
            sampled = lowest.copy()
            while True:
                _, place = np.unique(sampled, return_inverse=True)
                place = place.reshape(-1)
                people = np.bincount(place, weights=space.weight[sample])
                if float((people[place] * space.weight[sample]).sum() / space.weight[sample].sum()) >= wanted:
                    break
                if not open_:
                    break
                drawn = [open_[int(i)] for i in rng.integers(len(open_), size=2)]
                j = min(drawn, key=lambda j: (costs[j][levels[j] + 1] - costs[j][levels[j]], j))
                sampled += self._raised(priced_levels[j], levels[j], j, sample)
                levels[j] += 1
                if levels[j] + 1 == len(priced_levels[j]):
                    open_.remove(j)
            key = self._key(priced_levels, levels, np.arange(len(space.weight)))[space.folded.tuple_of_row]
            order = np.argsort(key, kind="stable")
            ranked = key[order]
            made.append((order, np.searchsorted(ranked, key), np.searchsorted(ranked, key, side="right")))
        return Groupings(*(np.stack([m[i] for m in made]).astype(np.int32) for i in range(3)))

    def _key(self, priced_levels: list[list[kernels.PricedLevel]], levels: list[int], tuples: np.ndarray) -> np.ndarray:
        """Equal where tuples agree on the ancestors of these levels: a polynomial of them, modulo 2^64."""
        key = np.zeros(len(tuples), dtype=np.uint64)
        with np.errstate(over="ignore"):
            for j, (priced, level) in enumerate(zip(priced_levels, levels, strict=True)):
                codes = priced[level].codes[self.space.leaves[tuples, j]].astype(np.uint64)
                key = key * np.uint64(_MULTIPLIER) + codes + np.uint64(1)
        return key

    def _raised(self, priced: list[kernels.PricedLevel], level: int, j: int, tuples: np.ndarray) -> np.ndarray:
        """What is added to the keys where column j goes up from a level to the next."""
        leaves = self.space.leaves[tuples, j]
        change = priced[level + 1].codes[leaves].astype(np.uint64) - priced[level].codes[leaves].astype(np.uint64)
        return np.asarray(change * np.uint64(pow(_MULTIPLIER, len(self.space.trees) - 1 - j, 2**64)))
