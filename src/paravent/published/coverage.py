"""Coverage: every released cell must cover the value that it replaces."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl

from paravent import kernels
from paravent.errors import UnsafeReleaseError, quote
from paravent.hierarchy.axis import Axis
from paravent.hierarchy.cells import CellReader
from paravent.table.narrow import narrow


def check_coverage(axis: Axis, released: pl.Series, rows: np.ndarray, marked: np.ndarray) -> None:
    """Raise when a cell says something else than its original. `rows` are the original rows of the released ones.

    A missing cell says nothing and covers everything; that it may be missing is checked elsewhere.
    """
    released = released.alias("cells")
    labels = released.dtype.categories if isinstance(released.dtype, pl.Enum) else released.drop_nulls().unique()
    if not isinstance(released.dtype, pl.Enum):
        released = released.cast(pl.Enum(labels))
    width = len(axis) + 1
    physical = released.to_physical()
    codes = physical.fill_null(0).to_numpy()
    if physical.null_count() or marked.any():
        said = physical.is_not_null().to_numpy() & ~marked
        codes, rows = codes[said], rows[said]
    originals = narrow(axis.codes, width)
    if len(labels) * width <= 4 * len(codes) + 2**16:
        found = np.flatnonzero(kernels.count_pairs(codes, len(labels), originals, width, rows))
    else:
        pair = np.multiply(codes, width, dtype=np.int64)
        pair += originals[rows]
        found = pl.Series(pair).unique().to_numpy()
    reader = CellReader.of(axis)
    label_of, rank_of = found // width, found % width
    order = np.argsort(label_of, kind="stable")
    label_of, rank_of = label_of[order], rank_of[order]
    names = labels.to_list()
    edges = [0, *(np.flatnonzero(label_of[1:] != label_of[:-1]) + 1).tolist(), len(label_of)] if len(found) else []
    for start, end in pairwise(edges):
        label = names[int(label_of[start])]
        covered = reader.covers(label)
        if covered is None:
            raise UnsafeReleaseError(
                f"column {axis.name!r}: the label {quote(label)} says nothing about its values. Nothing is released."
            )
        ranks = rank_of[start:end]
        if isinstance(covered, range):
            inside = bool(len(covered)) and int(ranks.min()) >= covered.start and int(ranks.max()) < covered.stop
        else:
            inside = set(ranks.tolist()) <= set(covered)
        if not inside:
            raise UnsafeReleaseError(
                f"column {axis.name!r}: the label {quote(label)} does not cover a value that it replaces. "
                "Nothing is released."
            )
