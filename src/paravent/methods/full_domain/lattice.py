"""The lattice of full-domain generalizations: which combinations of levels are acceptable, and what each loses.

A node names a level for every column; its height is their sum. It is acceptable when what fails in its classes may be
suppressed. Outliers are the rows of classes that fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np

from paravent import kernels
from paravent.errors import InfeasibleError, PlanError
from paravent.hierarchy.levels import Level
from paravent.methods.full_domain.levels import check_trees, classes_at, level_costs, priced_levels, recoding_at
from paravent.methods.method import Axis, Recoding, Task
from paravent.methods.mondrian.presence import Presence, bounded
from paravent.methods.trace import Change, Step, in_words

Node = tuple[int, ...]

_TIES = 12
"""Losses that agree to this many digits are equal."""


@dataclass(frozen=True, eq=False)
class Solution:
    """An acceptable node: the level of each column, how many rows it suppresses, and the loss (GCP, by the columns'
    weights, suppressed rows at 1)."""

    levels: Mapping[str, int]
    suppressed: int
    loss: float

    @property
    def node(self) -> Node:
        return tuple(self.levels.values())

    @property
    def height(self) -> int:
        return sum(self.node)


def prunes(task: Task) -> bool:
    """Whether a node above an acceptable one is acceptable too, whatever the columns.

    Without suppression that is what monotone models promise. With it, a class that holds must hold whatever rows join
    it: more rows do not harm k-anonymity and distinct l-diversity; they can harm the others (a common value more often
    lowers the entropy).
    """
    if task.max_suppressed == 0:
        return all(model.monotone_under_generalization for model in task.models)
    return all(model.absorbs for model in task.models)


class Lattice:
    """All combinations of levels of a task's columns."""

    def __init__(self, task: Task, method: str, *, most: int | None = None):
        check_trees(task.axes, method)
        if task.n_rows == 0:
            raise InfeasibleError("the table has no rows to anonymize.")
        self.task = task
        self.tops: Node = tuple(len(levels_of(axis)) - 1 for axis in task.axes)
        self.n_nodes = prod(top + 1 for top in self.tops)
        if most is not None and self.n_nodes > most:
            raise PlanError(
                f"{method} looks at combinations of levels, and this plan has {self.n_nodes}: more than {most}. "
                "Use Optimal or Datafly, or give fewer columns or flatter trees."
            )

    @cached_property
    def _costs(self) -> list[tuple[np.ndarray, tuple[np.ndarray, ...], float]]:
        """By column: the loss of each level, and what a suppressed cell loses more, as shares of the table's loss."""
        weights = np.array([axis.weight for axis in self.task.axes])
        shares = weights / weights.sum() if weights.sum() > 0 else np.full(len(weights), 1 / len(weights))
        found = level_costs(self.task.axes, "gcp")
        return [(cost.kept * w, cost.spare, cost.unit * w) for cost, w in zip(found, shares.tolist(), strict=True)]

    @cached_property
    def _presence(self) -> Presence | None:
        return Presence(self.task) if bounded(self.task) else None

    @cached_property
    def _folded(self) -> kernels.Folded:
        return self.task.folded

    @cached_property
    def _tuples(self) -> kernels.Tuples:
        leaves = [np.ascontiguousarray(axis.codes[self._folded.representative]) for axis in self.task.axes]
        priced = priced_levels(self.task.axes, level_costs(self.task.axes, "gcp"))
        return kernels.Tuples(leaves, priced, self._folded.weight)

    def at_height(self, height: int) -> list[Node]:
        """The nodes of a height, ascending by the level of the first column, then of the next."""
        return list(_of_height(self.tops, height))

    def outliers(self, nodes: Sequence[Node], *, limit: int | None = None) -> list[int]:
        """How many rows lie in classes that fail, for each node (past `limit`: that many at least)."""
        k = self.task.k if self.task.k_alone else None
        if not len(nodes):
            return []
        if k is not None:
            most = self.task.n_rows if limit is None else limit
            asked = np.array(nodes, dtype=np.int32)
            return [int(n) for n in kernels.outliers(self._tuples, asked, k=k, limit=most).rows]
        return [self.task.rows_in(self.failing(node)) for node in nodes]

    def failing(self, node: Node) -> np.ndarray:
        """Which rows lie in classes that fail."""
        of_row, example = classes_at(self.task.axes, node)
        if self._presence is not None:
            return np.asarray(~self.task.holds(self._presence.classes(node, of_row, len(example)))[of_row])
        return np.asarray(~self.task.holds(self.task.classes(of_row, len(example)))[of_row])

    def suppressed(self, node: Node) -> np.ndarray | None:
        """Which rows have to go for the others to hold; None where these are too many."""
        of_row, example = classes_at(self.task.axes, node)
        if self._presence is not None:  # whoever fits a class that is dropped would be known to be absent
            failing = self.failing(node)
            return None if failing.any() else failing
        left = self.task.suppress_failing(of_row, len(example))
        return None if left is None or bool((left < 0).all()) else np.asarray(left < 0)

    def acceptable(self, nodes: Sequence[Node]) -> list[bool]:
        if not self.task.k_alone:
            return [self.suppressed(node) is not None for node in nodes]
        limit = min(self.task.max_suppressed, self.task.n_rows - 1)
        return [rows <= limit for rows in self.outliers(nodes, limit=limit)]

    def solutions(self, nodes: Iterable[Node]) -> tuple[Solution, ...]:
        """What acceptable nodes suppress and lose."""
        nodes = list(nodes)
        names = [axis.name for axis in self.task.axes]
        rows, cost = self._gone(nodes)
        losses = np.zeros(len(nodes))
        for j, (kept, _, unit) in enumerate(self._costs):
            losses += kept[[node[j] for node in nodes]] + cost[:, j] * unit
        return tuple(
            Solution(dict(zip(names, node, strict=True)), int(gone), float(loss))
            for node, gone, loss in zip(nodes, rows, losses, strict=True)
        )

    def _gone(self, nodes: list[Node]) -> tuple[np.ndarray, np.ndarray]:
        """For each node the rows to be suppressed, and by column what their cells lose more."""
        k = self.task.k if self.task.k_alone else None
        if k is not None:
            asked = np.array(nodes, dtype=np.int32).reshape(len(nodes), len(self.tops))
            found = kernels.outliers(self._tuples, asked, k=k, limit=self.task.max_suppressed)
            return found.rows, found.cost
        rows, cost = [], []
        for node in nodes:
            gone = self.suppressed(node)
            assert gone is not None
            rows.append(self.task.rows_in(gone))
            times = 1 if self.task.times is None else self.task.times[gone]
            spares = zip(self.task.axes, self._costs, node, strict=True)
            cost.append([int((spare[level][axis.codes[gone]] * times).sum()) for axis, (_, spare, _), level in spares])
        return np.array(rows), np.array(cost).reshape(len(nodes), len(self.tops))

    def spelled(self, node: Node) -> str:
        """`sex 0, zip 1 (of 1, 2)`: the levels in words."""
        return ", ".join(f"{axis.name} {level}" for axis, level in zip(self.task.axes, node, strict=True))

    def recoding(self, node: Node, steps: Sequence[Step], suppressed: np.ndarray | None = None) -> Recoding:
        """The release of a node. The last step suppresses what fails."""
        gone = self.suppressed(node) if suppressed is None else suppressed
        assert gone is not None
        found = recoding_at(self.task.axes, node, gone, ())
        times = None if self.task.times is None else self.task.times[found.of_row >= 0]
        counts = np.bincount(found.of_row[found.of_row >= 0], weights=times, minlength=found.n_classes)
        sizes, rows = counts.astype(np.int64), self.task.rows_in(gone)
        words = f"{rows} rows are suppressed. " if gone.any() else ""
        words += f"Every class holds: {found.n_classes} classes of {sizes.min()} to {sizes.max()} rows."
        steps = (*steps, Step(words, {"suppressed": rows}, suppressed=np.flatnonzero(gone)))
        return replace(found, trace=in_words(steps), steps=steps)


def best(solutions: Sequence[Solution]) -> Solution:
    """The one of least loss. Ties (12 digits): the lowest height, then the lowest level of the first column, and so
    on."""
    return min(solutions, key=lambda s: (round(s.loss, _TIES), s.height, s.node))


def levels_of(axis: Axis) -> tuple[Level, ...]:
    assert axis.tree is not None
    return axis.tree.levels


def level_steps(axes: Sequence[Axis], node: Node, words: Sequence[str], of_row: np.ndarray) -> Iterator[Step]:
    """How a table comes to a node that a search has found: what the search says, then column by column."""
    yield from map(Step, words)
    for axis, at in zip(axes, node, strict=True):
        kept = " and keeps its values" if at == 0 else ""
        yield Step(f"“{axis.name}” goes to level {at} of {len(levels_of(axis)) - 1}{kept}.", {}, to_level(axis, at))
    gone = np.flatnonzero(of_row < 0)
    if len(gone):
        yield Step(f"{len(gone)} rows are suppressed.", {"suppressed": len(gone)}, suppressed=gone)


def to_level(axis: Axis, at: int) -> tuple[Change, ...]:
    """The whole column on one level."""
    level = levels_of(axis)[at]
    bounds = [*level.starts.tolist(), len(axis)]
    return tuple(
        Change(axis.name, label, first, last - 1)
        for label, first, last in zip(level.labels, bounds[:-1], bounds[1:], strict=True)
    )


def to_node(axes: Sequence[Axis], node: Node) -> tuple[Change, ...]:
    """All columns on the levels of a node."""
    return tuple(change for axis, at in zip(axes, node, strict=True) if at for change in to_level(axis, at))


def _of_height(tops: Node, height: int) -> Iterator[Node]:
    if not tops:
        if height == 0:
            yield ()
        return
    rest = sum(tops[1:])
    for level in range(max(0, height - rest), min(tops[0], height) + 1):
        for below in _of_height(tops[1:], height - level):
            yield (level, *below)
