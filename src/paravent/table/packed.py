"""Texts that repeat, as numbers into a dictionary: one to four bytes a cell in place of sixteen.

Types change with it, so it is done where nobody looks at the table, only at its release: there a text is a text again.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from paravent import kernels
from paravent.table.domain import often_differ
from paravent.table.narrow import narrow
from paravent.table.table import Table, with_series

LARGE = 1_000_000
"""Rows from which on it is worth while."""


def packed_table(table: Table) -> Table:
    """The table in less memory, with the same cells. Who holds the one before holds its texts.

    >>> from paravent.table.read import read
    >>> small = read(pl.DataFrame({"sex": ["f", "m"]}))
    >>> packed_table(small) is small
    True
    """
    if len(table) < LARGE:
        return table
    texts = [cells for cells in table.frame.get_columns() if cells.dtype == pl.String]
    return replace(table, frame=with_series(table.frame, [packed_texts(cells) for cells in texts]))


def packed_texts(cells: pl.Series) -> pl.Series:
    """The same texts in a dictionary; as they are where most of them differ.

    >>> packed_texts(pl.Series("sex", ["f", None, "m", "f"])).cast(pl.String).to_list()
    ['f', None, 'm', 'f']
    """
    plain = cells.alias("cells")
    if often_differ(plain):
        return cells
    found = kernels.text_codes(plain)
    values = plain.gather(found.first)
    numbers = pl.Series("codes", narrow(found.codes, len(values) + 1))  # a missing cell has the one after the last
    dtype = pl.Categorical(pl.Categories.random("packed", physical=numbers.dtype))
    known = values.cast(dtype)  # holds the dictionary that numbers are read by
    if known.to_physical().to_list() != list(range(len(values))):  # numbered as they come, from 0
        return cells
    if plain.null_count():
        numbers = pl.select(pl.when(numbers != len(values)).then(numbers)).to_series().alias("codes")
    return pl.DataFrame([numbers]).select(pl.col("codes").cat.to(dtype)).to_series().alias(cells.name)
