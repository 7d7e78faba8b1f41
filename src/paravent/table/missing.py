"""Missing values that the source writes as words: taken when the user says so, told when they look like it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from paravent.errors import Note, TableError, quote
from paravent.table.cells import MARKERS
from paravent.table.infer import sample

Missing = Sequence[str] | Mapping[str, Sequence[str]] | str | None
"""Texts that mean `missing`: for every column, or by column."""


def without_markers(frame: pl.DataFrame, na: Missing) -> pl.DataFrame:
    """The frame with these texts as missing values. In number columns they are compared as numbers.

    >>> without_markers(pl.DataFrame({"a": ["?", "x"], "b": [99, 1]}), ["?", "99"]).rows()
    [(None, None), ('x', 1)]
    """
    if na is None:
        return frame
    wanted = dict(na) if isinstance(na, Mapping) else dict.fromkeys(frame.columns, na)
    changes = []
    for name, given in wanted.items():
        if name not in frame.columns:
            raise TableError(f"na: there is no column {name!r}. The columns are {', '.join(frame.columns)}.")
        texts = [given] if isinstance(given, str) else [str(text) for text in given]
        dtype = frame.schema[name]
        if dtype == pl.String:
            marks = pl.Series(texts, dtype=pl.String)
        elif isinstance(dtype, pl.Categorical | pl.Enum):
            hidden = pl.col(name).cast(pl.String).is_in(pl.Series(texts, dtype=pl.String).implode())
            changes.append(pl.when(hidden).then(None).otherwise(pl.col(name)).alias(name))
            continue
        elif dtype.is_numeric():
            marks = pl.Series(texts, dtype=pl.String).cast(dtype, strict=False).drop_nulls()
        else:
            continue
        if len(marks):
            changes.append(pl.when(pl.col(name).is_in(marks.implode())).then(None).otherwise(pl.col(name)).alias(name))
    return frame.with_columns(changes) if changes else frame


def marker_notes(frame: pl.DataFrame) -> list[Note]:
    """Notes on words that may mean missing, found in a sample of every text column (typed sources are big)."""
    notes = []
    for values in frame.iter_columns():
        if values.dtype == pl.String or isinstance(values.dtype, pl.Categorical | pl.Enum):
            seen = sample(values).cast(pl.String)
            for marker in seen.filter(seen.is_in(pl.Series(MARKERS).implode())).unique(maintain_order=True):
                notes.append(
                    Note(
                        f"column {values.name!r} holds {quote(marker)}, a value like any other. "
                        f"Pass na=[{marker!r}] if it means missing."
                    )
                )
    return notes
