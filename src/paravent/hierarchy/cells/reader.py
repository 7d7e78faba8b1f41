"""The reader: what a cell of a released column covers, by the one grammar of labels (docs/reference/labels.md).

Forms are tried in this order: a value of the column, `*` and the empty text, a node of the tree, a set, an interval, a
number, a range, a category of the scale, a mask. What is none of them cannot be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from paravent.hierarchy.cells.grammar import range_ends, read_mask, set_members
from paravent.hierarchy.cells.interval import Interval, read_interval
from paravent.hierarchy.cells.places import Line, are_one, line_of, located
from paravent.hierarchy.levels import ROOT_LABEL

if TYPE_CHECKING:
    from paravent.hierarchy.axis import Axis
    from paravent.hierarchy.tree import Tree


class Form(IntEnum):
    """How a cell is written."""

    UNREAD = 0
    VALUE = 1
    ANYTHING = 2
    EMPTY = 3
    GROUP = 4
    SET = 5
    INTERVAL = 6
    NUMBER = 7
    RANGE = 8
    CATEGORY = 9
    MASK = 10


@dataclass(frozen=True)
class Cell:
    """A cell that was read: its form and the ranks of the values that it covers, a `range` where it reaches across all
    that lies between them. `interval` is where it lies on the line, as it is written; a number has both ends there."""

    form: Form
    ranks: Sequence[int]
    interval: Interval | None = None


@dataclass(frozen=True, eq=False)
class CellReader:
    """Reads the cells of one column back to the values they cover.

    `values` are the texts of the column's values in the order of their ranks, `positions` their places on a line (nan
    where one has none). `tree` names groups of them, `scale` the categories of an ordinal column, those that do not
    occur among them.
    """

    values: Sequence[str]
    tree: Tree | None = None
    positions: np.ndarray | None = None
    scale: tuple[str, ...] | None = None

    @classmethod
    def of(cls, axis: Axis) -> CellReader:
        """The reader of a column as methods and measures see it."""
        return cls(axis.values, axis.tree, axis.line, axis.scale)

    def covers(self, label: str) -> Sequence[int] | None:
        """The ranks that a label covers beyond doubt, or None for a label that says nothing about this column.

        This is the reading of whoever gives guarantees. An empty cell, a number or a category that the column does not
        have, and a mask that no tree explains may mean something else than they seem to: none of them counts here.

        >>> read = CellReader(("17", "20", "24", "31"), positions=np.array([17.0, 20, 24, 31]))
        >>> [list(read.covers(label)) for label in ("20", "[17, 24]", "15-23", "*", "{17, 31}")]
        [[1], [0, 1, 2], [0, 1], [0, 1, 2, 3], [0, 3]]
        >>> read.covers("2*") is None, read.covers("22.5") is None
        (True, True)
        """
        cell = self.read(label)
        if cell is None or cell.form in (Form.EMPTY, Form.MASK, Form.CATEGORY):
            return None
        return None if cell.form is Form.NUMBER and not cell.ranks else cell.ranks

    def read(self, label: str) -> Cell | None:
        """What a cell says; None where it cannot be read.

        >>> read = CellReader(("13053", "13068", "14850"))
        >>> read.read("130**"), read.read("13***~14850")
        (Cell(form=<Form.MASK: 10>, ranks=[0, 1], interval=None), None)
        """
        ranks = self.value(label)
        if ranks is not None:
            return Cell(Form.VALUE, ranks)
        if label in (ROOT_LABEL, ""):
            return Cell(Form.ANYTHING if label else Form.EMPTY, range(len(self.values)))
        group = self.group(label)
        if group is not None:
            return Cell(Form.GROUP, group)
        return self.written(label)

    def written(self, label: str) -> Cell | None:
        """What a cell says by the way it is written, whatever nodes a tree has."""
        if label[:1] == "{":
            return self._set(label)
        if self.line is not None:
            cell = self._on_line(label)
            if cell is not None:
                return cell
        ends = range_ends(label)
        if ends is not None:
            between = self.between(*ends)
            return None if between is None else Cell(Form.RANGE, between)
        if self.scale is not None and label in self.scale:
            return Cell(Form.CATEGORY, ())
        mask = read_mask(label)
        if mask is None:
            return None
        return Cell(Form.MASK, [rank for rank, value in enumerate(self.values) if mask.holds(value)])

    def value(self, label: str) -> Sequence[int] | None:
        """The rank of a value, None for a text that is none."""
        rank = self._rank.get(label)
        return None if rank is None else range(rank, rank + 1)

    def group(self, label: str) -> Sequence[int] | None:
        """The ranks under a node of the tree, those of collapsed chains included; None for a text that is none."""
        return self._nodes.get(label)

    def between(self, low: str, high: str) -> Sequence[int] | None:
        """The ranks from one value to another; None where they are no two values in order."""
        first, last = self._rank.get(low), self._rank.get(high)
        return None if first is None or last is None or first > last else range(first, last + 1)

    def inside(self, interval: Interval) -> Sequence[int]:
        """The ranks whose places lie in an interval: neighbours, unless a tree orders its leaves otherwise."""
        assert self.positions is not None
        blurred = interval.blurred()
        if self.ascending is not None and not blurred:
            return interval.among(self.ascending)
        held = interval.holds(self.positions)
        for rank in np.flatnonzero(np.isin(self.positions, blurred)).tolist():
            held[rank] = self.line is not Line.NUMBERS or interval.holds_exactly(self.values[rank])
        inside: list[int] = np.flatnonzero(held).tolist()
        together = bool(inside) and inside[-1] - inside[0] + 1 == len(inside)
        return range(inside[0], inside[-1] + 1) if together else inside

    def _set(self, label: str) -> Cell | None:
        members = [self._member(member) for member in set_members(label)]
        known = [ranks for ranks in members if ranks is not None]
        if not members or len(known) < len(members):
            return None
        return Cell(Form.SET, sorted({rank for ranks in known for rank in ranks}))

    def _member(self, text: str) -> Iterable[int] | None:
        """The value that a set names, None where it is none."""
        return self.value(text)

    def _on_line(self, label: str) -> Cell | None:
        """An interval or a number."""
        if label[:1] == "[" and label[-1:] == "]":
            ends = [self._rank.get(part.strip()) for part in label[1:-1].split(", ")]
            if len(ends) == 2 and ends[0] is not None and ends[1] is not None:
                return self._from_to(ends[0], ends[1])
        interval = read_interval(label, self.line, dash=self.has_dashes)
        if interval is not None:
            return Cell(Form.INTERVAL, self.inside(interval), interval)
        found = located(label)
        if found is None or found[0] is not self.line:
            return None
        return Cell(Form.NUMBER, self.number(label, found[1]), Interval(found[1], found[1]))

    def _from_to(self, first: int, last: int) -> Cell | None:
        """The interval between two values of the column. Ranks that ascend tell values apart that share a place."""
        assert self.positions is not None
        interval = Interval(float(self.positions[first]), float(self.positions[last]))
        if not interval.low <= interval.high:
            return None
        if self.ascending is not None:
            return Cell(Form.INTERVAL, range(first, last + 1), interval) if first <= last else None
        return Cell(Form.INTERVAL, self.inside(interval), interval)

    def number(self, text: str, place: float) -> Sequence[int]:
        """The values that are the same number or moment, written in another way."""
        assert self.positions is not None
        if self.ascending is None:
            there: list[int] = np.flatnonzero(self.positions == place).tolist()
        else:
            there = list(Interval(place, place).among(self.ascending))
        return [rank for rank in there if are_one(text, self.values[rank])]

    @property
    def has_dashes(self) -> bool:
        """Whether `17-24` is an interval here."""
        return True

    @cached_property
    def line(self) -> Line | None:
        """What the places of the column are places of; None where it has none."""
        if self.positions is None:
            return None
        placed = np.flatnonzero(np.isfinite(self.positions))
        return line_of(self.values[int(placed[0])]) if len(placed) else None

    @cached_property
    def ascending(self) -> np.ndarray | None:
        """The places where they ascend and values without one come last, so that an interval is found by bisection."""
        assert self.positions is not None
        placed = self.positions[: int(np.isfinite(self.positions).sum())]
        return placed if bool(np.isfinite(placed).all() and np.all(np.diff(placed) >= 0)) else None

    @cached_property
    def _rank(self) -> dict[str, int]:
        return {value: rank for rank, value in enumerate(self.values)}

    @cached_property
    def _nodes(self) -> dict[str, range]:
        return {} if self.tree is None else nodes_of(self.tree)


def nodes_of(tree: Tree) -> dict[str, range]:
    """Every label of a tree, those of collapsed chains included, with the leaves it covers."""
    nodes = {}
    for level in tree.levels:
        order = np.argsort(level.codes, kind="stable")
        ends = np.searchsorted(level.codes[order], np.arange(len(level.labels)), side="right")
        begin = 0
        for label, end in zip(level.labels, ends.tolist(), strict=True):
            nodes[label] = range(int(order[begin]), int(order[end - 1]) + 1)
            begin = end
    return nodes
