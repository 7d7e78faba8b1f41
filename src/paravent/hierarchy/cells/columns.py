"""All distinct cells of a column read at once.

Where classes are labelled by their own ends there may be as many intervals as classes: values, nodes and intervals in
brackets are found together, whatever is written otherwise one by one. `CellReader.read` says the same of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from paravent.hierarchy.cells.interval import EXACT
from paravent.hierarchy.cells.places import as_places
from paravent.hierarchy.cells.reader import CellReader, Form

_FEW = 2_000
"""So few values and labels are looked up one by one: quicker than a join."""
_BRACKETS = r"^([\[\](])({place}), ({place})([\[\])])$"


@dataclass(frozen=True, eq=False)
class ReadColumn:
    """What the labels of a column cover, one entry a label.

    Label l covers the ranks from `first[l]` to `last[l]`, or exactly `sets[l]` where these are no neighbours; none
    where `last[l]` is below `first[l]`. Intervals and numbers lie between `low[l]` and `high[l]` (nan for other forms),
    an end that is open left out. `at_values` says that both ends of an interval are values of the column.
    """

    form: np.ndarray
    first: np.ndarray
    last: np.ndarray
    sets: dict[int, np.ndarray]
    low: np.ndarray
    high: np.ndarray
    open_low: np.ndarray
    open_high: np.ndarray
    at_values: np.ndarray

    @classmethod
    def of(cls, reader: CellReader, labels: Sequence[str]) -> ReadColumn:
        """
        >>> read = CellReader(("17", "20", "24"), positions=np.array([17.0, 20, 24]))
        >>> found = ReadColumn.of(read, ["20", "[17, 20]", "{17, 24}", "22.5", "young"])
        >>> [Form(form).name for form in found.form], found.first.tolist(), found.last.tolist()
        (['VALUE', 'INTERVAL', 'SET', 'NUMBER', 'UNREAD'], [1, 0, 0, 0, 0], [1, 1, 2, -1, -1])
        """
        n = len(labels)
        found = cls(
            np.zeros(n, np.int8),
            np.zeros(n, np.int64),
            np.full(n, -1, np.int64),
            {},
            np.full(n, np.nan),
            np.full(n, np.nan),
            np.zeros(n, bool),
            np.zeros(n, bool),
            np.zeros(n, bool),
        )
        known = ranks_of(reader.values, labels)
        value = known >= 0
        found.form[value] = Form.VALUE
        found.first[value] = found.last[value] = known[value]
        if reader.line is not None and reader.ascending is not None:
            others = [i for i in np.flatnonzero(~value).tolist() if reader.group(labels[i]) is None]
            texts = pl.Series([labels[i] for i in others], dtype=pl.String)
            _read_brackets(found, reader, np.array(others, dtype=np.int64), texts)
        for i in np.flatnonzero(found.form == Form.UNREAD).tolist():
            _read_one(found, reader, i, labels[i])
        return found


def ranks_of(values: Sequence[str], labels: Sequence[str | None]) -> np.ndarray:
    """The rank of each label that is a value itself, −1 for the others. Most labels, as a rule."""
    if len(values) + len(labels) < _FEW:
        rank_of = {value: rank for rank, value in enumerate(values)}
        return np.array([-1 if label is None else rank_of.get(label, -1) for label in labels], dtype=np.int64)
    known = pl.DataFrame(
        {"label": values, "rank": np.arange(len(values))}, schema={"label": pl.String, "rank": pl.Int64}
    )
    asked = pl.DataFrame({"label": labels}, schema={"label": pl.String})
    found = asked.join(known, on="label", how="left", maintain_order="left")["rank"].fill_null(-1)
    return np.asarray(found.to_numpy())


def _read_brackets(found: ReadColumn, reader: CellReader, labels: np.ndarray, texts: pl.Series) -> None:
    """The intervals in brackets that are no nodes of the tree."""
    line, placed = reader.line, reader.ascending
    assert line is not None
    assert placed is not None
    if not len(labels):
        return
    parts = texts.str.extract_groups(_BRACKETS.format(place=line.value)).struct.unnest()
    left, *ends, right = (parts[name] for name in parts.columns)
    begin, end = (as_places(each, line) for each in ends)
    open_low = left.is_in(["]", "("]).fill_null(False).to_numpy()
    open_high = right.is_in(["[", ")"]).fill_null(False).to_numpy()
    first_value, last_value = (ranks_of(reader.values, each.to_list()) for each in ends)
    closed = ~open_low & ~open_high
    at_values = closed & (first_value >= 0) & (first_value <= last_value)
    first = np.where(open_low, np.searchsorted(placed, begin, side="right"), np.searchsorted(placed, begin))
    after = np.where(open_high, np.searchsorted(placed, end), np.searchsorted(placed, end, side="right"))
    first, after = np.where(at_values, first_value, first), np.where(at_values, last_value + 1, after)
    sharp = (np.abs(begin) < EXACT) & (np.abs(end) < EXACT)
    read = (begin <= end) & (at_values | (sharp & ~(closed & (first_value >= 0) & (last_value >= 0))))
    at = labels[read]
    found.form[at] = Form.INTERVAL
    found.first[at], found.last[at] = first[read], np.maximum(after, first)[read] - 1
    found.low[at], found.high[at] = begin[read], end[read]
    found.open_low[at], found.open_high[at] = open_low[read], open_high[read]
    found.at_values[at] = at_values[read]


def _read_one(found: ReadColumn, reader: CellReader, at: int, label: str) -> None:
    cell = reader.read(label)
    if cell is None:
        return
    found.form[at] = cell.form
    if len(cell.ranks):
        found.first[at], found.last[at] = cell.ranks[0], cell.ranks[-1]
        if len(cell.ranks) <= cell.ranks[-1] - cell.ranks[0]:
            found.sets[at] = np.array(cell.ranks, dtype=np.int64)
    if cell.interval is not None:
        found.low[at], found.high[at] = cell.interval.low, cell.interval.high
        found.open_low[at], found.open_high[at] = cell.interval.open_low, cell.interval.open_high
        found.at_values[at] = cell.form is Form.INTERVAL and cell.interval.written == ("", "")
