"""Roles: what a column is to the person whose row it stands in."""

from __future__ import annotations

import math
import os
from dataclasses import KW_ONLY, MISSING, dataclass, fields
from typing import ClassVar, Literal

from paravent.arguments import Checked, Path
from paravent.errors import PlanError
from paravent.hierarchy.spec import TreeSpec
from paravent.near import suggest
from paravent.treatments.keys import check_key_named, check_length

OWN_VALUE, WILDCARD, DROP_ROWS, IMPUTE = "own value", "wildcard", "drop rows", "impute"
MEANINGS = (OWN_VALUE, WILDCARD, DROP_ROWS, IMPUTE)
"""What a missing value may mean. `own value`: it is a value like any other, published as `(missing)`. `wildcard`: it
stays missing and may be anything. `drop rows`: its row is left out. `impute`: the lower median of an ordered column or
the mode of another stands in."""


def check_choice(what: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise PlanError when an option is none of its choices."""
    if not isinstance(value, str) or value not in choices:
        named = ", ".join(map(repr, choices))
        hint = f" {suggest(value, choices)}" if isinstance(value, str) and "mean" in suggest(value, choices) else ""
        raise PlanError(f"{what} must be one of {named}, not {value!r}.{hint}")


class Role(Checked):
    """What a column is. `repr` is runnable; `name` is how plan files call it."""

    name: ClassVar[str]

    def __repr__(self) -> str:
        """
        >>> Quasi(weight=2.0), Quasi("trees/job.csv"), Identifier()
        (pv.Quasi(weight=2.0), pv.Quasi('trees/job.csv'), pv.Identifier())
        """
        parts = []
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            default = field.default if field.default is not MISSING else None
            if value != default or type(value) is not type(default):
                parts.append(f"{field.name}={value!r}" if field.kw_only else repr(value))
        return f"pv.{type(self).__name__}({', '.join(parts)})"


@dataclass(frozen=True, repr=False)
class Identifier(Role):
    """A column that names people: dropped, or replaced.

    `pseudonym` replaces each value by HMAC-SHA256 under a secret key (hexadecimal, the first `length` digits), so that
    equal values get equal pseudonyms, in other tables too. The key is the text of the environment variable `key_env`
    or of the file `key_file`; it is never stored. `random` numbers the values by chance, within this table alone.
    """

    replace: str = "drop"
    _: KW_ONLY
    key_env: str | None = None
    key_file: Path | None = None
    length: int = 16

    name: ClassVar[str] = "identifier"

    def __post_init__(self) -> None:
        check_choice("Identifier: replace", self.replace, ("drop", "pseudonym", "random"))
        keys = [key for key in (self.key_env, self.key_file) if key is not None]
        if self.key_file is not None:
            object.__setattr__(self, "key_file", os.fspath(self.key_file))
        if self.replace == "pseudonym":
            check_key_named("Identifier", self.key_env, self.key_file)
        elif keys:
            raise PlanError(f"Identifier: replace={self.replace!r} takes no key. Say replace='pseudonym'.")
        check_length("Identifier", self.length)


@dataclass(frozen=True, repr=False)
class Quasi(Role):
    """A column that others may know, and that together with its like could single somebody out.

    `tree` says how values are generalized: a builder such as `pv.intervals(5, 10)`, the path of a tree file, or
    nothing (numbers, dates and ordinal values by their order, others from the most frequent value to the rarest).
    `weight` says how much its detail matters. `outside="root"` hangs values that the tree does not know on its root.
    `neutral` fills cells about which nothing is said (`*`): with the column's `median`, `mode` or `mean`, or with the
    value given. Such cells are not true of their rows; the verdict and the report say which columns have them.
    Intervals that are made from the values end on a round grid, so that no label ends at the value of one person;
    `bounds="exact"` lets them.
    """

    tree: TreeSpec | Path | None = None
    _: KW_ONLY
    weight: float = 1.0
    missing: str | None = None
    outside: Literal["error", "root"] = "error"
    neutral: str | None = None
    bounds: Literal["rounded", "exact"] = "rounded"

    name: ClassVar[str] = "quasi"

    def __post_init__(self) -> None:
        tree: object = self.tree
        if isinstance(tree, os.PathLike):
            object.__setattr__(self, "tree", os.fspath(tree))
        if self.tree is not None and not isinstance(self.tree, TreeSpec | str):
            raise PlanError(f"Quasi: tree must be a builder such as pv.intervals(5, 10) or a path, not {self.tree!r}.")
        if self.tree == "":
            raise PlanError("Quasi: the path of the tree is empty. Name a file, or leave it out.")
        number = isinstance(self.weight, int | float) and not isinstance(self.weight, bool)
        if not number or not math.isfinite(self.weight) or self.weight <= 0:
            raise PlanError(f"Quasi: weight must be a positive number, not {self.weight!r}.")
        if self.missing is not None:
            check_choice("Quasi: missing", self.missing, MEANINGS)
        check_choice("Quasi: outside", self.outside, ("error", "root"))
        given: object = self.neutral
        if isinstance(given, int | float) and not isinstance(given, bool):
            object.__setattr__(self, "neutral", str(given))
        elif given is not None and (not isinstance(given, str) or given in ("", "*")):
            raise PlanError(f"Quasi: neutral must be 'median', 'mode', 'mean' or a value, not {self.neutral!r}.")
        check_choice("Quasi: bounds", self.bounds, ("rounded", "exact"))


@dataclass(frozen=True, repr=False)
class Sensitive(Role):
    """A column whose values nobody should learn about somebody. It is released as it is.

    A missing value can be an `own value` (models count it as one) or make its row be left out (`drop rows`). With
    `alike="one"` models count texts that look alike as one value: those that differ only in capitals, blanks,
    invisible signs or the encoding of accents (see `paravent.table.alike`). A text in which nothing is to be seen then
    counts as missing. The cells are released as they are all the same.
    """

    _: KW_ONLY
    missing: str | None = None
    alike: str = "apart"

    name: ClassVar[str] = "sensitive"

    def __post_init__(self) -> None:
        if self.missing is not None:
            check_choice("Sensitive: missing", self.missing, (OWN_VALUE, DROP_ROWS))
        check_choice("Sensitive: alike", self.alike, ("apart", "one"))


@dataclass(frozen=True, repr=False)
class Insensitive(Role):
    """A column that says nothing about anybody. It is released as it is."""

    name: ClassVar[str] = "insensitive"


@dataclass(frozen=True, repr=False)
class Drop(Role):
    """A column that is left out although it names nobody: one that is not needed, or that repeats another."""

    name: ClassVar[str] = "drop"


ROLES: tuple[type[Role], ...] = (Identifier, Quasi, Sensitive, Insensitive, Drop)
