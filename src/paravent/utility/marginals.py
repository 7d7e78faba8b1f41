"""Marginals: how far the shares of values, pairs and triples of values are from those of the original."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import polars as pl

from paravent.measures import Absent, Measure
from paravent.table.text import as_text
from paravent.utility.family import family
from paravent.utility.subject import Subject

_WORDS = {1: "single columns", 2: "pairs of columns", 3: "triples of columns"}
_MOST = 1000
"""Sets of columns that are compared of each size, spread over all of them where there are more."""


@family(synthetic=True)
def marginals(subject: Subject) -> Iterator[Measure | Absent]:
    """The total variation distance of the original and a synthetic table: 0 where all shares are the same, 1 where
    nothing is shared."""
    if not subject.synthetic:
        return
    original, released = subject.original, subject.released
    if original is None or not original.height or not released.height:
        yield Absent("utility.marginals", "there is nothing to compare.")
        return
    names = [name for name in original.columns if name in released.columns]
    codes = [_codes(original[name], released[name]) for name in names]
    for size, words in _WORDS.items():
        sets = list(combinations(range(len(names)), size))
        sets = sets[:: -(-len(sets) // _MOST)] if sets else []
        if not sets:
            continue
        found = [_distance([codes[column] for column in columns], original.height) for columns in sets]
        for how, value in (("mean", float(np.mean(found))), ("max", float(np.max(found)))):
            yield Measure(
                f"utility.marginals.{size}.{how}",
                value,
                f"Distance of {words} ({how})",
                f"The {how} total variation distance between the shares of {words} in the original and the release. "
                "For the owner of the original: it is not covered by differential privacy.",
                unit="share",
            )


def _codes(original: pl.Series, released: pl.Series) -> tuple[np.ndarray, int]:
    """The cells of both columns, one below the other, as numbers; a missing cell is a value."""
    both = pl.concat([as_text(original.alias("cells")), as_text(released.alias("cells"))])
    codes = both.rank("dense").fill_null(0).to_numpy().astype(np.int64)
    return codes, int(codes.max(initial=0)) + 1


def _distance(columns: list[tuple[np.ndarray, int]], rows: int) -> float:
    flat = np.zeros(len(columns[0][0]), dtype=np.int64)
    for codes, size in columns:
        flat = flat * size + codes
    if np.prod([float(size) for _, size in columns]) > 4 * len(flat):
        flat = np.unique(flat, return_inverse=True)[1]
    cells = int(flat.max(initial=0)) + 1
    before = np.bincount(flat[:rows], minlength=cells) / rows
    after = np.bincount(flat[rows:], minlength=cells) / (len(flat) - rows)
    return float(np.abs(before - after).sum() / 2)
