"""Complements: a class that fails a model joins one that has what it lacks.

Models beside k-anonymity are not served by what is near alone: neighbours tend to lack the same values, and a class
that joins the nearest one again and again ends as the whole table. So a class that fails asks the classes that cost
least to join, in turn, whether the two would hold together.
"""

from __future__ import annotations

import numpy as np

from paravent import kernels
from paravent.kernels.clustering import Grouped, Members
from paravent.kernels.cutting import Style
from paravent.methods.clustering.cluster_space import ClusterSpace
from paravent.privacy.classes import Histogram

_ASKED = 64
"""So many classes are asked, the cheapest first."""
_ROWS = 1 << 16
"""And no more than have so many rows in all, but eight at least."""
_MANY = 8192
"""More groups than these are completed in blocks of neighbours first."""


def completed(space: ClusterSpace, found: Grouped, n_groups: int, *, spare: int = 0) -> Grouped:
    """Groups of which each holds every model, or one group of all rows; rows without a group stay so.

    The smallest group that fails joins the cheapest of those asked with which it holds. With none of them it joins the
    one of least cost × distance, the distance of what the two make to the table's sensitive values, and looks on. Up to
    `spare` rows are left out: groups whose joining would cost more than saying nothing about them. Ties: the group that
    came first. Many groups are first completed among neighbours, in blocks that Mondrian cuts.
    """
    if n_groups > _MANY:
        members = Members.of(found.unit, found.group, n_groups)
        first = np.ascontiguousarray(space.points.codes[members.row[members.start[:-1]]])
        cut = kernels.mondrian(first, list(space.labels.cuts), k=_MANY // 4)
        block_of = np.empty(n_groups, dtype=np.int32)
        block_of[cut.order] = np.repeat(np.arange(len(cut.starts) - 1, dtype=np.int32), np.diff(cut.starts))
        of_row = np.where(found.group >= 0, block_of[found.group], np.int32(-1))
        parts, before = [Grouped(*(each[of_row < 0] for each in found))], 0
        for block in range(len(cut.starts) - 1):
            unit, group = (each[of_row == block] for each in found)
            number = np.unique(group, return_inverse=True)[1].astype(np.int32).reshape(-1)
            part = _Completion(space, Grouped(unit, number), int(number.max()) + 1, spare).run()
            spare -= int((part.group < 0).sum())
            parts.append(Grouped(part.unit, np.where(part.group >= 0, part.group + np.int32(before), np.int32(-1))))
            before += int(part.group.max(initial=-1)) + 1
        found, n_groups = Grouped(*(np.concatenate(each) for each in zip(*parts, strict=True))), before
    return _Completion(space, found, n_groups, spare).run()


class _Completion:
    def __init__(self, space: ClusterSpace, found: Grouped, n_groups: int, spare: int) -> None:
        self.space, self.spare = space, spare
        members = Members.of(found.unit, found.group, n_groups)
        self.units = [members.row[a:b] for a, b in zip(members.start[:-1], members.start[1:], strict=True)]
        self.gone = [found.unit[found.group < 0]]
        self.size = np.diff(members.start)
        self.alive = np.ones(n_groups, dtype=bool)
        self.failing = ~space.holding(found, n_groups)
        self.labels = [_Labels.of(space, j, members) for j in range(len(space.labels.axes))]
        self.each = np.sum([labels.cost() for labels in self.labels], axis=0)

    def run(self) -> Grouped:
        begun = max(1, int(self.failing.sum()))
        while True:
            waiting = np.flatnonzero(self.failing & self.alive)
            if not len(waiting):
                return self._left()
            self.space.task.progress("completing classes", 1 - len(waiting) / begun)
            at = int(waiting[np.argmin(self.size[waiting])])
            others = np.flatnonzero(self.alive)
            others = others[others != at]
            if not self._leaves(at, others):
                if not len(others):
                    return self._left()
                self._join(at, self._partner(at, others))

    def _prices(self, at: int, others: np.ndarray) -> np.ndarray:
        """What it costs a group to be joined by each of some others."""
        each = np.sum([labels.joined(at, others) for labels in self.labels], axis=0)
        before = self.size[at] * self.each[at] + self.size[others] * self.each[others]
        return np.asarray((self.size[at] + self.size[others]) * each - before)

    def _leaves(self, at: int, others: np.ndarray) -> bool:
        """Whether a group is left out: it may be, and to join would cost more."""
        size = int(self.size[at])
        if size > self.spare or not len(others):
            return False
        if int(self._prices(at, others).min()) <= size * (self.space.points.dearest - int(self.each[at])):
            return False
        self.spare -= size
        self.alive[at] = False
        self.gone.append(self.units[at])
        return True

    def _partner(self, at: int, others: np.ndarray) -> int:
        prices = self._prices(at, others)
        order = np.argsort(prices, kind="stable")
        rows = np.cumsum(self.size[others[order]] + self.size[at])
        asked = order[: max(8, min(_ASKED, int(np.searchsorted(rows, _ROWS))))]
        group = np.repeat(np.arange(len(asked), dtype=np.int32), self.size[others[asked]] + self.size[at])
        units = np.concatenate([np.concatenate([self.units[b], self.units[at]]) for b in others[asked].tolist()])
        both = Grouped(units, group)
        holds = np.flatnonzero(self.space.holding(both, len(asked)))
        if len(holds):
            return int(others[asked[holds[0]]])
        far = self._distances(both, len(asked))
        return int(others[asked[np.argmin((prices[asked] + 1.0) * far)]])

    def _distances(self, found: Grouped, n_groups: int) -> np.ndarray:
        """How far groups are from the table, by their sensitive values (L1, the sum over columns)."""
        task, total = self.space.task, np.zeros(n_groups)
        for name, codes in zip(task.statistics.columns, self.space.read, strict=True):
            if name not in task.sensitive:
                continue
            counted = Histogram.of(found.group, n_groups, codes[found.unit], task.tables[name])
            of_all = counted.table[counted.value] / max(counted.n_rows, 1)
            share = counted.count / counted.sizes[counted.owner]
            total += 1 + counted.summed(np.abs(share - of_all) - of_all)
        return np.maximum(total, 1e-12) if total.any() else np.ones(n_groups)

    def _join(self, at: int, other: int) -> None:
        kept, lost = min(at, other), max(at, other)
        self.units[kept] = np.concatenate([self.units[kept], self.units[lost]])
        self.units[lost] = self.units[lost][:0]
        self.size[kept] += self.size[lost]
        self.alive[lost] = False
        self.each[kept] = sum(labels.join(kept, lost) for labels in self.labels)
        self.failing[kept] = not self.space.holds(self.units[kept])

    def _left(self) -> Grouped:
        kept = [self.units[c] for c in np.flatnonzero(self.alive).tolist()]
        gone = np.concatenate(self.gone)
        group = np.repeat(np.arange(len(kept), dtype=np.int32), [len(units) for units in kept])
        return Grouped(
            np.concatenate([*kept, gone]).astype(np.int32), np.r_[group, np.full(len(gone), -1, dtype=np.int32)]
        )


class _Labels:
    """The labels of all groups on one column: nodes of its tree, spans or sets, with what a row of each costs."""

    def __init__(self, space: ClusterSpace, j: int, low: np.ndarray, high: np.ndarray, values: np.ndarray) -> None:
        self.priced, self.style, self.tree = space.points.axes[j], space.labels.styles[j], space.labels.axes[j].tree
        self.low, self.high, self.values = low, high, values
        if self.style is Style.TREE:
            assert self.tree is not None
            self.low = self.high = self.tree.ancestor(low, high)

    @classmethod
    def of(cls, space: ClusterSpace, j: int, members: Members) -> _Labels:
        codes = space.points.codes[members.row, j]
        low, high = (least.reduceat(codes, members.start[:-1]) for least in (np.minimum, np.maximum))
        values = np.zeros((len(members), space.points.axes[j].axis.size), dtype=bool)
        if space.labels.styles[j] is Style.SET:
            values[np.repeat(np.arange(len(members)), np.diff(members.start)), codes] = True
        return cls(space, j, low, high, values)

    def cost(self) -> np.ndarray:
        return self._cost(self.low, self.high, self.values)

    def _cost(self, low: np.ndarray, high: np.ndarray, values: np.ndarray) -> np.ndarray:
        axis = self.priced.axis
        if self.style is Style.SET:
            return np.asarray(axis.unit * (values.sum(axis=1) - 1))
        if self.style is Style.TREE:
            return np.asarray(axis.node_cost[low])
        return np.asarray(np.minimum(axis.ruler[high] - axis.ruler[low], self.priced.cap))

    def joined(self, at: int, others: np.ndarray) -> np.ndarray:
        """What a row of each would cost where one group and some others are one."""
        if self.style is Style.TREE:
            assert self.tree is not None
            met = self.tree.common(np.full(len(others), self.low[at]), self.low[others])
            return self._cost(met, met, self.values)
        low, high = np.minimum(self.low[at], self.low[others]), np.maximum(self.high[at], self.high[others])
        return self._cost(low, high, self.values[others] | self.values[at])

    def join(self, kept: int, lost: int) -> int:
        """One group takes the label of two; what a row of it costs."""
        if self.style is Style.TREE:
            assert self.tree is not None
            self.low[kept] = self.tree.common(self.low[[kept]], self.low[[lost]])[0]
        else:
            self.low[kept] = min(self.low[kept], self.low[lost])
            self.high[kept] = max(self.high[kept], self.high[lost])
            self.values[kept] |= self.values[lost]
        here = np.array([kept])
        return int(self._cost(self.low[here], self.high[here], self.values[here])[0])
