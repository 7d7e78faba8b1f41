"""Two people (or two tabs) change one document: what does not touch is joined, what does is asked about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paravent.errors import ParaventError


class Conflict(ParaventError):  # noqa: N818 (it is no mistake of anybody's)
    """Two changes of the same thing, neither of which knew of the other."""


_GONE = object()


def merged(base: Any, theirs: Any, mine: Any, where: str) -> Any:
    """`mine` and `theirs`, both made from `base`, in one. Tables are joined entry by entry.

    >>> merged({"age": 1, "zip": 2}, {"age": 9, "zip": 2}, {"age": 1, "zip": 7, "job": 3}, "plan")
    {'age': 9, 'zip': 7, 'job': 3}
    >>> merged({"age": 1}, {"age": 2}, {"age": 3}, "plan")
    Traceback (most recent call last):
    ...
    paravent.web.workspace.merge.Conflict: plan.age was changed elsewhere meanwhile. Look at it, then change it again.
    """
    found = _merged(base, theirs, mine, where)
    return {} if found is _GONE else found


def _merged(base: Any, theirs: Any, mine: Any, where: str) -> Any:
    if theirs in (base, mine):
        return mine
    if mine == base:
        return theirs
    if not (isinstance(theirs, Mapping) and isinstance(mine, Mapping)):
        raise Conflict(f"{where} was changed elsewhere meanwhile. Look at it, then change it again.")
    before = base if isinstance(base, Mapping) else {}
    names = [*theirs, *(name for name in mine if name not in theirs)]
    joined = {
        name: _merged(before.get(name, _GONE), theirs.get(name, _GONE), mine.get(name, _GONE), f"{where}.{name}")
        for name in names
    }
    return {name: value for name, value in joined.items() if value is not _GONE}
