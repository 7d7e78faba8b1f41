"""Queries: how well counts can be answered from the release by somebody who has nothing else.

A workload of random COUNT queries, the same for the same seed: each asks for one to three quasi-identifiers (a stretch
of values where they have an order, a set of them otherwise) and, every other time, for some values of a sensitive
column. Cells are spread evenly over what they cover (LeFevre, DeWitt, Ramakrishnan 2006). Where columns do not stand
together, as in anatomy, bucketization and slicing, they are independent inside a bucket: its rows times the share of
each part of it that is asked for (Xiao, Tao 2006, §4; Li et al. 2012, §3.2). The error is relative to the
true count, or to `sanity` times the rows where the true count is smaller (Garofalakis, Gibbons 2002). Counts of
synthetic rows are scaled to as many rows as the original has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from paravent.hierarchy.axis import MISSING_LABEL, Axis
from paravent.hierarchy.cells import places_of
from paravent.measures import Absent, Measure
from paravent.privacy.grouping import group_rows
from paravent.table.text import as_text
from paravent.utility.family import Study, on_request
from paravent.utility.subject import Subject

MOST_SHAPES = 24
"""Queries share this many combinations of columns: counting the rows by these columns is what costs time."""
_MOST_LOOKUPS = 100_000_000
"""Rows that differ, looked up by all queries together, unless somebody says how many queries there shall be."""


@on_request(synthetic=True)
def queries(subject: Subject, study: Study) -> Iterator[Measure | Absent]:
    if subject.synthetic and not subject.axes:
        subject = replace(subject, axes=subject.drawn)
    if not subject.axes or subject.n_rows == 0:
        for name in ("utility.queries.are", "utility.queries.median"):
            yield Absent(name, "there are no quasi-identifiers or no rows to ask about.")
        return
    study = replace(study, queries=number_of_queries(subject, study))
    errors = relative_errors(subject, study)
    asked = f"{study.queries} random COUNT queries (seed {study.seed})"
    yield Measure(
        "utility.queries.are",
        float(errors.mean()),
        "Average relative error of counts (ARE)",
        f"The mean relative error of {asked} answered from the release.",
    )
    yield Measure(
        "utility.queries.median",
        float(np.median(errors)),
        "Median relative error of counts",
        f"The median relative error of {asked} answered from the release.",
    )


def number_of_queries(subject: Subject, study: Study) -> int:
    """As many as asked for; else 1000, but fewer, down to 100, where hardly two rows are alike."""
    if study.queries is not None:
        return study.queries
    return min(1000, max(100, _MOST_LOOKUPS // max(len(subject.original_tuples[1]), 1)))


@dataclass(frozen=True, eq=False)
class Query:
    """`wanted[j]` tells which ranks of axis j count; `sensitive` which codes of the sensitive column."""

    wanted: dict[int, np.ndarray]
    sensitive: np.ndarray | None = None


def workload(subject: Subject, study: Study) -> list[tuple[tuple[int, ...], list[Query]]]:
    """The queries, grouped by the columns they ask for."""
    column = sensitive_column(subject)
    n_values = 0 if column is None else int(subject.sensitive[column].max(initial=-1)) + 1
    return queries_of(subject.axes, n_values, number_of_queries(subject, study), study.seed)


def queries_of(
    axes: Sequence[Axis], n_values: int, n_queries: int, seed: int = 0
) -> list[tuple[tuple[int, ...], list[Query]]]:
    """Queries about axes and a sensitive column with so many values, grouped by the columns they ask for."""
    rng = np.random.default_rng(seed)
    n_shapes = min(MOST_SHAPES, n_queries)
    orders = [_order(axis) for axis in axes]
    found = []
    for shape in range(n_shapes):
        width = int(rng.integers(1, min(3, len(axes)) + 1))
        chosen = tuple(sorted(rng.choice(len(axes), width, replace=False).tolist()))
        asked = []
        for _ in range(shape, n_queries, n_shapes):
            wanted = {j: _stretch(axes[j], orders[j], rng) for j in chosen}
            asked.append(Query(wanted, _some(n_values, rng) if n_values and shape % 2 else None))
        found.append((chosen, asked))
    return found


def sensitive_column(subject: Subject) -> str | None:
    """The sensitive column that queries ask for: the first that can be counted before and after."""
    if subject.synthetic:
        there = [name for name in subject.sensitive if name in subject.released.columns]
        return next((name for name in there if name not in subject.treated), None)
    if (subject.kept is None and not subject.parts) or not len(subject.classes):
        return None
    return next((name for name in subject.sensitive if name not in subject.treated), None)


def ranks_before(axis: Axis, subject: Subject) -> np.ndarray:
    """The ranks of the original values, before any treatment, among the values that queries ask for: a number that is
    none of them counts as the nearest, any other value as none (the rank after the last)."""
    if axis.name not in subject.treated or subject.original is None:
        return axis.codes
    return ranks_of(subject.original[axis.name], axis)


def ranks_of(cells: pl.Series, axis: Axis) -> np.ndarray:
    """The ranks of cells among the values of an axis: a number that is none of them counts as the nearest, any other
    value as none (the rank after the last)."""
    texts = as_text(cells.alias("cells"))
    distinct = texts.unique().to_list()
    places, known = places_of(distinct), {value: rank for rank, value in enumerate(axis.values)}
    line = axis.line
    ranks = {}
    for i, value in enumerate(distinct):
        ranks[value] = known.get(MISSING_LABEL if value is None else value, len(axis))
        if ranks[value] == len(axis) and line is not None and places is not None and np.isfinite(places[i]):
            ranks[value] = int(np.nanargmin(np.abs(line - places[i])))
    return np.asarray(texts.replace_strict(ranks, return_dtype=pl.Int32).to_numpy())


def _order(axis: Axis) -> np.ndarray | None:
    """The ranks in the order of the values, where these have one."""
    line = axis.line
    if line is None:
        return np.arange(len(axis)) if axis.kind.is_ordered else None
    return np.argsort(line, kind="stable")


def _stretch(axis: Axis, order: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
    """The ranks between two random values, or a random half or less of them where they have no order."""
    if order is None:
        return _some(len(axis), rng)
    low, high = sorted(rng.integers(0, len(axis), 2).tolist())
    wanted = np.zeros(len(axis), dtype=bool)
    wanted[order[low : high + 1]] = True
    return wanted


def _some(size: int, rng: np.random.Generator) -> np.ndarray:
    wanted = np.zeros(size, dtype=bool)
    wanted[rng.choice(size, int(rng.integers(1, max(size // 2, 1) + 1)), replace=False)] = True
    return wanted


def relative_errors(subject: Subject, study: Study) -> np.ndarray:
    """The relative error of every query."""
    before = _Counted.of_original(subject)
    after: _Counted | _Parted = _Parted.of(subject) if subject.parts else _Counted.of_release(subject)
    least = study.sanity * subject.n_rows
    errors = []
    tables: dict[tuple[tuple[int, ...], bool], tuple[_Table, _Table | _Parted]] = {}
    for chosen, asked in workload(subject, study):
        sensitive = any(query.sensitive is not None for query in asked)
        if (chosen, sensitive) not in tables:
            tables[chosen, sensitive] = before.by(chosen, sensitive), after.by(chosen, sensitive)
        true, told = tables[chosen, sensitive]
        for query in asked:
            masks = {j: wanted.astype(np.float64) for j, wanted in query.wanted.items()}
            count = true.answer(masks, query.sensitive)
            if subject.synthetic:
                estimate = told.answer(masks, query.sensitive) * subject.n_rows / max(subject.released.height, 1)
            else:
                shares = {
                    j: subject.readings[j].total(mask) / np.maximum(subject.readings[j].n_covered, 1)
                    for j, mask in masks.items()
                }
                estimate = told.answer(shares, query.sensitive)
            errors.append(abs(estimate - count) / max(count, least))
    return np.array(errors)


@dataclass(frozen=True, eq=False)
class _Counted:
    """Combinations of codes, one an axis, with a code of the sensitive column, and how many rows hold each."""

    axes: tuple[np.ndarray, ...]
    sensitive: np.ndarray | None
    weight: np.ndarray

    @classmethod
    def of_original(cls, subject: Subject) -> _Counted:
        column = sensitive_column(subject)
        if column is None:
            if not subject.treated:
                row, weight = subject.original_tuples
                return cls(tuple(axis.codes[row] for axis in subject.axes), None, weight)
            codes = np.zeros(subject.n_rows, dtype=np.int32)
        else:
            codes = subject.sensitive[column]
        ranks = tuple(ranks_before(axis, subject) for axis in subject.axes)
        of_row, count = group_rows([*ranks, codes], subject.n_rows)
        row = np.zeros(count, dtype=np.int64)
        row[of_row] = np.arange(subject.n_rows)
        weight = np.bincount(of_row, minlength=count)
        return cls(tuple(rank[row] for rank in ranks), None if column is None else codes[row], weight)

    @classmethod
    def of_release(cls, subject: Subject) -> _Counted:
        """The classes; suppressed rows answer nothing. Synthetic rows hold values, each its own."""
        column = sensitive_column(subject)
        if subject.synthetic:
            return cls(
                tuple(ranks_of(subject.released[axis.name], axis) for axis in subject.axes),
                None if column is None else _codes_of(subject, column),
                np.ones(subject.released.height, dtype=np.int64),
            )
        if column is None:
            return cls(subject.class_labels, None, subject.classes.sizes)
        histogram = subject.classes.histograms[column]
        owner = histogram.owner
        return cls(tuple(labels[owner] for labels in subject.class_labels), histogram.value, histogram.count)

    def by(self, chosen: tuple[int, ...], sensitive: bool) -> _Table:
        """The rows counted by some of the axes alone."""
        columns = [self.axes[j] for j in chosen]
        if sensitive and self.sensitive is not None:
            columns.append(self.sensitive)
        of_row, count = group_rows(columns, len(self.weight))
        some = np.zeros(count, dtype=np.int64)
        some[of_row] = np.arange(len(of_row))
        weight = np.bincount(of_row, weights=self.weight, minlength=count)
        codes = {j: self.axes[j][some] for j in chosen}
        return _Table(codes, None if self.sensitive is None else self.sensitive[some], weight)


def _codes_of(subject: Subject, column: str) -> np.ndarray:
    """The sensitive cells of synthetic rows by the codes of the original; the one after the last where it has no such
    cell."""
    assert subject.original is not None
    before = pl.DataFrame(
        [as_text(subject.original[column].alias("cell")), pl.Series("code", subject.sensitive[column])]
    )
    asked = pl.DataFrame([as_text(subject.released[column].alias("cell"))])
    joined = asked.join(before.unique(), on="cell", how="left", nulls_equal=True, maintain_order="left")
    unknown = int(subject.sensitive[column].max(initial=-1)) + 1
    return joined["code"].fill_null(unknown).to_numpy()


@dataclass(frozen=True, eq=False)
class _Table:
    codes: dict[int, np.ndarray]
    sensitive: np.ndarray | None
    weight: np.ndarray

    def answer(self, shares: dict[int, np.ndarray], sensitive: np.ndarray | None) -> float:
        """Σ rows × the share of each of their cells that is asked for."""
        found = self.weight
        for j, share in shares.items():
            found = found * np.append(share, 0)[self.codes[j]]  # the rank after the last: a value nobody asks for
        if sensitive is not None and self.sensitive is not None:
            found = found * np.append(sensitive, False)[self.sensitive]  # after the last: the original lacks it
        return float(found.sum())


@dataclass(frozen=True, eq=False)
class _Parted:
    """The parts of a release, each with the axes in it, their labels row by row, and its sensitive codes."""

    bucket: list[np.ndarray]
    axes: list[dict[int, np.ndarray]]
    sensitive: list[np.ndarray | None]
    sizes: np.ndarray

    @classmethod
    def of(cls, subject: Subject) -> _Parted:
        column, real = sensitive_column(subject), ~subject.placeholder
        labels = {reading.axis.name: (j, reading.codes[real]) for j, reading in enumerate(subject.readings)}
        return cls(
            [part.bucket for part in subject.parts],
            [dict(labels[name] for name in labels if name in part.names) for part in subject.parts],
            [None if column is None else part.sensitive.get(column) for part in subject.parts],
            np.bincount(subject.parts[0].bucket),
        )

    def by(self, chosen: tuple[int, ...], sensitive: bool) -> _Parted:  # noqa: ARG002
        return self

    def answer(self, shares: dict[int, np.ndarray], sensitive: np.ndarray | None) -> float:
        """Σ rows of a bucket × the share of each of its parts that is asked for."""
        found = self.sizes.astype(np.float64)
        for bucket, axes, codes in zip(self.bucket, self.axes, self.sensitive, strict=True):
            asked = [shares[j][labels] for j, labels in axes.items() if j in shares]
            if sensitive is not None and codes is not None:
                asked.append(np.append(sensitive, False)[codes])  # −1: a value that the original lacks
            if asked:
                wanted = np.prod(asked, axis=0, dtype=np.float64)
                found *= np.bincount(bucket, weights=wanted, minlength=len(found)) / self.sizes
        return float(found.sum())
