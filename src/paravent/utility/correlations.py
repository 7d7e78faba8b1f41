"""Correlations: whether columns of synthetic rows go together as strongly as those of the original.

Between numbers it is the absolute correlation of Pearson, between other columns Cramér's V, between a number and
another column the correlation ratio: each from 0 to 1. The sign of a correlation counts where there is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import polars as pl

from paravent.measures import Absent, Measure
from paravent.table.text import as_text
from paravent.utility.family import family
from paravent.utility.subject import Subject

_MOST = 1000
"""Pairs of columns that are compared, spread over all of them where there are more."""
_VALUES = 100
"""Values of a column that count one by one; the rarer ones of the original are one."""


@family(synthetic=True)
def correlations(subject: Subject) -> Iterator[Measure | Absent]:
    """The change of the strength of association over all pairs of columns."""
    original, released = subject.original, subject.released
    if not subject.synthetic:
        return
    names = [] if original is None else [name for name in original.columns if name in released.columns]
    if original is None or len(names) < 2 or not original.height or not released.height:
        yield Absent("utility.correlations", "it takes two columns and a row.")
        return
    columns = {name: _columns(original[name], released[name]) for name in names}
    pairs = list(combinations(names, 2))
    pairs = pairs[:: -(-len(pairs) // _MOST)]
    found = [
        abs(association(columns[a][0], columns[b][0]) - association(columns[a][1], columns[b][1])) for a, b in pairs
    ]
    worst = pairs[int(np.argmax(found))]
    for how, value in (("mean", float(np.mean(found))), ("max", float(np.max(found)))):
        which = "" if how == "mean" else f", which is that of {worst[0]} and {worst[1]}"
        yield Measure(
            f"utility.correlations.{how}",
            value,
            f"Change of correlations ({how})",
            f"The {how} change of how strongly two columns go together{which}: correlation of numbers, Cramér's V of "
            "others, correlation ratio of one of each. It is not covered by differential privacy.",
            bounds=(0.0, 2.0),
        )


def association(one: np.ndarray, other: np.ndarray) -> float:
    """How strongly two columns go together: numbers are floats (nan is missing, and its row left out), all others
    codes. 0 where one of them does not vary.

    >>> association(np.array([1.0, 2, 3]), np.array([3.0, 2, 1]))
    -1.0
    >>> association(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]))
    1.0
    >>> association(np.array([0, 0, 1, 1]), np.array([1.0, 3, 5, 7]))  # √(16 / 20): means 2 and 6 about 4
    0.894427191
    """
    numeric = [column.dtype.kind == "f" for column in (one, other)]
    known = np.ones(len(one), dtype=bool)
    for column, is_number in zip((one, other), numeric, strict=True):
        if is_number:
            known &= np.isfinite(column)
    one, other = one[known], other[known]
    if len(one) < 2:
        return 0.0
    if all(numeric):
        spread = float(one.std() * other.std())
        return round(float(np.mean((one - one.mean()) * (other - other.mean()))) / spread, 9) if spread else 0.0
    if any(numeric):
        codes, numbers = (other, one) if numeric[0] else (one, other)
        counts = np.bincount(codes)
        means = np.bincount(codes, weights=numbers) / np.maximum(counts, 1)
        total = float(np.sum((numbers - numbers.mean()) ** 2))
        return round(float(np.sqrt(counts @ (means - numbers.mean()) ** 2 / total)), 9) if total else 0.0
    table = np.bincount(one * (int(other.max()) + 1) + other, minlength=(int(one.max()) + 1) * (int(other.max()) + 1))
    table = table.reshape(int(one.max()) + 1, -1).astype(float)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    least = min(table.shape) - 1
    if least < 1:
        return 0.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return round(float(np.sqrt(((table - expected) ** 2 / expected).sum() / table.sum() / least)), 9)


def _columns(original: pl.Series, released: pl.Series) -> tuple[np.ndarray, np.ndarray]:
    """Both columns as numbers, or as codes of the values of the original; a missing cell is a value there."""
    if original.dtype.is_numeric():
        before = original.alias("cells").cast(pl.Float64)
        after = as_text(released.alias("cells")).cast(pl.Float64, strict=False)
        return before.fill_null(float("nan")).to_numpy(), after.fill_null(float("nan")).to_numpy()
    texts = [as_text(cells.alias("cells")).fill_null("") for cells in (original, released)]
    counted = texts[0].value_counts(name="n").sort("n", "cells", descending=[True, False])["cells"].head(_VALUES)
    places = {value: place for place, value in enumerate(counted.to_list())}
    before_codes, after_codes = (
        cells.replace_strict(places, default=len(places), return_dtype=pl.Int64).to_numpy() for cells in texts
    )
    return before_codes, after_codes
