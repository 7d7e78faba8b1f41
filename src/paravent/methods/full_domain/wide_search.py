"""Best effort in lattices too large to be walked: local search with restarts, and a bound that says how far it may be.

The search goes from a node to the best one that is a level lower in a column, else to one that is a level lower in one
column and higher in another, as long as that loses less. From where it stands still it starts again: some columns go
up, then all go down in random order, each as far as that loses less. Nodes whose bound tells that they lose more are
not counted. The bound is that of `wide_bound`.

Where many rows may be suppressed, the way down from the top goes astray: it buys low levels with rows and cannot buy
them back. So there is one search for each of a few limits of suppressed rows up to the one that is allowed, and the
best of what all find counts: who allows more rows is searched for as who allows less, and more.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from itertools import combinations

import numpy as np

from paravent.methods.full_domain.lattice_search import Found, LatticeSearch
from paravent.methods.full_domain.objectives import Ambiguity, CellLoss, Node
from paravent.methods.full_domain.wide_bound import BoxBound, bound_by_parts

_DEAD = 128
"""Nodes with too many outliers that are remembered: whatever lies below them has as many."""
_TIME = 0.6
"""The share of the time that the search takes; the bound takes the rest."""
_NEAR = 1.03
"""A restart that comes this near to the best loss is followed up."""
_FAR = 0.15
"""The share of restarts that may lift any number of columns."""
_OFTEN = 50
"""How often a search asks for nodes of a lattice that is small after all."""
_LIMITS = (0.05, 0.01, 0.2, 0.0)
"""Shares of the rows that are tried as limits below the one that is allowed, in this order."""
_BEHIND, _SELDOM = 1.01, 4
"""A search whose best node loses so much more than the best of all gets fewer restarts by this factor."""


class WideSearches:
    """A search for each limit of suppressed rows, each of `checks` nodes, or until the time is up; `better` hears of
    every improvement. Who allows more rows gets no worse node, but where the time ends it, or for limits between those
    that are tried."""

    def __init__(self, search: LatticeSearch, *, checks: int, better: Callable[[Found], None] | None = None):
        limits = [limit for limit in (int(share * search.task.n_rows) for share in _LIMITS) if limit < search.limit]
        every = list(dict.fromkeys([*limits, search.limit]))
        self.parts = [WideSearch(search.within(limit, len(every)), checks=checks) for limit in every]
        self._search, self._heard = search, better

    def run(self) -> Found:
        """The best node found; its loss is inf where there is none."""
        best: Found | None = None
        while True:
            open_ = [part for part in self.parts if not part.over()]
            if best is not None and not open_:
                break
            part = min(open_ or self.parts[:1], key=lambda part: self._turn(part, best))
            part.step()
            self._search.task.progress("searching", min(1.0, sum(p.share for p in self.parts) / len(self.parts)))
            if part.best is not None and (best is None or part.best.rank < best.rank):
                best = part.best
                if self._heard is not None:
                    self._heard(best)
        self._search.checked += sum(part.search.checked for part in self.parts)
        return best

    @staticmethod
    def _turn(part: WideSearch, best: Found | None) -> float:
        if part.best is None or best is None:
            return -1.0
        return part.asked * (_SELDOM if part.best.loss > best.loss * _BEHIND else 1)


class WideSearch:
    """Improves on a node until `checks` nodes are asked for or the time is up."""

    def __init__(self, search: LatticeSearch, *, checks: int):
        self.search, self.checks = search, min(checks, _OFTEN * search.n_nodes)
        now = time.monotonic()
        self.deadline = math.inf if search.deadline is None else now + _TIME * (search.deadline - now)
        self.best: Found | None = None
        self.rng = np.random.default_rng(search.task.seed)
        self.top = np.array(search.shape) - 1
        self.asked = 0  # known or not: a search that goes in circles ends too
        self._dead = np.zeros((0, len(self.top)), dtype=np.int64)

    def over(self) -> bool:
        return self.asked >= self.checks or time.monotonic() > self.deadline

    @property
    def share(self) -> float:
        return min(1.0, self.asked / max(1, self.checks))

    def step(self) -> None:
        """To the first node that nothing near it betters, or a restart; the loss is inf where there is no node."""
        if self.best is None:
            top: Node = tuple(self.top.tolist())
            self.best = self._improved(self._plunged(top) or Found(top, math.inf, -math.inf))
            return
        found = self._plunged(self._lifted(self.best.node))
        if found is not None and found.loss <= self.best.loss * _NEAR:
            self.best = min(self.best, self._improved(found), key=lambda f: f.rank)

    def _lifted(self, node: Node) -> Node:
        """A node above one: a few columns, or now and then many, some levels higher."""
        most = len(self.top) if self.rng.random() < _FAR else max(2, len(self.top) // 4)
        columns = self.rng.choice(len(self.top), size=int(self.rng.integers(1, most + 1)), replace=False)
        lifted = np.array(node)
        lifted[columns] = self.rng.integers(lifted[columns], self.top[columns], endpoint=True)
        lifted[columns[:2]] = self.top[columns[:2]]
        return tuple(lifted.tolist())

    def _plunged(self, node: Node) -> Found | None:
        """From a node down: the columns in random order, those first that gain much; each to the level that loses
        least."""
        loss = self.search.losses([node])[0]
        self.asked += 1
        if math.isinf(loss):
            return None
        at = Found(node, loss, -math.inf)
        gain = np.array([part[level] - part[0] for part, level in zip(self.search.objective.parts, node, strict=True)])
        for j in np.argsort(-gain * self.rng.random(len(gain)), kind="stable").tolist():
            nodes = np.repeat(np.array(at.node)[None], at.node[j], axis=0)
            nodes[:, j] = np.arange(at.node[j])
            at = self._better(nodes, self._losses(nodes, at.loss), at) or at
            if self.over():
                break
        return at

    def _improved(self, at: Found) -> Found:
        """From a node to others that lose less, until none does."""
        while not self.over():
            lower = np.array(at.node) - np.eye(len(at.node), dtype=np.int64)
            lower = lower[(lower >= 0).all(axis=1)]
            found = self._better(lower, self._losses(lower, at.loss), at) or self._exchanged(at)
            if found is None:
                return at
            at = found
        return at

    def _exchanged(self, at: Found) -> Found | None:
        """A node that loses less with one column a level higher and one or two others a level lower."""
        node, one = np.array(at.node), np.eye(len(at.node), dtype=np.int64)
        down, up = np.flatnonzero(node > 0), np.flatnonzero(node < self.top)
        valid = np.ones((len(node), len(node)), dtype=bool)  # lower j, higher i
        for j in self.rng.permutation(down).tolist():
            # what is lowered alike is counted on one rolled-up table
            higher = up[up != j]
            nodes = node - one[j] + one[higher]
            losses = self._losses(nodes, at.loss)
            valid[j, higher] = ~np.isinf(losses)  # nan: a node below may still be within the bound
            found = self._better(nodes, losses, at)
            if found is not None or self.over():
                return found
        for i in self.rng.permutation(up).tolist():
            lower = down[(down != i) & valid[down, i]] if self.search.prunes else down[down != i]
            pairs = np.array(list(combinations(lower.tolist(), 2)), dtype=np.int64).reshape(-1, 2)
            nodes = node + one[i] - one[pairs[:, 0]] - one[pairs[:, 1]]
            found = self._better(nodes, self._losses(nodes, at.loss), at)
            if found is not None or self.over():
                return found
        return None

    def _losses(self, nodes: np.ndarray, below: float) -> np.ndarray:
        """What nodes lose; nan where their bound, and inf where a dead node above, tells that it is too much."""
        losses = np.full(len(nodes), np.nan)
        if not len(nodes):
            return losses
        self.asked += len(nodes)
        open_ = self.search.objective.bounds(nodes) < below
        dead: np.ndarray = np.any(np.all(nodes[:, None, :] <= self._dead[None], axis=2), axis=1)
        losses[dead] = np.inf
        asked = np.flatnonzero(open_ & ~dead)
        losses[asked] = self.search.losses([tuple(node) for node in nodes[asked].tolist()], below)
        if self.search.prunes:
            fresh = nodes[asked[np.isinf(losses[asked])]]
            self._dead = np.concatenate([fresh, self._dead])[:_DEAD]
        return losses

    def _better(self, nodes: np.ndarray, losses: np.ndarray, at: Found) -> Found | None:
        """The best of some nodes, if it loses less than one."""
        known = np.flatnonzero(np.isfinite(losses))
        found = [Found(tuple(nodes[i].tolist()), float(losses[i]), -math.inf) for i in known.tolist()]
        best = min(found, key=lambda f: f.rank, default=at)
        return best if best.rank < at.rank else None


def bound_of_all(search: LatticeSearch, best: float) -> float:
    """What every node loses at least, no more than `best`: by boxes of levels where the objective is a sum over
    columns, else by what the lowest node tells, and k alone."""
    objective = search.objective
    bottom = np.zeros((1, len(search.shape)), dtype=np.int64)
    least = float(objective.bounds(bottom)[0])
    if objective.floored:
        least = max(least, float(objective.floors(bottom, search.count(bottom, all_outliers=True))[0]))
    if isinstance(objective, CellLoss):
        least = max(least, bound_by_parts(search, best))
    if isinstance(objective, Ambiguity):
        least = max(least, BoxBound(search).run(best))
    return min(least, best)
