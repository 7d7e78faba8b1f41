"""Labels: how a set of values is written in one cell of a released table, and read back.

    v             the value itself, or the label of a tree node
    *             any value
    [17, 24]      the numbers or dates from 17 to 24, both included
    [2.5, 5[      those from 2.5 on and below 5
    < 20, >= 80   those below 20, those from 80 on
    b~e           the values from b to e in the order of the column or its tree
    {a, c}        exactly these values

Values that hold one of the signs of this grammar are written in double quotes inside ranges and sets.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paravent.hierarchy.tree import ROOT_LABEL, Tree
from paravent.hierarchy.written import Interval, read_interval

_PLAIN = re.compile(r'[^\s,{}\[\]|"~*\\](?:[^,{}\[\]|"~*\\]*[^\s,{}\[\]|"~*\\])?')
_MEMBER = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^,{}"|]+?)\s*(?:,|$)')
_RANGE = re.compile(r'("(?:[^"\\]|\\.)*"|[^~"]+)~("(?:[^"\\]|\\.)*"|[^~"]+)')


def _member(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)


def _value(member: str) -> str:
    return str(json.loads(member)) if member.startswith('"') else member


def interval_label(low: str, high: str) -> str:
    """
    >>> interval_label("17", "24")
    '[17, 24]'
    """
    return low if low == high else f"[{low}, {high}]"


def half_open_label(low: str, high: str) -> str:
    """
    >>> half_open_label("2.5", "5")
    '[2.5, 5['
    """
    return f"[{low}, {high}["


def range_label(low: str, high: str) -> str:
    """
    >>> range_label("10th", "12th"), range_label("a~b", "c")
    ('10th~12th', '"a~b"~c')
    """
    return low if low == high else f"{_member(low)}~{_member(high)}"


def set_label(values: Sequence[str]) -> str:
    """
    >>> set_label(["a"]), set_label(["a", "b, c"])
    ('a', '{a, "b, c"}')
    """
    return values[0] if len(values) == 1 else f"{{{', '.join(map(_member, values))}}}"


def set_members(label: str) -> list[str]:
    """The values of a set label; none for a text that is no set label.

    >>> set_members('{a, "b, c"}')
    ['a', 'b, c']
    """
    members, at, body = [], 0, label[1:-1]
    while at < len(body):
        found = _MEMBER.match(body, at)
        if found is None:
            return []
        members.append(_value(found[1]))
        at = found.end()
    return members


@dataclass(frozen=True, eq=False)
class LabelReader:
    """Reads labels of one column back to the values they cover.

    `values` are the texts of the column's values in the order of their ranks, `positions` their places on a line.
    """

    values: tuple[str, ...]
    tree: Tree | None = None
    positions: np.ndarray | None = None

    @cached_property
    def _rank(self) -> dict[str, int]:
        return {value: rank for rank, value in enumerate(self.values)}

    @cached_property
    def _nodes(self) -> dict[str, range]:
        """Every label of the tree, those of collapsed chains included, with the ranks it covers."""
        if self.tree is None:
            return {}
        nodes = {}
        for level in self.tree.levels:
            order = np.argsort(level.codes, kind="stable")
            ends = np.searchsorted(level.codes[order], np.arange(len(level.labels)), side="right")
            begin = 0
            for label, end in zip(level.labels, ends.tolist(), strict=True):
                nodes[label] = range(int(order[begin]), int(order[end - 1]) + 1)
                begin = end
        return nodes

    def covers(self, label: str) -> Iterable[int] | None:
        """The ranks that a label covers, or None for a label that says nothing about this column.

        >>> read = LabelReader(("17", "20", "24", "31"), positions=np.array([17.0, 20, 24, 31]))
        >>> [list(read.covers(label)) for label in ("20", "[17, 24]", "[15, 24[", "*", "{17, 31}")]
        [[1], [0, 1, 2], [0, 1], [0, 1, 2, 3], [0, 3]]
        """
        rank = self._rank
        if label in rank:
            return range(rank[label], rank[label] + 1)
        if label == ROOT_LABEL:
            return range(len(self.values))
        if label in self._nodes:
            return self._nodes[label]
        if label[:1] == "{" and label[-1:] == "}":
            members = set_members(label)
            return [rank[m] for m in members] if members and all(m in rank for m in members) else None
        found = _RANGE.fullmatch(label)
        if found is not None:
            low, high = rank.get(_value(found[1])), rank.get(_value(found[2]))
            return None if low is None or high is None or low > high else range(low, high + 1)
        if self.positions is None:
            return None
        if label[:1] == "[" and label[-1:] == "]":
            ends = [rank.get(part.strip()) for part in label[1:-1].split(", ")]
            if len(ends) == 2 and ends[0] is not None and ends[1] is not None:
                return self._inside(Interval(self.positions[ends[0]], self.positions[ends[1]]))
        interval = read_interval(label)
        return None if interval is None else self._inside(interval)

    def _inside(self, interval: Interval) -> Iterable[int]:
        """The ranks whose places lie in an interval: neighbours, unless a tree orders its leaves otherwise."""
        assert self.positions is not None
        if self._ascending is not None:
            return interval.among(self._ascending)
        inside = np.flatnonzero(interval.holds(self.positions)).tolist()
        together = bool(inside) and inside[-1] - inside[0] + 1 == len(inside)
        return range(inside[0], inside[-1] + 1) if together else inside

    @cached_property
    def _ascending(self) -> np.ndarray | None:
        """The places where they ascend (a missing value, last, has none), so that an interval is found by bisection."""
        assert self.positions is not None
        missing = int(np.isnan(self.positions[-1:]).sum())
        placed = self.positions[: len(self.positions) - missing]
        return placed if bool(np.all(np.diff(placed) >= 0)) else None
