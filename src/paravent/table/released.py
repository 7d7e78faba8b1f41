"""Reading a released table: cells stay apart that a stranger with the file could tell apart.

`read` is for tables to work with: NaN is a missing value, blanks around cells go, `1` and `1.0` are one number. Who
judges a release must not overlook any of that. Here a column has the values that `read` finds only where they say
exactly as much as the cells do; else it has the cells, letter by letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from paravent.errors import Note, TableError, quote
from paravent.table.exact import one_to_one
from paravent.table.fingerprint import FileStamp
from paravent.table.kinds import Kind, KindWish
from paravent.table.options import Missing, Options
from paravent.table.raw import reading
from paravent.table.read import raw_of, table_of
from paravent.table.table import Table
from paravent.table.text import as_text


def read_released(
    source: Any,
    labels: Iterable[str] = (),
    *,
    na: Missing = None,
    kinds: Mapping[str, KindWish] | None = None,
    **options: Any,
) -> tuple[pl.DataFrame, tuple[Note, ...]]:
    """A released table, and what its reader noticed. The columns `labels` are text where the source is text.

    Options are those of `read`.

    >>> frame = pl.DataFrame({"weight": [0.0, -0.0, float("nan"), None]})
    >>> read_released(frame)[0]["weight"].to_list()
    [0.0, -0.0, nan, None]
    """
    raw = raw_of(source, Options(**options), exact=True)
    known = set(raw.frame.columns)
    table = table_of(raw, na, {**{name: Kind.NOMINAL for name in labels if name in known}, **(kinds or {})})
    written = raw.frame if raw.exact is None else raw.exact
    notes = list(table.notes)
    with reading(raw.description):
        columns = [
            _exact(found, cells, na, notes)
            for found, cells in zip(table.frame.get_columns(), written.get_columns(), strict=True)
        ]
    return pl.DataFrame(columns), tuple(notes)


def _exact(found: pl.Series, written: pl.Series, na: Missing, notes: list[Note]) -> pl.Series:
    if one_to_one(found, written):
        return found
    if na is not None and (not isinstance(na, Mapping) or found.name in na):
        raise TableError(
            f"na: in column {found.name!r} different cells of the release would become the same missing value. "
            "Leave it out: a release is judged by its cells as they stand."
        )
    told = f"column {found.name!r}: cells that differ mean the same value"
    if (twins := _twins(found, written)) is not None:
        told += f", such as {quote(twins[0])} and {quote(twins[1])}"
    notes.append(Note(f"{told}. They are told apart, so the column is taken as it is written."))
    return written


def _twins(found: pl.Series, written: pl.Series) -> tuple[str, str] | None:
    """Two cells that became the same value, the first ones."""
    pairs = pl.DataFrame({"value": as_text(found), "cell": as_text(written)}).unique(maintain_order=True)
    twice = pairs.filter(pairs["value"].is_duplicated())
    if not twice.height:
        return None
    same = twice.filter(twice["value"].eq_missing(pl.Series([twice["value"][0]], dtype=pl.String)))
    first, second = same["cell"].head(2).to_list()
    return str(first), str(second)


def as_it_stands(released: Any, labels: Iterable[str] = ()) -> pl.DataFrame:
    """The cells of a released table, wherever it is: a file, a database, a frame of any library, or a Table.

    A Table of a file or database is read again, for it holds values and not cells; one that is no longer what its
    source holds (rows left out, cells cleaned) is judged as it is.
    """
    if isinstance(released, pl.DataFrame):
        return released
    if not isinstance(released, Table):
        return read_released(released, labels)[0]
    address, stamp = released.origin.address, released.origin.source
    if address is None:
        return released.frame
    if isinstance(stamp, FileStamp) and (not stamp.path.is_file() or FileStamp.of(stamp.path) != stamp):
        raise TableError(f"{stamp.path} has changed since it was read. Read it again.")
    return read_released(address.source, labels, na=address.na, **address.options.given())[0]
