"""Groups: tuples put together under labels, at a node of a lattice or in parts, and what they say.

Facts about groups are named alike wherever they come from:

- `loss`: what cells cost (GCP), rows in groups below k counted as suppressed;
- `kept`: the share of rows in groups of k or more;
- `least`, `mean`: k over the smallest group that is kept, and over the mean one;
- `size`: natural logarithm of the mean size of a row's own group, rows that are not kept counted as one with all others
  (discernability over rows);
- `wrong`: the share of rows that are not kept, or whose class to predict is not the most frequent of their group;
- `bayes`: how much oftener naive Bayes is right than the most frequent class: about one half of the rows, having learnt
  from the groups of the other, both dealt as the measure of accuracy deals them;
- `untold`: the share of a number's variance that is left when a row is guessed by the mean of the others of its group;
- `shift`: the share of rows that would have to move to give a column its distribution back, mean over columns;
- `counts`: natural logarithm of the mean relative error of 100 counts, those that the measure of queries asks.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log

import numpy as np

from paravent import kernels
from paravent.knowledge.collapse.column import Column
from paravent.knowledge.collapse.folded import FoldedTable
from paravent.utility.family import Study

FACTS = ("loss", "kept", "least", "mean", "size", "wrong", "bayes", "untold", "shift", "counts")
LONGER = ("bayes", "shift", "counts")
"""Facts that are measured only where they are asked for."""
_LEAST_ERROR = 1e-3


@dataclass(frozen=True, eq=False)
class Groups:
    """Tuple t is in group `of_tuple[t]`; group g has `sizes[g]` rows, whose cells cost `cost[g]` each, and covers ranks
    `lows[j][g]` to `highs[j][g]` of column j."""

    table: FoldedTable
    of_tuple: np.ndarray
    sizes: np.ndarray
    cost: np.ndarray
    lows: Sequence[np.ndarray]
    highs: Sequence[np.ndarray]

    @classmethod
    def at_node(cls, table: FoldedTable, node: Sequence[int]) -> Groups:
        """The classes of a table when every column stands on a level."""
        codes = [column.codes[at][leaf] for column, at, leaf in zip(table.columns, node, table.leaves, strict=True)]
        sizes = [column.sizes[at] for column, at in zip(table.columns, node, strict=True)]
        folded = kernels.fold(codes, sizes, table.weight)
        ranks = [leaf[folded.representative] for leaf in table.leaves]
        ends = [column.under(at, own) for column, at, own in zip(table.columns, node, ranks, strict=True)]
        cost = np.zeros(len(folded.weight))
        for share, column, at, own in zip(table.shares, table.columns, node, ranks, strict=True):
            cost += share * column.cost[at][own]
        lows, highs = [low for low, _ in ends], [high for _, high in ends]
        return cls(table, folded.tuple_of_row, folded.weight.astype(np.int64), cost, lows, highs)

    @classmethod
    def of_parts(cls, table: FoldedTable, of_tuple: np.ndarray) -> Groups:
        """Parts of a table (numbered without gaps), each under its tightest labels."""
        order = np.argsort(of_tuple, kind="stable")
        n = int(of_tuple.max()) + 1
        start = np.searchsorted(of_tuple[order], np.arange(n))
        cost, ends = np.zeros(n), []
        for share, column, leaves in zip(table.shares, table.columns, table.leaves, strict=True):
            low, high = np.minimum.reduceat(leaves[order], start), np.maximum.reduceat(leaves[order], start)
            cost += share * column.cost_between(low, high)
            ends.append(column.covered(low, high))
        sizes = np.bincount(of_tuple, table.weight).astype(np.int64)
        return cls(table, of_tuple, sizes, cost, [low for low, _ in ends], [high for _, high in ends])

    def joined(self) -> Groups:
        """The same with groups under the same labels as one."""
        columns = self.table.columns
        ends = [each.astype(np.int32) for each in (*self.lows, *self.highs)]
        same = kernels.fold(ends, [len(column) for column in (*columns, *columns)])
        first = same.representative
        sizes = np.bincount(same.tuple_of_row, self.sizes).astype(np.int64)
        lows, highs = ([each[first] for each in side] for side in (self.lows, self.highs))
        return Groups(self.table, same.tuple_of_row[self.of_tuple], sizes, self.cost[first], lows, highs)

    def in_middles(self) -> Groups:
        """The same groups, each published as one value a column: the one nearest to their mean, or the most frequent
        where values have no order."""
        middles = [
            self._middle(column, leaves) for column, leaves in zip(self.table.columns, self.table.leaves, strict=True)
        ]
        return replace(self, lows=middles, highs=middles)

    def _middle(self, column: Column, leaves: np.ndarray) -> np.ndarray:
        n, weight = len(self.sizes), self.table.weight
        if column.axis.kind.is_ordered:
            mean = np.bincount(self.of_tuple, weight * column.line[leaves], n) / self.sizes
            order = np.argsort(column.line, kind="stable")
            ruler = column.line[order]
            return np.asarray(order[np.searchsorted((ruler[1:] + ruler[:-1]) / 2, mean)])
        pairs, of_pair = np.unique(self.of_tuple * len(column) + leaves, return_inverse=True)
        rows = np.bincount(of_pair, weight)
        group, rank = pairs // len(column), pairs % len(column)
        most = np.lexsort((rank, -rows, group))
        return np.asarray(rank[most[np.unique(group[most], return_index=True)[1]]])

    def facts(self, k: int, longer: Collection[str] = LONGER) -> dict[str, float]:
        """What they say, groups below k left out; of the facts that take longer, those that are asked for."""
        kept, rows = self.sizes >= k, float(self.table.rows)
        held = self.sizes[kept].astype(float)
        left = float(held.sum())
        found = {
            "loss": (float(held @ self.cost[kept]) + rows - left) / rows,
            "kept": left / rows,
            "least": k / held.min() if len(held) else k / rows,
            "mean": k * len(held) / left if len(held) else k / rows,
            "size": log(float((held**2).sum()) / rows + (rows - left)),
            "wrong": 0.0 if self._agreeing is None else 1 - float(self._agreeing[kept].sum()) / rows,
        }
        found["untold"] = found["loss"] if self._deviation is None else self._untold(kept)
        if "shift" in longer:
            found["shift"] = self._shift(kept)
        if "bayes" in longer:
            found["bayes"] = self._bayes(kept)
        if "counts" in longer:
            found["counts"] = self._counts(kept)
        return found

    @cached_property
    def _agreeing(self) -> np.ndarray | None:
        """The rows of each group that have its most frequent class."""
        classes = self.table.classes
        return None if classes is None else classes.by(self.of_tuple, len(self.sizes)).max(axis=1)

    @cached_property
    def _deviation(self) -> tuple[np.ndarray, np.ndarray] | None:
        """The squared error of each group if a row is guessed by the mean of the others, and by the table's mean."""
        numbers = self.table.numbers
        if numbers is None or numbers.second.sum() <= 0:
            return None
        first = np.bincount(self.of_tuple, numbers.first, len(self.sizes))
        second = np.bincount(self.of_tuple, numbers.second, len(self.sizes))
        others = (self.sizes / np.maximum(1, self.sizes - 1)) ** 2
        inside = np.maximum(0.0, second - first**2 / self.sizes) * others
        return np.where(self.sizes > 1, inside, second), second

    def _untold(self, kept: np.ndarray) -> float:
        assert self._deviation is not None
        inside, apart = self._deviation
        return float(np.where(kept, inside, apart).sum() / apart.sum())

    def _spread(self, rows: np.ndarray, groups: np.ndarray | slice = slice(None)) -> list[np.ndarray]:
        """Rows of groups (a number each, or several side by side) dealt evenly to the ranks that they cover, by
        column."""
        found = []
        for column, first, last in zip(self.table.columns, self.lows, self.highs, strict=True):
            ends = first[groups].astype(np.int64) * len(column) + last[groups]
            pairs, of_pair = np.unique(ends, return_inverse=True)  # few: as many as there are labels
            low, high = pairs // len(column), pairs % len(column)
            total = _summed(of_pair, rows, len(pairs))
            width = (high - low + 1).reshape(-1, *(1,) * (rows.ndim - 1))
            edges = np.zeros((len(column) + 1, *rows.shape[1:]))
            np.add.at(edges, low, total / width)
            np.subtract.at(edges, high + 1, total / width)
            found.append(np.cumsum(edges, axis=0)[:-1])
        return found

    def _shift(self, kept: np.ndarray) -> float:
        spread = self._spread(np.where(kept, self.sizes, 0).astype(float))
        return float(np.mean([column.shift(rows) for column, rows in zip(self.table.columns, spread, strict=True)]))

    def _bayes(self, kept: np.ndarray) -> float:
        """Expected counts, one added to each (Laplace); tuples without rows in the halves are passed over."""
        classes, right = self.table.classes, 0.0
        if classes is None:
            return right
        owner, value, halves = classes.drawn
        tuples, of_entry = np.unique(owner, return_inverse=True)
        groups, group = np.unique(self.of_tuple[owner], return_inverse=True)
        there = kept[groups][group]
        for learns, tested in (halves, halves[::-1]):
            learnt = learns * there
            counted = np.bincount(group * classes.size + value, learnt, len(groups) * classes.size)
            score = np.tile(np.log(np.bincount(value, learnt, classes.size) + 1), (len(tuples), 1))
            spread = self._spread(counted.reshape(-1, classes.size), groups)
            for leaves, counts in zip(self.table.leaves, spread, strict=True):
                score += np.log((counts + 1) / (counts + 1).sum(axis=0))[leaves[tuples]]
            right += float(tested[score.argmax(axis=1)[of_entry] == value].sum())
        rows = float(sum(half.sum() for half in classes.halves))
        return right / max(1.0, rows) - float(np.bincount(classes.value, classes.count).max()) / self.table.rows

    def _counts(self, kept: np.ndarray) -> float:
        table = self.table
        held = None if table.classes is None else table.classes.by(self.of_tuple, len(kept))
        told = []
        for query in table.questions:
            rows = self.sizes.astype(float)
            if query.sensitive is not None and table.classes is not None and held is not None:
                rows = held @ table.classes.asked(query.sensitive)
            for j, wanted in query.wanted.items():
                upto = np.append(0.0, np.cumsum(wanted))
                low, high = self.lows[j], self.highs[j]
                rows = rows * (upto[high + 1] - upto[low]) / (high - low + 1)
            told.append(rows[kept].sum())
        error = np.abs(np.array(told) - table.answers) / np.maximum(table.answers, Study().sanity * table.rows)
        return log(max(float(error.mean()), _LEAST_ERROR))


def _summed(places: np.ndarray, rows: np.ndarray, n: int) -> np.ndarray:
    if rows.ndim == 1:
        return np.bincount(places, rows, n)
    width = rows.shape[1]
    cells = places[:, None] * width + np.arange(width)
    return np.bincount(cells.ravel(), rows.ravel(), n * width).reshape(n, width)
