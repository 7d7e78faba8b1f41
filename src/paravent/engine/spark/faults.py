"""What goes wrong on a cluster, as one sentence. Values of the table stay out of it: Spark logs what workers raise."""

from __future__ import annotations

import re
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from paravent import errors
from paravent.errors import ParaventError, TableError

_OURS = re.compile(r"paravent\.errors\.(\w+): (.+)")
_KNOWN = (
    (r"No space left on device|DiskFullException|ENOSPC|quota", "the disk is full where Spark writes. Make room, or "
     "name another folder with staging= (--staging)."),
    (r"CSV header does not conform|does not conform to the schema", "the files have different columns: a header "
     "differs from that of the first file. Give files of one table."),
    (r"PARQUET_COLUMN_DATA_TYPE_MISMATCH|FAILED_READ_FILE|CANNOT_MERGE_SCHEMAS|ParquetDecodingException|is not a "
     r"Parquet file", "a file cannot be read like the others: it is damaged, or its columns have other types. Give "
     "files of one table."),
    (r"OutOfMemory|MemoryError|Container killed|exit code 137|java heap", "a worker ran out of memory. Give executors "
     "more, or make blocks smaller with block= (--block)."),
    (r"ExecutorLostFailure|executor lost|Python worker exited|worker lost|has been lost|SparkContext was "
     r"(?:stopped|shut ?down)|Master removed|Connection refused|cancelled because|All masters are unresponsive",
     "workers of the cluster were lost before the work was done. Run it again when they are back."),
    (r"UnsupportedFileSystemException|No FileSystem for scheme", "Spark does not know this kind of address. Add the "
     "connector for it to the cluster."),
    (r"Permission denied|AccessControlException", "Spark may not read or write there. Check the permissions."),
)  # fmt: skip


@contextmanager
def one_sentence(what: str) -> Iterator[None]:
    """Turn what Spark raises into a TableError; what is ours comes through as it was."""
    try:
        with warnings.catch_warnings():  # what is used of pandas here is the same in all its versions: nothing
            warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
            yield
    except ParaventError:
        raise
    except KeyboardInterrupt:
        raise
    except Exception as error:
        raise translated(str(error), what) from None


def on_worker(run: Callable[[Any], Iterator[Any]]) -> Callable[[Any], Iterator[Any]]:
    """A function of batches for workers of the cluster, whose errors hold no value: Spark writes them to its logs."""

    def guarded(batches: Any) -> Iterator[Any]:
        try:
            yield from run(batches)
        except Exception as error:
            raise without_values(error) from None

    return guarded


def without_values(error: Exception) -> ParaventError:
    """The same error without what it quotes; of a strange one, only what it is and where it arose."""
    if isinstance(error, ParaventError):
        return type(error)(error.redacted)
    place = traceback.extract_tb(error.__traceback__)[-1]
    return TableError(
        f"a worker failed with {type(error).__name__} ({place.filename.rpartition('/')[2]}, line {place.lineno}). "
        "Nothing is released."
    )


def translated(text: str, what: str) -> ParaventError:
    """The error that a message of Spark stands for.

    >>> translated("… paravent.errors.PlanError: columns.age: no tree.", "counting values")
    PlanError('columns.age: no tree.')
    >>> str(translated("java.io.IOException: No space left on device", "writing"))[:40]
    'writing: the disk is full where Spark wr'
    """
    ours = _OURS.search(text)
    if ours is not None:
        kind = getattr(errors, ours.group(1), TableError)
        found: ParaventError = kind(ours.group(2).strip())
        return found
    for pattern, sentence in _KNOWN:
        if re.search(pattern, text, re.IGNORECASE):
            return TableError(f"{what}: {sentence}")
    head = next((line.strip() for line in text.splitlines() if line.strip()), "no reason given")
    return TableError(f"{what}: Spark failed ({head[:200]}). Nothing was written.")
