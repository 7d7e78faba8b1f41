"""Individual risk of a survey (Benedetti and Franconi 1998; Franconi and Polettini 2004).

A class with f rows in the sample has F people in the population, estimated by the sum F̂ of its rows' weights. Given
f, F is taken to be negative binomial with success probability p = f / F̂, and the risk of each row is E[1/F | f]:

    r₁ = p/q · ln(1/p),   r_f = p/q · (1/(f − 1) − r_{f−1}),   q = 1 − p

The recursion follows from E[1/F | f] = ∫₀¹ p^f s^{f−1} / (1 − q s)^f ds by parts. Other tools approximate r_f by
p / (f − q) from f = 3 on, and so does `exact=False`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from paravent.errors import TableError
from paravent.measures import Measure
from paravent.privacy.grouping import cell_codes, group_rows
from paravent.privacy.risk.attackers import THRESHOLDS
from paravent.privacy.risk.row_risk import RowRisk

ASSUMES = (
    "the weights say how many people each row stands for, and the people of a class, given its rows, are "
    "distributed like a negative binomial"
)


@dataclass(frozen=True, eq=False)
class IndividualRisk(RowRisk):
    """For each row: its risk, the rows of its class, and the people its class is estimated to have."""

    class_size: np.ndarray
    population_size: np.ndarray
    assumes: str = ASSUMES

    def measures(self, prefix: str = "risk.individual", thresholds: Sequence[float] = THRESHOLDS) -> Iterator[Measure]:
        whom = "to somebody who does not know whether the person is in the table"
        yield Measure(
            f"{prefix}.max", self.highest, "Highest individual risk",
            f"The chance of finding the row of the person most exposed, {whom}. It assumes that {self.assumes}.",
            unit="share",
        )  # fmt: skip
        yield Measure(
            f"{prefix}.average", self.average, "Average individual risk",
            f"The mean chance of finding a person's row, {whom}. It assumes that {self.assumes}.", unit="share",
        )  # fmt: skip
        yield Measure(
            f"{prefix}.expected", self.expected, "Rows expected to be found",
            f"The sum of all individual risks. It assumes that {self.assumes}.",
        )  # fmt: skip
        for limit in thresholds:
            yield Measure(
                f"{prefix}.above.{limit:g}", self.above(limit), f"Rows with an individual risk above {100 * limit:g} %",
                f"The share of rows found with a chance of more than {limit:g}. It assumes that {self.assumes}.",
                unit="share",
            )  # fmt: skip


def individual_risk(
    frame: pl.DataFrame, quasi: Sequence[str], weights: str | np.ndarray, *, exact: bool = False
) -> IndividualRisk:
    """The risk of each row of a survey. `weights` are a column, or one number a row: the people it stands for.

    Missing cells are equal to one another. A class whose weights add up to fewer people than it has rows is taken to
    be complete: its rows have the risk 1/f.

    >>> frame = pl.DataFrame({"sex": ["f", "m", "m"], "w": [10.0, 20.0, 20.0]})
    >>> individual_risk(frame, ["sex"], "w").risk.round(4).tolist()
    [0.2558, 0.0443, 0.0443]
    """
    people = row_weights(frame, weights)
    of_row, classes = group_rows([cell_codes(frame[name]) for name in quasi], frame.height)
    size = np.bincount(of_row, minlength=classes)
    total = np.bincount(of_row, weights=people, minlength=classes)
    risk = (exact_risk if exact else approximate_risk)(size, total)
    return IndividualRisk(risk[of_row], size[of_row], total[of_row])


def row_weights(frame: pl.DataFrame, weights: str | np.ndarray) -> np.ndarray:
    """The survey weights as numbers, all of them present and positive."""
    if isinstance(weights, str):
        if weights not in frame.columns:
            raise TableError(f"weights: the table has no column {weights!r}.")
        column, named = frame[weights], f"column {weights!r}"
    else:
        column, named = pl.Series(np.asarray(weights)), "weights"
        if len(column) != frame.height:
            raise TableError(f"weights: {len(column)} numbers for {frame.height} rows. Give one a row.")
    if not column.dtype.is_numeric():
        raise TableError(f"{named}: survey weights must be numbers.")
    numbers = column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    bad = ~(np.isfinite(numbers) & (numbers > 0))
    if bad.any():
        raise TableError(
            f"{named}: {int(bad.sum())} survey weights are missing, zero or negative (first: row "
            f"{int(bad.argmax()) + 1}). A weight is the number of people a row stands for; mend or drop these rows."
        )
    return numbers


def approximate_risk(size: np.ndarray, people: np.ndarray) -> np.ndarray:
    """Exact for classes of one and two rows, p / (f − q) for larger ones."""
    p, open_ = _share_drawn(size, people)
    risk = 1 / size
    odds = p[open_] / (1 - p[open_])
    log = -np.log(p[open_])
    f = size[open_]
    larger = p[open_] / (f - (1 - p[open_]))
    risk[open_] = np.where(f == 1, odds * log, np.where(f == 2, odds - odds**2 * log, larger))
    return risk


def exact_risk(size: np.ndarray, people: np.ndarray) -> np.ndarray:
    """E[1/F | f], whatever the size: by the recursion, or by its series in q where the recursion would lose digits."""
    p, open_ = _share_drawn(size, people)
    risk = 1 / size
    steep = open_ & (p < 0.5)
    odds = np.zeros(len(size))
    odds[steep] = p[steep] / (1 - p[steep])
    current = np.zeros(len(size))
    current[steep] = -odds[steep] * np.log(p[steep])
    left = np.flatnonzero(steep)
    for f in range(1, int(size[steep].max(initial=0)) + 1):
        done = size[left] == f
        risk[left[done]] = current[left[done]]
        left = left[~done]
        current[left] = odds[left] * (1 / f - current[left])
    flat = open_ & ~steep  # p/f · Σ k! / ((f + 1) … (f + k)) · q^k, whose terms fall at least as fast as 2^−k
    q, sizes = 1 - p[flat], size[flat]
    term = np.ones(int(flat.sum()))
    series = term.copy()
    for k in range(1, 60):
        term = term * q * k / (sizes + k)
        series += term
    risk[flat] = p[flat] / sizes * series
    return risk


def _share_drawn(size: np.ndarray, people: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """p = f / F̂, and whether it is below 1."""
    p = size / people
    return p, p < 1
