"""A limit on how many rows of a finished table lead back to whom they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from paravent.errors import PlanError
from paravent.measures import as_percent
from paravent.privacy.compared import as_names, check_names
from paravent.privacy.exact import as_written, shown
from paravent.privacy.model import check_number
from paravent.privacy.promise import Evidence, Found, Limit

WAYS = ("distance", "probability")


@dataclass(frozen=True, repr=False)
class LinkageRisk(Limit):
    """At most the share `share` of the rows leads back to the original row, beyond what a guess finds.

    The intruder has the original values of everybody in `columns` (the quasi-identifiers) and links each released row
    to the nearest by distance, or to the one that agrees by probability (`privacy/risk/relinking.py`). Of large tables
    rows are drawn, and the upper end of what they leave possible with 95 % confidence is what counts.

    >>> import paravent as pv
    >>> ages = pl.DataFrame({"age": [31, 32, 38, 39]})
    >>> plan = pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(2), LinkageRisk(0.5)], pv.methods.MDAV())
    >>> print(pv.anonymize(ages, plan).verdict.levels)
    {'privacy.k': 2, 'privacy.linkage.distance': 0.3333333333333333}
    """

    share: float
    by: str = "distance"
    columns: tuple[str, ...] | None = None

    protects: ClassVar[str] = (
        "Somebody who holds the original values of everybody links at most this share of the rows to the right people, "
        "beyond what a guess would."
    )
    leaves_open: ClassVar[str] = (
        "It is measured, by one attack: a cleverer one may link more, and single people may be found for certain."
    )

    def __post_init__(self) -> None:
        check_number("LinkageRisk: share", self.share, low=0, high=1)
        if self.by not in WAYS:
            raise PlanError(f"LinkageRisk: by must be one of {', '.join(WAYS)}, not {self.by!r}.")
        object.__setattr__(self, "columns", as_names("LinkageRisk", self.columns))

    @property
    def key(self) -> str:
        return f"privacy.linkage.{self.by}"

    def describe(self) -> str:
        where = "" if self.columns is None else f" ({', '.join(self.columns)})"
        return f"at most {self.share:g} of the rows linked back by {self.by}{where}"

    def check_table(self, table: pl.DataFrame, quasi: Sequence[str], sensitive: Sequence[str]) -> None:  # noqa: ARG002
        check_names("LinkageRisk", self.columns or (), table)
        if self.columns is None and not quasi:
            raise PlanError("LinkageRisk: no quasi-identifier says what an intruder knows. Name columns=[…].")

    def measure(self, evidence: Evidence) -> Found:
        from paravent.privacy.risk.relinking import Relinking

        if evidence.kept is None:
            return Found(float("nan"), False, "it cannot be told which row was made from which")
        columns = self.columns or tuple(name for name in evidence.quasi if name in evidence.released.columns)
        elsewhere = [name for name in columns if name not in evidence.released.columns]
        if elsewhere or not columns or not len(evidence.rows):
            named = f"column {elsewhere[0]!r} is" if elsewhere else "nothing that could be compared is"
            return Found(float("nan"), False, f"{named} not in the first table")
        found = Relinking.of(
            evidence.released, evidence.original, evidence.kept, columns,
            languages=evidence.languages, persons=evidence.persons,
        ).relinked(evidence.rows, "distance" if self.by == "distance" else "probability")  # fmt: skip
        holds = found.excess <= as_written(self.share)
        level = shown(float(found.excess), self.share, holds=holds, most=True)
        what = "people" if evidence.persons is not None else "rows"
        guess = f"a guess finds {as_percent(float(found.control))}"
        if found.everybody:
            return Found(level, holds, f"all {found.tried} {what} tried, {as_percent(found.found)} linked; {guess}")
        return Found(
            level, holds,
            f"{found.tried} {what} drawn, {as_percent(found.found)} linked; the level is the upper end with "
            f"{found.confidence:.0%} confidence (Clopper–Pearson); {guess}",
        )  # fmt: skip
