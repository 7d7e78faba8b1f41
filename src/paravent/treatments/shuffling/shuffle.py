"""Shuffling: the values of a column in another order, drawn freely or so that ranks keep their correlations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal

import numpy as np

from paravent.errors import PlanError
from paravent.methods.method import RoleName
from paravent.table.table import Table
from paravent.treatments.moved import moved, with_pattern
from paravent.treatments.shuffling.copula import shuffled_ranks
from paravent.treatments.strata import check_apart, check_one_row_each, check_ordered, groups_of, names, places_of
from paravent.treatments.swapping.partners import permuted
from paravent.treatments.treatment import OnColumns, Reach, Treated, Work


@dataclass(frozen=True, repr=False)
class Shuffle(OnColumns):
    """Columns with their own values in another order, within the groups of `within`.

    `plain`: every order is as likely as any other; several columns are shuffled one by one, or `together`, so that what
    stood side by side stays so. `ranks`: drawn anew so that the ranks of the columns keep their correlations with one
    another and with the columns `given`, which stay as they are; given these, what a row receives says nothing about
    what it had.

    >>> import polars as pl
    >>> import paravent as pv
    >>> rows = pl.DataFrame({"income": range(1000, 1040), "sex": ["f", "m"] * 20})
    >>> plan = pv.Plan({"sex": pv.Quasi(), "income": pv.Insensitive()}, pv.KAnonymity(5), order="source",
    ...                treat=[Shuffle("income", within="sex")])
    >>> released = pv.anonymize(rows, plan).frame
    >>> sorted(released.filter(pl.col("sex") == "f")["income"]) == list(range(1000, 1040, 2))
    True
    """

    _: KW_ONLY
    kind: Literal["plain", "ranks"] = "plain"
    within: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    together: bool = False

    title: ClassVar[str] = "Shuffling"
    source: ClassVar[str] = "Muralidhar and Sarathy 2006"

    def __post_init__(self) -> None:
        super().__post_init__()
        for option in ("within", "given"):
            object.__setattr__(self, option, names(getattr(self, option)))
        if self.given and self.kind == "plain":
            raise PlanError("Shuffle: given is for kind='ranks', which keeps correlations with these columns.")
        if self.together and self.kind == "ranks":
            raise PlanError("Shuffle: together is for kind='plain'; kind='ranks' keeps the ranks of columns together.")
        check_apart(self, within=self.within, given=self.given)

    @property
    def coarsens(self) -> bool:
        return False

    @property
    def reads(self) -> tuple[str, ...]:
        return (*self.within, *self.given)

    @property
    def reach(self) -> Reach:
        """Correlations are those within groups, all together."""
        return "groups" if self.within and self.kind == "plain" else "table"

    def check(self, table: Table, roles: Mapping[str, RoleName]) -> None:  # noqa: ARG002
        if self.kind == "ranks":
            check_ordered(self, table, "shuffling by ranks", (*self.columns, *self.given))

    def run(self, work: Work) -> Treated:
        check_one_row_each(self, work)
        groups = groups_of(work.frame, self.within)
        if self.kind == "ranks":
            columns, given = (places_of(work.table, some).T for some in (self.columns, self.given))
            found = shuffled_ranks(columns, given, groups, work.rng)
            received = dict(zip(self.columns, found, strict=True))
        elif self.together:
            received = dict.fromkeys(self.columns, permuted(with_pattern(work, self.columns, groups), work.rng))
        else:
            received = {name: permuted(with_pattern(work, (name,), groups), work.rng) for name in self.columns}
        alone = int((np.bincount(groups) == 1).sum())
        words = "Shuffle" + (f", of which {alone} rows are alone in their group and keep their values" if alone else "")
        return moved(work, received, groups, words)
