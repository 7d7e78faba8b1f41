"""Swapping: values change places between rows, at random, by rank, for rows at risk, or household by household."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import KW_ONLY, dataclass, fields
from typing import ClassVar, Literal

import numpy as np

from paravent import kernels
from paravent.errors import PlanError
from paravent.methods.method import RoleName
from paravent.table.table import Table
from paravent.treatments.moved import moved, with_pattern
from paravent.treatments.strata import (
    check_apart,
    check_one_row_each,
    check_ordered,
    check_share,
    groups_of,
    names,
    places_of,
)
from paravent.treatments.swapping.partners import near_partners, random_partners
from paravent.treatments.swapping.records import swap_records, swap_rows
from paravent.treatments.treatment import OnColumns, Reach, Treated, Work

_OPTIONS = {
    "random": ("share", "within"),
    "rank": ("window", "within"),
    "target": ("risk", "k", "similar", "within"),
    "records": ("risk", "k", "similar", "household", "share", "along"),
}
"""What can be said of each kind."""


@dataclass(frozen=True, repr=False)
class Swap(OnColumns):
    """Values that change places between rows: every value that was there is there still, as often.

    `rank`: each column by itself, with a value at most `window` ranks away (a share of the rows, or one for each
    column); equal values stand in random order. `random`: a `share` of the rows in pairs, all columns together.
    `target`: rows whose combination of `risk` columns fewer than `k` rows share get the columns of another row, which
    is alike in the columns `similar`. `records`: households exchange where they live. The columns are then nested
    geographies, the coarsest first; a household with a member whose `risk` columns fewer than `k` people of the area
    share (one k, or one for each geography) is swapped with one of another area, of the same size and alike in
    `similar`, and others follow until a `share` of all households is swapped; columns named `along` go with them.
    `similar` may be several lists, of which the next is tried where nobody is alike by the first. Rows are swapped
    within the groups of `within`.

    >>> import polars as pl
    >>> import paravent as pv
    >>> rows = pl.DataFrame({"income": range(1000, 1040), "sex": ["f", "m"] * 20})
    >>> plan = pv.Plan({"sex": pv.Quasi(), "income": pv.Insensitive()}, pv.KAnonymity(5), order="source",
    ...                treat=[Swap("income", kind="rank", window=0.1)])
    >>> released = pv.anonymize(rows, plan).frame["income"]
    >>> sorted(released) == list(rows["income"]), (released - rows["income"]).abs().max() <= 4
    (True, True)
    """

    _: KW_ONLY
    kind: Literal["random", "rank", "target", "records"] = "rank"
    window: float | Mapping[str, float] | None = None
    share: float | None = None
    within: tuple[str, ...] = ()
    risk: tuple[str, ...] = ()
    k: int | tuple[int, ...] | None = None
    similar: tuple[str | tuple[str, ...], ...] = ()
    household: str | None = None
    along: tuple[str, ...] = ()

    title: ClassVar[str] = "Swapping"
    source: ClassVar[str] = "Dalenius and Reiss 1982; Moore 1996; Eurostat 2017"

    def __post_init__(self) -> None:
        super().__post_init__()
        for option in ("within", "risk", "along"):
            object.__setattr__(self, option, names(getattr(self, option)))
        similar: object = self.similar
        listed = tuple(similar) if isinstance(similar, list | tuple) else (similar,)
        object.__setattr__(self, "similar", tuple(each if isinstance(each, str) else tuple(each) for each in listed))
        k: object = self.k
        if isinstance(k, list):
            object.__setattr__(self, "k", tuple(k))
        for own in fields(self):
            known = own.name in ("column", "kind", *_OPTIONS[self.kind])
            if not known and getattr(self, own.name) != own.default:
                raise PlanError(
                    f"Swap: {own.name} says nothing to kind={self.kind!r}, which takes "
                    f"{', '.join(_OPTIONS[self.kind])}. Leave it out."
                )
        self._check_kind()
        check_apart(self, within=self.within, similar=[name for each in self.profiles for name in each])

    def _check_kind(self) -> None:
        if self.kind == "rank":
            self._check_window()
        elif self.kind == "random" and self.share is None:
            raise PlanError("Swap: kind='random' needs share, the share of the rows that are swapped.")
        elif self.kind == "target" and (not self.risk or not isinstance(self.k, int)):
            raise PlanError("Swap: kind='target' needs risk, the columns that may single rows out, and k, a number.")
        elif self.kind == "records" and self.share is None and not any(self.least):
            raise PlanError("Swap: kind='records' needs k with risk columns, a share of the households, or both.")
        elif self.kind == "records" and any(self.least) and not self.risk:
            raise PlanError("Swap: k counts people who are alike in the risk columns. Name these as risk.")
        check_share(self, window=self.window, share=self.share)
        if any(k < 0 or k == 1 for k in self.least):
            raise PlanError("Swap: k must be at least 2, or 0 where a geography shall count nobody as at risk.")

    def _check_window(self) -> None:
        if self.window is None:
            raise PlanError("Swap: kind='rank' needs window, how many ranks a value may move, as a share of the rows.")
        if isinstance(self.window, Mapping) and set(self.window) != set(self.columns):
            raise PlanError("Swap: window names other columns than are swapped. Give one for each, or one number.")

    @property
    def least(self) -> tuple[int, ...]:
        """The k of each geography."""
        k = 0 if self.k is None else self.k
        return (k,) * len(self.geography) if isinstance(k, int) else k

    @property
    def geography(self) -> tuple[str, ...]:
        return super().columns

    @property
    def profiles(self) -> tuple[tuple[str, ...], ...]:
        """The lists of columns by which partners are alike, the one to be tried first first."""
        if all(isinstance(each, str) for each in self.similar):
            return (tuple(map(str, self.similar)),)
        return tuple(names(each) for each in self.similar)

    @property
    def coarsens(self) -> bool:
        return False

    @property
    def columns(self) -> tuple[str, ...]:
        return (*super().columns, *names(self.along))

    @property
    def reads(self) -> tuple[str, ...]:
        asked = [*self.within, *self.risk, *(name for each in self.profiles for name in each)]
        if self.household is not None:
            asked.append(self.household)
        return tuple(name for name in dict.fromkeys(asked) if name not in self.columns)

    @property
    def reach(self) -> Reach:
        return "groups" if self.within and self.kind in ("random", "rank") else "table"

    def check(self, table: Table, roles: Mapping[str, RoleName]) -> None:  # noqa: ARG002
        if self.kind == "rank":
            check_ordered(self, table, "rank swapping", self.columns)
        if len(self.least) != len(self.geography):
            raise PlanError(
                f"Swap: k has {len(self.least)} numbers for {len(self.geography)} geographies. Give one number, or one "
                "for each."
            )

    def run(self, work: Work) -> Treated:
        if self.kind == "records":
            return swap_records(
                work,
                self.columns,
                self.geography,
                household=self.household,
                risk=self.risk,
                least=self.least,
                profiles=self.profiles,
                share=self.share or 0.0,
            )
        check_one_row_each(self, work)
        if self.kind == "target":
            return swap_rows(
                work, self.columns, risk=self.risk, k=self.least[0], profiles=self.profiles, within=self.within
            )
        groups = groups_of(work.frame, self.within)
        if self.kind == "random":
            assert self.share is not None
            received = random_partners(with_pattern(work, self.columns, groups), self.share, work.rng)
            words = f"Swap: {self.share:g} of the rows in random pairs"
            return moved(work, dict.fromkeys(self.columns, received), groups, words)
        drawing = work.rng.spawn(len(self.columns))  # columns are drawn apart, whichever is done first
        with ThreadPoolExecutor(kernels.threads()) as pool:
            found = pool.map(lambda name, rng: self._by_rank(work, name, groups, rng), self.columns, drawing)
            return moved(work, dict(zip(self.columns, found, strict=True)), groups, "Swap: by rank")

    def _by_rank(self, work: Work, name: str, groups: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        assert self.window is not None
        window = self.window[name] if isinstance(self.window, Mapping) else self.window
        places = places_of(work.table, (name,))[:, 0]
        rows = np.flatnonzero(np.isfinite(places))
        received = np.arange(len(places))
        received[rows] = rows[near_partners(places[rows], groups[rows], window, rng)]
        return received
