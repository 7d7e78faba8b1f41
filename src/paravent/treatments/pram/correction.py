"""What analysts make of randomised values: estimates of the true counts.

Kooiman, Willenborg and Gouweleeuw, PRAM: a method for disclosure limitation of microdata (1997), §4.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from paravent.arguments import check_call
from paravent.errors import PlanError, TableError, quote
from paravent.table.text import as_text

_SINGULAR = 1e12
_ROUNDED = 1e-6


def true_counts(released: pl.Series, matrix: pl.DataFrame) -> pl.DataFrame:
    """Estimate how often each value occurred before PRAM, from the released column and the published matrix.

    `matrix` has the columns `from`, `to` and `probability`, as a release publishes it. The estimates are unbiased; a
    small one can be negative. `deviation` is their standard error.

    >>> matrix = pl.DataFrame({"from": ["A", "A", "B", "B"], "to": ["A", "B", "A", "B"],
    ...                        "probability": [0.9, 0.1, 0.2, 0.8]})
    >>> true_counts(pl.Series(["A"] * 62 + ["B"] * 38), matrix).with_columns(pl.col("deviation").round(2)).row(0)
    ('A', 62, 60.0, 4.91)
    """
    check_call(true_counts, locals())
    values, chances = _square(matrix)
    texts = as_text(released.alias("cells")).drop_nulls()
    found = dict(texts.value_counts().iter_rows())
    for value in found:
        if value not in values:
            raise TableError(f"the matrix has no row for the released value {quote(value)}. Take the release's own.")
    counts = np.array([found.get(value, 0) for value in values], dtype=np.float64)
    if np.linalg.cond(chances) > _SINGULAR:
        raise PlanError(
            "this matrix publishes different values alike: the true counts cannot be told from its release."
        )
    back = np.linalg.inv(chances.T)
    estimate = back @ counts
    spread = np.zeros_like(chances)
    for weight, row in zip(np.maximum(estimate, 0.0), chances, strict=True):
        spread += weight * (np.diag(row) - np.outer(row, row))
    deviation = np.sqrt(np.maximum(np.diag(back @ spread @ back.T), 0.0))
    return pl.DataFrame(
        {"value": list(values), "released": counts.astype(np.int64), "estimate": estimate, "deviation": deviation}
    )


def _square(matrix: pl.DataFrame) -> tuple[list[str], np.ndarray]:
    """The values of a matrix and its probabilities, row by row."""
    needed = ("from", "to", "probability")
    for name in needed:
        if name not in matrix.columns:
            raise TableError(f"the matrix has no column {name!r}. It needs {', '.join(map(repr, needed))}.")
    rows = [as_text(matrix[name].alias("cells")).to_list() for name in needed[:2]]
    values = sorted({*rows[0], *rows[1]})
    place = {value: i for i, value in enumerate(values)}
    chances = np.zeros((len(values), len(values)))
    for value, to, chance in zip(*rows, matrix["probability"].to_list(), strict=True):
        chances[place[value], place[to]] += chance
    if not np.allclose(chances.sum(axis=1), 1, rtol=0, atol=_ROUNDED):
        raise TableError(
            "the probabilities of the matrix do not add up to 1 for each value. Pass one stratum at a time."
        )
    return values, chances
