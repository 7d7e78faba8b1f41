"""Sampling: some rows stay, the others are not released."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

import numpy as np

from paravent.errors import PlanError
from paravent.hierarchy.spec import as_tuple
from paravent.methods.method import RoleName
from paravent.table.table import Table
from paravent.treatments.treatment import Treated, Treatment, Work
from paravent.treatments.values import strata_of


@dataclass(frozen=True, repr=False, kw_only=True)
class Sample(Treatment):
    """A `share` of the rows, or so many (`size`), stays, drawn without replacement.

    Where the plan counts people, people are drawn, each with all their rows. With `strata` (rows that are equal in
    these columns) each stratum has its share: rounded down, and one more where the most was cut off, of equals in the
    first ones.

    >>> import paravent as pv, polars as pl
    >>> rows = pl.DataFrame({"age": [31, 38, 45, 52, 59, 66], "sex": ["f", "f", "f", "f", "m", "m"]})
    >>> half = Sample(share=0.5, strata=("sex",))
    >>> plan = pv.Plan({"age": pv.Quasi()}, pv.KAnonymity(3), treat=[half])
    >>> sorted(pv.anonymize(rows, plan).frame["sex"])
    ['f', 'f', 'm']
    """

    share: float | None = None
    size: int | None = None
    strata: tuple[str, ...] = ()

    title: ClassVar[str] = "Sampling"
    source: ClassVar[str] = "Hundepool et al. 2012"

    def __post_init__(self) -> None:
        object.__setattr__(self, "strata", as_tuple(self.strata))
        if (self.share is None) == (self.size is None):
            raise PlanError("Sample: give either share, a share of the rows, or size, how many stay.")
        if self.share is not None and not 0 < self.share <= 1:
            raise PlanError(f"Sample: share must be above 0 and at most 1, not {self.share!r}.")
        if self.size is not None and self.size < 1:
            raise PlanError(f"Sample: size must be at least 1, not {self.size!r}.")

    @property
    def coarsens(self) -> bool:
        return True

    @property
    def columns(self) -> tuple[str, ...]:
        return ()

    @property
    def reads(self) -> tuple[str, ...]:
        return self.strata

    def check(self, table: Table, roles: Mapping[str, RoleName]) -> None:
        pass

    def run(self, work: Work) -> Treated:
        strata, count = strata_of(work.table, self.strata)
        persons = np.arange(len(work.table)) if work.persons is None else work.persons
        people = int(persons.max()) + 1
        stratum = np.zeros(people, dtype=np.int64)
        stratum[persons] = strata
        if (stratum[persons] != strata).any():
            raise PlanError(
                f"Sample: somebody has rows in several strata of {', '.join(map(repr, self.strata))}, and people are "
                "drawn with all their rows. Choose strata that a person does not change."
            )
        sizes = np.bincount(stratum, minlength=count)
        wanted = self.wanted(sizes)
        order = np.lexsort((work.rng.random(people), stratum))
        begins = np.cumsum(sizes) - sizes
        place = np.empty(people, dtype=np.int64)
        place[order] = np.arange(people) - np.repeat(begins, sizes)
        kept = np.flatnonzero((place < wanted[stratum])[persons])
        who = "rows" if work.persons is None else "people"
        told = f"Sample: {int(wanted.sum())} of {people} {who} stay."
        return Treated(kept=kept, trace=(told,), figures={"kept": float(len(kept))})

    def wanted(self, sizes: np.ndarray) -> np.ndarray:
        """How many stay of each stratum: its part of the whole, by largest remainders."""
        total = int(sizes.sum())
        if self.size is not None and self.size > total:
            raise PlanError(f"Sample: size is {self.size}, and there are only {total} to draw from. Ask for fewer.")
        whole = self.size if self.size is not None else int(Decimal(repr(self.share)) * total)
        parts, rest = np.divmod(sizes.astype(np.int64) * whole, total)
        most = np.argsort(-rest, kind="stable")[: whole - int(parts.sum())]
        parts[most] += 1
        return parts
