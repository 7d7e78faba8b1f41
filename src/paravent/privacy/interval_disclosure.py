"""A limit on how many published numbers stay close to their originals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import polars as pl

from paravent.errors import PlanError
from paravent.measures import as_percent
from paravent.privacy.compared import as_names, check_names, is_line
from paravent.privacy.exact import as_written, shown
from paravent.privacy.model import check_number
from paravent.privacy.promise import Evidence, Found, Limit

WAYS = ("deviation", "rank")


@dataclass(frozen=True, repr=False)
class IntervalDisclosure(Limit):
    """In no column more than the share `share` of the original numbers lies within `width` of what is published.

    `by="deviation"`: within so many standard deviations, of the original or of the published column, whichever is the
    larger. `by="rank"`: within the share `width` of the rows, up and down the ranking of the published numbers. A label
    counts as the middle of what it covers, a cell without a number discloses none. `columns` are all quasi-identifiers
    and sensitive columns that hold numbers or dates.

    >>> import paravent as pv
    >>> ages = pl.DataFrame({"age": [31, 33, 38, 40]})
    >>> plan = pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(2), IntervalDisclosure(0.5, width=0.1)], pv.methods.MDAV())
    >>> print(pv.anonymize(ages, plan).verdict.levels)
    {'privacy.k': 2, 'privacy.interval.deviation': 0.0}
    """

    share: float
    width: float
    by: str = "deviation"
    columns: tuple[str, ...] | None = None

    protects: ClassVar[str] = "At most this share of the numbers of any column is published close to what it was."
    leaves_open: ClassVar[str] = (
        "A number that is common may be guessed all the same, and rows may be linked by several columns together."
    )

    def __post_init__(self) -> None:
        check_number("IntervalDisclosure: share", self.share, low=0, high=1)
        if self.by not in WAYS:
            raise PlanError(f"IntervalDisclosure: by must be one of {', '.join(WAYS)}, not {self.by!r}.")
        most = 1 if self.by == "rank" else float("inf")
        check_number("IntervalDisclosure: width", self.width, low=0, high=most, open_low=True)
        object.__setattr__(self, "columns", as_names("IntervalDisclosure", self.columns))

    @property
    def key(self) -> str:
        return f"privacy.interval.{self.by}"

    def describe(self) -> str:
        far = f"{self.width:g} standard deviations" if self.by == "deviation" else f"{self.width:g} of the ranking"
        where = "any column" if self.columns is None else ", ".join(self.columns)
        return f"at most {self.share:g} of the numbers of {where} within {far}"

    def check_table(self, table: pl.DataFrame, quasi: Sequence[str], sensitive: Sequence[str]) -> None:
        check_names("IntervalDisclosure", self.columns or (), table)
        for name in self.columns or ():
            if not is_line(table.schema[name]):
                raise PlanError(f"IntervalDisclosure: column {name!r} holds no numbers or dates. Name others.")
        if not self._compared(table, quasi, sensitive):
            raise PlanError(
                "IntervalDisclosure: no quasi-identifier or sensitive column holds numbers. Name columns=[…]."
            )

    def _compared(self, table: pl.DataFrame, quasi: Sequence[str], sensitive: Sequence[str]) -> tuple[str, ...]:
        return self.columns or tuple(name for name in (*quasi, *sensitive) if is_line(table.schema[name]))

    def measure(self, evidence: Evidence) -> Found:
        if evidence.kept is None:
            return Found(float("nan"), False, "it cannot be told which row was made from which")
        columns = self._compared(evidence.original, evidence.quasi, evidence.sensitive)
        there = [name for name in columns if name in evidence.released.columns]
        if not there or (self.columns is not None and len(there) < len(columns)):
            return Found(float("nan"), False, "a column that it speaks of is not in the first table")
        found = {name: self._disclosed(evidence, name) for name in there}
        worst = max(found, key=lambda name: found[name])
        holds = found[worst] <= as_written(self.share)
        level = shown(float(found[worst]), self.share, holds=holds, most=True)
        others = "" if len(found) == 1 else ", the most of any column"
        words = f"all {len(evidence.rows)} rows compared; {worst!r} {as_percent(float(found[worst]))}{others}"
        return Found(level, holds and len(evidence.rows) > 0, words)

    def _disclosed(self, evidence: Evidence, name: str) -> Fraction:
        """The share of the originals of a column that are close to what is published; missing ones are left out."""
        from paravent.privacy.risk.interval_disclosure import deviation_disclosure, rank_disclosure
        from paravent.privacy.risk.nearness import OnLine, nearness
        from paravent.privacy.risk.perturbed import Perturbed

        kept = evidence.kept
        assert kept is not None
        near = nearness(evidence.released[name], evidence.original[name], kept, evidence.languages.get(name))
        assert isinstance(near, OnLine)
        before = near.places[kept][evidence.rows]
        with np.errstate(invalid="ignore"):
            after = ((near.low + near.high) / 2)[evidence.rows]
        known = np.isfinite(before)
        said = known & np.isfinite(after)
        pair = Perturbed((name,), before[said, None], after[said, None])
        if self.by == "rank":
            inside = rank_disclosure(pair, [float(100 * as_written(self.width))]).inside
        else:
            spreads = [x.std(axis=0, ddof=1) if len(x) > 1 else np.zeros(1) for x in (pair.original, pair.masked)]
            inside = deviation_disclosure(pair, self.width, spread=np.maximum(*spreads)).inside
        return Fraction(int(inside.sum()), max(int(known.sum()), 1))
