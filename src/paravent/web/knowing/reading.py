"""Lines that a person writes as "name = value"."""

from __future__ import annotations

from typing import Any


class BadLineError(Exception):
    """A line that is not of that form; `line` is its number."""

    def __init__(self, line: int):
        super().__init__(f"line {line}")
        self.line = line


def pairs_of(written: str | None) -> dict[str, Any]:
    """The values by name; a name that stands several times has a list of them.

    >>> pairs_of("requires = k\\nrequires = table\\nsource = Ann 2026")
    {'requires': ['k', 'table'], 'source': 'Ann 2026'}
    """
    found: dict[str, Any] = {}
    for number, line in enumerate((written or "").splitlines(), 1):
        if not line.strip():
            continue
        name, sign, value = (part.strip() for part in line.partition("="))
        if not sign or not name or not value:
            raise BadLineError(number)
        if name in found:
            found[name] = [*(found[name] if isinstance(found[name], list) else [found[name]]), value]
        else:
            found[name] = value
    return found
