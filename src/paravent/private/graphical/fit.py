"""Fitting: the distribution of a graphical model that comes near to noisy counts.

Among all distributions, the one of largest entropy that meets counts is a product of tables, one for each set of
columns that was counted (McKenna, Sheldon, Miklau 2019: Graphical-model based estimation and inference for
differential privacy). Counts with noise need not be met: where a table is bent away from what independent columns
would have, a price is paid for the square of its logarithm (as in Dudík, Phillips and Schapire 2007), low where a count
stands out of the noise and high where it cannot. That is a convex problem whose slope is what one propagation tells. It
is solved by L-BFGS, every cell scaled by the count that it has reached.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from paravent.private.graphical.beliefs import Beliefs, propagate
from paravent.private.graphical.descent import descend, dot
from paravent.private.graphical.junction import Columns, JunctionTree, junction_tree, spread
from paravent.private.graphical.margins import margins, product, product_order, sums_onto

_STANDS_OUT = 0.3
"""A cell of no rows is priced as one of this many standard deviations of the noise."""
_AT_LEAST = 0.2
"""The lowest price, in standard deviations."""
_ENOUGH = 4e-5
"""A step that gains less than this, for each cell and standard deviation of its noise, has gained nothing."""
_LEAST = -60.0
"""The logarithm of the least cell of a table beside its largest: nothing, and products of several exist."""


@dataclass(frozen=True, eq=False)
class Noisy:
    """Counts of the cells of some columns, with noise of the standard deviation sigma."""

    columns: Columns
    counts: np.ndarray
    sigma: float


@dataclass(frozen=True, eq=False)
class Fitted:
    """A distribution over all columns, of `total` rows, with the parameters that it was found by."""

    total: float
    beliefs: Beliefs
    parameters: Mapping[Columns, np.ndarray]

    def counts(self, columns: Columns) -> np.ndarray:
        """How many rows each cell of some columns is expected to have."""
        return self.total * self.beliefs.of(columns)

    def bent(self, noisy: Noisy) -> dict[Columns, np.ndarray]:
        """Parameters to go on from when more is known: those found, and for new counts the logarithms of the ratios to
        what was expected, as far as they stand out of the noise."""
        if noisy.columns in self.parameters:
            return dict(self.parameters)
        expected = self.counts(noisy.columns)
        ratio = (np.maximum(noisy.counts, 0) + noisy.sigma) / (expected + noisy.sigma)
        return {**self.parameters, noisy.columns: np.log(ratio)}


def estimated_total(measured: Iterable[Noisy]) -> float:
    """The number of rows that noisy counts tell together, each weighted by how exact its sum is; at least 1."""
    weights, sums = [], []
    for noisy in measured:
        weights.append(1 / (noisy.sigma**2 * noisy.counts.size))
        sums.append(float(noisy.counts.sum()))
    return max(1.0, float(np.average(sums, weights=weights))) if sums else 1.0


def fit(
    sizes: Sequence[int],
    measured: Sequence[Noisy],
    *,
    impossible: Mapping[Columns, np.ndarray] | None = None,
    start: Mapping[Columns, np.ndarray] | None = None,
    steps: int = 100,
    total: float | None = None,
) -> Fitted:
    """The distribution that fits counts, from the parameters of another fit where some are given. `impossible` marks
    cells that nobody can be in. At most `steps` steps are taken, fewer where nothing is gained by more."""
    problem = _Problem(sizes, measured, impossible or {}, estimated_total(measured) if total is None else total)
    return problem.solved(start or {}, steps)


class _Target(NamedTuple):
    """Counts of some columns, their noise, and where their cells stand among those of all targets."""

    columns: Columns
    counts: np.ndarray
    sigma: float
    place: slice


class _Problem:
    def __init__(
        self,
        sizes: Sequence[int],
        measured: Sequence[Noisy],
        impossible: Mapping[Columns, np.ndarray],
        total: float,
    ) -> None:
        self.sizes, self.total = tuple(sizes), total
        self.targets: dict[Columns, _Target] = {}
        at = 0
        for columns, (counts, weight) in _averaged(measured).items():
            place = slice(at, at := at + counts.size)
            self.targets[columns] = _Target(columns, counts, 1 / math.sqrt(weight), place)
        self.length = at
        self.tree: JunctionTree = junction_tree([*self.targets, *impossible], self.sizes)
        self.home = {columns: self.tree.home(columns, self.sizes) for columns in self.targets}
        self.possible: dict[int, np.ndarray] = {}
        for columns, never in impossible.items():
            home = self.tree.home(columns, self.sizes)
            over = self.tree.cliques[home]
            known = self.possible.setdefault(home, np.ones([self.sizes[column] for column in over]))
            known *= spread(~never, columns, over)
        self.within = [[c for c in self.targets if self.home[c] == i] for i in range(len(self.tree.cliques))]
        self.orders = [product_order(mine, self.sizes) for mine in self.within]
        self.sums = [sums_onto(*each, self.sizes) for each in zip(self.tree.cliques, self.within, strict=True)]
        self.counts = self._joined({columns: target.counts for columns, target in self.targets.items()})
        self.centre = self._joined({columns: self._alone(target) for columns, target in self.targets.items()})
        self.prices = self._joined({columns: self._price(target) for columns, target in self.targets.items()})

    def solved(self, start: Mapping[Columns, np.ndarray], steps: int) -> Fitted:
        first = self._joined(
            {columns: start.get(columns, self._part(self.centre, columns)) for columns in self.targets}
        )
        enough = _ENOUGH * sum(target.sigma * target.counts.size for target in self.targets.values())
        best = descend(self.judged, first, steps, enough=enough)
        beliefs, _ = self._believed(best)
        return Fitted(self.total, beliefs, {columns: self._part(best, columns) for columns in self.targets})

    def judged(self, theta: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """The loss of some parameters, its slope, and how curved it is along each (about)."""
        beliefs, log_sum = self._believed(theta)
        reached = self._reached(beliefs)
        away = theta - self.centre
        priced = self.prices * away
        loss = self.total * log_sum - dot(theta, self.counts) + 0.5 * dot(priced, away)
        return loss, reached - self.counts + priced, reached + self.prices

    def _alone(self, target: _Target) -> np.ndarray:
        """What a table costs nothing at: the counts of one column, and no bend of several."""
        if len(target.columns) > 1:
            return np.zeros(target.counts.shape)
        return np.asarray(np.log(np.maximum(target.counts, target.sigma) / self.total))

    def _price(self, target: _Target) -> np.ndarray:
        """What a bend of each cell costs. Were logarithms spread by 1 about independence, a count m with noise s would
        be worth s² / m (by Bayes' rule); a little more keeps the problem well-conditioned."""
        expected = np.full((), self.total)
        for axis, column in enumerate(target.columns):
            size = self.sizes[column]
            alone = np.exp(self._part(self.centre, (column,))) if (column,) in self.targets else np.full(size, 1 / size)
            expected = expected * alone.reshape([-1 if i == axis else 1 for i in range(len(target.columns))])
        return np.asarray(target.sigma**2 / (expected + _STANDS_OUT * target.sigma) + _AT_LEAST * target.sigma)

    def _believed(self, theta: np.ndarray) -> tuple[Beliefs, float]:
        log_sum = 0.0
        tables: dict[Columns, np.ndarray] = {}
        for columns in self.targets:
            logs = self._part(theta, columns)
            highest = float(logs.max())
            log_sum += highest
            tables[columns] = np.exp(np.maximum(logs - highest, _LEAST))
        potentials = []
        for place, clique in enumerate(self.tree.cliques):
            mine = {columns: tables[columns] for columns in self.within[place]}
            potentials.append(product(mine, self.orders[place], clique, self.sizes))
        for place, possible in self.possible.items():
            potentials[place] *= possible
        beliefs, more = propagate(self.tree, self.sizes, potentials)
        return beliefs, log_sum + more

    def _reached(self, beliefs: Beliefs) -> np.ndarray:
        """The counts that beliefs expect."""
        found: dict[Columns, np.ndarray] = {}
        for clique, table, steps in zip(self.tree.cliques, beliefs.cliques, self.sums, strict=True):
            found |= margins(table, clique, steps)
        return self.total * self._joined({columns: found[columns] for columns in self.targets})

    def _part(self, joined: np.ndarray, columns: Columns) -> np.ndarray:
        target = self.targets[columns]
        return joined[target.place].reshape(target.counts.shape)

    def _joined(self, parts: Mapping[Columns, np.ndarray]) -> np.ndarray:
        joined = np.zeros(self.length)
        for columns, part in parts.items():
            joined[self.targets[columns].place] = part.ravel()
        return joined


def _averaged(measured: Sequence[Noisy]) -> dict[Columns, tuple[np.ndarray, float]]:
    """Counts of the same columns as one, weighted by their exactness, with the weight (1 / variance) of it."""
    found: dict[Columns, tuple[np.ndarray, float]] = {}
    for noisy in measured:
        weight = 1 / noisy.sigma**2
        counts, before = found.get(noisy.columns, (np.zeros(noisy.counts.shape), 0.0))
        found[noisy.columns] = ((before * counts + weight * noisy.counts) / (before + weight), before + weight)
    return found
