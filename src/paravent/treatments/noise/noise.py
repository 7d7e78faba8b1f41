"""Noise: numbers and dates that are near the originals, and what stays true of them all together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from paravent.errors import InfeasibleError, PlanError
from paravent.methods.method import RoleName
from paravent.privacy.grouping import cell_codes, dense_codes, group_rows
from paravent.published import Drawn
from paravent.table.kinds import Kind
from paravent.table.line import from_line
from paravent.table.table import Table
from paravent.treatments.noise.adding import additive, correlated, multiplicative, standard_normal
from paravent.treatments.noise.limits import reflected, rounded
from paravent.treatments.noise.rotation import rotated, rows_needed
from paravent.treatments.noise.whole import Counted, Rows, Whole
from paravent.treatments.strata import (
    check_apart,
    check_numbers,
    check_one_row_each,
    groups_of,
    names,
    places_of,
    slices,
)
from paravent.treatments.treatment import OnColumns, Reach, Treated, Work

_WIDEST = 10.0
_OWN = 30
"""Rows from which on a group has deviations of its own."""


@dataclass(frozen=True, repr=False)
class Noise(OnColumns):
    """Numbers or dates with noise, `scale` times their standard deviation wide.

    `additive`: each column by itself; means and covariances are kept in expectation, variances grow by 1 + scale².
    `correlated`: with the covariances of the columns; means and correlations are kept in expectation. `multiplicative`:
    times a factor of mean 1 and deviation `scale`; means and signs are kept, zero stays zero. `orthogonal`: rows are
    turned by a random orthogonal matrix; means and covariances are kept exactly (of the rows that have both values).

    `rescale` shrinks additive or correlated noise towards the mean, so that variances are kept in expectation too (and
    with correlated noise covariances). `outliers` gives values far out more additive noise. `within` takes the
    deviations of groups, and of the whole column where a group is small. Values stay between `low` and `high`, or
    between two `quantiles` of their column, to which those beyond are set first: what noise takes past an end is thrown
    back, which moves means. Whole numbers stay whole (`whole`), rounded at random; orthogonal noise makes them floats.

    >>> import polars as pl
    >>> import paravent as pv
    >>> rows = pl.DataFrame({"income": [1800.0, 2100.0, 2500.0, 3900.0] * 5, "sex": ["f", "m"] * 10})
    >>> noise = Noise("income", kind="orthogonal", scale=0.5)
    >>> plan = pv.Plan({"sex": pv.Quasi()}, pv.KAnonymity(5), treat=[noise])
    >>> released = pv.anonymize(rows, plan).frame["income"]
    >>> round(released.mean(), 6), round(released.std(), 6) == round(rows["income"].std(), 6)
    (2575.0, True)
    """

    _: KW_ONLY
    kind: Literal["additive", "correlated", "multiplicative", "orthogonal"] = "additive"
    scale: float = 0.1
    within: tuple[str, ...] = ()
    rescale: bool = False
    outliers: bool = False
    whole: bool | None = None
    low: float | None = None
    high: float | None = None
    quantiles: tuple[float, ...] | None = None

    title: ClassVar[str] = "Noise"
    source: ClassVar[str] = "Kim 1986; Kim and Winkler 2003; Ting, Fienberg and Trottini 2008"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "within", names(self.within))
        if not 0 < self.scale <= _WIDEST:
            raise PlanError(
                f"Noise: scale must be above 0 and at most {_WIDEST:g} standard deviations, not {self.scale!r}. "
                "Write 10 % as 0.1."
            )
        if self.rescale and self.kind not in ("additive", "correlated"):
            raise PlanError(f"Noise: rescale is for additive and correlated noise, not for kind={self.kind!r}.")
        if self.outliers and self.kind != "additive":
            raise PlanError(f"Noise: outliers is for additive noise, not for kind={self.kind!r}.")
        given: object = self.quantiles
        if given is not None:
            object.__setattr__(self, "quantiles", tuple(given) if isinstance(given, list | tuple) else (given,))
        limited = any(limit is not None for limit in (self.low, self.high, self.quantiles))
        if self.kind == "orthogonal" and (limited or self.whole):
            raise PlanError(
                "Noise: kind='orthogonal' keeps covariances exactly, and limits or whole numbers would move them. "
                "Leave out low, high, quantiles and whole, or take kind='correlated'."
            )
        self._check_limits()
        check_apart(self, within=self.within)

    def _check_limits(self) -> None:
        ends = [end for end in (self.low, self.high) if end is not None]
        if any(not math.isfinite(end) for end in ends) or (len(ends) == 2 and ends[0] >= ends[1]):
            raise PlanError("Noise: low and high must be numbers, the first below the second.")
        shares = self.quantiles
        if shares is not None and (ends or len(shares) != 2 or not 0 <= shares[0] < shares[1] <= 1):
            raise PlanError(
                "Noise: quantiles must be two shares such as (0.01, 0.99), the first below the second, and in place of "
                "low and high."
            )

    @property
    def coarsens(self) -> bool:
        return False

    @property
    def reads(self) -> tuple[str, ...]:
        return self.within

    @property
    def reach(self) -> Reach:
        if self.kind in ("correlated", "orthogonal"):
            return "table"
        return "groups" if self.within else "rows"

    def dtype(self, table: Table, name: str) -> pl.DataType:
        """Whole numbers are as wide as any, for noise may leave the range of narrow ones."""
        dtype, whole = table.frame.schema[name], self._is_whole(table, name)
        return pl.Int64() if whole and dtype.is_integer() else from_line(np.zeros(0), dtype, whole=whole).dtype

    def check(self, table: Table, roles: Mapping[str, RoleName]) -> None:  # noqa: ARG002
        check_numbers(self, table, "noise", self.columns)
        for name in self.columns:
            cells = table.frame[name].alias("cells").drop_nulls()
            if cells.n_unique() < 2:
                raise PlanError(
                    f"Noise: column {name!r} has fewer than two different values, so no deviation that noise could "
                    "follow. Leave it out."
                )
            is_date = table.columns[name].kind is Kind.DATE
            if is_date and (self.low is not None or self.high is not None or self.kind == "multiplicative"):
                what = "a factor" if self.kind == "multiplicative" else "a number as limit"
                raise PlanError(f"Noise: column {name!r} holds dates, and {what} means nothing to them.")
            places = places_of(table, (name,))
            if (self.low is not None and np.nanmin(places) < self.low) or (
                self.high is not None and np.nanmax(places) > self.high
            ):
                raise PlanError(
                    f"Noise: column {name!r} has values beyond low or high already. Widen the limits, or take TopCode "
                    "or BottomCode first."
                )

    def run(self, work: Work) -> Treated:
        values = places_of(work.table, self.columns)
        low, high = self._ends(self._whole(work) or Rows(values))
        values = np.clip(values, low, high)
        groups = groups_of(work.frame, self.within)
        if self.kind == "orthogonal":
            check_one_row_each(self, work)
            noisy = self._turned(values, groups, work.rng)
        else:
            noisy = self._noisy(values, groups, work, low, high)
        noisy, beyond = reflected(noisy, low, high)
        whole = [self._is_whole(work.table, name) for name in self.columns]
        noisy[:, whole] = np.clip(rounded(noisy[:, whole], work.rng), np.ceil(low[whole]), np.floor(high[whole]))
        cells = {
            name: Drawn(from_line(noisy[:, at], work.frame.schema[name], whole=whole[at]))
            for at, name in enumerate(self.columns)
        }
        back = (
            f" {beyond} cells were thrown back at an end of their range, which moves means."
            if np.isfinite([low, high]).any()
            else ""
        )
        return Treated(cells, trace=(f"{self._words()}{back}",), figures={"noise.thrown_back": float(beyond)})

    def _whole(self, work: Work, low: np.ndarray | float = -np.inf, high: np.ndarray | float = np.inf) -> Whole | None:
        """The values of all rows by their counts, within limits; None where all rows are here."""
        if not work.counts:
            return None
        lines = [work.counts[name].positions for name in self.columns]
        ends = np.broadcast_to(low, len(lines)), np.broadcast_to(high, len(lines))
        return Counted(
            [
                (np.clip(line, *limits), work.counts[name].counts)
                for name, line, *limits in zip(self.columns, lines, *ends, strict=True)
                if line is not None
            ]
        )

    def _noisy(
        self, values: np.ndarray, groups: np.ndarray, work: Work, low: np.ndarray, high: np.ndarray
    ) -> np.ndarray:
        alike = None
        if work.persons is not None:
            codes = [dense_codes(cell_codes(work.cells(name)))[0] for name in self.columns]
            alike = group_rows([work.persons.astype(np.int32), *codes], len(values))[0]
        normal = standard_normal(values.shape, work.rng, work.persons, alike)
        noisy = self._drawn(values, normal, self._whole(work, low, high))
        if self.within:
            for rows in slices(groups):
                own = values[rows]
                varied = (np.isfinite(own).sum(axis=0) >= _OWN) & (np.nanmax(own, axis=0) > np.nanmin(own, axis=0))
                if len(rows) >= _OWN and varied.all():
                    noisy[rows] = self._drawn(own, normal[rows])
        return noisy

    def _drawn(self, values: np.ndarray, normal: np.ndarray, whole: Whole | None = None) -> np.ndarray:
        if self.kind == "additive":
            return additive(values, self.scale, normal, outliers=self.outliers, rescale=self.rescale, whole=whole)
        if self.kind == "correlated":
            return correlated(values, self.scale, normal, rescale=self.rescale)
        return multiplicative(values, self.scale, normal)

    def _turned(self, values: np.ndarray, groups: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Rows of a group with values in the same columns are turned together: so covariances over any rows that have
        both values are kept."""
        present = np.isfinite(values)
        _, pattern = np.unique(present @ (1 << np.arange(values.shape[1])), return_inverse=True)
        turned = np.full(values.shape, np.nan)
        for rows in slices(groups * (int(pattern.max(initial=0)) + 1) + pattern):
            columns = np.flatnonzero(present[rows[0]])
            if not len(columns):
                continue
            own = values[np.ix_(rows, columns)]
            if len(rows) < rows_needed(len(columns)) or (own.max(axis=0) == own.min(axis=0)).any():
                where = "a group of rows" if self.within else "the rows"
                raise InfeasibleError(
                    f"Noise: kind='orthogonal' cannot turn {where} with values in {len(columns)} of the columns: they "
                    f"are fewer than {rows_needed(len(columns))}, or all alike in a column. Take larger groups, "
                    "fewer columns, or kind='correlated'."
                )
            turned[np.ix_(rows, columns)] = rotated(np.asfortranarray(own), self.scale, rng)
        return turned

    def _ends(self, whole: Whole) -> tuple[np.ndarray, np.ndarray]:
        size = len(self.columns)
        if self.quantiles is not None:
            found = np.array([whole.quantiles(at, self.quantiles) for at in range(size)])
            return found[:, 0], found[:, 1]
        return (
            np.full(size, -np.inf if self.low is None else float(self.low)),
            np.full(size, np.inf if self.high is None else float(self.high)),
        )

    def _is_whole(self, table: Table, name: str) -> bool:
        dtype = table.frame.schema[name]
        if dtype.is_temporal() or self.kind == "orthogonal":
            return False
        return table.columns[name].kind is Kind.INTEGER if self.whole is None else self.whole

    def _words(self) -> str:
        named = ", ".join(map(repr, self.columns))
        grown = f"{1 + self.scale**2:.6g}"
        kept = {
            "additive": f"means and covariances are kept in expectation, variances grow by {grown}",
            "correlated": f"means and correlations are kept in expectation, covariances grow by {grown}",
            "multiplicative": "means are kept in expectation",
            "orthogonal": "means and covariances are kept exactly",
        }[self.kind]
        if self.rescale:
            kept = (
                "means and " + ("variances" if self.kind == "additive" else "covariances") + " are kept in expectation"
            )
        elif self.outliers:
            kept = "means and covariances are kept in expectation, variances grow"
        return f"Noise: {self.kind} noise of {self.scale:g} deviations on {named}; {kept}."
