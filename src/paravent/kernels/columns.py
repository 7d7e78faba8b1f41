"""Columns as they come: texts read where they lie, codes of any type counted; cpp/texts.hpp, cpp/counting.hpp."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl

from paravent.kernels import native

_PLAIN = {1: np.uint8, 2: np.uint16, 4: np.uint32}
"""Codes are never negative, so a signed type counts as the unsigned one of its size: what is negative is out of bounds
there."""

_SHORT = 12
"""A text of so many bytes lies in its view."""


class TextColumn(Protocol):
    """A column of texts that shows its memory, as a polars Series does; `str` columns alone."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class TextCodes(NamedTuple):
    """The texts of a column by numbers, in the order in which they come; missing cells have the number after the last.
    `first` is the first row of each number, `counts` how often it occurs."""

    codes: np.ndarray
    first: np.ndarray
    counts: np.ndarray


def text_codes(cells: TextColumn) -> TextCodes:
    """The number of each cell's text."""
    codes, first, counts = native.module.text_codes(cells.__arrow_c_stream__())
    if int(counts.sum()) < len(codes):  # some are missing
        np.minimum(codes, np.uint32(len(first)), out=codes)
    return TextCodes(codes, first, counts)


def join_texts(cells: pl.Series) -> tuple[np.ndarray, np.ndarray]:
    """How many bytes each text has (int64; 0 where it is missing), and all of them in one piece."""
    lengths = cells.str.len_bytes().fill_null(0).to_numpy().astype(np.int64)
    room = np.empty(int(lengths.sum()) + _SHORT, dtype=np.uint8)
    size = native.module.join_texts(cells.__arrow_c_stream__(), room)
    return lengths, room[:size]


def count_codes(codes: np.ndarray, size: int) -> np.ndarray:
    """How often each code below `size` occurs.

    >>> count_codes(np.array([2, 0, 2], dtype=np.uint8), 4).tolist()
    [1, 0, 2, 0]
    """
    found: np.ndarray = native.module.count_codes(_plain(codes), len(codes), size)
    return found


def count_pairs(
    labels: np.ndarray, n_labels: int, ranks: np.ndarray, n_ranks: int, rows: np.ndarray | None = None
) -> np.ndarray:
    """How often each label stands beside each rank: `ranks[rows[i]]` is that of row i (without `rows`: `ranks[i]`).

    >>> count_pairs(np.array([1, 0, 1]), 2, np.array([0, 2, 2]), 3, np.array([1, 0, 2])).tolist()
    [[1, 0, 0], [0, 0, 2]]
    """
    if len(labels) != len(ranks if rows is None else rows):
        raise ValueError("as many labels as rows are needed")
    found: np.ndarray = native.module.count_pairs(
        _plain(labels),
        len(labels),
        _plain(ranks),
        len(ranks),
        None if rows is None else np.ascontiguousarray(rows, dtype=np.int64),
        n_labels,
        n_ranks,
    )
    return found.reshape(n_labels, n_ranks)


def _plain(codes: np.ndarray) -> Any:
    """Codes as the kernels take them."""
    if codes.dtype.kind not in "iu":
        raise ValueError(f"codes must be integers, not {codes.dtype}")
    if codes.dtype.itemsize == 8:
        if len(codes) and (int(codes.min()) < 0 or int(codes.max()) >= 2**32):
            raise ValueError("codes must lie between 0 and 2^32 - 1")
        codes = codes.astype(np.uint32)
    return np.ascontiguousarray(codes).view(_PLAIN[codes.dtype.itemsize])
