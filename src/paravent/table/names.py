"""Column names: every column has one, and it is its own. Names that are missing or not unique can be completed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from paravent.errors import TableError, either

Header = bool | Literal["repair"] | Sequence[str] | None
"""Whether the first row names the columns (None: look); "repair": it does, with gaps; or the names of all columns."""


def remedy(first: str) -> str:
    """What to do about names that are missing or not unique; `first` is where they stand."""
    complete = either("header='repair'", "--repair-header")
    return f"Give each a name of its own in the {first}, or read with {complete}, which adds the place to such names."


def repaired(names: Sequence[str]) -> tuple[str, ...]:
    """Names with the place of the column where there is none, or where it is no longer unique.

    >>> repaired(["", "age", "age", "age_3"])
    ('column_1', 'age', 'age_3', 'age_3_4')
    """
    found: list[str] = []
    for place, name in enumerate(names, start=1):
        stem = name if name.strip() and not _is_pattern(name) else "column"
        own = stem if stem is name and name not in found else f"{stem}_{place}"
        while own in found:
            own += "_"
        found.append(own)
    return tuple(found)


def _is_pattern(name: str) -> bool:
    """Polars takes such a name for a pattern of many names."""
    return name == "*" or (name.startswith("^") and name.endswith("$"))


def check_names(names: Sequence[str], what: str, remedy: str) -> None:
    """
    >>> check_names(["age", "sex", "age"], "people.csv", "Rename one.")
    Traceback (most recent call last):
    paravent.errors.TableError: people.csv: columns 1 and 3 are both called 'age'. Rename one.
    """
    if not names:
        raise TableError(f"{what} has no columns.")
    seen: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        if not name.strip():
            raise TableError(f"{what}: column {place} has no name. {remedy}")
        if _is_pattern(name):
            raise TableError(f"{what}: column {place} is called {name!r}, which reads as a pattern of names. {remedy}")
        if name in seen:
            raise TableError(f"{what}: columns {seen[name]} and {place} are both called {name!r}. {remedy}")
        seen[name] = place
