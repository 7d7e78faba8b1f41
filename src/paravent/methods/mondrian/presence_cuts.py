"""Mondrian over rows and people at once: every person of a population stands in a class, with so many rows as asked.

The table and its populations are cut together, again and again, while every model holds in all parts. A cut goes along
the tree of a column, into all children of the node that covers the part, or halves a column without a tree. Parts do
not overlap, and each is labelled by what covers its rows and its people: so everybody fits one class and no other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from paravent.errors import InfeasibleError
from paravent.hierarchy.labels import interval_label, range_label, set_label
from paravent.hierarchy.tree import ROOT_LABEL
from paravent.methods.labelling import tree_cells
from paravent.methods.method import Labels, Recoding, Task
from paravent.privacy.classes import Histogram
from paravent.privacy.statistics import Shown


@dataclass(frozen=True, eq=False)
class _Part:
    """Some rows of the table and some people of each population."""

    rows: np.ndarray
    people: dict[str, np.ndarray]


def presence_cuts(task: Task) -> Recoding:
    """The classes of least loss that cutting finds. Ties: the column that stands first in the plan."""
    return _Cuts(task).run()


class _Cuts:
    def __init__(self, task: Task) -> None:
        self.task = task
        self.populations = dict(task.populations)
        for axis in task.axes:
            if axis.unknown is not None and axis.unknown.any():
                raise InfeasibleError(
                    f"column {axis.name!r}: a missing cell that may be anything fits everybody, so no lower bound of "
                    "presence can be kept. Say missing='own value'."
                )
        self.ranks = [
            {
                name: np.where((c.places[j] < 2 * c.widths[j]) & (c.places[j] % 2 == 0), c.places[j] // 2, -1)
                for name, c in self.populations.items()
            }
            for j in range(len(task.axes))
        ]
        """The rank of each person's value on each axis; −1: the axis does not have it, only `*` covers it."""

    def run(self) -> Recoding:
        whole = _Part(
            np.arange(self.task.n_rows),
            {name: np.arange(len(population.people)) for name, population in self.populations.items()},
        )
        if not self._hold([whole]):
            raise InfeasibleError("The models do not hold for the table as a whole, so no cut of it can. Ask for less.")
        done: list[_Part] = []
        open_parts, cuts = [whole], 0
        while open_parts:
            part = open_parts.pop()
            best = min(self._allowed(part), key=lambda found: found[0], default=None)
            if best is None:
                done.append(part)
                self.task.progress("cutting", sum(len(each.rows) for each in done) / self.task.n_rows)
                continue
            cuts += 1
            open_parts.extend(reversed(best[1]))
        return self._released(done, cuts)

    def _allowed(self, part: _Part) -> Iterator[tuple[float, list[_Part]]]:
        """The cuts after which every model holds in all parts, with what they lose."""
        for j in range(len(self.task.axes)):
            parts = self._cut(part, j)
            if len(parts) > 1 and all(len(each.rows) for each in parts) and self._hold(parts):
                yield sum(len(each.rows) * self._loss(each) for each in parts), parts

    def _members(self, part: _Part, j: int) -> np.ndarray:
        """The ranks that occur among the rows and people of a part; −1 among them: somebody has no rank."""
        ours = [self.task.axes[j].codes[part.rows]]
        return np.unique(np.concatenate([*ours, *(self.ranks[j][name][those] for name, those in part.people.items())]))

    def _cut(self, part: _Part, j: int) -> list[_Part]:
        members, axis = self._members(part, j), self.task.axes[j]
        if members[0] < 0 or len(members) < 2:
            return [part]
        group = np.zeros(len(axis), dtype=np.int32)
        if axis.tree is not None:
            node = int(axis.tree.ancestor(members[:1], members[-1:])[0])
            starts = axis.tree.first[axis.tree.children(node)]
            group = np.searchsorted(starts, np.arange(len(axis)), side="right").astype(np.int32)
        else:
            order = np.argsort(self._line(j), kind="stable")  # a missing value comes last
            rank = np.empty(len(axis), dtype=np.int64)
            rank[order] = np.arange(len(axis))
            here = np.sort(rank[axis.codes[part.rows]])
            middle = min(int(here[(len(here) - 1) // 2]), int(np.max(rank[members])) - 1)
            group = (rank > middle).astype(np.int32)
        ours = group[axis.codes[part.rows]]
        theirs = {name: group[self.ranks[j][name][those]] for name, those in part.people.items()}
        found = np.unique(np.concatenate([ours, *theirs.values()]))
        return [
            _Part(part.rows[ours == g], {name: those[theirs[name] == g] for name, those in part.people.items()})
            for g in found.tolist()
        ]

    def _line(self, j: int) -> np.ndarray:
        axis = self.task.axes[j]
        return np.arange(len(axis), dtype=np.float64) if axis.positions is None else axis.positions

    def _hold(self, parts: list[_Part]) -> bool:
        rows = np.concatenate([part.rows for part in parts])
        of_row = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part.rows) for part in parts])
        statistics = self.task.statistics
        counted = {
            name: Histogram.of(of_row, len(parts), codes[rows], statistics.tables[name])
            for name, codes in statistics.columns.items()
        }
        people = {
            name: np.array([int(population.people[part.people[name]].sum()) for part in parts])
            for name, population in self.populations.items()
        }
        classes = statistics.counted(np.bincount(of_row), counted, Shown(people, dict.fromkeys(people, 0)))
        return bool(self.task.holds_in_part(classes).all())

    def _loss(self, part: _Part) -> float:
        """The share of each column's range that the labels of a part cover, by the columns' weights."""
        total = 0.0
        for j, axis in enumerate(self.task.axes):
            members, line = self._members(part, j), self._line(j)
            if members[0] < 0 or np.isnan(line[members]).any():
                total += axis.weight * (members[0] < 0 or len(members) > 1)
                continue
            if axis.tree is not None:
                node = int(axis.tree.ancestor(members[:1], members[-1:])[0])
                members = np.arange(axis.tree.first[node], axis.tree.last[node] + 1)
            width = float(np.nanmax(line) - np.nanmin(line)) or 1.0
            total += axis.weight * float(np.nanmax(line[members]) - np.nanmin(line[members])) / width
        return total

    def _label(self, part: _Part, j: int) -> str:
        members, axis = self._members(part, j), self.task.axes[j]
        if members[0] < 0:
            return ROOT_LABEL
        if axis.tree is not None:
            return tree_cells(axis, members[:1].astype(np.int32), members[-1:].astype(np.int32)).labels[0]
        if axis.positions is not None:
            line = axis.positions[members]
            if np.isnan(line).any() and len(members) > 1:
                return ROOT_LABEL
            low, high = (members[0],) * 2 if len(members) == 1 else members[[np.argmin(line), np.argmax(line)]]
            return interval_label(axis.values[low], axis.values[high])
        if axis.kind.is_ordered:
            return range_label(axis.values[members[0]], axis.values[members[-1]])
        return set_label([axis.values[rank] for rank in members.tolist()])

    def _released(self, parts: list[_Part], cuts: int) -> Recoding:
        of_row = np.empty(self.task.n_rows, dtype=np.int32)
        for c, part in enumerate(parts):
            of_row[part.rows] = c
        cells = {}
        for j, axis in enumerate(self.task.axes):
            labels, codes = np.unique([self._label(part, j) for part in parts], return_inverse=True)
            cells[axis.name] = Labels(codes.reshape(-1).astype(np.int32), tuple(map(str, labels)))
        sizes = np.bincount(of_row)
        trace = (
            f"Cut the table and its population together {cuts} times.",
            f"No further cut is allowed: {len(sizes)} classes of {sizes.min()} to {sizes.max()} rows.",
        )
        return Recoding(of_row, len(parts), cells, trace)
