"""What may stand on a page that is handed on: no value that fewer people hold than the page allows.

Labels name values: the ends of an interval, the members of a set, the label of a tree node made of them. A text is
therefore looked at piece by piece, and is shown only where no piece of it is a rare value of its column. Nothing here
depends on how labels are written: a piece is whatever stands between two places where words or signs meet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from paravent.table.text import as_text

if TYPE_CHECKING:
    from paravent.plan.release import Release

HIDDEN = "…"
"""Stands for a value that is not shown."""
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?|[^\W_]+", re.IGNORECASE)
_LABELS = re.compile(r"""[\[\]][^\[\]]*[\[\]]|\{[^{}]*\}|“[^”]*”|"[^"]*"|'[^'\s]*'|\S+~\S+|[<>≤≥]=? ?[^\s,;]+""")
_LONGEST = 400
"""Letters of a cell beyond which it is not shown."""


@dataclass(eq=False)
class Screen:
    """The values of a table that `fewest` people or more hold.

    `persons[i]` is whose row i is; None: every row is another person's.
    """

    frame: pl.DataFrame
    fewest: int
    persons: np.ndarray | None = None
    _rare: dict[str, tuple[pl.Series, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, release: Release, fewest: int) -> Screen:
        from paravent.plan.persons import persons_in

        return cls(release.table.frame, fewest, persons_in(release.table, release.plan))

    def shows(self, column: str, texts: Iterable[str]) -> dict[str, bool]:
        """Which texts name no rare value of a column."""
        asked = list(dict.fromkeys(texts))
        if column not in self.frame.columns:
            return dict.fromkeys(asked, True)
        rare, longest = self._rare_in(column)
        pieces = {text: pieces_of(text, longest) | pieces_of(_unmarked(text), longest) for text in asked}
        found = _among({piece for of_text in pieces.values() for piece in of_text}, rare)
        return {text: not (found & of_text) for text, of_text in pieces.items()}

    def sentence(self, text: str) -> str:
        """A sentence about the table with the rare values of the columns that it names taken out. Numbers outside of
        labels are counts and figures, and stay."""
        for column in self.frame.columns:
            if column not in text:
                continue
            rare, longest = self._rare_in(column)
            inside = {piece for label in _LABELS.findall(text) for piece in pieces_of(label, longest)}
            words = {piece for piece in pieces_of(text, longest) if any(sign.isalpha() for sign in piece)}
            found = _among((inside | words) - set(self.frame.columns), rare)
            for piece in sorted(found, key=lambda piece: (-len(piece), piece)):
                text = re.sub(rf"(?<!\w){re.escape(piece)}(?!\w)", HIDDEN, text)
        return text

    def cells(self, released: pl.Series, column: str, rows: Sequence[int], people: np.ndarray | None) -> list[str]:
        """Some cells of a released column: as they are where `fewest` released people or more share them and no rare
        value is named, hidden elsewhere. An empty cell is shown as such by the same rule."""
        texts = as_text(released.alias("cells"))
        wanted = texts[list(rows)].to_list()
        held = _holders(texts, people, set(wanted))
        shown = self.shows(column, [text for text in wanted if text is not None])
        shown |= {text: False for text in shown if len(text) > _LONGEST}
        return [
            ("" if text is None else text) if held[text] >= self.fewest and shown.get(text or "", True) else HIDDEN
            for text in wanted
        ]

    def _rare_in(self, column: str) -> tuple[pl.Series, int]:
        """The texts of the values that somebody holds but fewer than `fewest`, and the length of the longest."""
        if column not in self._rare:
            texts = as_text(self.frame[column].alias("cells"))
            counts = _counted(texts, self.persons).filter(pl.col("held") < self.fewest)
            rare = counts["cells"].drop_nulls()
            rare = rare.filter(rare.str.len_chars() > 0)
            self._rare[column] = rare, int(rare.str.len_chars().max() or 0)  # type: ignore[arg-type]
        return self._rare[column]


def pieces_of(text: str, longest: int) -> set[str]:
    """What stands between two places of a text where a word, a number or a sign begins or ends.

    >>> sorted(pieces_of("[1.5, b c]", 3))
    [' ', ' b', ' b ', ' c', ' c]', ',', ', ', ', b', '1.5', '[', ']', 'b', 'b ', 'b c', 'c', 'c]']
    """
    if longest <= 0:
        return set()
    inside = {at for found in _NUMBER.finditer(text) for at in range(found.start() + 1, found.end())}
    places = [at for at in range(len(text) + 1) if at not in inside]
    found = set()
    for i, begin in enumerate(places):
        for end in places[i + 1 :]:
            if end - begin > longest:
                break
            found.add(text[begin:end])
    return found


def _unmarked(text: str) -> str:
    """A label in which values stand as they are: inside quotes, quotes and strokes are marked by a stroke."""
    return re.sub(r"\\(.)", r"\1", text) if "\\" in text else ""


def _among(pieces: set[str], rare: pl.Series) -> set[str]:
    if not pieces or not len(rare):
        return set()
    asked = pl.Series("pieces", sorted(pieces), dtype=pl.String)
    return set(asked.filter(asked.is_in(rare.implode())).to_list())


def _counted(texts: pl.Series, people: np.ndarray | None) -> pl.DataFrame:
    """Each different cell, with how many people hold it."""
    frame = pl.DataFrame({"cells": texts})
    if people is None:
        return frame.group_by("cells").agg(held=pl.len())
    return frame.with_columns(who=pl.Series(people)).group_by("cells").agg(held=pl.col("who").n_unique())


def _holders(texts: pl.Series, people: np.ndarray | None, wanted: set[str | None]) -> dict[str | None, int]:
    known = [text for text in wanted if text is not None]
    here = (texts.is_in(known) | texts.is_null()) if known else texts.is_null()
    here = here.fill_null(True)
    mask = here.to_numpy()
    counts = _counted(texts.filter(here), None if people is None else people[mask])
    return dict(counts.iter_rows())
