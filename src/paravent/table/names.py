"""Column names: every column has one, and it is its own."""

from __future__ import annotations

from collections.abc import Sequence

from paravent.errors import TableError


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
        if name == "*" or (name.startswith("^") and name.endswith("$")):
            # Polars takes such a name for a pattern of many names.
            raise TableError(f"{what}: column {place} is called {name!r}, which reads as a pattern of names. {remedy}")
        if name in seen:
            raise TableError(f"{what}: columns {seen[name]} and {place} are both called {name!r}. {remedy}")
        seen[name] = place
