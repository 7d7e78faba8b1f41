"""Rounding: numbers become multiples of a base."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from paravent.errors import PlanError
from paravent.hierarchy.spec import as_tuple
from paravent.methods.method import RoleName
from paravent.published import Rounded, Source
from paravent.published.by_row import missing_cells
from paravent.table.table import Table
from paravent.table.whole import as_integers
from paravent.treatments.treatment import OnColumns, Reach, Treated, Work
from paravent.treatments.values import strata_of

_EXACT = 2.0**53


@dataclass(frozen=True, repr=False)
class Round(OnColumns):
    """Every number becomes a multiple of `base`.

    `nearest`: the nearest one, of two equally near the even one. `random`: one of the two next to it, drawn so that the
    number is kept on average. `controlled` sums: in each of the `groups` (rows that are equal in these columns; all
    rows, where none is named) as many numbers go up as keep the sum within one base; the `nearest` ones of them where
    nothing is drawn.

    >>> import paravent as pv
    >>> rows = pl.DataFrame({"pay": [1234, 1250, 1350, 1399], "sex": ["f", "f", "m", "m"]})
    >>> plan = pv.Plan({"sex": pv.Quasi()}, pv.KAnonymity(2), treat=[Round("pay", base=100)], order="source")
    >>> pv.anonymize(rows, plan).frame["pay"].to_list()
    [1200, 1200, 1400, 1400]
    """

    _: KW_ONLY
    base: float
    how: Literal["nearest", "random"] = "nearest"
    controlled: bool = False
    groups: tuple[str, ...] = ()

    title: ClassVar[str] = "Rounding"
    source: ClassVar[str] = "Hundepool et al. 2012; controlled by systematic sampling"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "groups", as_tuple(self.groups))
        if not 0 < self.base < math.inf:
            raise PlanError(f"Round: base must be a positive number, not {self.base!r}.")
        if self.groups and not self.controlled:
            raise PlanError("Round: groups are those whose sums are kept. Say controlled=True, or leave groups out.")

    @property
    def coarsens(self) -> bool:
        """Only where a number alone decides what it becomes."""
        return self.how == "nearest" and not self.controlled

    @property
    def reads(self) -> tuple[str, ...]:
        return self.groups

    @property
    def reach(self) -> Reach:
        return "table" if self.controlled and not self.groups else "groups" if self.controlled else "rows"

    def by_row(self, table: Table) -> bool:  # noqa: ARG002
        return self.how == "nearest" and not self.controlled

    def check(self, table: Table, roles: Mapping[str, RoleName]) -> None:  # noqa: ARG002
        for name in self.columns:
            if not table.columns[name].kind.is_numeric:
                raise PlanError(
                    f"Round: column {name!r} is {table.columns[name].kind}, and only numbers can be rounded. "
                    "Take Recode with breaks or a tree."
                )
            cells = table.frame[name].alias("cells")
            most = max((abs(float(end)) for end in (cells.min(), cells.max()) if end is not None), default=0.0)  # type: ignore[arg-type]
            if not most / self.base < _EXACT:
                raise PlanError(f"Round: column {name!r} has numbers too large for a base of {self.base}. Choose more.")

    def is_kept(self, table: Table, name: str, shown: pl.Series) -> bool:
        Rounded(shown, base=self.base, nearest=self.coarsens).check_kind(Source(name, table.frame[name].alias("cells")))
        return True

    def run(self, work: Work) -> Treated:
        groups, _ = strata_of(work.table, self.groups)
        cells, trace = {}, []
        for name in self.columns:
            column = work.cells(name)
            there = ~missing_cells(column)
            integers = as_integers(column) if self.base == int(self.base) else None
            whole = integers is not None
            numbers = (column.cast(pl.Float64) if integers is None else integers).filter(pl.Series(there)).to_numpy()
            below, share = self._parts(numbers, whole=whole)
            steps = below + self._up(below, share, groups[there], work.rng)
            rounded = np.zeros(len(column), dtype=np.int64 if whole else np.float64)
            exact = Fraction(str(self.base))
            rounded[there] = steps * int(self.base) if whole else steps * exact.numerator / exact.denominator + 0.0
            shown = pl.select(pl.when(pl.Series(there)).then(pl.Series("cells", rounded))).to_series().alias("cells")
            near = self.how == "nearest" and not self.controlled
            cells[name] = Rounded(shown, base=self.base, nearest=near)
            trace.append(f"Round: column {name!r} has multiples of {self.base:g}.")
        return Treated(cells, trace=tuple(trace))

    def _parts(self, numbers: np.ndarray, *, whole: bool) -> tuple[np.ndarray, np.ndarray]:
        """How many whole bases lie in each number, and the share of one that is left over."""
        if whole:
            below, rest = np.divmod(numbers, int(self.base))
            return below, rest / self.base
        exact = Fraction(str(self.base))
        scaled = numbers * exact.denominator / exact.numerator
        below = np.floor(scaled)
        return below, scaled - below

    def _up(self, below: np.ndarray, share: np.ndarray, groups: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Which numbers go up to the next multiple."""
        if not self.controlled:
            if self.how == "random":
                return np.asarray(rng.random(len(share)) < share)
            return np.asarray((share > 0.5) | ((share == 0.5) & (below % 2 != 0)))
        if not len(share):
            return np.zeros(0, dtype=bool)
        drawn = rng.random(len(share))
        # In each group one number goes up wherever the shares added up so far pass a whole number. Started at random,
        # this takes each with the probability of its share; the nearest come first where nothing is drawn.
        order = np.argsort(drawn if self.how == "random" else -share, kind="stable")
        narrow = groups.astype(np.min_scalar_type(int(groups.max())))  # few groups are sorted by their digits
        order = order[np.argsort(narrow[order], kind="stable")]
        ordered, upto = groups[order], np.cumsum(share[order])
        first = np.r_[True, ordered[1:] != ordered[:-1]]
        group = np.cumsum(first) - 1
        before = (upto - share[order])[first]
        upto = upto - before[group]
        up = np.zeros(len(share), dtype=bool)
        if self.how == "random":
            start = rng.random(int(first.sum()))[group]
            passed = np.floor(upto + start)
            up[order] = passed - np.where(first, 0.0, np.r_[0.0, passed[:-1]]) > 0
        else:
            last = np.r_[np.flatnonzero(first)[1:], len(share)] - 1
            count = np.rint(upto[last])
            place = np.arange(len(share)) - np.flatnonzero(first)[group]
            up[order] = place < count[group]
        return up
