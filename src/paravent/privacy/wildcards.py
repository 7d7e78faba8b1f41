"""Missing cells that may be anything: for each row, the rows that it could be taken for.

Two rows are compatible when they agree in every column in which neither is missing. That is no equivalence (a row
with a missing cell may be compatible with two that are not with one another), so the `classes` here overlap: there is
one for each distinct combination of cells, and it holds all the rows that are compatible with it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from paravent.privacy.classes import Classes, Histogram
from paravent.table.exact import exactly


def compatible_classes(
    frame: pl.DataFrame,
    quasi: Sequence[str],
    wildcard: Sequence[str],
    sensitive: Sequence[str],
    persons: np.ndarray | None = None,
) -> Classes:
    """For each distinct row of `quasi`, the number of rows compatible with it and their sensitive values; of different
    people, where `persons` says whose each row is.

    >>> frame = pl.DataFrame({"age": ["20", "20", None], "zip": ["a", "b", "a"]})
    >>> compatible_classes(frame, ["age", "zip"], ["age"], []).sizes.tolist()
    [2, 1, 2]
    """
    cells = [f"q{i}" for i in range(len(quasi))]
    values = [f"s{i}" for i in range(len(sensitive))]
    coded = pl.DataFrame(
        [_dense(frame[name].alias(short)) for name, short in zip([*quasi, *sensitive], [*cells, *values], strict=True)]
    )
    bits = [pl.when(pl.col(f"q{i}") == 0).then(1 << i).otherwise(0) for i, name in enumerate(quasi) if name in wildcard]
    coded = coded.with_columns(pl.sum_horizontal(bits).cast(pl.Int64).alias("open"))
    tuples = coded.group_by(*cells, "open", maintain_order=True).len("n").with_row_index("id")
    if persons is not None:
        return _of_people(
            coded.with_columns(pl.Series("person", persons)), tuples, cells, dict(zip(sensitive, values, strict=True))
        )
    sizes = _summed(tuples, tuples, cells, []).sort("id")["n"].to_numpy().astype(np.int64)
    histograms = {}
    for name, value in zip(sensitive, values, strict=True):
        counted = coded.group_by(*cells, "open", value, maintain_order=True).len("n")
        pairs = _summed(tuples, counted, cells, [value]).sort("id", value)
        start = np.searchsorted(pairs["id"].to_numpy(), np.arange(tuples.height + 1))
        table = np.bincount(coded[value].to_numpy())
        histograms[name] = Histogram(
            start, pairs[value].to_numpy().astype(np.int32), pairs["n"].to_numpy().astype(np.int64), table
        )
    return Classes(sizes, histograms, own=tuples["n"].to_numpy().astype(np.int64))


def _of_people(coded: pl.DataFrame, tuples: pl.DataFrame, cells: list[str], sensitive: dict[str, str]) -> Classes:
    """The same, where everybody is counted once in each class and once for each value that they hold there."""
    seen = coded.select(*cells, "open", "person").unique().with_columns(n=pl.lit(1))
    there = _summed(tuples, seen, cells, ["person"]).sort("id", "person")
    start = np.searchsorted(there["id"].to_numpy(), np.arange(tuples.height + 1))
    who = there["person"].to_numpy().astype(np.int64)
    members = Histogram(start, who, np.ones(len(who), dtype=np.int64), np.bincount(coded["person"].to_numpy()))
    sizes = np.diff(start)
    histograms = {}
    for name, value in sensitive.items():
        held = coded.select(*cells, "open", value, "person").unique().with_columns(n=pl.lit(1))
        pairs = _summed(tuples, held, cells, [value, "person"]).group_by("id", value).len("n").sort("id", value)
        whole = np.bincount(coded.select(value, "person").unique()[value].to_numpy())
        histograms[name] = Histogram(
            np.searchsorted(pairs["id"].to_numpy(), np.arange(tuples.height + 1)),
            pairs[value].to_numpy().astype(np.int32),
            pairs["n"].to_numpy().astype(np.int64),
            whole,
            people=sizes,
            everybody=coded["person"].n_unique(),
        )
    return Classes(sizes, histograms, own=tuples["n"].to_numpy().astype(np.int64), members=members)


def _dense(cells: pl.Series) -> pl.Series:
    if cells.dtype == pl.Null:
        return pl.Series(cells.name, np.zeros(len(cells), dtype=np.int64))
    return exactly(cells).rank("dense").cast(pl.Int64).fill_null(0)


def _summed(tuples: pl.DataFrame, counted: pl.DataFrame, cells: list[str], values: list[str]) -> pl.DataFrame:
    """For each tuple (and value), the rows counted in all tuples compatible with it."""
    parts = []
    for (ours,), mine in tuples.group_by("open", maintain_order=True):
        for (theirs,), others in counted.group_by("open", maintain_order=True):
            either = int(str(ours)) | int(str(theirs))
            common = [cell for i, cell in enumerate(cells) if not either >> i & 1]
            if common:
                there = others.group_by(*common, *values).agg(pl.col("n").sum())
                parts.append(mine.select("id", *common).join(there, on=common).select("id", *values, "n"))
            else:
                there = others.group_by(*values).agg(pl.col("n").sum()) if values else others.select(pl.col("n").sum())
                parts.append(mine.select("id").join(there, how="cross").select("id", *values, "n"))
    return pl.concat(parts).group_by("id", *values).agg(pl.col("n").sum())
