"""The level CSV of other tools, read column by column.

One row a value and no header: the value, then its label on each level up to the root, separated by `;`, tab or `,`. A
row may be repeated; a group that is called like one of its values is renamed.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from paravent.errors import TreeError, quote
from paravent.hierarchy.levels import ROOT_LABEL, Level
from paravent.hierarchy.tree import Tree

_DELIMITERS = (";", "\t", ",")
_REMEMBERED = 32
_KNOWN: dict[tuple[str, str | None, bytes], Tree] = {}
"""Trees by name, delimiter and content of their file: a run asks for the same one several times."""


@dataclass(frozen=True, eq=False)
class _Lines:
    """The cells of a file, one list of texts or one column of them for each level, and where each row stands."""

    columns: Sequence[Sequence[str] | pl.Series]
    at: np.ndarray


def level_tree(name: str, text: str, delimiter: str | None) -> Tree:
    """The tree in the text of a level CSV.

    >>> level_tree("q", "q1;q12;*\\nq2;q12;*\\nq3;q3;*\\n", None)
    <Tree 'q': 3 values, 5 nodes, height 3>
    """
    key = (name, delimiter, hashlib.blake2b(text.encode()).digest())
    if key not in _KNOWN:
        tree = _tree(name, text, delimiter)
        while len(_KNOWN) >= _REMEMBERED:
            _KNOWN.pop(next(iter(_KNOWN)), None)
        _KNOWN[key] = tree
        return tree
    return _KNOWN[key]


def _tree(name: str, text: str, delimiter: str | None) -> Tree:
    lines = _plain_lines(text, delimiter) or _any_lines(name, text, delimiter)
    levels = [_level(column) for column in lines.columns]
    _refuse_header(name, levels[-1], lines.at)
    levels, at = _once(levels, lines.at)
    return Tree.from_levels(name, _apart(levels), at.tolist())


def _plain_lines(text: str, delimiter: str | None) -> _Lines | None:
    """A file without quotation marks, whose cells lie between delimiters; None where it takes a closer look."""
    text = text.replace("\r\n", "\n")
    if '"' in text or "\r" in text:
        return None
    rows = pl.Series("row", text.split("\n"), dtype=pl.String)
    here = (rows != "").to_numpy()
    rows = rows.filter(here)
    for sign in (delimiter,) if delimiter else _DELIMITERS:
        signs = rows.str.count_matches(sign, literal=True)
        if len(rows) and signs.min() == signs.max() and (delimiter or signs[0]):
            split = rows.str.split_exact(sign, int(signs[0])).struct
            return _Lines([split.field(field) for field in split.fields], np.flatnonzero(here) + 1)
    return None


def _any_lines(name: str, text: str, delimiter: str | None) -> _Lines:
    try:
        rows, at = _parsed(text, delimiter or _sniffed(text))
    except csv.Error as error:
        raise TreeError(f"tree {name!r}: the file is no CSV ({error}). Correct it there.") from None
    if not rows:
        raise TreeError(f"tree {name!r}: the file is empty. Give one row for each value.")
    for row, place in zip(rows, at, strict=True):
        if len(row) != len(rows[0]):
            raise TreeError(
                f"tree {name!r}: row {place} has {len(row)} levels, the first has {len(rows[0])}. "
                "Give every value the same number of levels (repeat a label where a branch is shorter)."
            )
    return _Lines(list(zip(*rows, strict=True)), np.array(at))


def _parsed(text: str, delimiter: str) -> tuple[list[list[str]], list[int]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, at = [], []
    for row in reader:
        if row:
            rows.append(row)
            at.append(reader.line_num)
    return rows, at


def _sniffed(text: str) -> str:
    """The first delimiter that gives every row the same number of levels, at least two; else the most frequent one."""
    for delimiter in _DELIMITERS:
        try:
            widths = {len(row) for row in _parsed(text, delimiter)[0]}
        except csv.Error:
            continue
        if len(widths) == 1 and widths != {1}:
            return delimiter
    return max(_DELIMITERS, key=text.count)


def _level(cells: Sequence[str] | pl.Series) -> Level:
    """A column as a level, labels in order of first appearance. Blanks alone are nothing."""
    column = pl.Series("cells", cells, dtype=pl.String)
    labels = column.unique(maintain_order=True)
    codes = column.cast(pl.Enum(labels)).to_physical().to_numpy().astype(np.int32)
    return Level(codes, tuple("" if label.isspace() else label for label in labels.to_list()))


def _refuse_header(name: str, top: Level, at: np.ndarray) -> None:
    if len(top.labels) == 2 and top.labels[1] == ROOT_LABEL and np.count_nonzero(top.codes == 0) == 1:
        raise TreeError(
            f"tree {name!r}: row {at[0]} ends in {quote(top.labels[0])} and all others in {ROOT_LABEL!r}. "
            "If it is a header, remove it; else end it in the same label."
        )


def _once(levels: list[Level], at: np.ndarray) -> tuple[list[Level], np.ndarray]:
    """Rows that are written again left out, for they say nothing new."""
    if len(levels[0].labels) == len(at):
        return levels, at
    codes = np.stack([level.codes for level in levels], axis=1)
    kept = np.sort(np.unique(codes, axis=0, return_index=True)[1])
    return [Level(level.codes[kept], level.labels) for level in levels], at[kept]


def _apart(levels: list[Level]) -> list[Level]:
    """Levels whose groups have other names than the values in them: `33.1` over 33.1 and 33.11 is called `33.1
    (group)`. Published, it could not be told from the value."""
    values, taken = levels[0].labels, {label for level in levels for label in level.labels}
    row_of = np.zeros(len(values), dtype=np.int64)
    row_of[levels[0].codes[::-1]] = np.arange(len(levels[0].codes))[::-1]
    place = {label: i for i, label in enumerate(values)}
    apart = [levels[0]]
    for level in levels[1:]:
        sizes, labels = np.bincount(level.codes, minlength=len(level.labels)), list(level.labels)
        for i, label in enumerate(level.labels):
            if label in place and sizes[i] > 1 and level.codes[row_of[place[label]]] == i:
                labels[i] = f"{label} (group)"
                while labels[i] in taken:
                    labels[i] += "'"
        apart.append(Level(level.codes, tuple(labels)))
    return apart
