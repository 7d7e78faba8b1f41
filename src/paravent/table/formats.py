"""Which format a file has: by its first bytes where they tell, else by its name."""

from __future__ import annotations

import gzip
import zlib
from enum import StrEnum
from pathlib import Path

from paravent.arguments import shown
from paravent.errors import TableError
from paravent.table.atomic import real_path


class Format(StrEnum):
    DELIMITED = "csv"
    PARQUET = "parquet"
    ARROW = "arrow"
    EXCEL = "excel"
    JSON_LINES = "jsonl"
    SQLITE = "sqlite"
    SPSS = "spss"
    STATA = "stata"
    SAS = "sas"

    @property
    def called(self) -> str:
        """Its name in a sentence."""
        return _NAMES[self]


_NAMES = {
    Format.DELIMITED: "delimited text",
    Format.PARQUET: "Parquet",
    Format.ARROW: "Arrow",
    Format.EXCEL: "Excel",
    Format.JSON_LINES: "JSON lines",
    Format.SQLITE: "SQLite",
    Format.SPSS: "SPSS",
    Format.STATA: "Stata",
    Format.SAS: "SAS",
}


_BY_NAME = {
    "csv": Format.DELIMITED, "tsv": Format.DELIMITED, "tab": Format.DELIMITED, "txt": Format.DELIMITED,
    "data": Format.DELIMITED, "dat": Format.DELIMITED, "test": Format.DELIMITED,
    "parquet": Format.PARQUET, "pq": Format.PARQUET,
    "arrow": Format.ARROW, "feather": Format.ARROW, "ipc": Format.ARROW, "arrows": Format.ARROW,
    "xlsx": Format.EXCEL, "xlsm": Format.EXCEL, "xlsb": Format.EXCEL, "xls": Format.EXCEL, "ods": Format.EXCEL,
    "excel": Format.EXCEL,
    "jsonl": Format.JSON_LINES, "ndjson": Format.JSON_LINES,
    "sqlite": Format.SQLITE, "sqlite3": Format.SQLITE, "db": Format.SQLITE,
    "sav": Format.SPSS, "zsav": Format.SPSS, "spss": Format.SPSS, "dta": Format.STATA, "stata": Format.STATA,
    "sas7bdat": Format.SAS, "xpt": Format.SAS, "xport": Format.SAS, "sas": Format.SAS,
}  # fmt: skip
_BY_BYTES = (
    (b"PAR1", Format.PARQUET),
    (b"ARROW1", Format.ARROW),
    (b"\xff\xff\xff\xff", Format.ARROW),
    (b"SQLite format 3\0", Format.SQLITE),
    (b"$FL2", Format.SPSS),
    (b"$FL3", Format.SPSS),
    (b"<stata_dta>", Format.STATA),
    (b"HEADER RECORD*******LIB", Format.SAS),
    (b"\0" * 12 + b"\xc2\xea\x81\x60", Format.SAS),
    (b"PK\x03\x04", Format.EXCEL),
    (b"\xd0\xcf\x11\xe0", Format.EXCEL),
)


def format_of(path: Path, forced: str | None = None) -> tuple[Format, str]:
    """The format of a file that is there, with the reason."""
    _refuse_unreadable(path)
    if forced is not None:
        named = named_format(forced)
        return named, f"{named.called} (as you said)"
    head = _head(path)
    for magic, found in _BY_BYTES:
        if head.startswith(magic):
            return found, f"{found.called} (by its first bytes)"
    by_name = _BY_NAME.get(suffix_of(path))
    if by_name in (Format.PARQUET, Format.ARROW, Format.EXCEL, Format.SQLITE, Format.SPSS, Format.SAS):
        if not head:
            raise TableError(f"{path} is empty.")
        raise TableError(
            f"{path} is not {by_name.called}, as its name says. Pass format='csv' if it is delimited text."
        )
    if by_name is None and head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return Format.JSON_LINES, "JSON lines (it begins with an object)"
    if by_name is not None:
        return by_name, f"{by_name.called} (by its name)"
    if suffix_of(path) == "json":
        raise TableError(
            f"{path}: JSON is read as JSON lines only, one object a line. Rewrite it, or pass format='jsonl'."
        )
    return Format.DELIMITED, "delimited text (nothing else fits)"


def named_format(name: str) -> Format:
    found = _BY_NAME.get(name.lower().removeprefix(".")) if isinstance(name, str) else None
    if found is None:
        raise TableError(f"format={shown(name)} is not known. Formats are {', '.join(Format)}.")
    return found


def format_by_name(path: Path) -> Format | None:
    """The format that a name promises, for writing."""
    return _BY_NAME.get(suffix_of(path))


def suffix_of(path: Path) -> str:
    """The ending that tells the format: the one before `.gz`, if there is one."""
    suffixes = [suffix.lower().removeprefix(".") for suffix in path.suffixes]
    if suffixes and suffixes[-1] == "gz":
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _refuse_unreadable(path: Path) -> None:
    try:
        path = real_path(path)
        if path.is_dir():
            raise TableError(f"{path} is a folder. Pass one file.")
        if not path.exists():
            raise TableError(f"{path} does not exist.")
        if not path.is_file():
            raise TableError(f"{path} is not a file.")
        with path.open("rb") as file:
            file.read(1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TableError(f"{path} cannot be opened: {reason.lower()}.") from None


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        head = file.read(64)
    if head.startswith(b"\x1f\x8b"):
        try:
            with gzip.open(path) as file:
                return file.read(64)
        except (OSError, EOFError, zlib.error):
            return b""
    return head
