"""Raw: what any reader gives before kinds are inferred, and the guard that keeps library tracebacks in."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import polars as pl

from paravent.errors import Note, ParaventError, TableError, quote
from paravent.table.dialect import Dialect
from paravent.table.fingerprint import FileStamp


@dataclass(frozen=True)
class Raw:
    """A frame as it was found.

    `text` says that its strings are cells of a text file, whose types are still to be found; `dates` that strings may
    be ISO dates because the format has no dates of its own. `orders` are declared by the source. `exact` holds the same
    rows and columns with every cell as it stands in the source, where that was asked for and `frame` may say less.
    """

    frame: pl.DataFrame
    description: str
    choices: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    source: FileStamp | pl.DataFrame | None = None
    text: bool = False
    dates: bool = False
    decimal: str = "."
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    exact: pl.DataFrame | None = None
    dialect: Dialect | None = None


@contextlib.contextmanager
def reading(what: str) -> Iterator[None]:
    """Whatever a library throws while it reads `what` becomes one sentence."""
    try:
        yield
    except ParaventError:
        raise
    except MemoryError:
        raise TableError(
            f"{what} needs more memory than there is. Read fewer columns or rows, or use Parquet."
        ) from None
    except OSError as error:
        raise TableError(f"{what} cannot be read: {reason_of(error)}.") from None
    except (Exception, pl.exceptions.PanicException, zlib.error) as error:
        raise TableError(
            f"{what} cannot be read, it is damaged or not what it claims to be: {reason_of(error)}."
        ) from None


def reason_of(error: BaseException) -> str:
    """A library's own words on one line. They may hold values of the table, so they are marked as one."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return quote(lines[0].strip(), longest=200)
