"""Incognito (LeFevre, DeWitt, Ramakrishnan 2005): every acceptable combination of levels, subset by subset."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import ClassVar, Literal

import numpy as np

from paravent import kernels
from paravent.errors import InfeasibleError
from paravent.methods.full_domain.lattice import Lattice, Node, Solution, best, levels_of, prunes, to_node
from paravent.methods.method import Method, Need, OutputType, Recoding, Task
from paravent.methods.trace import Step

_MOST_NODES = 500_000


@dataclass(frozen=True, kw_only=True)
class Incognito(Method):
    """Finds all combinations of levels that are acceptable: what fails may be suppressed (the published algorithm
    suppresses nothing: a plan without suppression).

    Three properties spare most of the work. A-priori: a combination is looked at only if it is acceptable with any one
    column left out. Generalization: above an acceptable combination all are. Roll-up: the classes of a combination are
    unions of those of one below it, so they are counted from these and not from rows. Models that do not promise the
    first two are tested on every combination of all columns.

    Of all solutions the one of least loss (GCP) is released. Ties: the smallest sum of levels, then the lowest level
    of the column that stands first in the plan, then of the next. `solutions(task)` gives all of them, lowest first.

    >>> Incognito()
    Incognito()
    """

    title: ClassVar[str] = "Incognito"
    source: ClassVar[str] = "LeFevre, DeWitt, Ramakrishnan: Incognito, efficient full-domain k-anonymity. SIGMOD 2005"
    gives: ClassVar[OutputType] = "full-domain"
    suppresses: ClassVar[Literal["nothing", "rows", "cells"]] = "rows"
    optimal: ClassVar[bool] = True
    many: ClassVar[bool] = True

    @property
    def needs(self) -> tuple[Need, ...]:
        return ("trees",)

    def run(self, task: Task) -> Recoding:
        lattice, search = _begin(task)
        found = _solutions(lattice, search)
        chosen = best(found)
        lowest = len(_minimal([solution.node for solution in found]))
        words = f"{len(found)} of {lattice.n_nodes} combinations of levels are acceptable, {lowest} of them with none "
        steps = [
            *search.steps,
            Step(
                f"{words}below. Took {lattice.spelled(chosen.node)}, the one of least loss ({chosen.loss:.4g}).",
                {"solutions": len(found), "minimal": lowest, "loss": chosen.loss},
                to_node(task.axes, chosen.node),
            ),
        ]
        return lattice.recoding(chosen.node, steps)

    def solutions(self, task: Task) -> tuple[Solution, ...]:
        """All acceptable combinations: those with no acceptable one below first, then by the sum of levels."""
        return _solutions(*_begin(task))

    def survivors(self, task: Task) -> Mapping[tuple[str, ...], frozenset[Node]]:
        """For each set of columns, the combinations of their levels that are acceptable with the other columns left
        out (for the whole set alone where models do not allow this short cut)."""
        lattice, search = _begin(task)
        search.run()
        names = [axis.name for axis in task.axes]
        del lattice
        return {tuple(names[j] for j in columns): frozenset(nodes) for columns, nodes in search.valid.items()}


def _begin(task: Task) -> tuple[Lattice, _Search]:
    lattice = Lattice(task, "Incognito", most=_MOST_NODES)
    return lattice, _Search(task, lattice.tops)


def _solutions(lattice: Lattice, search: _Search) -> tuple[Solution, ...]:
    nodes = search.run()
    if not nodes:
        raise InfeasibleError("The models do not hold for the table as a whole. Ask for less.")
    minimal = _minimal(nodes)
    return lattice.solutions(sorted(nodes, key=lambda n: (n not in minimal, sum(n), n)))


def _minimal(nodes: Iterable[Node]) -> set[Node]:
    everything = set(nodes)
    return {node for node in everything if not any(below in everything for below in _below(node))}


def _below(node: Node) -> list[Node]:
    """The combinations one level lower in one column."""
    return [(*node[:j], at - 1, *node[j + 1 :]) for j, at in enumerate(node) if at]


@dataclass(frozen=True, eq=False)
class _Counted:
    """The classes of a combination: their codes column by column, their sizes, and (beyond k-anonymity) the class of
    each row."""

    node: Node
    cells: list[np.ndarray]
    sizes: np.ndarray
    of_row: np.ndarray | None


class _Search:
    def __init__(self, task: Task, tops: Node):
        self.task, self.tops = task, tops
        self.k = task.k if task.k_alone else None
        self.levels = [levels_of(axis) for axis in task.axes]
        self.valid: dict[tuple[int, ...], set[Node]] = {}
        self.steps: list[Step] = []
        self.tested = 0

    def run(self) -> set[Node]:
        everything = tuple(range(len(self.tops)))
        if not prunes(self.task):
            nodes = list(product(*(range(top + 1) for top in self.tops)))
            self.valid[everything] = self._test(everything, nodes, climbs=False)
            words = f"Tested all {len(nodes)} combinations of levels: the models allow no short cut."
            self.steps.append(Step(words, {"tested": len(nodes)}))
            return self.valid[everything]
        for size in range(1, len(self.tops) + 1):
            before, candidates, left = self.tested, 0, 0
            for columns in combinations(everything, size):
                nodes = self._candidates(columns)
                self.valid[columns] = self._test(columns, nodes, climbs=True)
                candidates, left = candidates + len(nodes), left + len(self.valid[columns])
            columns_at_once = "one column" if size == 1 else f"{size} columns"
            tested = self.tested - before
            words = f"Looking at {columns_at_once}: {candidates} combinations in question, {tested} tested, "
            words += f"{left} acceptable."
            self.steps.append(Step(words, {"candidates": candidates, "tested": tested, "acceptable": left}))
            self.task.progress("searching", size / len(self.tops))
        return self.valid[everything]

    def _candidates(self, columns: tuple[int, ...]) -> list[Node]:
        """A-priori: what is acceptable with any one column left out."""
        if len(columns) == 1:
            return [(level,) for level in range(self.tops[columns[0]] + 1)]
        parts = [(*columns[:i], *columns[i + 1 :]) for i in range(len(columns))]
        joined = ((*head, last) for head in self.valid[parts[-1]] for last in range(self.tops[columns[-1]] + 1))
        return [
            node
            for node in joined
            if all((*node[:i], *node[i + 1 :]) in self.valid[part] for i, part in enumerate(parts[:-1]))
        ]

    def _test(self, columns: tuple[int, ...], nodes: list[Node], *, climbs: bool) -> set[Node]:
        valid: set[Node] = set()
        failed: dict[Node, _Counted] = {}
        base: _Counted | None = None
        for node in sorted(nodes, key=lambda n: (sum(n), n)):
            if climbs and any(below in valid for below in _below(node)):
                valid.add(node)
                continue
            sources = [failed[below] for below in _below(node) if below in failed]
            source = min(sources, key=lambda counted: len(counted.sizes), default=None)
            if source is None:
                base = self._rows(columns) if base is None else base
                source = base
            counted = self._roll_up(columns, source, node)
            self.tested += 1
            if self._acceptable(counted):
                valid.add(node)
            else:
                failed = {n: kept for n, kept in failed.items() if sum(n) >= sum(node) - 1}
                failed[node] = counted
        return valid

    def _rows(self, columns: tuple[int, ...]) -> _Counted:
        axes = [self.task.axes[j] for j in columns]
        folded = kernels.fold([axis.codes for axis in axes], [len(axis) for axis in axes], self.task.times)
        cells = [np.ascontiguousarray(axis.codes[folded.representative]) for axis in axes]
        of_row = folded.tuple_of_row if self.k is None else None
        return _Counted((0,) * len(columns), cells, folded.weight.astype(np.int64), of_row)

    def _roll_up(self, columns: tuple[int, ...], source: _Counted, node: Node) -> _Counted:
        cells, sizes = [], []
        for j, codes, here, there in zip(columns, source.cells, source.node, node, strict=True):
            below, above = self.levels[j][here], self.levels[j][there]
            cells.append(codes if here == there else above.codes[below.starts].astype(np.int32)[codes])
            sizes.append(len(above.labels))
        folded = kernels.fold(cells, sizes)
        counts = np.bincount(folded.tuple_of_row, weights=source.sizes).astype(np.int64)
        of_row = None if source.of_row is None else folded.tuple_of_row[source.of_row]
        return _Counted(node, [np.ascontiguousarray(c[folded.representative]) for c in cells], counts, of_row)

    def _acceptable(self, counted: _Counted) -> bool:
        if self.k is not None:
            limit = min(self.task.max_suppressed, self.task.n_rows - 1)
            return int(counted.sizes[counted.sizes < self.k].sum()) <= limit
        assert counted.of_row is not None
        left = self.task.suppress_failing(counted.of_row, len(counted.sizes))
        return left is not None and not bool((left < 0).all())
