"""SUDA: special uniques (Elliot, Manning and Ford 2002; Manning, Haglin and Keane 2008).

A row has a *minimal sample unique* where it is alone with its values in some columns and in no part of these columns.
The fewer columns it takes, and the more such sets there are, the easier a person is found: with n columns, and sets of
up to M columns searched, a set of k columns scores ∏_{i=k}^{min(M, n−1)} (n − i), and the row scores their sum.

DIS (Skinner and Elliot 2002) estimates how likely a match with a unique row is right: with U unique rows, P rows in
pairs and the sampling fraction δ it is U δ / (U δ + P (1 − δ)). DIS-SUDA spreads it over the rows by their scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Literal

import numpy as np
import polars as pl

from paravent.errors import PlanError, TableError
from paravent.kernels import fold
from paravent.kernels.subsets import MOST_COLUMNS, minimal_uniques
from paravent.measures import Measure
from paravent.near import suggest
from paravent.privacy.grouping import cell_codes, dense_codes, group_rows

ASSUMES = (
    "people who are alone by few columns are likelier to be alone in the population, and everybody was as likely "
    "to be drawn"
)
THRESHOLDS = (0.1, 0.5)


@dataclass(frozen=True, eq=False)
class Suda:
    """Minimal sample uniques, and what they make of each row.

    `row[i]` is alone in the columns of the bit mask `mask[i]` (bit j stands for `columns[j]`). `score`, `dis` (None
    without a sampling fraction) and the columns' `contribution` (rows × columns: the share of a row's score that comes
    from sets with the column) have an entry a row.
    """

    columns: tuple[str, ...]
    max_size: int
    row: np.ndarray
    mask: np.ndarray
    score: np.ndarray
    dis: np.ndarray | None
    contribution: np.ndarray
    overall: float | None
    assumes: str = ASSUMES

    @property
    def uniques(self) -> int:
        """The number of rows with a minimal sample unique."""
        return int((self.score > 0).sum())

    @property
    def column_contributions(self) -> Mapping[str, float]:
        """For each column, the share of all scores that comes from sets with it. They add up to more than 1."""
        total = float(self.score.sum())
        shares = (
            (self.contribution * self.score[:, None]).sum(axis=0) / total if total else self.contribution.sum(axis=0)
        )
        return dict(zip(self.columns, shares.tolist(), strict=True))

    def sets_of(self, row: int) -> tuple[tuple[str, ...], ...]:
        """The minimal sets of columns that single out a row (counted from 0), smallest first."""
        masks = self.mask[self.row == row].tolist()
        named = [tuple(name for j, name in enumerate(self.columns) if mask >> j & 1) for mask in masks]
        return tuple(sorted(named, key=len))

    def by_size(self) -> Mapping[int, int]:
        """How many minimal sample uniques take so many columns."""
        sizes = np.bitwise_count(self.mask)
        return {size: int((sizes == size).sum()) for size in range(1, self.max_size + 1)}

    def measures(self, prefix: str = "risk.suda") -> Iterator[Measure]:
        rows = max(1, len(self.score))
        searched = f"in at most {self.max_size} of the quasi-identifiers"
        yield Measure(
            f"{prefix}.uniques", self.uniques / rows, f"Singled out by at most {self.max_size} columns",
            f"The share of rows that are alone with their values {searched}.", unit="share",
        )  # fmt: skip
        yield Measure(
            f"{prefix}.score.max", float(self.score.max(initial=0)), "Highest SUDA score",
            f"The score of the row that is singled out by the fewest columns most often, {searched}.",
        )  # fmt: skip
        for name, share in self.column_contributions.items():
            yield Measure(
                f"{prefix}.contribution.{name}", share, f"SUDA: part of {name}",
                f"The share of all scores that comes from sets with {name!r}; the columns overlap, so these shares add "
                "up to more than 1.", unit="share",
            )  # fmt: skip
        if self.dis is None or self.overall is None:
            return
        yield Measure(
            f"{prefix}.dis", self.overall, "Right, if it matches a unique row",
            f"The chance that a match with a unique row is right (DIS). It assumes that {self.assumes}.", unit="share",
        )  # fmt: skip
        yield Measure(
            f"{prefix}.dis.max", float(self.dis.max(initial=0)), "Highest DIS-SUDA score",
            f"The chance that a match is right for the row most exposed. It assumes that {self.assumes}.", unit="share",
        )  # fmt: skip
        for limit in THRESHOLDS:
            yield Measure(
                f"{prefix}.dis.above.{limit:g}", float((self.dis > limit).sum()) / rows,
                f"Rows with a DIS-SUDA score above {limit:g}",
                f"The share of rows that a match finds rightly with a chance of more than {limit:g}. It assumes that "
                f"{self.assumes}.", unit="share",
            )  # fmt: skip


def suda(
    frame: pl.DataFrame,
    columns: Sequence[str],
    *,
    max_size: int | None = None,
    fraction: float | None = None,
    missing: Literal["value", "unknown"] = "value",
    persons: np.ndarray | None = None,
) -> Suda:
    """Search every row for sets of up to `max_size` columns (all of them by default) that single it out.

    A missing cell is a value like any other, or with `missing="unknown"` one that nobody can be known by. `persons`
    says whose each row is: then a set singles a row out where nobody else has its values, whatever rows its person has.

    >>> frame = pl.DataFrame({"sex": ["f", "f", "m"], "zip": [1, 2, 1], "job": ["a", "b", "b"]})
    >>> found = suda(frame, ["sex", "zip", "job"], fraction=0.1)
    >>> found.sets_of(2), found.score.tolist()
    ((('sex',), ('zip', 'job')), [3.0, 3.0, 3.0])
    """
    names = tuple(columns)
    _check(frame, names, max_size, fraction)
    depth = len(names) if max_size is None else min(max_size, len(names))
    cells = [dense_codes(cell_codes(frame[name])) for name in names]
    if persons is not None:
        row, mask, weight = unique_people([codes for codes, _ in cells], persons, depth)
        return _scored(frame, names, depth, row, mask, weight, fraction, missing)
    # The search starts from the last columns: those with most values part most people at once.
    order = sorted(range(len(names)), key=lambda j: cells[j][1])
    folded = fold([cells[j][0] for j in order], [cells[j][1] for j in order])
    of_tuple = [np.ascontiguousarray(cells[j][0][folded.representative]) for j in order]
    tuples, found = minimal_uniques(of_tuple, [cells[j][1] for j in order], folded.weight, max_size=depth)
    row, mask = folded.representative[tuples].astype(np.int64), np.zeros(len(tuples), dtype=np.uint64)
    for at, j in enumerate(order):
        mask |= (found >> np.uint64(at) & np.uint64(1)) << np.uint64(j)
    return _scored(frame, names, depth, row, mask, folded.weight, fraction, missing)


def _scored(
    frame: pl.DataFrame,
    names: tuple[str, ...],
    depth: int,
    row: np.ndarray,
    mask: np.ndarray,
    weight: np.ndarray,
    fraction: float | None,
    missing: str,
) -> Suda:
    """What minimal uniques make of each row. `weight` are the sizes of the classes of all columns."""
    if missing == "unknown":
        row, mask = _without_missing(frame, names, row, mask)
    score, contribution = _scores(frame.height, len(names), depth, row, mask)
    dis, overall = None, None
    if fraction is not None:
        dis, overall = _dis(score, weight, len(names), fraction)
    return Suda(names, depth, row, mask, score, dis, contribution, overall)


def unique_people(
    columns: Sequence[np.ndarray], persons: np.ndarray, depth: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows and the minimal sets of columns (bit masks) whose values nobody but their person has; and how many different
    people share each combination of all columns.

    A set is minimal for a row where none of its parts with one column less singles the row out.

    >>> age, sex = np.array([0, 0, 1]), np.array([0, 0, 1])
    >>> [found.tolist() for found in unique_people([age, sex], np.array([7, 7, 8]), 2)[:2]]
    [[0, 1, 2, 0, 1, 2], [1, 1, 1, 2, 2, 2]]
    """
    rows, masks = [], []
    before: dict[int, np.ndarray] = {0: np.zeros(len(persons), dtype=bool)}
    for size in range(1, depth + 1):
        now = {}
        for chosen in combinations(range(len(columns)), size):
            mask = sum(1 << j for j in chosen)
            alone = now[mask] = _people_of_row([columns[j] for j in chosen], persons)[0] == 1
            minimal = alone.copy()
            for j in chosen:
                minimal &= ~before[mask & ~(1 << j)]
            rows.append(np.flatnonzero(minimal))
            masks.append(np.full(len(rows[-1]), mask, dtype=np.uint64))
        before = now
    return np.concatenate(rows), np.concatenate(masks), _people_of_row(columns, persons)[1]


def _people_of_row(columns: Sequence[np.ndarray], persons: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many different people share each row's values, and how many each combination of values has."""
    of_row, count = group_rows(columns, len(persons))
    pair = np.unique(of_row.astype(np.int64) * (int(persons.max(initial=0)) + 1) + persons)
    people = np.bincount(pair // (int(persons.max(initial=0)) + 1), minlength=count)
    return people[of_row], people


def _check(frame: pl.DataFrame, names: tuple[str, ...], max_size: int | None, fraction: float | None) -> None:
    for name in names:
        if name not in frame.columns:
            raise TableError(f"there is no column {name!r}. {suggest(name, frame.columns)}")
    if not 0 < len(names) <= MOST_COLUMNS:
        raise PlanError(
            f"SUDA takes between 1 and {MOST_COLUMNS} columns, not {len(names)}. Name those that may be known."
        )
    if max_size is not None and max_size < 1:
        raise PlanError(f"max_size must be at least 1, not {max_size}.")
    if fraction is not None and not 0 < fraction <= 1:
        raise PlanError(f"the sampling fraction must lie in (0, 1], not be {fraction!r}.")


def _without_missing(
    frame: pl.DataFrame, names: tuple[str, ...], row: np.ndarray, mask: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Without the sets in which the row itself misses a value. The others stay minimal: so are all their subsets."""
    absent = np.zeros(frame.height, dtype=np.uint64)
    for j, name in enumerate(names):
        absent |= frame[name].is_null().to_numpy().astype(np.uint64) << np.uint64(j)
    known = (absent[row] & mask) == 0
    return row[known], mask[known]


def _scores(rows: int, columns: int, depth: int, row: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    worth = np.array(
        [0.0, *(float(prod(columns - i for i in range(k, min(depth, columns - 1) + 1))) for k in range(1, columns + 1))]
    )
    points = worth[np.bitwise_count(mask)]
    score = np.bincount(row, weights=points, minlength=rows)
    contribution = np.zeros((rows, columns))
    for j in range(columns):
        has = (mask >> np.uint64(j) & np.uint64(1)).astype(bool)
        contribution[:, j] = np.bincount(row[has], weights=points[has], minlength=rows)
    np.divide(contribution, score[:, None], out=contribution, where=score[:, None] > 0)
    return score, contribution


def _dis(score: np.ndarray, weight: np.ndarray, columns: int, fraction: float) -> tuple[np.ndarray, float]:
    """DIS-SUDA as the program SUDA computes it: the exponent q makes scores over more columns differ less."""
    uniques, in_pairs = int((weight == 1).sum()), 2 * int((weight == 2).sum())
    right, wrong = uniques * fraction, in_pairs * (1 - fraction)
    dis = np.zeros(len(score))
    scored = score > 0
    if not scored.any():
        return dis, 0.0
    q = 1 + (8 - columns) / 20
    powers = score[scored] ** q
    dis[scored] = 1 / (1 + wrong / fraction / (powers * (1 / powers).sum()))
    return dis, right / (right + wrong) if right + wrong else 0.0
