"""Collapse: what a table comes to look like by the time that k holds, measured along fixed chains and in fixed parts.

Where a table is dense and where it is not decides what a k costs, and no mean of columns says so. Every *place* is a
way of getting there: the table as it is (`own`), every column one level up (`one`), the first node that holds of five
chains (`chains`), the cheapest of them lowered as far as it holds (`low`), and parts of at least k rows (`parts`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from paravent import kernels
from paravent.knowledge.collapse.chains import Chains, Node
from paravent.knowledge.collapse.column import Column, coded_column
from paravent.knowledge.collapse.folded import ClassCounts, FoldedTable, Sums
from paravent.knowledge.collapse.groups import FACTS, LONGER, Groups
from paravent.knowledge.collapse.parts import Halves, Nearest, sorted_tuples, strips
from paravent.plan.file import resolved
from paravent.plan.plan import Plan
from paravent.table.domain import Coded
from paravent.table.table import Table
from paravent.utility.family import Study
from paravent.utility.learning import dealt

AT_NODES = ("own", "one", "values", "bits", "cheap", "worth", "step", "low")
IN_PARTS = ("halves", "strips")
LEARNT = Study(folds=2, most_rows=5_000)
"""The rows that learn and are tested: as many as in the cube."""
NEAREST = ("loss", "mean", "wrong", "untold")
NAMES = (
    *(f"{place}.{fact}" for place in (*AT_NODES, *IN_PARTS) for fact in FACTS),
    *(f"nearest.{fact}" for fact in NEAREST),
)
"""Every fact: what it is about, and where it is measured."""
MOST_TUPLES = 30_000
"""Of a table with more different rows, the finest levels are joined first, the column with the most values before the
others, until there are no more."""


@dataclass(frozen=True, eq=False, repr=False)
class Collapse:
    """A folded table, and what it is like at any k with any limit of rows that may be left out."""

    table: FoldedTable
    _known: dict[tuple[int, int, frozenset[str]], dict[str, float]] = field(default_factory=dict)
    _at_nodes: dict[Node, Groups] = field(default_factory=dict)
    _parts: dict[tuple[int, frozenset[str]], dict[str, dict[str, float]]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, table: Table, plan: Plan, coded: Sequence[Coded], said: Coded | None = None, number: str | None = None
    ) -> Collapse:
        """Of the quasi-identifiers of a plan, already coded, with the class and the number to predict."""
        plan = resolved(plan)
        made = [coded_column(each, table.columns[each.domain.name], plan) for each in coded]
        folded = kernels.fold([each.codes + np.int32(1) for each in coded], [len(each.domain) + 1 for each in coded])
        leaves: Sequence[np.ndarray] = [
            np.ascontiguousarray(ranks[each.codes[folded.representative]], dtype=np.int32)
            for (_, ranks), each in zip(made, coded, strict=True)
        ]
        columns, leaves, folded = _joined([column for column, _ in made], leaves, folded)
        classes = None if said is None else _class_counts(folded, said)
        numbers = None if number is None else _sums(folded, table, number)
        return cls(FoldedTable(columns, leaves, folded.weight, classes, numbers))

    def at(self, k: int, suppression: float = 0.0, names: Collection[str] = NAMES) -> dict[str, float]:
        """Facts by their names, for classes of at least k rows and a share of rows that may be left out: those that are
        asked for, and those that come with them."""
        k = max(1, min(k, self.table.rows))
        limit = int(suppression * self.table.rows + 1e-9)
        longer = frozenset(LONGER) & {name.split(".")[1] for name in names}
        if (k, limit, longer) not in self._known:
            self._known[k, limit, longer] = self._at(k, limit, longer)
        return self._known[k, limit, longer]

    def _at(self, k: int, limit: int, longer: frozenset[str]) -> dict[str, float]:
        table, chains = self.table, self._chains
        nodes = {name: chains.first(name, k, limit) for name in chains.all}
        nodes["own"] = (0,) * len(table.columns)
        nodes["one"] = tuple(min(1, column.top) for column in table.columns)
        nodes["low"] = chains.lowered(k, limit)
        at = {node: self._classes(node).facts(k, longer) for node in dict.fromkeys(nodes.values())}
        if (k, longer) not in self._parts:
            parts = {"halves": self._halves.at(k), "strips": strips(table, self._sorted, k)}
            groups = {name: Groups.of_parts(table, of_tuple) for name, of_tuple in parts.items()}
            self._parts[k, longer] = {
                **{name: _of_parts(each, k, longer) for name, each in groups.items()},
                "nearest": self._nearest.at(k),
            }
        found = {**{name: at[node] for name, node in nodes.items()}, **self._parts[k, longer]}
        return {f"{place}.{fact}": value for place, facts in found.items() for fact, value in facts.items()}

    def _classes(self, node: Node) -> Groups:
        if node not in self._at_nodes:
            self._at_nodes[node] = Groups.at_node(self.table, node)
        return self._at_nodes[node]

    @cached_property
    def _chains(self) -> Chains:
        return Chains(self.table)

    @cached_property
    def _halves(self) -> Halves:
        return Halves.of(self.table)

    @cached_property
    def _sorted(self) -> np.ndarray:
        return sorted_tuples(self.table)

    @cached_property
    def _nearest(self) -> Nearest:
        return Nearest.of(self.table)


def _joined(
    columns: Sequence[Column], leaves: Sequence[np.ndarray], folded: kernels.Folded
) -> tuple[Sequence[Column], Sequence[np.ndarray], kernels.Folded]:
    """Columns, ranks and rows with the finest levels joined until the tuples are few enough. Levels keep what they cost
    for the values that the table has."""
    at = [0] * len(columns)
    found = folded
    while len(found.weight) > MOST_TUPLES:
        free = [j for j, column in enumerate(columns) if at[j] < column.top]
        if not free:
            break
        at[max(free, key=lambda j: (columns[j].sizes[at[j]], -j))] += 1
        codes = [column.codes[level][leaf] for column, level, leaf in zip(columns, at, leaves, strict=True)]
        step = kernels.fold(codes, [column.sizes[level] for column, level in zip(columns, at, strict=True)])
        weight = np.bincount(step.tuple_of_row, folded.weight, len(step.weight)).astype(folded.weight.dtype)
        found = kernels.Folded(step.tuple_of_row[folded.tuple_of_row], step.representative, weight)
    if found is folded:
        return columns, leaves, folded
    return columns, [leaf[found.representative] for leaf in leaves], found


def _of_parts(parts: Groups, k: int, longer: frozenset[str]) -> dict[str, float]:
    """What parts say. None is left out, though fewer rows than k were together in the whole table."""
    least = min(k, int(parts.sizes.min()))
    found = parts.facts(least, longer)
    return {**found, "least": found["least"] * k / least, "mean": found["mean"] * k / least}


def _class_counts(folded: kernels.Folded, said: Coded) -> ClassCounts:
    size = len(said.domain) + 1  # missing is a value of its own
    own = np.where(said.codes < 0, np.int32(size - 1), said.codes).astype(np.int32)
    pairs = kernels.fold([folded.tuple_of_row.astype(np.int32), own], [len(folded.weight), size])
    rows, count = pairs.representative, pairs.weight.astype(float)
    chosen, fold = dealt(np.flatnonzero(said.codes >= 0), LEARNT)
    halves = [
        np.bincount(pairs.tuple_of_row[chosen[fold == half]], minlength=len(count)).astype(float) for half in range(2)
    ]
    return ClassCounts(folded.tuple_of_row[rows].astype(np.int64), own[rows], count, halves, size)


def _sums(folded: kernels.Folded, table: Table, number: str) -> Sums | None:
    cells = table.frame[number]
    if not cells.dtype.is_numeric():
        return None
    numbers = cells.cast(float).to_numpy()
    known = np.isfinite(numbers)
    if not known.any():
        return None
    numbers = np.where(known, numbers - numbers[known].mean(), 0.0)
    n = len(folded.weight)
    return Sums(np.bincount(folded.tuple_of_row, numbers, n), np.bincount(folded.tuple_of_row, numbers**2, n))
