"""TreeSpec: how a tree is to be made, as plan data. The tree itself is built once the column's values are known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from pathlib import PurePath
from typing import Any, ClassVar

import numpy as np

from paravent.errors import TreeError
from paravent.hierarchy.grid import grid_of
from paravent.hierarchy.labels import interval_label, range_label
from paravent.hierarchy.levels import ROOT_LABEL, Level
from paravent.hierarchy.tree import Tree
from paravent.near import suggest
from paravent.table.domain import Domain
from paravent.table.kinds import Kind
from paravent.table.text import as_text

_BY_CALL: dict[str, type[TreeSpec]] = {}


class TreeSpec(ABC):
    """A recipe for a tree. Subclasses are frozen dataclasses; `repr` recreates them.

    `call` is the name of the function that makes it (`pv.<call>(...)`) and its key in a plan file; `main` is the field
    which that function takes as its positional arguments.
    """

    call: ClassVar[str]
    main: ClassVar[str] = ""
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _BY_CALL[cls.call] = cls

    @abstractmethod
    def build(self, domain: Domain) -> Tree:
        """The tree for the values of a column. It covers at least those it was made from; `fit` checks the rest."""

    def declared(self, name: str) -> tuple[str, ...] | None:  # noqa: ARG002
        """The leaves that it names by itself, whatever the data of column `name`; None where data make them."""
        return None

    def fixed_levels(self, name: str, kind: Kind) -> int | None:  # noqa: ARG002
        """The number of the highest level, where what a value of a column of this kind is published as on a level
        depends on that value alone; None where the other values of the column have a say in it."""
        return None

    def _options(self) -> dict[str, Any]:
        """The fields that differ from their defaults, without the main one."""
        chosen = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name != self.main and (field.default is MISSING or value != field.default):
                chosen[field.name] = value
        return chosen

    def __repr__(self) -> str:
        main = getattr(self, self.main) if self.main else ()
        arguments = [repr(value) for value in (main if isinstance(main, tuple) else (main,))]
        arguments += [f"{name}={value!r}" for name, value in self._options().items()]
        return f"pv.{self.call}({', '.join(arguments)})"

    def to_document(self) -> Any:
        """The spec as a plan file holds it.

        >>> from paravent.hierarchy.builders import intervals
        >>> intervals(5, 10, 20, closed="right").to_document()
        {'intervals': [5, 10, 20], 'closed': 'right'}
        """
        main = _plain(getattr(self, self.main)) if self.main else True
        return {self.call: main, **{name: _plain(value) for name, value in self._options().items()}}


def spec_from_document(document: Any, *, name: str = "") -> TreeSpec:
    """The spec that a plan file describes: the path of a tree file, or a table with the builder's name as a key.

    >>> spec_from_document({"intervals": [5, 10, 20]})
    pv.intervals(5, 10, 20)
    >>> spec_from_document("trees/job.csv")
    pv.tree_file('trees/job.csv')
    """
    import paravent.hierarchy.builders  # noqa: F401  (registers the builders)

    where = f"tree of column {name!r}: " if name else "tree: "
    if isinstance(document, TreeSpec):
        return document
    if isinstance(document, str | PurePath):
        document = {"tree_file": str(document)}
    known = ", ".join(sorted(_BY_CALL))
    if not isinstance(document, Mapping):
        raise TreeError(f"{where}it must be a path or a table such as {{ intervals = [5, 10] }}. Builders: {known}.")
    calls = [key for key in document if key in _BY_CALL]
    if len(calls) != 1:
        found = " and ".join(map(repr, calls)) if calls else ", ".join(repr(key) for key in document) or "nothing"
        hint = (
            f" {near}"
            if not calls and document and "mean" in (near := suggest(str(next(iter(document))), _BY_CALL))
            else ""
        )
        raise TreeError(f"{where}it names {found}; name exactly one builder of {known}.{hint}")
    cls = _BY_CALL[calls[0]]
    takes = {field.name for field in fields(cls)} - {cls.main}
    arguments = {key: value for key, value in document.items() if key != cls.call}
    for key in arguments:
        if key not in takes:
            choices = suggest(str(key), takes) if takes else "It takes none."
            raise TreeError(f"{where}{cls.call} has no option {key!r}. {choices}")
    if cls.main:
        arguments[cls.main] = document[cls.call]
    elif document[cls.call] is not True:
        raise TreeError(f"{where}{cls.call} takes no numbers. Write {{ {cls.call} = true }}.")
    return cls(**arguments)


def _plain(value: Any) -> Any:
    """Tuples as lists, all the way down: what TOML and JSON can hold."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value


def as_tuple(value: Any) -> tuple[Any, ...]:
    """A main argument as it comes from a call or a plan file: one item, a list of them, or `true` for the defaults."""
    if value is True:
        return ()
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def leaf_level(domain: Domain) -> Level:
    """Level 0: every value as itself, in the order of the domain."""
    if len(domain) == 0:
        raise TreeError(
            f"column {domain.name!r}: it has no values to build a tree from. Leave it out of the quasi-identifiers."
        )
    return Level(np.arange(len(domain), dtype=np.int32), tuple(domain.text))


def tree_over(domain: Domain, *groupings: Level) -> Tree:
    """The tree with the domain's values as leaves under the given levels, and `*` above all."""
    top = Level(np.zeros(len(domain), dtype=np.int32), (ROOT_LABEL,))
    return Tree.from_levels(domain.name, [leaf_level(domain), *groupings, top])


def level_by_key(keys: np.ndarray, label: Callable[[int, int, Any], str]) -> Level:
    """Values with equal keys share a group, labelled `label(first value, last value, key)`. The keys ascend."""
    fresh = np.r_[True, keys[1:] != keys[:-1]]
    first = np.flatnonzero(fresh)
    last = np.r_[first[1:], len(keys)] - 1
    labels = [label(*group) for group in zip(first.tolist(), last.tolist(), keys[first].tolist(), strict=True)]
    return Level(np.cumsum(fresh, dtype=np.int32) - np.int32(1), tuple(labels))


def span_level(domain: Domain, keys: np.ndarray) -> Level:
    """Groups of neighbours in the domain's order, labelled by their lowest and highest value that occurs. Numbers and
    dates that share a cell of the grid stay together, and their labels end where its cells do."""
    write = range_label if domain.positions is None else interval_label
    grid = grid_of(domain)
    few = 20 * len(np.unique(keys)) < len(domain)  # not all values need be written

    def text(value: int) -> str:
        return str(as_text(domain.values[value : value + 1]).item()) if few else domain.text[value]

    if grid is None:
        return level_by_key(keys, lambda first, last, _: write(text(first), text(last)))
    return level_by_key(
        keys[grid.first], lambda first, last, _: text(first) if first == last else grid.label(first, last)
    )
