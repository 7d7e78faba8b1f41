"""Hidden failure: rows of a release that are still an original row, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from paravent.errors import TableError
from paravent.measures import Measure
from paravent.table.text import as_text


@dataclass(frozen=True)
class LeftAsTheyWere:
    """`count` of the release's `rows` equal an original row in the `columns` compared."""

    count: int
    rows: int
    columns: tuple[str, ...]

    @property
    def rate(self) -> float:
        return self.count / self.rows if self.rows else 0.0

    def measures(self, prefix: str = "risk.hidden_failure") -> Iterator[Measure]:
        where = f"in the {len(self.columns)} columns that both have"
        yield Measure(
            f"{prefix}.rate", self.rate, "Rows left as they were",
            f"The share of released rows that equal an original row {where}.", unit="share",
        )  # fmt: skip
        yield Measure(
            f"{prefix}.count", self.count, "Rows left as they were, counted",
            f"The number of released rows that equal an original row {where}.", unit="count",
        )  # fmt: skip


def hidden_failure(
    original: pl.DataFrame, released: pl.DataFrame, columns: Sequence[str] | None = None
) -> LeftAsTheyWere:
    """Compare over the columns named, or all that both frames have. Missing cells are equal to one another.

    Cells are compared as numbers where both are numbers, else as text.

    >>> hidden_failure(pl.DataFrame({"age": [20, 30]}), pl.DataFrame({"age": ["[20, 29]", "30", "30"]}))
    LeftAsTheyWere(count=2, rows=3, columns=('age',))
    """
    names = [name for name in released.columns if name in original.columns] if columns is None else list(columns)
    for name in names:
        if name not in original.columns or name not in released.columns:
            raise TableError(f"column {name!r} is not in both tables. Compare columns that the release still has.")
    if not names:
        return LeftAsTheyWere(0, released.height, ())
    ours, theirs = _side_by_side(original, released, names), _side_by_side(released, original, names)
    count = theirs.join(ours.unique(), on=ours.columns, how="semi", nulls_equal=True).height
    return LeftAsTheyWere(count, released.height, tuple(names))


def _side_by_side(frame: pl.DataFrame, other: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The columns under neutral names, in a type that the other frame's cells can be compared in."""
    return pl.DataFrame([comparable(frame[name], other[name]).alias(f"c{at}") for at, name in enumerate(names)])


def comparable(cells: pl.Series, others: pl.Series) -> pl.Series:
    """Cells as they can be compared with others: as numbers where both are numbers, else as text.

    >>> comparable(pl.Series([30.0, None]), pl.Series(["30", "[30, 39]"])).to_list()
    ['30.0', None]
    """
    cells = cells.alias("cells")
    if cells.dtype.is_float():
        cells = cells.fill_nan(None)
    if cells.dtype.is_integer() and others.dtype.is_integer():
        return cells.cast(pl.Int128)
    if cells.dtype.is_numeric() and others.dtype.is_numeric():
        return cells.cast(pl.Float64)
    texts = as_text(cells)
    if cells.dtype.is_numeric() or others.dtype.is_numeric():  # 30, 30.0 and the label of 30 are one number
        numbers = texts.cast(pl.Float64, strict=False).cast(pl.String)
        return numbers.to_frame("cells").select(pl.coalesce("cells", pl.lit(texts))).to_series()
    return texts
