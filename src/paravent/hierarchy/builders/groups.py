"""Explicit groups, nested as deep as you like: a mapping from labels to what lies under them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, ClassVar

import polars as pl

from paravent.errors import TreeError, quote
from paravent.hierarchy.levels import ROOT_LABEL
from paravent.hierarchy.spec import TreeSpec
from paravent.hierarchy.tree import Tree
from paravent.table.domain import Domain
from paravent.table.kinds import Kind
from paravent.table.text import as_text

_DEEPEST = 100


@dataclass(frozen=True)
class _Node:
    """A leaf (no children) or a group, with its level: 0, or 1 + the highest of its children."""

    label: str
    children: tuple[_Node, ...] = ()
    level: int = 0

    @classmethod
    def over(cls, label: str, children: tuple[_Node, ...]) -> _Node:
        return cls(label, children, 1 + max(child.level for child in children))


@dataclass(frozen=True, repr=False)
class Groups(TreeSpec):
    call: ClassVar[str] = "groups"
    main: ClassVar[str] = "under"

    under: Any

    def __post_init__(self) -> None:
        if isinstance(self.under, Mapping | list | tuple):
            object.__setattr__(self, "under", deepcopy(self.under))
        self.tree("groups")

    def __repr__(self) -> str:
        return f"pv.groups({self.under!r})"

    def __hash__(self) -> int:
        return hash(repr(self.under))

    def build(self, domain: Domain) -> Tree:
        return self.tree(domain.name, domain)

    def declared(self, name: str) -> tuple[str, ...]:
        return self.tree(name).leaves

    def fixed_levels(self, name: str, kind: Kind) -> int | None:  # noqa: ARG002
        return len(self.tree(name).levels) - 1

    def tree(self, name: str, domain: Domain | None = None) -> Tree:
        """The whole tree. With a domain, values that are not texts must have the column's type."""
        if not isinstance(self.under, Mapping | list | tuple) or not self.under:
            raise TreeError(f"tree {name!r}: groups must be a mapping from labels to lists of values.")
        children = _children(name, self.under, domain, set(), 0)
        if not children:
            raise TreeError(f"tree {name!r}: it has no values. Give at least one.")
        alone = len(children) == 1 and children[0].children
        root = children[0] if alone else _Node.over(ROOT_LABEL, children)
        return Tree.from_paths(name, list(_paths(root, [], root.level)))


def _children(name: str, under: Any, domain: Domain | None, labels: set[str], depth: int) -> tuple[_Node, ...]:
    if depth > _DEEPEST:
        raise TreeError(f"tree {name!r}: groups are nested more than {_DEEPEST} deep. Flatten them.")
    if isinstance(under, Mapping):
        found = []
        for label, below in under.items():
            if not isinstance(label, str):
                raise TreeError(f"tree {name!r}: group label {quote(label)} must be text. Write it in quotes.")
            if label in labels:
                raise TreeError(
                    f"tree {name!r}: label {quote(label)} names two groups. Give each group a label of its own."
                )
            labels.add(label)
            children = _children(name, below, domain, labels, depth + 1)
            if not children:
                raise TreeError(f"tree {name!r}: group {quote(label)} is empty. List its values, or remove it.")
            found.append(_Node.over(label, children))
        return tuple(found)
    if isinstance(under, list | tuple):
        nodes: list[_Node] = []
        for item in under:
            if isinstance(item, Mapping | list | tuple):
                nodes.extend(_children(name, item, domain, labels, depth + 1))
            else:
                nodes.append(_Node(_text(name, item, domain)))
        return tuple(nodes)
    return (_Node(_text(name, under, domain)),)


def _paths(node: _Node, above: list[_Node], height: int) -> Iterable[list[str]]:
    """Each leaf's label on every level: that of its highest ancestor of that level or lower."""
    if node.children:
        for child in node.children:
            yield from _paths(child, [*above, node], height)
        return
    chain = [node, *reversed(above)]
    path, at = [], 0
    levels = [link.level for link in chain]
    for level in range(height + 1):
        while at + 1 < len(chain) and levels[at + 1] <= level:
            at += 1
        path.append(chain[at].label)
    yield path


def _text(name: str, value: Any, domain: Domain | None) -> str:
    """A value as trees name it. A text matches by its letters; anything else must have the type of the column."""
    if isinstance(value, str):
        return value
    if not isinstance(value, bool | int | float | date | datetime | time):
        raise TreeError(
            f"tree {name!r}: {quote(value)} is neither a value nor a group. Remove it, or write it in quotes."
        )
    if domain is None:
        return _written(value, None)
    dtype = domain.values.dtype
    fits = {
        bool: dtype == pl.Boolean,
        int: dtype.is_integer(),
        float: dtype.is_float() or dtype.is_decimal(),
        date: dtype == pl.Date,
        datetime: isinstance(dtype, pl.Datetime),
        time: dtype == pl.Time,
    }[type(value)]
    if not fits:
        raise TreeError(
            f"tree {name!r}: {quote(value)} is of type {type(value).__name__}, and the column holds {domain.kind} "
            f"values of another type. Write it as the column does, in quotes (such as {quote(domain.text[0])})."
        )
    return _written(value, dtype)


def _written(value: Any, dtype: pl.DataType | None) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return str(as_text(pl.Series([value], dtype=dtype, strict=False))[0])


def groups(under: Any) -> Groups:
    """Groups as you write them: labels over lists of values, nested. Values in a list next to groups hang beside them.

    >>> spec = groups({"office": ["clerk", "judge"], "health": {"hospital": ["nurse", "surgeon"], "home": ["carer"]}})
    >>> spec.tree("job")
    <Tree 'job': 5 values, 9 nodes, height 4>
    """
    return Groups(under)
