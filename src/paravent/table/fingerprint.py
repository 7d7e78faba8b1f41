"""Fingerprints: which data a release was made from, without holding any of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import polars as pl

from paravent import kernels
from paravent.errors import TableError

SLICE = 1 << 20
"""Rows hashed at a time. Part of the definition: another number gives other fingerprints."""


@dataclass(frozen=True)
class FileStamp:
    """A file as it was when it was read."""

    path: Path
    size: int
    modified: int

    @classmethod
    def of(cls, path: Path) -> FileStamp:
        status = path.stat()
        return cls(path.absolute(), status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=64)
def fingerprint_of_file(stamp: FileStamp) -> str:
    """SHA-256 of the file's bytes; refuses a file that is no longer the one that was read."""
    try:
        with stamp.path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256")
        now = FileStamp.of(stamp.path)
    except OSError as error:
        raise TableError(f"{stamp.path} cannot be read again for its fingerprint: {error.strerror}.") from None
    if now != stamp:
        raise TableError(f"{stamp.path} has changed since it was read. Read it again.")
    return f"sha256:{digest.hexdigest()}"


def fingerprint_of_frame(frame: pl.DataFrame, *, purpose: str = "") -> str:
    """SHA-256 of names, types and values, the same however the frame is cut into chunks. For another `purpose` it is
    another hash, which cannot be told from this one.

    >>> halves = pl.concat([pl.DataFrame({"a": ["x"]}), pl.DataFrame({"a": ["y"]})], rechunk=False)
    >>> fingerprint_of_frame(halves) == fingerprint_of_frame(pl.DataFrame({"a": ["x", "y"]}))
    True
    """
    digest = hashlib.sha256(f"{purpose}\n{frame.height}\n".encode() if purpose else f"{frame.height}\n".encode())
    for parts in _ahead([partial(_parts, series, at) for series in frame.iter_columns() for at in _begins(frame)]):
        for part in parts:
            digest.update(part)
    return f"sha256:{digest.hexdigest()}"


def _begins(frame: pl.DataFrame) -> Iterable[int]:
    """Where the slices of a column begin; the first one also where there are no rows, for what the column is."""
    return range(0, max(frame.height, 1), SLICE)


def _parts(series: pl.Series, begin: int) -> tuple[bytes | memoryview, ...]:
    head = (heading(series.name, series.dtype),) if begin == 0 else ()
    cells = series.slice(begin, SLICE).alias("cells")  # polars reads `^…$` as a pattern
    return (*head, *bytes_of(cells)) if len(cells) else head


def _ahead(works: Sequence[Callable[[], tuple[bytes | memoryview, ...]]]) -> Iterator[tuple[bytes | memoryview, ...]]:
    """What each work gives, in their order: the next one is done while somebody is busy with the last."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        waiting = [pool.submit(work) for work in works[:1]]
        for i in range(len(works)):
            found = waiting.pop().result()
            waiting += [pool.submit(work) for work in works[i + 1 : i + 2]]
            yield found


def heading(name: str, dtype: pl.DataType) -> bytes:
    """What a column is, before its values."""
    is_label = isinstance(dtype, pl.Categorical | pl.Enum)
    return f"{name!r} {'String' if is_label else dtype}\n".encode()


def bytes_of(values: pl.Series) -> tuple[bytes | memoryview, ...]:
    """The values of one slice, unambiguously: which are missing, the lengths of texts, the content."""
    missing = np.packbits(values.is_null().to_numpy()).tobytes()
    if not (values.dtype.is_integer() or values.dtype.is_float() or values.dtype.is_temporal()):
        lengths, joined = kernels.join_texts(values.cast(pl.String))
        return missing, lengths.data, joined.data
    physical = values.to_physical()
    if physical.dtype in (pl.Int128, pl.UInt128):
        return missing, repr(physical.to_list()).encode()
    return missing, physical.fill_null(0).to_numpy().data
