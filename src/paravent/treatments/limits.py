"""Top and bottom coding: what lies beyond a limit becomes a label, the limit itself, or the mean of what lies there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from decimal import Decimal
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl

from paravent.errors import InfeasibleError, PlanError, quote
from paravent.methods.method import RoleName
from paravent.published import Capped
from paravent.table.domain import Coded
from paravent.table.kinds import Column, Kind
from paravent.table.line import from_line, to_line
from paravent.table.table import Table
from paravent.table.text import as_text
from paravent.treatments.treatment import OnColumns, Treated, Work
from paravent.treatments.values import check_ordered, on_line, text_of, value_of

FEWEST = 3
"""People behind a published mean: of two, each could work out the other's value."""


@dataclass(frozen=True, repr=False)
class _Limited(OnColumns):
    """What `TopCode` and `BottomCode` share: `share` codes at most this share of the values that are there."""

    _: KW_ONLY
    share: float | None = None
    replace: Literal["label", "limit", "mean"] = "label"
    label: str | None = None

    side: ClassVar[Literal["above", "below"]]

    def __post_init__(self) -> None:
        super().__post_init__()
        name = type(self).__name__
        if (self.limit is None) == (self.share is None):
            raise PlanError(f"{name}: give either {self.side}, a limit, or share, a share of the values.")
        if self.share is not None and not 0 < self.share < 1:
            raise PlanError(f"{name}: share must lie between 0 and 1, not be {self.share!r}.")
        if isinstance(self.limit, float) and not np.isfinite(self.limit):
            raise PlanError(f"{name}: {self.side} must be a number that can be written, not {self.limit!r}.")
        if self.label is not None and (self.replace != "label" or not self.label):
            raise PlanError(f"{name}: label is the text of coded cells, for replace='label' only.")

    @property
    def limit(self) -> float | str | None:
        found: float | str | None = getattr(self, self.side)
        return found

    @property
    def coarsens(self) -> bool:
        return True

    def check(self, table: Table, roles: Mapping[str, RoleName]) -> None:  # noqa: ARG002
        for name in self.columns:
            column = table.columns[name]
            check_ordered(type(self).__name__, column)
            if column.kind is Kind.ORDINAL and self.replace == "mean":
                raise PlanError(f"{type(self).__name__}: column {name!r} is ordinal and has no mean. Take a label.")
            if self.limit is not None:
                value_of(type(self).__name__, table, name, self.limit)

    def run(self, work: Work) -> Treated:
        cells, orders, trace = {}, {}, []
        figures: dict[str, float] = {}
        for name in self.columns:
            cells[name], order, count = self._coded(work, name)
            if order is not None:
                orders[name] = order
            trace.append(f"{type(self).__name__}: {count} of {len(work.table)} cells of {name!r} are coded.")
            figures[f"coded.{name}"] = count
        return Treated(cells, orders=orders, trace=tuple(trace), figures=figures)

    def _coded(self, work: Work, name: str) -> tuple[Capped, tuple[str, ...] | None, int]:
        column, coded = work.table.columns[name], Coded.of(work.table, name)
        limit = self._limit(work, column, coded)
        stays = self._stays(column, coded.domain.values, limit)
        order = column.order if column.kind is Kind.ORDINAL else None
        beyond = ~np.append(stays, True)[coded.codes]  # code −1, a missing cell, takes the last entry
        count = int(beyond.sum())
        values = coded.domain.values if self.replace != "label" else as_text(coded.domain.values)
        shown = self._shown(work, name, limit, beyond)
        if values.dtype != shown.dtype:
            values = values.cast(shown.dtype)
        kept = np.cumsum(stays) - 1
        place = np.append(np.where(stays, kept, int(stays.sum())), -1)[coded.codes]
        table = values.filter(pl.Series(stays)).append(shown)
        published = table.gather(pl.Series(place).replace(-1, None)).alias("cells")
        capped = Capped(published, **{self.side: limit}, order=order)
        if self.replace == "label":
            return capped, self._order(as_text(values).filter(pl.Series(stays)).to_list(), shown.item(), name), count
        return capped, order, count

    def _order(self, stays: list[str], label: str, name: str) -> tuple[str, ...]:
        if label in stays:
            raise PlanError(f"{type(self).__name__}: column {name!r} has the value {quote(label)}. Choose a label.")
        return (*stays, label) if self.side == "above" else (label, *stays)

    def _limit(self, work: Work, column: Column, coded: Coded) -> Any:
        """The limit as a value of the column: the one given, or the last value of those that stay."""
        if self.limit is not None:
            return value_of(type(self).__name__, work.table, column.name, self.limit)
        counts = coded.domain.counts if self.side == "below" else coded.domain.counts[::-1]
        allowed = int(Decimal(repr(self.share)) * int(counts.sum()))
        if not len(counts):
            raise PlanError(f"{type(self).__name__}: column {column.name!r} has no values, so no share of them.")
        place = int(np.searchsorted(np.cumsum(counts), allowed, side="right"))
        return coded.domain.values[place if self.side == "below" else len(counts) - 1 - place]

    def _stays(self, column: Column, values: pl.Series, limit: Any) -> np.ndarray:
        """Which values of the domain do not lie beyond the limit."""
        line, limit = on_line(column, values, limit)
        return np.asarray((line <= limit if self.side == "above" else line >= limit).to_numpy())

    def _shown(self, work: Work, name: str, limit: Any, beyond: np.ndarray) -> pl.Series:
        """What is published beyond the limit, as a column of one cell."""
        dtype, kind = work.frame.schema[name], work.table.columns[name].kind
        if self.replace == "label":
            sign = ">" if self.side == "above" else "<"
            return pl.Series("cells", [self.label or f"{sign}{text_of(limit, dtype)}"])
        if self.replace == "limit":
            whole = dtype.is_integer() and float(limit) == int(limit)
            return pl.Series("cells", [limit], dtype=dtype if whole or not dtype.is_integer() else pl.Float64())
        people = np.unique(work.persons[beyond]).size if work.persons is not None else int(beyond.sum())
        if 0 < people < FEWEST:
            raise InfeasibleError(
                f"{type(self).__name__}: only {people} of the people lie beyond the limit of column {name!r}, and "
                f"their mean would tell their values. Choose a limit with at least {FEWEST}, or replace='label'."
            )
        places = to_line(work.cells(name), kind)
        assert places is not None
        return from_line(np.array([places[beyond].mean() if people else np.nan]), dtype).alias("cells")


@dataclass(frozen=True, repr=False)
class TopCode(_Limited):
    """Values above a limit become `>limit`, the limit itself, or the mean of all values above it.

    The limit is `above`, or such that at most a `share` of the values lies above it. With a label the column becomes
    ordinal, its label last.

    >>> import paravent as pv
    >>> rows = pl.DataFrame({"age": [31, 38, 76, 81], "sex": ["f", "f", "m", "m"]})
    >>> plan = pv.Plan({"sex": pv.Quasi()}, pv.KAnonymity(2), treat=[TopCode("age", above=75)], order="source")
    >>> pv.anonymize(rows, plan).frame["age"].to_list()
    ['31', '38', '>75', '>75']
    """

    above: float | str | None = None

    title: ClassVar[str] = "Top coding"
    source: ClassVar[str] = "Hundepool et al. 2012"
    side: ClassVar[Literal["above", "below"]] = "above"


@dataclass(frozen=True, repr=False)
class BottomCode(_Limited):
    """Values below a limit become `<limit`, the limit itself, or the mean of all values below it; see `TopCode`.

    >>> import paravent as pv
    >>> rows = pl.DataFrame({"age": [16, 17, 31, 38], "sex": ["f", "f", "m", "m"]})
    >>> young = BottomCode("age", below=18, replace="limit")
    >>> plan = pv.Plan({"sex": pv.Quasi()}, pv.KAnonymity(2), treat=[young], order="source")
    >>> pv.anonymize(rows, plan).frame["age"].to_list()
    [18, 18, 31, 38]
    """

    below: float | str | None = None

    title: ClassVar[str] = "Bottom coding"
    source: ClassVar[str] = "Hundepool et al. 2012"
    side: ClassVar[Literal["above", "below"]] = "below"
