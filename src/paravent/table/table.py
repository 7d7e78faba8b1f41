"""Table: what we hold. Typed columns, their kinds, and where every row came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl

from paravent.arguments import Checked, check_call
from paravent.errors import Note, TableError
from paravent.near import suggest
from paravent.table.dialect import Dialect
from paravent.table.fingerprint import FileStamp, fingerprint_of_file, fingerprint_of_frame
from paravent.table.kinds import Column, Kind, KindWish
from paravent.table.options import Address
from paravent.table.place import Place
from paravent.table.text import as_text

_SHOWN_ROWS, _SHOWN_COLUMNS = 5, 20
"""What a notebook shows of a table."""


@dataclass(frozen=True)
class Origin:
    """Where a table came from, and every choice its reader made (`delimiter`, `encoding`, …), with the reason.

    `notes` are sentences the user should read: what looks odd, and how to say what is meant.
    `source` is what the fingerprint is taken from: the file, or the frame as it was before any cleaning.
    `address` tells where the very same cells can be read again; None once the rows or cells are no longer those.
    `dialect` is how a delimited file was spelled, `place` where the table lies, so that it is not written over.
    """

    description: str
    choices: Mapping[str, str] = field(default_factory=dict)
    fingerprint: str = ""
    notes: tuple[Note, ...] = ()
    source: FileStamp | pl.DataFrame | None = field(default=None, repr=False, compare=False)
    address: Address | None = field(default=None, repr=False, compare=False)
    dialect: Dialect | None = None
    place: Place | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False, repr=False)
class Table(Checked):
    """Rows about people. Invariant: `columns` names exactly the columns of `frame`, in its order;
    `rows[i]` is the position (from 0) that row i had in the source, strictly increasing.

    >>> from paravent.table.read import read
    >>> read(pl.DataFrame({"age": [34, None], "job": ["clerk", "nurse"]}))
    Table: 2 rows × 2 columns, from a polars frame (age: integer, job: nominal)
    """

    frame: pl.DataFrame
    columns: Mapping[str, Column]
    rows: np.ndarray
    origin: Origin

    def __len__(self) -> int:
        return self.frame.height

    def __repr__(self) -> str:
        kinds = [f"{column.name}: {column.kind}" for column in self.columns.values()]
        shown = ", ".join(kinds[:8]) + (f", … {len(kinds) - 8} more" if len(kinds) > 8 else "")
        return f"Table: {len(self)} rows × {len(kinds)} columns, from {self.origin.description} ({shown})"

    def _repr_html_(self) -> str:
        from paravent import notebook

        names = self.names[:_SHOWN_COLUMNS]
        rows = zip(*(as_text(self.frame[name].head(_SHOWN_ROWS).alias("cells")) for name in names), strict=True)
        more = f", {len(self.names) - len(names)} columns not shown" if len(names) < len(self.names) else ""
        heads = [f"{name} ({self.kind(name)})" for name in names]
        right = [at for at, name in enumerate(names) if self.kind(name).is_numeric]
        size = f"Table: {len(self)} rows × {len(self.names)} columns, from {self.origin.description}"
        return notebook.shown(
            f"{size}; the first {min(_SHOWN_ROWS, len(self))} rows{more}",
            notebook.table(heads, [["" if cell is None else cell for cell in row] for row in rows], right=right),
            notebook.sentences(self.notes),
        )

    @property
    def names(self) -> list[str]:
        return self.frame.columns

    @property
    def notes(self) -> tuple[Note, ...]:
        return self.origin.notes

    def kind(self, name: str) -> Kind:
        check_call(Table.kind, locals(), TableError)
        if name not in self.columns:
            raise TableError(f"the table has no column {name!r}. {suggest(name, self.names)}")
        return self.columns[name].kind

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the source: of a file's bytes, or of the content of a frame or query result."""
        if self.origin.fingerprint:
            return self.origin.fingerprint
        source = self.origin.source
        if isinstance(source, FileStamp):
            return fingerprint_of_file(source)
        return fingerprint_of_frame(self.frame if source is None else source)

    @cached_property
    def order_key(self) -> str:
        """Another hash of all cells, for the shuffle of a release. It is published nowhere."""
        return fingerprint_of_frame(self.frame, purpose="the order of the rows")

    def with_kinds(self, kinds: Mapping[str, KindWish]) -> Table:
        """The same table with the kinds of some columns as you say.

        A wish is a Kind or its name, the values of an ordinal column from lowest to highest, or the format of dates.

        >>> from paravent.table.read import read
        >>> table = read(pl.DataFrame({"size": ["big", "tiny"], "born": ["31.12.1999", "01.02.2003"]}))
        >>> table = table.with_kinds({"size": ("tiny", "big"), "born": "%d.%m.%Y"})
        >>> table.columns["size"].order, table.frame["born"].to_list()
        (('tiny', 'big'), [datetime.date(1999, 12, 31), datetime.date(2003, 2, 1)])
        """
        check_call(Table.with_kinds, locals(), TableError)
        from paravent.table.convert import convert

        unknown = [name for name in kinds if name not in self.columns]
        if unknown:
            raise TableError(f"kinds: there is no column {unknown[0]!r}. {suggest(unknown[0], self.names)}")
        columns, changed = dict(self.columns), []
        for name, wish in kinds.items():
            values, columns[name] = convert(self.frame[name], columns[name], wish, self.rows)
            changed.append(values)
        frame = with_series(self.frame, changed)
        source = self.frame if self.origin.source is None else self.origin.source
        return replace(self, frame=frame, columns=columns, origin=replace(self.origin, source=source))

    def only_rows(self, keep: np.ndarray) -> Table:
        """The rows at these positions (ascending) of this table, with their identity."""
        check_call(Table.only_rows, locals(), TableError)
        if keep.ndim != 1 or (len(keep) and (keep.dtype.kind not in "iu" or keep.min() < 0 or keep.max() >= len(self))):
            raise TableError(f"only_rows: keep must hold positions from 0 to {len(self) - 1}.")
        keep = keep.astype(np.int64, copy=False)
        frame = self.frame[keep] if len(keep) != len(self) else self.frame
        missing = dict(zip(frame.columns, frame.null_count().row(0), strict=True)) if frame.width else {}
        columns = {name: replace(column, missing=missing[name]) for name, column in self.columns.items()}
        source = self.frame if self.origin.source is None else self.origin.source
        return Table(frame, columns, self.rows[keep], replace(self.origin, source=source, address=None))


def with_series(frame: pl.DataFrame, changed: Sequence[pl.Series]) -> pl.DataFrame:
    """The frame with some of its columns changed, however many there are and whatever they are called."""
    if not changed:
        return frame
    by_name = {values.name: values for values in changed}
    return pl.DataFrame([by_name.get(values.name, values) for values in frame.get_columns()])
