"""write: a frame becomes a file or a database table, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import polars as pl

from paravent.arguments import check_call
from paravent.errors import ParaventError, TableError, either
from paravent.table.atomic import replacing
from paravent.table.delimited_write import can_say, pack, write_delimited
from paravent.table.dialect import Dialect
from paravent.table.formats import Format, format_by_name, named_format
from paravent.table.formulas import begins_formula, guarded
from paravent.table.frames import as_polars
from paravent.table.fresh import fresh, without_unused
from paravent.table.names import check_names
from paravent.table.place import refuse_own_source
from paravent.table.raw import reason_of
from paravent.table.table import Table

DEFAULT_TABLE = "data"
"""The table of a new SQLite file."""
_DIALECTS = ("input", "plain")
_FORMULAS = ("guard", "keep")


def write(
    frame: Any,
    target: str | Path,
    *,
    format: str | None = None,
    table: str | None = None,
    sheet: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    dialect: Dialect | Literal["input", "plain"] = "input",
    formulas: Literal["guard", "keep"] = "guard",
) -> None:
    """Write a frame, replacing what was there in one step.

    The format follows the name of `target` (`.csv`, `.csv.gz`, `.tsv`, `.parquet`, `.arrow`, `.feather`, `.xlsx`,
    `.jsonl`, `.sqlite`, `.sav`, `.dta`) or `format`; a SQLAlchemy URL with `table` writes to a database.

    Delimited text is written as the file that a Table was read from (`dialect="input"`), or with commas, decimal points
    and in UTF-8 (`"plain"`, and for any other frame); `delimiter`, `decimal` and `encoding` overrule either, and `.tsv`
    means tabs. In delimited text and workbooks, texts that a spreadsheet would run as a formula get an apostrophe in
    front; `formulas="keep"` leaves them as they are. All else is read back by `read` to the same values.

    >>> import tempfile
    >>> from paravent.table.read import read
    >>> path = Path(tempfile.mkdtemp()) / "out.csv"
    >>> write(pl.DataFrame({"zip": ["01234", None], "note": ["=1+1", "fine"]}), path)
    >>> read(path).frame.rows()
    [('01234', "'=1+1"), (None, 'fine')]
    """
    check_call(write, locals(), TableError)
    what = str(target)
    values = frame.frame if isinstance(frame, Table) else as_polars(frame)
    _check_frame(values)
    if not isinstance(dialect, Dialect):
        _check_choice("dialect", dialect, _DIALECTS)
        own = frame.origin.dialect if isinstance(frame, Table) and dialect == "input" else None
    else:
        own = dialect
    _check_choice("formulas", formulas, _FORMULAS)
    options = {"delimiter": delimiter, "decimal": decimal, "encoding": encoding}
    if isinstance(frame, Table):
        refuse_own_source(frame.origin.place, target, table_of_target(target, table, format))
    if isinstance(target, str) and "://" in target:
        _into_database({_named(table, "the database"): values}, target, "a database", options)
        return
    path = Path(os.path.expanduser(target))
    found = format_of_target(path, format)
    if found is Format.SQLITE:
        _into_database({table or DEFAULT_TABLE: values}, path, found.called, options)
        return
    if found is not Format.DELIMITED:
        _only_for_text(what, found.called, options)
    if table is not None:
        raise TableError(f"{what} is not a database, for which table= means nothing. Leave it out.")
    if formulas == "guard" and found in (Format.DELIMITED, Format.EXCEL):
        _refuse_formula_names(values)
        values = guarded(values)
    spelled = Dialect()
    if found is Format.DELIMITED:
        spelled = _spelled(values, path, own, options)
    with replacing(path) as part:
        try:
            _write(values, part, found, sheet, spelled, packed=path.suffix.lower() == ".zsav")
            if path.suffix.lower() == ".gz":
                pack(part)
        except (ParaventError, OSError):
            raise
        except (Exception, pl.exceptions.PanicException) as error:
            raise TableError(f"{what} cannot be written: {reason_of(error)}.") from None


def write_database(tables: Mapping[str, pl.DataFrame], target: str | os.PathLike[str], **given: Any) -> None:
    """Write frames to a database, by the names of their tables, all of them or none. `given` are options of `write`."""
    for frame in tables.values():
        _check_frame(frame)
    for_text = {name: given.get(name) for name in ("delimiter", "decimal", "encoding")}
    _into_database(tables, target, "a database", for_text)


def _into_database(
    tables: Mapping[str, pl.DataFrame], target: str | os.PathLike[str], called: str, options: dict[str, str | None]
) -> None:
    _only_for_text(str(target), called, options)
    from paravent.table.database_write import write_sqlite, write_url

    if "://" in str(target):
        write_url(tables, str(target))
    else:
        write_sqlite(tables, Path(os.path.expanduser(target)))


def _check_frame(frame: pl.DataFrame) -> None:
    check_names(frame.columns, "the frame", "Rename it.")
    _refuse_nested(frame)


def format_of_target(path: Path, format: str | None = None) -> Format:
    """The format in which a file would be written, or the reason why it cannot be."""
    found = named_format(format) if format is not None else format_by_name(path)
    if found is None:
        raise TableError(
            f"{path}: the ending of its name tells no format. Use .csv or .parquet" + either(", or pass format=….", ".")
        )
    if path.suffix.lower() == ".gz" and found not in (Format.DELIMITED, Format.JSON_LINES):
        raise TableError(f"{path}: {found.called} is packed by itself. Leave out .gz.")
    return found


def table_of_target(target: str | os.PathLike[str], table: str | None, format: str | None = None) -> str | None:
    """The table that would be written, where the target is a database."""
    if table is not None or "://" in os.fspath(target):
        return table
    return DEFAULT_TABLE if format_of_target(Path(target), format) is Format.SQLITE else None


def _spelled(frame: pl.DataFrame, path: Path, own: Dialect | None, options: dict[str, str | None]) -> Dialect:
    base = own or Dialect()
    if own is not None and options["encoding"] is None and not can_say(frame, own.encoding):
        options = {**options, "encoding": "utf-8"}
    if options["delimiter"] is None and {".tsv", ".tab"} & {suffix.lower() for suffix in path.suffixes}:
        options = {**options, "delimiter": "\t"}
    return base.with_wishes(**options)


def _write(
    frame: pl.DataFrame, part: Path, found: Format, sheet: str | None, dialect: Dialect, *, packed: bool
) -> None:
    match found:
        case Format.DELIMITED:
            write_delimited(_without_nan(frame), part, dialect)
        case Format.PARQUET:
            without_unused(frame).write_parquet(part)
        case Format.ARROW:
            fresh(frame).write_ipc(part, compression="zstd")
        case Format.JSON_LINES:
            _without_nan(frame).write_ndjson(part)
        case Format.SPSS | Format.STATA:
            from paravent.table.statistical_write import write_statistical

            write_statistical(frame, part, found, packed=packed)
        case Format.SAS:
            raise TableError("SAS files are read, but not written. Write .sav, .dta or .csv, which SAS imports.")
        case _:
            from paravent.table.excel_write import write_excel

            write_excel(frame, part, sheet or "Sheet1")


def _without_nan(frame: pl.DataFrame) -> pl.DataFrame:
    """NaN is a missing value; text formats have no other word for it."""
    floats = [name for name, dtype in frame.schema.items() if dtype.is_float()]
    return frame.with_columns(pl.col(floats).fill_nan(None)) if floats else frame


def _refuse_formula_names(frame: pl.DataFrame) -> None:
    names = pl.Series(frame.columns, dtype=pl.String)
    for name in names.filter(begins_formula(names)).to_list():
        raise TableError(
            f"column {name!r}: a spreadsheet would run its name as a formula. Rename it, or pass formulas='keep'."
        )


def _refuse_nested(frame: pl.DataFrame) -> None:
    for name, dtype in frame.schema.items():
        if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
            raise TableError(
                f"column {name!r} holds {dtype}, not plain values. Drop it, or turn it into plain values first."
            )


def _only_for_text(what: str, called: str, options: dict[str, str | None]) -> None:
    for name, value in options.items():
        if value is not None:
            raise TableError(f"{what} is {called}, for which {name}= means nothing. Leave it out.")


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise TableError(f"{name}={value!r} is not known. Use {' or '.join(map(repr, choices))}.")


def _named(table: str | None, what: str) -> str:
    if not table:
        raise TableError(f"{what}: say which table to write with " + either("table=….", "--output-table NAME."))
    return table
