"""Populations: how many people outside the table a row, or a released cell, could belong to.

A population is a table with the quasi-identifiers of people, one row each or one row a combination with a count. Its
people are counted twice, by different roads: for methods, those who share values with the rows of a class; for the
verifier, those whom the labels of a finished class cover. The first never counts more than the second. A value that the
table does not have is covered by what its tree, built over both, says; where the tree does not know it, by `*` and by
intervals that reach across it, and by nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from paravent.errors import ParaventError, PlanError, TableError, quote
from paravent.hierarchy.axis import MISSING_LABEL, Axis
from paravent.hierarchy.cells import CellReader, Form
from paravent.hierarchy.tree import ROOT_LABEL
from paravent.near import suggest
from paravent.plan.encode import encode, encode_column
from paravent.plan.file import resolved
from paravent.plan.plan import Plan
from paravent.privacy.encoded_population import EncodedPopulation
from paravent.privacy.k_map import population_key
from paravent.table.table import Table
from paravent.table.text import as_text


@dataclass(frozen=True, eq=False)
class Population:
    """The cells of a population's quasi-identifiers, and how many people share each combination."""

    name: str
    frame: pl.DataFrame
    people: np.ndarray

    @property
    def total(self) -> int:
        return int(self.people.sum())

    @classmethod
    def of(cls, table: Table, plan: Plan, *, name: str, count: str | None) -> Population:
        frame = table.frame
        for column in (*plan.quasi, *([count] if count else [])):
            if column not in frame.columns:
                raise TableError(
                    f"population {name!r}: it has no column {column!r}. {suggest(column, frame.columns)} "
                    "It needs every quasi-identifier of the plan."
                )
        if count is None:
            people = np.ones(frame.height, dtype=np.int64)
        else:
            cells = frame[count].alias("cells")
            if not cells.dtype.is_integer() or cells.null_count() or (frame.height and int(str(cells.min())) < 0):
                raise TableError(
                    f"population {name!r}: column {count!r} must count people in whole numbers, none missing."
                )
            people = cells.cast(pl.Int64).to_numpy()
        return cls(name, pl.DataFrame([frame[column] for column in plan.quasi]), people)


def populations_of(plan: Plan, given: Mapping[str, Any] | None = None) -> dict[str, Population]:
    """The populations that the models of a plan name: those given by name, else read from their files. They stand under
    the names that models have in the resolved plan."""
    from paravent.plan.runner import as_table

    found: dict[str, Population] = {}
    for model, located in zip(plan.models, resolved(plan).models, strict=True):
        name, path, count = (
            getattr(of, key, None) for of, key in ((model, "population"), (located, "population"), (model, "count"))
        )
        if located.people is None or not isinstance(name, str) or not isinstance(path, str) or located.people in found:
            continue
        source = (given or {}).get(name)
        if source is None:
            if not Path(path).exists():
                raise PlanError(
                    f"{model.describe()}: there is no population {name!r}. Give the path of its table, or the table "
                    f"itself with populations={{{name!r}: …}}."
                )
            source = path
        found[population_key(path, count)] = Population.of(as_table(source), plan, name=name, count=count)
    return found


def widened(axes: Sequence[Axis], table: Table, plan: Plan, populations: Mapping[str, Population]) -> tuple[Axis, ...]:
    """The axes of a table over the values of the table and of its populations: trees are built for both, so that it is
    known what a label covers beyond the table. A column whose tree does not have a population's values stays as it
    is. The codes are those of the table's rows."""
    return tuple(_widened(axis, table, plan, list(populations.values())) for axis in axes)


def _widened(axis: Axis, table: Table, plan: Plan, populations: Sequence[Population]) -> Axis:
    ours, column = table.frame[axis.name].alias("cells"), table.columns[axis.name]
    try:
        theirs = [as_dtype(each.frame[axis.name].alias("cells"), ours.dtype).drop_nulls() for each in populations]
        both = pl.concat([ours, *theirs]).alias(axis.name)
        frame = pl.DataFrame([both])
        rows = np.arange(frame.height)
        wider = replace(table, frame=frame, columns={axis.name: replace(column, missing=both.null_count())}, rows=rows)
        found = encode_column(wider, plan, axis.name)
    except (ParaventError, pl.exceptions.PolarsError):
        return axis
    if not set(axis.values) <= set(found.values):
        return axis
    unknown = None if found.unknown is None else found.unknown[: len(ours)]
    return replace(found, codes=np.ascontiguousarray(found.codes[: len(ours)]), unknown=unknown)


def as_dtype(cells: pl.Series, dtype: pl.DataType) -> pl.Series:
    """A population's column as the table has it; what cannot be read so raises."""
    if cells.dtype == dtype:
        return cells
    if dtype == pl.String:
        return as_text(cells)
    if isinstance(dtype, pl.Enum | pl.Categorical):
        return as_text(cells).cast(dtype)
    return cells.cast(dtype)


def encoded_population(axes: Sequence[Axis], population: Population) -> EncodedPopulation:
    """The population as methods see it."""
    readers = [CellReader.of(axis) for axis in axes]
    return EncodedPopulation(
        population.people,
        tuple(_places(axis, population.frame[axis.name]) for axis in axes),
        tuple(len(axis) for axis in axes),
        tuple(axis.positions is not None and axis.tree is None for axis in axes),
        people_of_rows(axes, population),
        tuple(partial(_covered, axis, reader) for axis, reader in zip(axes, readers, strict=True)),
    )


def people_of_rows(axes: Sequence[Axis], population: Population) -> np.ndarray:
    """For each row of the table, how many people share all its quasi-identifiers."""
    names = [f"q{i}" for i in range(len(axes))]
    theirs = pl.DataFrame(
        [pl.Series(name, _exact(axis, population.frame[axis.name])) for name, axis in zip(names, axes, strict=True)]
        + [pl.Series("people", population.people)]
    )
    counted = theirs.group_by(names).agg(pl.col("people").sum())
    ours = pl.DataFrame([pl.Series(name, axis.codes.astype(np.int64)) for name, axis in zip(names, axes, strict=True)])
    found = ours.join(counted, on=names, how="left", maintain_order="left")["people"]
    return found.fill_null(0).to_numpy()


def people_of_cells(
    axes: Sequence[Axis], population: Population, frame: pl.DataFrame, wide: Sequence[Axis] | None = None
) -> tuple[np.ndarray, int]:
    """For each released row, how many people its cells cover; and how many people no row covers. `wide` are the axes
    over the values of the population too, which tell what a label covers that the table does not have."""
    labels = frame.select(as_text(frame[axis.name]).alias(f"q{i}") for i, axis in enumerate(axes))
    names = labels.columns
    distinct = labels.unique(maintain_order=True)
    places, masks, codes = [], [], []
    for i, axis in enumerate(axes):
        over = axis if wide is None else wide[i]
        places.append(_places(over, population.frame[axis.name]))
        cells = distinct[f"q{i}"]
        found = cells.unique(maintain_order=True)
        narrow, reader = (CellReader.of(each) for each in (axis, over))
        masks.append(
            [_covered(axis, narrow, label) if over is axis else _beyond(axis, narrow, over, reader, label)
             for label in found.to_list()]
        )  # fmt: skip
        rank = pl.DataFrame({"label": found, "code": np.arange(len(found))})
        joined = pl.DataFrame({"label": cells}).join(
            rank, on="label", how="left", nulls_equal=True, maintain_order="left"
        )
        codes.append(joined["code"].to_numpy())
    people = np.zeros(distinct.height, dtype=np.int64)
    reached = np.zeros(len(population.people), dtype=bool)

    def walk(depth: int, classes: np.ndarray, those: np.ndarray) -> None:
        if depth == len(axes) or len(those) == 0:
            people[classes] = population.people[those].sum()
            reached[those] = True
            return
        cells = codes[depth][classes]
        order = np.argsort(cells, kind="stable")
        edges = np.flatnonzero(np.diff(cells[order], prepend=-1, append=-1))
        for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            mask = masks[depth][int(cells[order[begin]])]
            walk(depth + 1, classes[order[begin:end]], those[mask[places[depth][those]]])

    walk(0, np.arange(distinct.height), np.arange(len(population.people)))
    of_row = labels.join(
        distinct.with_columns(pl.Series("people", people)),
        on=names,
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )["people"]
    return of_row.to_numpy(), int(population.people[~reached].sum())


def axes_of(population: Population, plan: Plan) -> tuple[Axis, ...]:
    """The quasi-identifiers as the population alone shows them, where the original table is not at hand."""
    from paravent.plan.runner import as_table

    return encode(as_table(population.frame), plan.replace(missing="own value"))


def _exact(axis: Axis, cells: pl.Series) -> np.ndarray:
    """The rank of each cell among the values of an axis; −1 for a value that the axis does not have."""
    known = pl.DataFrame(
        {"label": axis.values, "rank": np.arange(len(axis))}, schema={"label": pl.String, "rank": pl.Int64}
    )
    asked = pl.DataFrame({"label": as_text(cells.alias("label")).fill_null(MISSING_LABEL)})
    return asked.join(known, on="label", how="left", maintain_order="left")["rank"].fill_null(-1).to_numpy()


def _places(axis: Axis, cells: pl.Series) -> np.ndarray:
    """Where each cell stands: 2·rank for a value of the axis, an odd number between two of them on a line, and last
    of all, 2·len, what is nowhere."""
    rank = _exact(axis, cells)
    places = np.where(rank >= 0, 2 * rank, 2 * len(axis))
    if axis.positions is not None and np.all(np.diff(axis.positions) > 0) and cells.dtype.is_numeric():
        line = cells.cast(pl.Float64).fill_null(float("nan")).to_numpy()
        after = np.searchsorted(axis.positions, line)
        between = (rank < 0) & (after > 0) & (after < len(axis)) & ~np.isnan(line)
        places = np.where(between, 2 * after - 1, places)
    return places


def _beyond(axis: Axis, narrow: CellReader, over: Axis, wide: CellReader, label: str | None) -> np.ndarray:
    """Which places of the wide axis a label covers: as it is read there, where that agrees on the table's values, else
    those values alone, and what lies between them on a line."""
    mask = np.zeros(2 * len(over) + 1, dtype=bool)
    if label is None or (label == ROOT_LABEL and label not in axis.values):
        return ~mask
    here, there = narrow.covers(label), wide.covers(label)
    if here is None:
        return _covered(axis, narrow, label)  # which says so
    ours = {axis.values[rank] for rank in here}
    ranks = [] if there is None else list(there)
    if there is None or {over.values[rank] for rank in ranks}.intersection(axis.values) != ours:
        ranks = [rank for rank, value in enumerate(over.values) if value in ours]
        on_line = over.positions is not None and not np.isnan(over.positions[ranks]).any()
        if on_line and isinstance(here, range) and _reaches_across(narrow, label):
            line = np.asarray(over.positions)
            ranks = np.flatnonzero((line >= line[ranks].min()) & (line <= line[ranks].max())).tolist()
    mask[2 * np.array(ranks, dtype=np.int64)] = True
    return mask


def _reaches_across(reader: CellReader, label: str) -> bool:
    """Whether a label is written as an interval. A group with a name has the values that its tree gives it, and nobody
    can say whether one that no tree has belongs to it."""
    written = reader.written(label)
    return written is not None and written.form in (Form.INTERVAL, Form.RANGE)


def _covered(axis: Axis, reader: CellReader, label: str | None) -> np.ndarray:
    """Which places a label covers."""
    mask = np.zeros(2 * len(axis) + 1, dtype=bool)
    if label is None or (label == ROOT_LABEL and label not in axis.values):
        return ~mask
    covered = reader.covers(label)
    if covered is None:
        raise TableError(
            f"column {axis.name!r}: cell {quote(label)} says nothing about the values of the population. "
            "Compare the release with its plan and the population."
        )
    if isinstance(covered, range) and _reaches_across(reader, label):
        mask[2 * covered.start : 2 * covered.stop - 1] = True
    else:
        mask[2 * np.array(list(covered), dtype=np.int64)] = True
    return mask
