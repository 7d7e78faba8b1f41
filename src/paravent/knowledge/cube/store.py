"""The cube: every evaluation as a row, ours and those of the literature, in one Parquet file.

A row is a number (`value`) of a `metric`, or a run that gave none (`status`, `reason`). Numbers are kept with five
significant digits. A second file beside it, `….collapse.parquet`, holds what the tables come to look like at the k of
the runs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from paravent.arguments import Checked
from paravent.errors import TableError
from paravent.knowledge.cube.criteria import METRICS
from paravent.knowledge.cube.criteria import metric as metric_named
from paravent.knowledge.cube.published import PUBLISHED
from paravent.knowledge.cube.settings import setting
from paravent.knowledge.cube.turtle import turtle
from paravent.knowledge.descriptors import NAMES, Descriptors
from paravent.near import suggest
from paravent.table.atomic import replacing

MEASURED = "paravent"
"""The source of what we measured ourselves."""
PARAMETERS = ("k", "l", "epsilon", "suppression")
_WHOLE = ("rows", "columns", "tuples", "most_values", "classes")
SCHEMA: dict[str, Any] = {
    "source": pl.String,
    "data": pl.String,
    "table": pl.String,
    "method": pl.String,
    "criterion": pl.String,
    "metric": pl.String,
    "value": pl.Float64,
    "status": pl.String,
    "reason": pl.String,
    "k": pl.Int32,
    "l": pl.Int32,
    "epsilon": pl.Float64,
    "suppression": pl.Float64,
    "shape": pl.String,
    **{name: pl.Int32 if name in _WHOLE else pl.Float64 for name in NAMES},
    "seed": pl.Int32,
    "version": pl.String,
    "machine": pl.String,
    "date": pl.String,
}
"""The columns: where a number is from, what it is, of which run on which table."""


@dataclass(frozen=True, eq=False)
class Cube(Checked):
    """Evaluations of methods on tables: `frame` has one row for each. `collapse` has a row for each table, k and share
    of rows that may be left out, with the facts of the table's collapse; predictors learn from it where it is there."""

    frame: pl.DataFrame
    collapse: pl.DataFrame | None = None

    def __post_init__(self) -> None:
        _check_columns(self.frame, "the frame")

    @classmethod
    def load(cls, path: str | os.PathLike[str] | None = None) -> Cube:
        """The cube of a file, or the one that ships."""
        place = shipped() if path is None else Path(path)
        if not place.exists():
            raise TableError(f"there is no cube at {str(place)!r}. Build one: paravent bench cube --out {place.name}")
        try:
            frame = pl.read_parquet(place)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise TableError(f"{str(place)!r} is no Parquet file that can be read: {error}") from None
        _check_columns(frame, repr(str(place)))
        beside = beside_of(place)
        collapse = pl.read_parquet(beside) if beside.exists() else None
        return cls(frame.select(list(SCHEMA)).cast(pl.Schema(SCHEMA)), collapse)

    @classmethod
    def of(cls, runs: Iterable[Mapping[str, Any]], *, published: bool = True) -> Cube:
        """The cube of what a journal holds, with the numbers of the literature unless they are left out."""
        rows = [row for run in runs for row in _rows(run)]
        measured = pl.DataFrame(rows, schema=SCHEMA, orient="row")
        measured = measured.sort("data", "table", "method", "l", "k", "epsilon", "metric", nulls_last=True)
        return cls(pl.concat([_literature(), measured]) if published else measured)

    def __len__(self) -> int:
        return len(self.frame)

    def __repr__(self) -> str:
        methods, tables = self.frame["method"].n_unique(), self.frame["table"].n_unique()
        return f"<Cube: {len(self.values)} evaluations, {methods} methods, {tables} tables>"

    @cached_property
    def values(self) -> pl.DataFrame:
        """The evaluations that are numbers."""
        return self.frame.filter(pl.col("value").is_not_null())

    @property
    def measured(self) -> pl.DataFrame:
        """Those that we measured."""
        return self.values.filter(pl.col("source") == MEASURED)

    @cached_property
    def published(self) -> pl.DataFrame:
        """Those of the literature."""
        return self.values.filter(pl.col("source") != MEASURED)

    def is_published(self, method: str, metric: str) -> bool:
        """Whether the literature says anything about a metric of a method."""
        return (method, metric) in self._pairs

    @cached_property
    def _pairs(self) -> frozenset[tuple[str, str]]:
        return frozenset(self.published.select("method", "metric").iter_rows())

    @property
    def failures(self) -> pl.DataFrame:
        """The runs that gave no number."""
        return self.frame.filter(pl.col("value").is_null())

    def find(self, **wanted: Any) -> pl.DataFrame:
        """Evaluations by their columns: `cube.find(method="Datafly()", metric="utility.dm", k=5)`."""
        for name in wanted:
            if name not in SCHEMA:
                raise TableError(f"an evaluation has no {name!r}. {suggest(name, SCHEMA)}")
        return self.frame.filter(*(pl.col(name) == value for name, value in wanted.items()))

    def without(self, data: str) -> Cube:
        """The cube without a data set and all its sub-tables."""
        return Cube(self.frame.filter((pl.col("data") != data) | pl.col("data").is_null()), self.collapse)

    def adding(self, more: pl.DataFrame) -> Cube:
        """The cube with further evaluations, of columns that it has; what they do not say is missing."""
        for name in more.columns:
            if name not in SCHEMA:
                raise TableError(f"an evaluation has no {name!r}. {suggest(name, SCHEMA)}")
        filled = more.with_columns(pl.lit(None, dtype=dtype).alias(n) for n, dtype in SCHEMA.items() if n not in more)
        return Cube(pl.concat([self.frame, filled.select(list(SCHEMA)).cast(pl.Schema(SCHEMA))]), self.collapse)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it, each file whole or not at all."""
        if self.collapse is not None:
            with replacing(beside_of(Path(path))) as place:
                self.collapse.write_parquet(place, compression="zstd", compression_level=19, statistics=False)
        with replacing(Path(path)) as place:
            self.frame.write_parquet(place, compression="zstd", compression_level=19, statistics=False)

    def save_turtle(self, path: str | os.PathLike[str], *, method: str | None = None, metric: str | None = None) -> int:
        """Write evaluations as individuals of the ontology, those of a method or a metric alone where it is named, and
        give their number."""
        wanted = {"method": method and setting(method).label, "metric": metric and metric_named(metric).name}
        chosen = self.values.filter(*(pl.col(name) == value for name, value in wanted.items() if value))
        with replacing(Path(path)) as place, place.open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in turtle(chosen.iter_rows(named=True)))
        return len(chosen)


def _check_columns(frame: pl.DataFrame, name: str) -> None:
    missing = [column for column in SCHEMA if column not in frame.columns]
    if missing:
        raise TableError(f"{name} is no cube: it has no column {missing[0]!r}.")


def beside_of(path: Path) -> Path:
    """Where the collapses of a cube's tables lie.

    >>> beside_of(Path("cube.parquet")).name
    'cube.collapse.parquet'
    """
    return path.with_name(path.stem + ".collapse.parquet")


def shipped() -> Path:
    """Where the cube lies that comes with the package."""
    return Path(str(files("paravent.knowledge.cube"))) / "evaluations.parquet"


@cache
def evaluations() -> Cube:
    """The cube that comes with the package: what we measured ourselves, and what the literature says."""
    return Cube.load()


def _rows(run: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    described = Descriptors.from_dict(run["descriptors"])
    about = {
        "source": MEASURED,
        "data": run["source"],
        "table": run["table"],
        "method": run["method"],
        "status": run["status"],
        "k": run["k"] or None,
        "l": run["l"] or None,
        "epsilon": run["epsilon"] or None,
        "suppression": run["suppression"],
        "shape": described.shape,
        **{name: short(value) for name, value in described.to_dict().items()},
        **{name: run[name] for name in ("seed", "version", "machine", "date")},
    }
    if not run["values"]:
        yield {**dict.fromkeys(SCHEMA), **about, "reason": run["reason"]}
    for name, value in run["values"].items():
        yield {
            **dict.fromkeys(SCHEMA),
            **about,
            "criterion": METRICS[name].criterion,
            "metric": name,
            "value": short(value),
        }


def _literature() -> pl.DataFrame:
    rows = [
        {
            **dict.fromkeys(SCHEMA),
            "source": each.source,
            "method": each.method,
            "criterion": METRICS[each.metric].criterion,
            "metric": each.metric,
            "value": each.value,
            "status": "published",
            "k": each.k,
            "columns": each.columns,
            "shape": each.shape,
        }
        for each in PUBLISHED
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def short(value: float, digits: int = 5) -> float:
    """A number with so many significant digits.

    >>> short(0.123456789), short(30162), short(0.0)
    (0.12346, 30162.0, 0.0)
    """
    if value == 0 or not np.isfinite(value):
        return float(value)
    return float(f"{value:.{digits}g}") if isinstance(value, float) else float(value)
