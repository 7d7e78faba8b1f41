"""Fitting: the distribution of a graphical model that comes near to noisy counts.

Among all distributions, the one of largest entropy that meets counts is a product of tables, one for each set of
columns that was counted (McKenna, Sheldon, Miklau 2019: Graphical-model based estimation and inference for
differential privacy). Counts with noise need not be met: where a table is bent away from what independent columns
would have, a price is paid for the square of its logarithm (as in Dudík, Phillips and Schapire 2007), low where a count
stands out of the noise and high where it cannot. How far logarithms are spread, and so the price, is estimated for each
table from its own counts. Tables over ordered columns are bent by blocks of neighbours first (`neighbours.py`), and by
single cells as far as these tell more. That is a convex problem whose slope is what one propagation tells. It is solved
by L-BFGS, every cell scaled by the count that it has reached.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from paravent.private.graphical.beliefs import Beliefs, propagate
from paravent.private.graphical.descent import descend, dot
from paravent.private.graphical.junction import Columns, JunctionTree, junction_tree, spread
from paravent.private.graphical.margins import margins, product, product_order, sums_onto
from paravent.private.graphical.neighbours import Blocks, blocks_over

_STANDS_OUT = 0.3
"""A cell of no rows is priced as one of this many standard deviations of the noise."""
_AT_LEAST = 0.2
"""The lowest price, in standard deviations."""
_SPREAD, _SPREAD_OF_BLOCKS = 1.0, 0.7
"""How far the logarithms of cells are taken to be spread about independence, and those of blocks about wider ones."""
_NARROWEST = 0.05
"""Cells are taken to be spread about their block by no less."""
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
    ordered: Collection[int] = (),
    start: Mapping[Columns, np.ndarray] | None = None,
    steps: int = 100,
    total: float | None = None,
) -> Fitted:
    """The distribution that fits counts, from the parameters of another fit where some are given. `impossible` marks
    cells that nobody can be in; neighbours in `ordered` columns are taken to be alike where noise hides whether they
    are. At most `steps` steps are taken, fewer where nothing is gained by more."""
    told = estimated_total(measured) if total is None else total
    return _Problem(sizes, measured, impossible or {}, told, ordered).solved(start or {}, steps)


class _Target(NamedTuple):
    """Counts of some columns, their noise, and where their cells stand among those of all targets."""

    columns: Columns
    counts: np.ndarray
    sigma: float
    place: slice


class _Bent(NamedTuple):
    """Blocks by which a target is bent, and where their parameters stand among all: after those of all cells."""

    target: _Target
    blocks: Blocks
    place: slice


class _Problem:
    def __init__(
        self,
        sizes: Sequence[int],
        measured: Sequence[Noisy],
        impossible: Mapping[Columns, np.ndarray],
        total: float,
        ordered: Collection[int] = (),
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
        self.bent: list[_Bent] = []
        for columns, target in self.targets.items():
            for blocks in blocks_over(columns, self.sizes, ordered) if len(columns) > 1 else ():
                self.bent.append(_Bent(target, blocks, slice(at, at := at + blocks.size)))
        self.counts = self._joined({columns: target.counts for columns, target in self.targets.items()})
        self.centre = self._joined({columns: self._alone(target) for columns, target in self.targets.items()})
        self.prices = np.zeros(at)
        for target in self.targets.values():
            self._price(target)

    def solved(self, start: Mapping[Columns, np.ndarray], steps: int) -> Fitted:
        first = self._joined(
            {columns: start.get(columns, self._part(self.centre, columns)) for columns in self.targets}
        )
        enough = _ENOUGH * sum(target.sigma * target.counts.size for target in self.targets.values())
        best = self.tables(descend(self.judged, self._parted(first), steps, enough=enough))
        beliefs, _ = self._believed(best)
        return Fitted(self.total, beliefs, {columns: self._part(best, columns) for columns in self.targets})

    def judged(self, parameters: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """The loss of some parameters, its slope, and how curved it is along each (about)."""
        theta = self.tables(parameters)
        beliefs, log_sum = self._believed(theta)
        reached = self._reached(beliefs)
        away = parameters.copy()
        away[: self.length] -= self.centre
        priced = self.prices * away
        loss = self.total * log_sum - dot(theta, self.counts) + 0.5 * dot(priced, away)
        return loss, self._with_blocks(reached - self.counts) + priced, self._with_blocks(reached) + self.prices

    def tables(self, parameters: np.ndarray) -> np.ndarray:
        """The logarithms of the cells of all targets: their own parameters, and those of their blocks."""
        theta = parameters[: self.length].copy()
        for target, blocks, place in self.bent:
            theta[target.place] += blocks.spread(parameters[place]).ravel()
        return theta

    def _with_blocks(self, cells: np.ndarray) -> np.ndarray:
        """Numbers of the cells of all targets, and after them their sums over blocks."""
        found = np.empty(len(self.prices))
        found[: self.length] = cells
        for target, blocks, place in self.bent:
            found[place] = blocks.summed(self._part(cells, target.columns)).ravel()
        return found

    def _parted(self, theta: np.ndarray) -> np.ndarray:
        """Parameters whose tables are some: blocks have the means of what wider ones leave, cells have the rest."""
        found = np.zeros(len(self.prices))
        found[: self.length] = theta
        for target, blocks, place in self.bent:
            left = self._part(found[: self.length], target.columns)
            means = blocks.summed(left) / blocks.cells()
            found[place] = means.ravel()
            left -= blocks.spread(means)
        return found

    def _alone(self, target: _Target) -> np.ndarray:
        """What a table costs nothing at: the counts of one column, and no bend of several."""
        if len(target.columns) > 1:
            return np.zeros(target.counts.shape)
        return np.asarray(np.log(np.maximum(target.counts, target.sigma) / self.total))

    def _price(self, target: _Target) -> None:
        """Set what bends of a target cost. Were logarithms spread by r about what is expected, a count m with noise s
        would be worth s² / mr² (by Bayes' rule); a little more keeps the problem well-conditioned. The spread of blocks
        is that about independence or about wider blocks, the spread of cells that about the narrowest."""
        sigma, expected = target.sigma, self._independent(target)
        if len(target.columns) == 1:
            self.prices[target.place] = _worth(expected, sigma, 1.0).ravel()
            return
        known, spread = expected, _SPREAD
        for own, blocks, place in self.bent:
            if own.columns == target.columns:
                cells = blocks.cells()
                self.prices[place] = _worth(blocks.summed(expected) / cells, sigma, _SPREAD_OF_BLOCKS).ravel()
                counts, before, noise = blocks.summed(target.counts), blocks.summed(known), sigma * np.sqrt(cells)
                known = known * blocks.spread((np.maximum(counts, 0) + noise) / (before + noise))
                spread = 0.0
        if not spread:
            spread = _spread(target.counts, known, sigma)
        self.prices[target.place] = _worth(expected, sigma, spread).ravel()

    def _independent(self, target: _Target) -> np.ndarray:
        """What would be expected of a target, were its columns independent."""
        expected = np.full((), self.total)
        for axis, column in enumerate(target.columns):
            size = self.sizes[column]
            alone = np.exp(self._part(self.centre, (column,))) if (column,) in self.targets else np.full(size, 1 / size)
            expected = expected * alone.reshape([-1 if i == axis else 1 for i in range(len(target.columns))])
        return np.asarray(expected)

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


def _spread(counts: np.ndarray, expected: np.ndarray, sigma: float) -> float:
    """How far the logarithms of counts are spread about the expected ones, as far as it is more than their noise; each
    cell weighs by what it can tell of that."""
    weight = expected**2 / (sigma**2 + expected**2) ** 2
    beyond = float((weight * ((counts - expected) ** 2 - sigma**2)).sum() / (weight * expected**2).sum())
    return math.sqrt(min(max(beyond, _NARROWEST**2), _SPREAD**2))


def _worth(expected: np.ndarray, sigma: float, spread: float) -> np.ndarray:
    return np.asarray(sigma**2 / (expected + _STANDS_OUT * sigma) / spread**2 + _AT_LEAST * sigma)


def _averaged(measured: Sequence[Noisy]) -> dict[Columns, tuple[np.ndarray, float]]:
    """Counts of the same columns as one, weighted by their exactness, with the weight (1 / variance) of it."""
    found: dict[Columns, tuple[np.ndarray, float]] = {}
    for noisy in measured:
        weight = 1 / noisy.sigma**2
        counts, before = found.get(noisy.columns, (np.zeros(noisy.counts.shape), 0.0))
        found[noisy.columns] = ((before * counts + weight * noisy.counts) / (before + weight), before + weight)
    return found
