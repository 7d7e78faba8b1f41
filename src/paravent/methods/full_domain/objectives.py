"""What a node of the full-domain lattice loses, and how little it can lose: the objectives of the optimal search.

A suppressed row always costs as much as a row that says nothing, so most of these are not monotone: a node higher up
may lose less because it suppresses less. Three bounds hold all the same and let the search rule nodes out unseen.
`bounds` of a node needs its levels alone. `floors` counts its classes, and holds for every node above it, whatever
these suppress. `least` holds for the node itself when models suppress more rows than k-anonymity does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from math import log, prod

import numpy as np

from paravent.kernels import Outliers, PricedLevel
from paravent.kernels.cutting import SCALE
from paravent.methods.full_domain.levels import METRIC_NAMES, LevelCosts, level_costs, priced_levels
from paravent.methods.method import Axis

SIZE_METRICS = ("dm", "cavg", "ambiguity", "entropy", "kl")
"""Metrics of the classes and of how often values occur, named as `utility.*` names them."""

UNWEIGHED = ("dm", "cavg", "ambiguity", "kl")
"""Those that are no sum over columns: weights of columns mean nothing to them."""

OBJECTIVES = (*METRIC_NAMES, *SIZE_METRICS)

Node = tuple[int, ...]


class Objective(ABC):
    """A loss of nodes. `parts[j][l]` is what level l of column j adds to the bound of a node, before `joined`."""

    sizes = False
    areas = False
    floored = False
    parts: list[np.ndarray]
    priced: list[list[PricedLevel]]

    def joined(self, summed: np.ndarray) -> np.ndarray:
        """A bound from the sum of a node's parts."""
        return summed

    def bounds(self, nodes: np.ndarray) -> np.ndarray:
        """What nodes lose at least."""
        return self.joined(np.asarray(sum(part[nodes[:, j]] for j, part in enumerate(self.parts))))

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(priced) for priced in self.priced)

    @abstractmethod
    def losses(self, nodes: np.ndarray, found: Outliers) -> np.ndarray:
        """What nodes lose when their outliers are suppressed."""

    def least(self, nodes: np.ndarray, found: Outliers) -> np.ndarray:
        """What nodes lose at least when their outliers and possibly others are suppressed."""
        return self.losses(nodes, found)

    def floors(self, nodes: np.ndarray, found: Outliers) -> np.ndarray:
        """What nodes and all above them lose at least (where it is `floored`). All outliers must be counted."""
        raise NotImplementedError

    @abstractmethod
    def loss(self, node: Node, of_row: np.ndarray) -> float:
        """What a node loses when some rows (class −1) are suppressed."""


class CellLoss(Objective):
    """The loss of the columns' cells, as one: their mean by `shares`, or the geometric mean of 1 + loss, less 1."""

    def __init__(self, axes: Sequence[Axis], costs: Sequence[LevelCosts], *, geometric: bool, shares: np.ndarray):
        self.axes, self.costs, self.geometric, self.shares = axes, costs, geometric, shares
        self.priced = priced_levels(axes, costs)
        self.parts = [
            share * (np.log1p(cost.kept) if geometric else cost.kept)
            for cost, share in zip(costs, shares.tolist(), strict=True)
        ]

    def of_columns(self, columns: Sequence[int]) -> CellLoss:
        """What some of the columns add to the loss of all: their shares stay."""
        axes, costs = [self.axes[j] for j in columns], [self.costs[j] for j in columns]
        return CellLoss(axes, costs, geometric=self.geometric, shares=self.shares[columns])

    def joined(self, summed: np.ndarray) -> np.ndarray:
        return np.asarray(np.expm1(summed)) if self.geometric else summed

    def _join(self, by_column: np.ndarray) -> np.ndarray:
        return self.joined(np.asarray((np.log1p(by_column) if self.geometric else by_column) @ self.shares))

    def losses(self, nodes: np.ndarray, found: Outliers) -> np.ndarray:
        kept = np.stack([cost.kept[nodes[:, j]] for j, cost in enumerate(self.costs)], axis=1)
        return self._join(kept + found.cost * np.array([cost.unit for cost in self.costs]))

    def loss(self, node: Node, of_row: np.ndarray) -> float:
        gone = of_row < 0
        columns = zip(self.axes, self.costs, node, strict=True)
        times = 1 if self.axes[0].times is None else self.axes[0].times[gone]
        found = [
            c.kept[level] + float((c.spare[level][axis.codes[gone]] * times).sum()) * c.unit
            for axis, c, level in columns
        ]
        return float(self._join(np.array(found)))


class _OfClasses(Objective):
    """An objective of classes: cells have no cost of their own."""

    def __init__(self, axes: Sequence[Axis], k: int):
        self.axes, self.k, self.n, self.times = axes, k, axes[0].n_rows, axes[0].times
        self.priced = priced_levels(axes, [_free(axis) for axis in axes])
        self.parts = [np.zeros(len(priced)) for priced in self.priced]

    def _sizes(self, of_row: np.ndarray) -> np.ndarray:
        """How many rows are suppressed, and how many each class has."""
        return np.bincount(of_row + 1, weights=self.times, minlength=1).astype(np.int64)


class Discernability(_OfClasses):
    """DM (Bayardo, Agrawal 2005): Σ |C|² over classes; a suppressed row costs as much as the table has rows. Joining
    classes adds to the sum of their squares, so the sum over all classes of a node bounds every node above it."""

    sizes = floored = True

    def joined(self, summed: np.ndarray) -> np.ndarray:
        return summed + float(min(self.k, self.n)) * self.n  # every row is charged k at least

    def losses(self, nodes: np.ndarray, found: Outliers) -> np.ndarray:
        del nodes
        return np.asarray(found.sizes[:, 1, 1] + found.rows * float(self.n))

    def floors(self, nodes: np.ndarray, found: Outliers) -> np.ndarray:
        del nodes
        return found.sizes[:, 0, 1].astype(np.float64)

    def loss(self, node: Node, of_row: np.ndarray) -> float:
        del node
        lost, *sizes = self._sizes(of_row).tolist()
        return float(sum(size * size for size in sizes) + lost * self.n)


class AverageSize(_OfClasses):
    """C_AVG (LeFevre et al. 2006): the rows of the table over the number of classes kept, over k. A class of a node
    above holds a class of k here, or takes k of the rows outside of such classes."""

    sizes = floored = True

    def joined(self, summed: np.ndarray) -> np.ndarray:
        return np.asarray(summed + self._value(np.array(max(1, self.n // self.k))))

    def _value(self, classes: np.ndarray) -> np.ndarray:
        return np.asarray(self.n / np.maximum(classes, 1) / self.k)

    def losses(self, nodes: np.ndarray, found: Outliers) -> np.ndarray:
        del nodes
        return self._value(found.sizes[:, 1, 0])

    def floors(self, nodes: np.ndarray, found: Outliers) -> np.ndarray:
        del nodes
        return self._value(found.sizes[:, 1, 0] + found.rows // self.k)

    def loss(self, node: Node, of_row: np.ndarray) -> float:
        del node
        return float(self._value(np.array(len(np.unique(of_row[of_row >= 0])))))


class Ambiguity(_OfClasses):
    """AM (Nergiz, Clifton 2007): how many combinations of values a row may stand for, on average. The mean of the
    products is at least the product of the geometric means (Jensen), which are known by column."""

    areas = True

    def __init__(self, axes: Sequence[Axis], k: int):
        super().__init__(axes, k)
        self.everything = float(prod(float(len(axis)) for axis in axes))
        self.priced = [
            [
                replace(level, covers=covers.astype(np.float64))
                for level, covers in zip(priced, _covers(axis), strict=True)
            ]
            for axis, priced in zip(axes, self.priced, strict=True)
        ]
        self.parts = [np.array([_mean(np.log(c), axis) for c in _covers(axis)]) for axis in axes]

    def joined(self, summed: np.ndarray) -> np.ndarray:
        return np.asarray(np.exp(summed) * (1 - 1e-12))

    def losses(self, nodes: np.ndarray, found: Outliers) -> np.ndarray:
        del nodes
        return np.asarray((found.area + found.rows * self.everything) / self.n)

    def loss(self, node: Node, of_row: np.ndarray) -> float:
        area = np.ones(len(of_row))
        for axis, priced, level in zip(self.axes, self.priced, node, strict=True):
            covers = priced[level].covers
            assert covers is not None
            area *= covers[axis.codes]
        gone, times = of_row < 0, np.ones(len(of_row)) if self.times is None else self.times
        return float(((area * times)[~gone].sum() + times[gone].sum() * self.everything) / self.n)


class Divergence(_OfClasses):
    """KL (Kifer, Gehrke 2006), each class spread evenly over what its labels cover, suppressed rows over everything.
    By the log sum inequality neither joining classes nor suppressing some brings it below that of all classes."""

    sizes = floored = True

    def __init__(self, axes: Sequence[Axis], k: int, own: float):
        super().__init__(axes, k)
        self.own = own / self.n  # Σ w log w over the distinct rows
        costs = []
        for axis in axes:
            logs = [np.log(covers) for covers in _covers(axis)]
            spare = tuple(np.floor(SCALE * (log(len(axis)) - each)).astype(np.int64) for each in logs)
            costs.append(LevelCosts(np.array([_mean(each, axis) for each in logs]), spare, 1 / SCALE / self.n))
        self.cells = CellLoss(axes, costs, geometric=False, shares=np.ones(len(axes)))
        self.priced, self.parts = self.cells.priced, self.cells.parts
        self._rounding = len(axes) / SCALE

    def joined(self, summed: np.ndarray) -> np.ndarray:
        return np.asarray(np.maximum(summed + self.own - log(max(self.n, 1)) - self._rounding, 0.0))

    def losses(self, nodes: np.ndarray, found: Outliers) -> np.ndarray:
        lost = found.rows * np.log(np.maximum(found.rows, 1))
        area = self.cells.losses(nodes, found)
        return np.asarray(np.maximum(self.own + area - (found.logs[:, 1] + lost) / self.n, 0.0))

    def least(self, nodes: np.ndarray, found: Outliers) -> np.ndarray:
        return self.floors(nodes, found)

    def floors(self, nodes: np.ndarray, found: Outliers) -> np.ndarray:
        area = self.cells.bounds(nodes) - self._rounding
        return np.asarray(np.maximum(self.own + area - found.logs[:, 0] / self.n - 1e-12, 0.0))

    def loss(self, node: Node, of_row: np.ndarray) -> float:
        sizes = self._sizes(of_row)[:, None]  # the suppressed rows are a class
        logs = float((sizes * np.log(np.maximum(sizes, 1))).sum())
        return max(self.own + self.cells.loss(node, of_row) - logs / self.n, 0.0)


def objective_of(metric: str, mean: str, axes: Sequence[Axis], k: int, weight: np.ndarray) -> Objective:
    """The objective with a name. `weight`: how often each distinct row occurs."""
    if metric == "entropy":
        return _non_uniform_entropy(axes)
    if metric == "dm":
        return Discernability(axes, k)
    if metric == "cavg":
        return AverageSize(axes, k)
    if metric == "ambiguity":
        return Ambiguity(axes, k)
    if metric == "kl":
        return Divergence(axes, k, float((weight * np.log(weight)).sum()))
    costs = level_costs(axes, metric)
    return CellLoss(axes, costs, geometric=mean == "geometric", shares=_shares(axes, [cost.most for cost in costs]))


def _shares(axes: Sequence[Axis], most: Sequence[float]) -> np.ndarray:
    """How much each column counts: by its weight, and by what it can lose."""
    by_column = np.array([axis.weight * each for axis, each in zip(axes, most, strict=True)])
    total = by_column.sum()
    return np.asarray(by_column / total) if total > 0 else np.zeros(len(axes))


def _non_uniform_entropy(axes: Sequence[Axis]) -> CellLoss:
    """Σ −log P(value | label) over all cells, as a share of what suppressing all of them costs (Gionis, Tassa 2009)."""
    costs, worst = [], []
    for axis in axes:
        counts = axis.counts
        n, own = axis.n_rows, np.log2(np.maximum(counts, 1))
        most = float(n * np.log2(n) - counts @ own)
        worst.append(most)
        assert axis.tree is not None
        rows = [np.bincount(level.codes, weights=counts)[level.codes] for level in axis.tree.levels]
        logs = [np.log2(np.maximum(under, 1)) for under in rows]
        kept = np.array([float(counts @ (each - own)) for each in logs]) / (most or 1.0)
        spare = tuple(np.floor(SCALE * np.maximum(np.log2(n) - each, 0)).astype(np.int64) for each in logs)
        costs.append(LevelCosts(kept, spare, 1 / SCALE / (most or 1.0)))
    return CellLoss(axes, costs, geometric=False, shares=_shares(axes, worst))


def _mean(of_value: np.ndarray, axis: Axis) -> float:
    """The mean over all rows of what belongs to their values."""
    if axis.times is None:
        return float(of_value[axis.codes].mean())
    return float(of_value[axis.codes] @ axis.times / axis.n_rows)


def _covers(axis: Axis) -> list[np.ndarray]:
    """How many values the label of each value covers, level by level."""
    assert axis.tree is not None
    return [np.bincount(level.codes)[level.codes] for level in axis.tree.levels]


def _free(axis: Axis) -> LevelCosts:
    assert axis.tree is not None
    levels = axis.tree.levels
    nothing = tuple(np.zeros(len(axis), dtype=np.int64) for _ in levels)
    return LevelCosts(np.zeros(len(levels)), nothing, 0.0)
