"""What statistics come out of the release: means, variances, covariances, correlations, the numbers themselves.

A cell that covers several numbers counts as their mean, a number that was replaced counts as it is written. A cell that
says nothing is left out of means, variances and covariances, and is taken as the mean of its column where each number
is compared with its original (Domingo-Ferrer, Mateo-Sanz, Torra 2001; Mateo-Sanz, Domingo-Ferrer, Sebé 2005).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from paravent.measures import Absent, Measure
from paravent.utility.family import family
from paravent.utility.reading import Reading
from paravent.utility.subject import Subject

_NAMES = (
    "utility.il",
    *(f"utility.il.{part}" for part in ("data", "means", "variances", "covariances", "correlations")),
    "utility.il1s",
    "utility.sse",
    "utility.eigenvalues",
)


@family
def statistics(subject: Subject) -> Iterator[Measure | Absent]:
    if subject.n_rows == 0:
        return
    usable = [column for column in numeric_columns(subject) if column.varies]
    if subject.released.height == 0:
        for name in _NAMES:
            yield Absent(name, "no row is left.")
        return
    if not usable:
        for name in _NAMES:
            yield Absent(name, "no column that is released holds numbers that differ.")
        return
    before, after = moments(usable)
    if not after.complete:
        for name in _NAMES:
            yield Absent(name, "a column of numbers is suppressed from top to bottom.")
        return
    parts = information_loss(usable, subject)
    yield Measure(
        "utility.il",
        100 * float(np.mean(list(parts.values()))),
        "Information loss of the statistics (IL)",
        f"The mean of the changes of {_listed(list(parts))} over the numeric columns, in percent.",
        unit="percent",
        bounds=(0.0, np.inf),
    )
    for name, value in parts.items():
        yield Measure(
            f"utility.il.{name}",
            100 * value,
            f"Change of {_WHAT[name]}",
            f"The mean {'absolute' if name == 'correlations' else 'relative'} change of {_WHAT[name]}, in percent.",
            unit="percent",
            bounds=(0.0, 200.0 if name == "correlations" else np.inf),
        )
    yield from _row_by_row(subject, usable)
    yield Measure(
        "utility.eigenvalues",
        eigenvalue_change(before, after),
        "Change of the eigenvalues",
        "How much the main directions of the numbers have grown or shrunk: the change of the eigenvalues of the "
        "standardised covariance matrix, as a share of their sum.",
        bounds=(0.0, np.inf),
    )


def information_loss(columns: list[Averages], subject: Subject) -> dict[str, float]:
    """The components of IL, as shares: those that these columns have."""
    before, after = moments(columns)
    parts = {
        "means": relative(before.means, after.means, zero=1e-12 * before.deviations),
        "variances": relative(np.diag(before.covariance), np.diag(after.covariance)),
    }
    if len(columns) > 1:
        pair = np.triu_indices(len(columns), 1)
        tiny = 1e-12 * np.outer(before.deviations, before.deviations)[pair]
        parts["covariances"] = relative(before.covariance[pair], after.covariance[pair], zero=tiny)
        parts["correlations"] = float(np.abs(before.correlation[pair] - after.correlation[pair]).mean())
    if subject.kept is not None:
        parts = {"data": float(np.mean([column.relative_change(subject) for column in columns])), **parts}
    return parts


_WHAT = {
    "data": "the numbers",
    "means": "the means",
    "variances": "the variances",
    "covariances": "the covariances",
    "correlations": "the correlations",
}


def _listed(parts: list[str]) -> str:
    said = [_WHAT[part] for part in parts]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


def _row_by_row(subject: Subject, columns: list[Averages]) -> Iterator[Measure | Absent]:
    if subject.kept is None:
        why = "rows were dropped and nobody knows which, so that numbers cannot be compared one by one."
        for name in ("utility.il.data", "utility.il1s", "utility.sse"):
            yield Absent(name, why)
        return
    yield Measure(
        "utility.il1s",
        float(np.mean([column.scaled_change(subject) for column in columns])),
        "Change of the numbers in deviations (IL1s)",
        "The mean absolute change of a number, over √2 standard deviations of its column (Yancey et al. 2002).",
        bounds=(0.0, np.inf),
    )
    quasi = [column for column in columns if column.quasi]
    if not quasi:
        yield Absent("utility.sse", "no quasi-identifier holds numbers that differ.")
        return
    yield Measure(
        "utility.sse",
        100 * float(np.mean([column.squared_error(subject) for column in quasi])),
        "Squared error (SSE / SST)",
        "The squared change of the numeric quasi-identifiers, standardised, in percent of their spread; 100 is as bad "
        "as publishing means alone.",
        unit="percent",
        bounds=(0.0, np.inf),
    )


@dataclass(frozen=True, eq=False)
class Averages:
    """A numeric column before (all rows of the original) and after (all rows of the release); nan says nothing."""

    name: str
    before: np.ndarray
    after: np.ndarray
    quasi: bool

    @cached_property
    def _known(self) -> np.ndarray:
        """The original numbers that are some: infinite ones have no mean."""
        return np.asarray(self.before[np.isfinite(self.before)])

    @cached_property
    def centre(self) -> float:
        return float(self._known.mean()) if len(self._known) else 0.0

    @cached_property
    def deviation(self) -> float:
        return float(self._known.std()) if len(self._known) else 0.0

    @property
    def varies(self) -> bool:
        return self.deviation > 0

    def _changes(self, subject: Subject) -> tuple[np.ndarray, np.ndarray]:
        """The original numbers that are known, and the absolute change of each. A number of which nothing is said, or
        whose row was dropped, counts as the mean of its column."""
        assert subject.kept is not None
        shown = np.full(len(self.before), self.centre)
        shown[subject.kept] = np.where(np.isfinite(self.after), self.after, self.centre)
        known = np.isfinite(self.before)
        if known.all():
            return self.before, np.abs(self.before - shown)
        return self.before[known], np.abs(self.before - shown)[known]

    def relative_change(self, subject: Subject) -> float:
        before, change = self._changes(subject)
        scale = np.abs(before)
        with np.errstate(over="ignore"):  # beside a number near 0 a change may be endless
            return float(np.where(scale > 0, change / np.where(scale > 0, scale, 1.0), change > 0).mean())

    def scaled_change(self, subject: Subject) -> float:
        return float(self._changes(subject)[1].mean() / (np.sqrt(2) * self.deviation))

    def squared_error(self, subject: Subject) -> float:
        """SSE / SST of this column; standardised columns have the same SST, so that means over columns are ratios."""
        before, change = self._changes(subject)
        return float(np.dot(change, change) / np.dot(before - self.centre, before - self.centre))


def numeric_columns(subject: Subject) -> list[Averages]:
    """The numeric columns that are released: quasi-identifiers as they can be read, all others as they are."""
    found = []
    for reading in subject.readings:
        if reading.axis.kind.is_numeric and reading.axis.name in subject.released.columns:
            line, expected = reading.axis.line, reading.expected
            if line is not None and expected is not None:
                found.append(
                    Averages(reading.axis.name, _before(reading, line, subject), expected[reading.codes], quasi=True)
                )
    if subject.original is None:
        return found
    quasi = {axis.name for axis in subject.axes}
    for name, dtype in subject.original.schema.items():
        if name in quasi or name not in subject.released.columns or not dtype.is_numeric():
            continue
        after = subject.released[name].alias("cells").cast(pl.Float64, strict=False)
        if after.count():
            before = subject.original[name].alias("cells").cast(pl.Float64)
            found.append(Averages(name, _floats(before), _floats(after), quasi=False))
    return found


def _before(reading: Reading, line: np.ndarray, subject: Subject) -> np.ndarray:
    """The original numbers of a quasi-identifier, before any treatment."""
    name = reading.axis.name
    if name in subject.treated and subject.original is not None and subject.original.schema[name].is_numeric():
        return _floats(subject.original[name].alias("cells").cast(pl.Float64))
    return np.asarray(line[reading.axis.codes])


def _floats(cells: pl.Series) -> np.ndarray:
    return np.asarray(cells.fill_null(float("nan")).to_numpy(), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Moments:
    """Means and covariances of some columns, each over the rows in which the columns concerned are known."""

    means: np.ndarray
    covariance: np.ndarray

    @classmethod
    def of(cls, columns: list[np.ndarray], centres: list[float]) -> Moments:
        """Numbers are counted from `centres`, so that squares of large numbers with a small spread stay exact."""
        shifted = [column - centre for column, centre in zip(columns, centres, strict=True)]
        matrix = np.column_stack(shifted)
        known = np.isfinite(matrix)
        with np.errstate(invalid="ignore", divide="ignore"):
            if known.all():
                means = matrix.mean(axis=0)
                covariance = matrix.T @ matrix / len(matrix) - np.outer(means, means)
            else:
                matrix = np.where(known, matrix, 0.0)
                weight = known.astype(np.float64)
                both, sums = weight.T @ weight, matrix.T @ weight  # sums[i, j]: of column i where j is known
                covariance = matrix.T @ matrix / both - sums * sums.T / both**2
                means = np.diag(sums) / np.diag(both)
        return cls(means + np.array(centres), covariance)

    @property
    def complete(self) -> bool:
        return bool(np.isfinite(self.covariance).all())

    @cached_property
    def deviations(self) -> np.ndarray:
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    @cached_property
    def correlation(self) -> np.ndarray:
        """0 where a column does not vary any more."""
        scale = np.outer(self.deviations, self.deviations)
        return np.clip(np.where(scale > 0, self.covariance / np.where(scale > 0, scale, 1.0), 0.0), -1.0, 1.0)


def moments(columns: list[Averages]) -> tuple[Moments, Moments]:
    """Before and after."""
    centres = [column.centre for column in columns]
    return Moments.of([c.before for c in columns], centres), Moments.of([c.after for c in columns], centres)


def relative(before: np.ndarray, after: np.ndarray, zero: np.ndarray | float = 0.0) -> float:
    """The mean of |before − after| / |before|; where nothing was before, 0 if nothing is after and 1 otherwise."""
    scale, change = np.abs(before), np.abs(before - after)
    nothing = scale <= zero
    return float(np.where(nothing, change > zero, change / np.where(nothing, 1.0, scale)).mean())


def eigenvalue_change(before: Moments, after: Moments) -> float:
    """Σ |λ − λ'| / Σ λ, both matrices scaled by the deviations of the original."""
    scale = np.outer(before.deviations, before.deviations)
    old, new = (np.linalg.eigvalsh(moments.covariance / scale) for moments in (before, after))
    return float(np.abs(old - new).sum() / old.sum())
