"""Words that look as if they meant `missing`: told once a word, however many columns hold it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from paravent.errors import Note, either, quote

_NAMED = 5
"""How many columns a note names."""


@dataclass(frozen=True)
class Marked:
    """A column with cells that hold such a word. `wanted` is what it would be without them: a number, a date."""

    column: str
    marker: str
    cells: int | None = None
    wanted: str = ""


def missing_as(words: Sequence[str]) -> str:
    """What to pass so that these words mean missing.

    >>> Note(f"Pass {missing_as(['NA', '?'])}.").prompted
    "Pass --na NA --na '?'."
    """
    return either(f"na={quote(list(words))}", quote_text(" ".join(f"--na {shlex.quote(word)}" for word in words)))


def quote_text(text: str) -> str:
    """A text that holds values of the table as they stand, marked like a quoted value."""
    return quote(_Verbatim(text))


class _Verbatim(str):
    def __repr__(self) -> str:
        return str(self)


def marker_notes(found: Sequence[Marked]) -> list[Note]:
    """A note for each word, in the order in which they were met.

    >>> marker_notes([Marked("age", "NA", 3, "a number"), Marked("job", "NA", 7)])
    ["2 columns hold 'NA', a value like any other ('age', 'job'); without it, 'age' would hold numbers. \
Pass na=['NA'] if it means missing."]
    """
    by_word: dict[str, list[Marked]] = {}
    for one in found:
        by_word.setdefault(one.marker, []).append(one)
    return [_note(marker, columns) for marker, columns in by_word.items()]


def _note(marker: str, columns: Sequence[Marked]) -> Note:
    what = "an empty text in quotes" if marker == "" else quote(marker)
    if len(columns) == 1:
        (one,) = columns
        count = "1 cell holds" if one.cells == 1 else f"{one.cells} cells hold"
        held = f"holds {what}" if one.cells is None else f"{count} {what}"
        says = f"column {one.column!r}{':' if one.cells is not None else ''} {held}, a value like any other"
    else:
        says = f"{len(columns)} columns hold {what}, a value like any other ({_list([one.column for one in columns])})"
    for wanted in ("a number", "a date"):
        kept = [one.column for one in columns if one.wanted == wanted]
        if kept:
            who = "the column" if len(columns) == 1 else "all of them" if len(kept) == len(columns) else _list(kept)
            says += f"; without it, {who} would hold {wanted[2:]}s"
    return Note(f"{says}. Pass {missing_as([marker])} if it means missing.")


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:_NAMED]))
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED} more"
