"""Collapse: what a table comes to look like by the time that k holds, measured along fixed chains and in fixed parts.

Where a table is dense and where it is not decides what a k costs, and no mean of columns says so. Every *place* is a
way of getting there: the table as it is (`own`), every column one level up (`one`), the first node that holds of five
chains (`chains`), the cheapest of them lowered as far as it holds (`low`), the node of the whole lattice that costs
least (`lattice`), parts of at least k rows (`parts`, `cuts`, `telling`, `clusters`), and columns that are cut or
blanked one by one (`single`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from paravent import kernels
from paravent.knowledge.collapse.chains import Chains, Node
from paravent.knowledge.collapse.clusters import Clusters
from paravent.knowledge.collapse.column import Column, coded_column
from paravent.knowledge.collapse.cuts import RULES, Cuts
from paravent.knowledge.collapse.folded import ClassCounts, FoldedTable, Sums
from paravent.knowledge.collapse.groups import FACTS, LONGER, Groups
from paravent.knowledge.collapse.lattice import PRICES, Lattice
from paravent.knowledge.collapse.parts import Halves, Nearest, sorted_tuples, strips
from paravent.knowledge.collapse.single import blanked, own_groups
from paravent.knowledge.collapse.telling import kept_of_class, kept_of_number, telling_parts
from paravent.plan.file import resolved
from paravent.plan.plan import Plan
from paravent.privacy.grouping import cell_codes
from paravent.table.domain import Coded
from paravent.table.table import Table
from paravent.utility.family import Study
from paravent.utility.learning import dealt

AT_NODES = ("own", "one", "values", "bits", "cheap", "worth", "step", "low", *PRICES)
IN_PARTS = ("halves", "strips", "blanked", "number", "class", *RULES, "clusters")
LEARNT = Study(folds=2, most_rows=5_000)
"""The rows that learn and are tested: as many as in the cube."""
NEAREST = ("loss", "mean", "wrong", "untold")
NAMES = (
    *(f"{place}.{fact}" for place in (*AT_NODES, *IN_PARTS) for fact in FACTS),
    *(f"{place}-middles.{fact}" for place in ("halves", "clusters") for fact in LONGER),
    *(f"{place}-middles.{fact}" for place in ("line", "single") for fact in FACTS if fact not in ("loss", "kept")),
    *(f"nearest.{fact}" for fact in NEAREST),
)
"""Every fact: what it is about, and where it is measured."""
SAMPLE = 2_000
"""What is grown anew for each k is grown on about so many different rows at most."""
PATCH = 500
"""They are whole parts of the table, of so many rows or more."""
MOST_TUPLES = 30_000
"""Of a table with more different rows, the finest levels are joined first, the column with the most values before the
others, until there are no more."""


@dataclass(frozen=True, eq=False, repr=False)
class Collapse:
    """A folded table, and what it is like at any k with any limit of rows that may be left out."""

    table: FoldedTable
    _known: dict[tuple[int, int, frozenset[str]], dict[str, float]] = field(default_factory=dict)
    _at_nodes: dict[Node, Groups] = field(default_factory=dict)
    _groups: dict[int, dict[str, Groups]] = field(default_factory=dict)
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
        classes = None if said is None else _class_counts(folded, said, cell_codes(table.frame[said.domain.name]))
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
        nodes |= {"low": chains.lowered(k, limit), **self._lattice.cheapest(k, limit)}
        at = {node: self._classes(node).facts(k, longer) for node in dict.fromkeys(nodes.values())}
        if (k, longer) not in self._parts:
            self._parts[k, longer] = self._in_parts(k, longer)
        found = {**{name: at[node] for name, node in nodes.items()}, **self._parts[k, longer]}
        named = {f"{place}.{fact}": float(value) for place, facts in found.items() for fact, value in facts.items()}
        return {name: named[name] for name in NAMES if name in named}

    def _in_parts(self, k: int, longer: frozenset[str]) -> dict[str, dict[str, float]]:
        """The facts of parts, which leave no row out, and of groups that are published as one value a column."""
        if k not in self._groups:
            self._groups[k] = dict(self._grouped(k))
        found = {}
        for name, groups in self._groups[k].items():
            found[name] = groups.facts(k, longer) if name == "blanked" else _of_parts(groups, k, longer)
        return {**found, "nearest": self._nearest.at(k)}

    def _grouped(self, k: int) -> Iterator[tuple[str, Groups]]:
        table, some = self.table, self._some
        halves = Groups.of_parts(table, self._halves.at(k))
        nearby = Groups.of_parts(some, self._clusters.at(k))
        number = classes = halves
        if some.numbers is not None:
            number = Groups.of_parts(some, telling_parts(some, some.numbers.first[:, None], k, kept_of_number))
        if some.classes is not None:
            classes = Groups.of_parts(some, telling_parts(some, some.classes.frequent(len(some)), k, kept_of_class))
        yield "halves", halves.joined()
        yield "strips", Groups.of_parts(table, strips(table, self._sorted, k)).joined()
        yield "clusters", nearby.joined()
        yield "number", number.joined()
        yield "class", classes.joined()
        for rule in RULES:
            yield rule, Groups.of_parts(table, self._cuts.at(k, rule)).joined()
        yield "blanked", blanked(table, self._most_values, k)
        yield "halves-middles", halves.in_middles()
        yield "clusters-middles", nearby.in_middles()
        yield "line-middles", Groups.of_parts(table, strips(table, self._along, k)).in_middles()
        yield "single-middles", own_groups(table, k)

    @cached_property
    def _some(self) -> FoldedTable:
        """At most `SAMPLE` tuples: whole parts of the table, evenly spread over it, each as dense as it is there."""
        if len(self.table) <= SAMPLE:
            return self.table
        part = self._halves.at(PATCH)
        order = np.argsort(part, kind="stable")
        start = np.searchsorted(part[order], np.arange(int(part.max()) + 2))
        sizes = np.diff(start)
        wanted = max(1, round(SAMPLE / float(sizes.mean())))
        chosen = np.unique(((np.arange(wanted) + 0.5) / wanted * len(sizes)).astype(np.int64))
        tuples = np.concatenate([order[start[each] : start[each + 1]] for each in chosen.tolist()])
        return self.table.sampled(np.sort(tuples))

    @cached_property
    def _clusters(self) -> Clusters:
        return Clusters.of(self._some, sorted_tuples(self._some))

    @cached_property
    def _along(self) -> np.ndarray:
        """The tuples along the first column whose values have an order."""
        ordered = (j for j, column in enumerate(self.table.columns) if column.axis.kind.is_ordered)
        j = next(ordered, 0)
        return np.argsort(self.table.columns[j].line[self.table.leaves[j]], kind="stable")

    @cached_property
    def _most_values(self) -> Sequence[int]:
        """The columns, that with the most values first."""
        columns = self.table.columns
        return sorted(range(len(columns)), key=lambda j: (-len(columns[j]), j))

    def _classes(self, node: Node) -> Groups:
        if node not in self._at_nodes:
            self._at_nodes[node] = Groups.at_node(self.table, node)
        return self._at_nodes[node]

    @cached_property
    def _chains(self) -> Chains:
        return Chains(self.table)

    @cached_property
    def _lattice(self) -> Lattice:
        return Lattice.of(self.table)

    @cached_property
    def _halves(self) -> Halves:
        return Halves.of(self.table)

    @cached_property
    def _cuts(self) -> Cuts:
        return Cuts.of(self.table)

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


def _class_counts(folded: kernels.Folded, said: Coded, cells: np.ndarray) -> ClassCounts:
    size = len(said.domain) + 1  # missing is a value of its own
    own = np.where(said.codes < 0, np.int32(size - 1), said.codes).astype(np.int32)
    pairs = kernels.fold([folded.tuple_of_row.astype(np.int32), own], [len(folded.weight), size])
    rows, count = pairs.representative, pairs.weight.astype(float)
    chosen, fold = dealt(np.flatnonzero(said.codes >= 0), LEARNT)
    halves = [
        np.bincount(pairs.tuple_of_row[chosen[fold == half]], minlength=len(count)).astype(float) for half in range(2)
    ]
    codes = np.zeros(size, dtype=np.int64)
    codes[own] = cells
    return ClassCounts(folded.tuple_of_row[rows].astype(np.int64), own[rows], count, halves, size, codes)


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
