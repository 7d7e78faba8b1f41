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
from paravent.table.kinds import Column, Kind
from paravent.table.line import from_line, to_line
from paravent.table.table import Table
from paravent.table.text import as_text
from paravent.treatments.recomputed import is_capped
from paravent.treatments.treatment import OnColumns, Treated, Work
from paravent.treatments.values import check_ordered, on_line, order_of, text_of, value_of

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

    def by_row(self, table: Table) -> bool:  # noqa: ARG002
        return self.share is None and self.replace != "mean"

    def check(self, table: Table, roles: Mapping[str, RoleName]) -> None:  # noqa: ARG002
        for name in self.columns:
            column = table.columns[name]
            check_ordered(type(self).__name__, column)
            if column.kind is Kind.ORDINAL and self.replace == "mean":
                raise PlanError(f"{type(self).__name__}: column {name!r} is ordinal and has no mean. Take a label.")
            if self.limit is not None:
                value_of(type(self).__name__, table, name, self.limit)

    def is_kept(self, table: Table, name: str, shown: pl.Series) -> bool:
        limit = None if self.limit is None else value_of(type(self).__name__, table, name, self.limit)
        return is_capped(
            table, name, shown, side=self.side, limit=limit, share=self.share, becomes=self.replace, label=self.label
        )

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
        column, cells = work.table.columns[name], work.cells(name)
        limit = self._limit(work, name)
        line, place = on_line(column, cells, limit)
        beyond = (line > place if self.side == "above" else line < place).fill_null(False)
        there = line.is_not_null()
        shown = self._shown(work, name, limit, beyond.to_numpy())
        before = as_text(cells) if self.replace == "label" else cells
        if before.dtype != shown.dtype and self.replace != "label":
            before = before.cast(shown.dtype)
        choice = pl.when(beyond).then(pl.lit(shown.item(), dtype=shown.dtype)).when(there).then(before)
        published = pl.select(choice).to_series().alias("cells")
        order = column.order if column.kind is Kind.ORDINAL else None
        capped = Capped(published, **{self.side: limit}, order=order)
        if self.replace == "label":
            stays = cells.filter(there & ~beyond)
            return capped, self._order(column, stays, shown.item()), int(beyond.sum())
        return capped, order, int(beyond.sum())

    def _order(self, column: Column, stays: pl.Series, label: str) -> tuple[str, ...]:
        """The values of the coded column from lowest to highest."""
        if column.kind is Kind.ORDINAL:
            used = set(as_text(stays).unique())
            values = [value for value in order_of(column) if value in used]
        else:
            values = as_text(stays.unique().sort()).to_list()
        if label in values:
            raise PlanError(
                f"{type(self).__name__}: column {column.name!r} has the value {quote(label)}. Choose another label."
            )
        return (*values, label) if self.side == "above" else (label, *values)

    def _limit(self, work: Work, name: str) -> Any:
        """The limit as a value of the column: the one given, or the last value of those that stay."""
        if self.limit is not None:
            return value_of(type(self).__name__, work.table, name, self.limit)
        column = work.table.columns[name]
        line, _ = on_line(column, work.cells(name), None)
        line = line.drop_nulls()
        if not len(line):
            raise PlanError(f"{type(self).__name__}: column {name!r} has no values, so no share of them.")
        place = int(Decimal(repr(self.share)) * len(line))
        number = len(line) - 1 - place if self.side == "above" else place
        value = line.sort()[number]
        return order_of(column)[int(value)] if column.kind is Kind.ORDINAL else value

    def _shown(self, work: Work, name: str, limit: Any, beyond: np.ndarray) -> pl.Series:
        """What is published beyond the limit, as a column of one cell."""
        dtype, kind = work.frame.schema[name], work.table.columns[name].kind
        if self.replace == "label":
            sign = ">" if self.side == "above" else "<"
            return pl.Series("cells", [self.label or f"{sign}{text_of(limit, dtype)}"])
        if self.replace == "limit":
            broken = dtype.is_integer() and isinstance(limit, float) and not limit.is_integer()
            own = pl.Series("cells", [limit], dtype=dtype, strict=False)
            return pl.Series("cells", [limit]) if broken or own.null_count() else own
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
