"""Mondrian in NumPy: the same decisions as cpp/mondrian.cpp, written to be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from paravent.kernels.checks import Guard
from paravent.kernels.cutting import WIDEST_SET, CutAxis, Partition, Rule, Style


class Cut(NamedTuple):
    """Left: codes `start` to `stop` on `axis`; of the rows with code `stop` only the first `take` (all: −1).
    Cuts compare field by field: that is the tie-break. A `lopsided` cut sheds a crumb of a group that is sampled."""

    lopsided: bool
    cost: int
    axis: int
    start: int
    stop: int
    take: int


@dataclass(frozen=True, eq=False)
class _Groups:
    """Rows joined by their code on one axis, ascending: counts, code ranges, lowest and highest codes on all axes,
    and for each set axis which codes occur (groups × codes)."""

    count: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    low: np.ndarray
    high: np.ndarray
    seen: dict[int, np.ndarray]


class _Mondrian:
    def __init__(
        self,
        codes: np.ndarray,
        axes: Sequence[CutAxis],
        weights: np.ndarray,
        k: int,
        rule: Rule,
        relaxed: bool,
        sample: int,
    ):
        self.codes, self.axes, self.weights = codes, axes, weights
        self.k, self.rule, self.relaxed, self.sample = k, rule, relaxed, sample
        self.set_axes = [j for j, a in enumerate(axes) if a.style is Style.SET and a.size <= WIDEST_SET]

    def cost(self, groups: _Groups, active: list[int]) -> np.ndarray:
        total = np.zeros(len(groups.count), dtype=np.int64)
        for j in active:
            axis = self.axes[j]
            if j in groups.seen:
                total += (groups.seen[j].sum(axis=1) - 1) * axis.unit
            elif axis.style is Style.TREE:
                total += axis.node_cost[self.lowest(axis, groups.low[:, j], groups.high[:, j])]
            else:
                total += axis.ruler[groups.high[:, j]] - axis.ruler[groups.low[:, j]]
        return total

    @staticmethod
    def lowest(axis: CutAxis, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        node = low.astype(np.int64)
        while (short := axis.last[node] < high).any():
            node = np.where(short, axis.parent[node], node)
        return node

    def groups(self, view: np.ndarray, people: np.ndarray, j: int) -> _Groups:
        key = view[:, j]
        start = stop = np.unique(key)
        if self.axes[j].style is Style.TREE:
            axis = self.axes[j]
            node = int(self.lowest(axis, start[:1], start[-1:])[0])
            children = np.flatnonzero(axis.parent == node)
            children = children[np.argsort(axis.first[children])]
            key = axis.first[children][np.searchsorted(axis.first[children], key, side="right") - 1]
            start = np.unique(key)
            stop = axis.last[children][np.searchsorted(axis.first[children], start)]
        order = np.argsort(key, kind="stable")
        bounds = np.searchsorted(key[order], start)
        seen = {}
        for i in self.set_axes:
            seen[i] = np.zeros((len(start), self.axes[i].size), dtype=bool)
            seen[i][np.searchsorted(start, key), view[:, i]] = True
        return _Groups(
            count=np.add.reduceat(people[order], bounds),
            start=start,
            stop=stop,
            low=np.minimum.reduceat(view[order], bounds),
            high=np.maximum.reduceat(view[order], bounds),
            seen=seen,
        )

    def cuts(self, rows: np.ndarray, sampled: bool) -> list[Cut]:
        """All cuts of a group worth a look, best first."""
        m = used = len(rows)
        if sampled and 0 < self.sample < m:
            used = self.sample
            rows = rows[np.arange(used) * m // used]
        view, people = self.codes[rows], self.weights[rows]
        active = np.flatnonzero(view.min(axis=0) != view.max(axis=0)).tolist()
        found: list[Cut] = []
        for j in active:
            if self.rule is Rule.MEDIAN:
                found += self.median_cut(view, people, j)
            else:
                found += self.least_cost_cuts(view, people, j, active, exact=used == m)
        return sorted(found)

    def median_cut(self, view: np.ndarray, people: np.ndarray, j: int) -> list[Cut]:
        codes, group = np.unique(view[:, j], return_inverse=True)
        counts = np.bincount(group, weights=people).astype(np.int64)
        m = int(counts.sum())
        half = (m + 1) // 2
        at = int(np.searchsorted(np.cumsum(counts), half))
        median, upto = int(codes[at]), int(counts[: at + 1].sum())
        below = upto - int(counts[at])
        ruler = self.axes[j].ruler
        cost = int(ruler[codes[0]] - ruler[codes[-1]])
        if self.relaxed and below < half < upto:
            return [Cut(False, cost, j, 0, median, half - below)] if min(half, m - half) >= self.k else []
        return [Cut(False, cost, j, 0, median, -1)] if min(upto, m - upto) >= self.k else []

    def least_cost_cuts(
        self, view: np.ndarray, people: np.ndarray, j: int, active: list[int], exact: bool
    ) -> list[Cut]:
        groups = self.groups(view, people, j)
        m, n = int(people.sum()), len(groups.count)
        least = self.k if exact else 1
        even = 0 if exact else m // 32
        prefix = _Groups(
            np.cumsum(groups.count),
            groups.start,
            groups.stop,
            np.minimum.accumulate(groups.low),
            np.maximum.accumulate(groups.high),
            {i: np.logical_or.accumulate(s) for i, s in groups.seen.items()},
        )
        suffix = _Groups(
            np.cumsum(groups.count[::-1])[::-1],
            groups.start,
            groups.stop,
            np.minimum.accumulate(groups.low[::-1])[::-1],
            np.maximum.accumulate(groups.high[::-1])[::-1],
            {i: np.logical_or.accumulate(s[::-1])[::-1] for i, s in groups.seen.items()},
        )
        of_prefix, of_suffix = self.cost(prefix, active), self.cost(suffix, active)
        found = []
        for g in range(n - 1):
            left = int(prefix.count[g])
            if min(left, m - left) >= least:
                cost = left * of_prefix[g] + (m - left) * of_suffix[g + 1]
                found.append(Cut(min(left, m - left) < even, int(cost), j, 0, int(groups.stop[g]), -1))
        if n > 2 and self.axes[j].style in (Style.TREE, Style.SET):
            of_group = self.cost(groups, active)
            rest = _Groups(
                groups.count[1:-1],
                groups.start,
                groups.stop,
                np.minimum(prefix.low[:-2], suffix.low[2:]),
                np.maximum(prefix.high[:-2], suffix.high[2:]),
                {i: prefix.seen[i][:-2] | suffix.seen[i][2:] for i in groups.seen},
            )
            of_rest = self.cost(rest, active)
            for g in range(1, n - 1):
                c = int(groups.count[g])
                if min(c, m - c) >= least:
                    cost = c * of_group[g] + (m - c) * of_rest[g - 1]
                    found.append(Cut(min(c, m - c) < even, int(cost), j, int(groups.start[g]), int(groups.stop[g]), -1))
        half = m // 2
        if self.relaxed and exact and min(half, m - half) >= self.k:
            for g in range(n):
                before = int(prefix.count[g] - groups.count[g])
                if before < half < prefix.count[g] and groups.start[g] == groups.stop[g]:
                    cost = half * of_prefix[g] + (m - half) * of_suffix[g]
                    found.append(Cut(False, int(cost), j, 0, int(groups.stop[g]), half - before))
        return found

    def goes_left(self, rows: np.ndarray, cut: Cut) -> np.ndarray:
        codes = self.codes[rows, cut.axis]
        left = (codes >= cut.start) & (codes <= cut.stop)
        if cut.take >= 0:
            tied = np.flatnonzero(codes == cut.stop)
            left[tied[cut.take :]] = False
        return np.asarray(left)


def mondrian_twin(
    codes: np.ndarray,
    axes: Sequence[CutAxis],
    *,
    k: int,
    weights: np.ndarray | None = None,
    rule: Rule = Rule.LEAST_COST,
    relaxed: bool = False,
    sample: int = 0,
    sensitive: Sequence[np.ndarray] = (),
    guard: Guard | None = None,
    watch: Callable[[float], None] | None = None,
    record: bool = False,
) -> Partition:
    """`mondrian`, in NumPy."""
    k = max(1, k)
    people = np.ones(len(codes), dtype=np.int64) if weights is None else weights.astype(np.int64)
    engine = _Mondrian(codes, axes, people, k, rule, relaxed, sample)
    cuts = np.zeros(len(axes), dtype=np.int64)

    def allowed(left: np.ndarray, right: np.ndarray) -> bool:
        if min(people[left].sum(), people[right].sum()) < k:
            return False
        if guard is None:
            return True
        sizes = np.array([len(left), len(right)], dtype=np.int64)
        histograms = []
        for column in sensitive:
            sides = [np.unique(column[rows], return_counts=True) for rows in (left, right)]
            start = np.array([0, len(sides[0][0]), len(sides[0][0]) + len(sides[1][0])], dtype=np.int64)
            value = np.concatenate([values for values, _ in sides])
            histograms.append((start, value, np.concatenate([counts for _, counts in sides])))
        return bool(np.asarray(guard(sizes, histograms)).all())

    def choose(rows: np.ndarray) -> tuple[Cut, np.ndarray] | None:
        if people[rows].sum() < 2 * k or len(rows) < 2:
            return None
        tries = [True, False] if rule is Rule.LEAST_COST and 0 < sample < len(rows) else [False]
        for sampled in tries:
            for cut in engine.cuts(rows, sampled):
                left = engine.goes_left(rows, cut)
                if allowed(rows[left], rows[~left]):
                    return cut, left
        return None

    finished: list[np.ndarray] = []
    stack = [np.arange(len(codes))]
    done, tree = 0, list[list[int]]()
    while stack:
        rows = stack.pop()
        chosen = choose(rows)
        if chosen is None:
            finished.append(rows)
            done += len(rows)
            if watch is not None:
                watch(done / max(len(codes), 1))
            continue
        cut, left = chosen
        cuts[cut.axis] += 1
        begin = done  # left parts first: all rows before it are finished
        tree.append([begin, begin + int(left.sum()), begin + len(rows), cut.axis])
        stack += [rows[~left], rows[left]]
    starts = np.cumsum([0] + [len(rows) for rows in finished])
    low = np.array([codes[rows].min(axis=0) if len(rows) else np.zeros(len(axes)) for rows in finished])
    high = np.array([codes[rows].max(axis=0) if len(rows) else np.zeros(len(axes)) for rows in finished])
    order = np.concatenate(finished).astype(np.int32)
    told = np.array(tree if record else [], dtype=np.int64).reshape(-1, 4)
    return Partition(order, starts.astype(np.int64), low.astype(np.int32), high.astype(np.int32), cuts, told)
