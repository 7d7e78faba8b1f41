"""Weighted tuples on the levels of their columns, and the outliers of full-domain generalizations (cpp/lattice.hpp)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from paravent.kernels import native
from paravent.kernels.checks import Coded, check_columns, check_weights
from paravent.kernels.demands import Demand, check_demands
from paravent.kernels.folding import fold
from paravent.kernels.native import check_codes


@dataclass(frozen=True, eq=False)
class PricedLevel:
    """One level of a column: the code of each leaf, how many codes there are, what a cell of each leaf costs, and,
    where areas are asked for, how many values its label covers."""

    codes: np.ndarray
    size: int
    cost: np.ndarray
    covers: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Tuples:
    """Tuple i has leaf `leaves[j][i]` on column j, whose levels are `priced_levels[j]`, and stands for
    `weight[i]` rows, which have value `sensitive[c][i]` of sensitive column c where demands are made on these.

    The arrays are checked once, when it is made: every kernel that reads tuples takes one."""

    leaves: Sequence[np.ndarray]
    priced_levels: Sequence[Sequence[PricedLevel]]
    weight: np.ndarray
    sensitive: Sequence[np.ndarray] = ()

    def __post_init__(self) -> None:
        if len(self.leaves) != len(self.priced_levels) or not self.leaves:
            raise ValueError("one own a column, and at least one column")
        self._check_columns()
        for at, priced in enumerate(self.priced_levels):
            for level in priced:
                _check_level(level, len(priced[0].codes), f"column {at}")

    def _check_columns(self) -> None:
        check_weights(self.weight)
        if not all(self.priced_levels):
            raise ValueError("every column needs a level")
        check_columns(self.leaves, [len(priced[0].codes) for priced in self.priced_levels], len(self.weight))

    def __len__(self) -> int:
        return len(self.weight)

    @property
    def n_rows(self) -> int:
        return int(self.weight.sum(dtype=np.int64))

    @property
    def nbytes(self) -> int:
        return int(self.weight.nbytes + sum(column.nbytes for column in (*self.leaves, *self.sensitive)))

    @cached_property
    def parts(self) -> list[dict[str, Any]]:
        """The columns as the compiled kernels take them."""
        return [
            {
                "leaf": np.ascontiguousarray(column),
                "codes": [level.codes for level in priced],
                "sizes": np.array([level.size for level in priced], dtype=np.int32),
                "cost": [level.cost for level in priced],
                "covers": [level.covers for level in priced if level.covers is not None],
            }
            for column, priced in zip(self.leaves, self.priced_levels, strict=True)
        ]

    def native(self, nodes: np.ndarray, k: int) -> dict[str, Any]:
        """What every kernel that reads tuples at nodes takes."""
        return {
            "tuples": len(self),
            "columns": self.parts,
            "weight": np.ascontiguousarray(self.weight),
            "nodes": np.ascontiguousarray(nodes),
            "n_nodes": len(nodes),
            "k": k,
            "threads": native.threads(),
        }

    def check_nodes(self, nodes: np.ndarray) -> None:
        """Refuse nodes (nodes × columns) with levels that a column has not."""
        if nodes.ndim != 2 or nodes.shape[1] != len(self.priced_levels):
            raise ValueError("one level a column")
        for at, priced in enumerate(self.priced_levels):
            check_codes(nodes[:, at], len(priced), f"levels of column {at}")

    def rolled_up(self, node: Sequence[int]) -> Tuples:
        """One of the tuples for all that a node of the lattice makes equal, with their weight."""
        priced = [own[level] for own, level in zip(self.priced_levels, node, strict=True)]
        columns = [level.codes[leaf] for level, leaf in zip(priced, self.leaves, strict=True)]
        sizes = [*(level.size for level in priced), *(int(codes.max(initial=0)) + 1 for codes in self.sensitive)]
        folded = fold([*columns, *self.sensitive], sizes, self.weight)
        made = object.__new__(Tuples)
        # The levels are checked already.
        made.__dict__.update(
            leaves=[np.ascontiguousarray(leaf[folded.representative]) for leaf in self.leaves],
            priced_levels=self.priced_levels,
            weight=folded.weight,
            sensitive=[np.ascontiguousarray(codes[folded.representative]) for codes in self.sensitive],
        )
        made._check_columns()
        return made


@dataclass(frozen=True, eq=False)
class Asked:
    """Demands on the classes of tuples with sensitive columns, `tables[c]` the counts of each value of column c in the
    table. Without the classes that break them the others are held against another table: `again` asks them so."""

    demands: Sequence[Demand]
    tables: Sequence[np.ndarray]
    again: bool

    def native(self, tuples: Tuples) -> dict[str, Any]:
        sizes = [len(table) for table in self.tables]
        check_columns(tuples.sensitive, sizes, len(tuples))
        check_demands(list(self.demands), sizes, beside_table=True)
        columns = [Coded(np.ascontiguousarray(codes), n) for codes, n in zip(tuples.sensitive, sizes, strict=True)]
        return {
            "demands": {"columns": columns, "list": list(self.demands)},
            "table": np.concatenate(self.tables).astype(np.int64),
            "again": self.again,
        }


_NOTHING: dict[str, Any] = {"demands": None, "table": None, "again": False}


def _check_level(level: PricedLevel, n_leaves: int, where: str) -> None:
    check_codes(level.codes, level.size, where)
    if not len(level.codes) == len(level.cost) == n_leaves or level.cost.dtype != np.int64:
        raise ValueError(f"{where}: a level has {len(level.codes)} codes and {len(level.cost)} costs")
    if level.covers is not None and (len(level.covers) != n_leaves or level.covers.dtype != np.float64):
        raise ValueError(f"{where}: covers must be float64, one a leaf")


class Outliers(NamedTuple):
    """For each node of a lattice: the outliers, rows in classes below k or, where demands are made, in those that break
    them beyond doubt (past the limit: at least that many), and by column what the cells of those rows cost.

    Where asked for: `sizes` and `logs` (nodes × 2: of all classes, of those that are left) with the number of classes
    and the sum of their squared sizes, and Σ s log s; `area` is the sum, over the rows in classes that are left, of how
    many combinations of values their labels cover (past the limit: anything)."""

    rows: np.ndarray
    cost: np.ndarray
    sizes: np.ndarray
    logs: np.ndarray
    area: np.ndarray


WORK_BYTES = 120
"""What a thread takes for each tuple while it counts: keys, and slots for as many classes (cpp/lattice.hpp)."""


def outliers(
    tuples: Tuples,
    nodes: np.ndarray,
    *,
    k: int,
    limit: int,
    costs: bool = True,
    sizes: bool = False,
    areas: bool = False,
    asked: Asked | None = None,
) -> Outliers:
    """How many rows lie in classes below k, or such as surely break what is `asked`, when each column of some tuples
    stands on the level that a node (nodes × columns) names. What is past `limit` rows is not counted to the end.
    Without `costs` no cell is priced: they are 0."""
    tuples.check_nodes(nodes)
    if areas and any(level.covers is None for priced in tuples.priced_levels for level in priced):
        raise ValueError("areas: every level must say what its labels cover")
    rows, cost, shapes, logs, area = native.module.outliers(
        **tuples.native(nodes, k),
        **(_NOTHING if asked is None else asked.native(tuples)),
        limit=limit,
        costs=costs,
        sizes=sizes,
        areas=areas,
    )
    return Outliers(rows, cost.reshape(nodes.shape), shapes.reshape(-1, 2, 2), logs.reshape(-1, 2), area)
