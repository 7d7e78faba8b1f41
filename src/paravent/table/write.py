"""write: a frame becomes a file or a database table, whole or not at all."""

from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path
from typing import Any

import polars as pl

from paravent.errors import ParaventError, TableError
from paravent.table.atomic import replacing
from paravent.table.formats import Format, format_by_name, named_format
from paravent.table.frames import as_polars
from paravent.table.names import check_names
from paravent.table.raw import reason_of
from paravent.table.table import Table


def write(
    frame: Any,
    target: str | Path,
    *,
    format: str | None = None,
    table: str | None = None,
    sheet: str | None = None,
    delimiter: str | None = None,
) -> None:
    """Write a frame, replacing what was there in one step.

    The format follows the name of `target` (`.csv`, `.csv.gz`, `.tsv`, `.parquet`, `.arrow`, `.feather`, `.xlsx`,
    `.jsonl`, `.sqlite`, `.sav`, `.dta`) or `format`; a SQLAlchemy URL with `table` writes to a database. Whatever is
    written is read back by `read` to the same values.

    >>> import tempfile
    >>> from paravent.table.read import read
    >>> path = Path(tempfile.mkdtemp()) / "out.csv"
    >>> write(pl.DataFrame({"zip": ["01234", None], "age": [34, 51]}), path)
    >>> read(path).frame.rows()
    [('01234', 34), (None, 51)]
    """
    what = str(target)
    values = frame.frame if isinstance(frame, Table) else as_polars(frame)
    check_names(values.columns, "the frame", "Rename it.")
    _refuse_nested(values)
    if isinstance(target, str) and "://" in target:
        from paravent.table.database_write import write_url

        write_url(values, target, _named(table, "the database"))
        return
    path = Path(os.path.expanduser(target))
    found = named_format(format) if format is not None else format_by_name(path)
    if found is None:
        raise TableError(f"{what}: the ending of its name tells no format. Use .csv or .parquet, or pass format=….")
    if found is Format.SQLITE:
        from paravent.table.database_write import write_sqlite

        write_sqlite(values, path, table or "data")
        return
    if table is not None:
        raise TableError(f"{what} is not a database, for which table= means nothing. Leave it out.")
    if path.suffix.lower() == ".gz" and found not in (Format.DELIMITED, Format.JSON_LINES):
        raise TableError(f"{what}: {found.called} is packed by itself. Leave out .gz.")
    with replacing(path) as part:
        try:
            _write(values, part, found, path, sheet, delimiter)
        except (ParaventError, OSError):
            raise
        except (Exception, pl.exceptions.PanicException) as error:
            raise TableError(f"{what} cannot be written: {reason_of(error)}.") from None


def _write(
    frame: pl.DataFrame, part: Path, found: Format, path: Path, sheet: str | None, delimiter: str | None
) -> None:
    match found:
        case Format.DELIMITED:
            default = "\t" if ".tsv" in path.suffixes or ".tab" in path.suffixes else ","
            _write_delimited(frame, part, delimiter or default)
            _pack(part, path)
        case Format.PARQUET:
            frame.write_parquet(part)
        case Format.ARROW:
            frame.write_ipc(part, compression="zstd")
        case Format.JSON_LINES:
            _without_nan(frame).write_ndjson(part)
            _pack(part, path)
        case Format.SPSS | Format.STATA:
            from paravent.table.statistical_write import write_statistical

            write_statistical(frame, part, found, packed=path.suffix.lower() == ".zsav")
        case Format.SAS:
            raise TableError("SAS files are read, but not written. Write .sav, .dta or .csv, which SAS imports.")
        case _:
            from paravent.table.excel_write import write_excel

            write_excel(frame, part, sheet or "Sheet1")


def _write_delimited(frame: pl.DataFrame, part: Path, delimiter: str) -> None:
    if len(delimiter.encode()) != 1 or delimiter in '\r\n\0"':
        raise TableError(f"delimiter={delimiter!r} is not one plain character. Use one such as ',' or ';'.")
    frame = _without_nan(frame)
    # Values with blanks at their ends are quoted, so that no reader takes the blanks for padding.
    padded = any(_is_padded(values) for values in frame.iter_columns())
    lone = frame.width == 1 and frame.height > 0
    frame.write_csv(
        part,
        separator=delimiter,
        quote_style="non_numeric" if padded or lone else "necessary",
        check_extension=False,
    )


def _is_padded(values: pl.Series) -> bool:
    if isinstance(values.dtype, pl.Categorical | pl.Enum):
        values = values.unique().cast(pl.String)
    if values.dtype != pl.String:
        return False
    edges = values.str.starts_with(" ") | values.str.ends_with(" ") | values.str.contains("\r", literal=True)
    return bool(edges.any())


def _without_nan(frame: pl.DataFrame) -> pl.DataFrame:
    """NaN is a missing value; text formats have no other word for it."""
    floats = [name for name, dtype in frame.schema.items() if dtype.is_float()]
    return frame.with_columns(pl.col(floats).fill_nan(None)) if floats else frame


def _pack(part: Path, path: Path) -> None:
    if path.suffix.lower() != ".gz":
        return
    plain = part.read_bytes()
    with (
        part.open("wb") as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=6, mtime=0) as packed,
    ):
        shutil.copyfileobj(_reader(plain), packed, 1 << 20)


def _reader(data: bytes) -> Any:
    import io

    return io.BytesIO(data)


def _refuse_nested(frame: pl.DataFrame) -> None:
    for name, dtype in frame.schema.items():
        if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
            raise TableError(
                f"column {name!r} holds {dtype}, not plain values. Drop it, or turn it into plain values first."
            )


def _named(table: str | None, what: str) -> str:
    if not table:
        raise TableError(f"{what}: say which table to write with table=….")
    return table
