"""Missing values that the source writes as words: taken when the user says so, told when they look like it."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from paravent.errors import TableError
from paravent.near import suggest
from paravent.table.infer import sample
from paravent.table.marked import Marked
from paravent.table.options import Missing
from paravent.table.short import MARKERS
from paravent.table.table import with_series


def without_markers(frame: pl.DataFrame, na: Missing) -> pl.DataFrame:
    """The frame with these texts as missing values. In number columns they are compared as numbers.

    >>> without_markers(pl.DataFrame({"a": ["?", "x"], "b": [99, 1]}), ["?", "99"]).rows()
    [(None, None), ('x', 1)]
    """
    if na is None:
        return frame
    wanted = dict(na) if isinstance(na, Mapping) else dict.fromkeys(frame.columns, na)
    columns = {values.name: values for values in frame.get_columns()}
    changed = []
    for name, given in wanted.items():
        if name not in columns:
            raise TableError(f"na: there is no column {name!r}. {suggest(name, frame.columns)}")
        texts = [given] if isinstance(given, str) else [str(text) for text in given]
        values = columns[name]
        marks, cells = pl.Series(texts, dtype=pl.String), values
        if values.dtype.is_numeric():
            marks = marks.cast(values.dtype, strict=False).drop_nulls()
        elif isinstance(values.dtype, pl.Categorical | pl.Enum):
            cells = values.cast(pl.String)
        elif values.dtype != pl.String:
            continue
        hidden = cells.is_in(marks.implode()).fill_null(False)
        if hidden.any():
            changed.append(values.to_frame().select(pl.when(~hidden).then(pl.first())).to_series().alias(name))
    return with_series(frame, changed)


def marked_in(frame: pl.DataFrame) -> list[Marked]:
    """Words that may mean missing, found in a sample of every text column (typed sources are big)."""
    found: list[Marked] = []
    for values in frame.iter_columns():
        if values.dtype == pl.String or isinstance(values.dtype, pl.Categorical | pl.Enum):
            seen = dict.fromkeys(sample(values).cast(pl.String).to_list())
            found.extend(Marked(values.name, text) for text in seen if text in MARKERS)
    return found
