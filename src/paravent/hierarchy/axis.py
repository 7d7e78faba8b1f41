"""Axis: one quasi-identifier as methods and measures see it, small integers in tree order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from paravent.hierarchy.cells.places import Line, as_places, line_of
from paravent.hierarchy.grid import Grid
from paravent.hierarchy.tree import Tree
from paravent.table.kinds import Kind

MISSING_LABEL = "(missing)"
"""The value of a missing cell that counts as a value, always the last one of its axis."""


@dataclass(frozen=True, eq=False)
class Axis:
    """One encoded quasi-identifier.

    `codes[i]` is the rank of row i's value among the values that occur: in the tree's leaf order where there is a
    tree, else in the domain's order. Every rank from 0 to len(values) − 1 occurs. Leaf i of `tree` is `values[i]`.
    `positions` places the values on a line where distance means something (numbers, dates); a missing value that
    counts as a value is the last rank and has no place (nan). `given` is the tree as the plan gives it, with the
    leaves that do not occur. `tree` is for work: it has the nodes of `given` that are the lowest over some of the
    values that occur, and no others; what a node costs or covers is asked of `given`, by way of `node`. `unknown` tells
    the rows whose cell is missing and may be anything: their code only stands in for one. `scale` has the categories of
    an ordinal column from lowest to highest, those that do not occur among them. `grid` is where
    intervals may end, for the values in ascending order; without one they end at values. `times` says how many rows
    each code stands for (None: one), where equal rows were folded before.
    """

    name: str
    kind: Kind
    codes: np.ndarray
    values: tuple[str, ...]
    tree: Tree | None = None
    positions: np.ndarray | None = None
    weight: float = 1.0
    given: Tree | None = None
    unknown: np.ndarray | None = None
    scale: tuple[str, ...] | None = None
    grid: Grid | None = None
    times: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n_rows(self) -> int:
        """How many rows the codes stand for."""
        return len(self.codes) if self.times is None else int(self.times.sum())

    @cached_property
    def counts(self) -> np.ndarray:
        """How many rows hold each value."""
        return np.bincount(self.codes, weights=self.times, minlength=len(self)).astype(np.int64)

    @cached_property
    def leaf(self) -> np.ndarray:
        """The leaf of `given` for each code (of `tree`, where nothing else is known)."""
        if self.given is None:
            return np.arange(len(self), dtype=np.int32)
        leaf_of = self.given.leaf_of
        return np.fromiter((leaf_of[value] for value in self.values), np.int32, len(self))

    @cached_property
    def line(self) -> np.ndarray | None:
        """The values on a line, where the column has one. A missing value kept as a value has no place (nan)."""
        if self.positions is not None:
            return self.positions
        if not self.kind.is_numeric and self.kind is not Kind.DATE:
            return None
        numbers = self.kind.is_numeric or not self.values
        line = Line.NUMBERS if numbers else line_of(self.values[0]) or Line.MOMENTS
        found = as_places(pl.Series(self.values, dtype=pl.String), line)
        return found if np.isfinite(found).any() else None

    @property
    def categories(self) -> tuple[str, ...]:
        """The scale of an ordinal column; the values that occur, of any other."""
        return self.values if self.scale is None else self.scale

    @cached_property
    def category(self) -> np.ndarray:
        """The place of each code among the categories."""
        place = {category: i for i, category in enumerate(self.categories)}
        return np.fromiter((place[value] for value in self.values), np.int64, len(self))

    @property
    def whole(self) -> Tree | None:
        """The tree as given."""
        return self.given if self.given is not None else self.tree

    @cached_property
    def node(self) -> np.ndarray:
        """The node of `whole` that each node of `tree` is."""
        assert self.tree is not None
        assert self.whole is not None
        return self.whole.ancestor(self.leaf[self.tree.first], self.leaf[self.tree.last])
