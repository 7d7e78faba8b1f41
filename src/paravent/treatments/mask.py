"""Masking: some signs of every text are replaced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import polars as pl

from paravent.errors import PlanError
from paravent.methods.method import RoleName
from paravent.published import Masked
from paravent.table.domain import distinct
from paravent.table.table import Table
from paravent.table.text import as_text
from paravent.treatments.recomputed import is_masked
from paravent.treatments.treatment import OnColumns, Treated, Work


@dataclass(frozen=True, repr=False)
class Mask(OnColumns):
    """The `first` or the `last` so many signs of every value become `sign`; shorter values are masked as a whole.

    Numbers and dates are masked as they are written. How long a value was can still be seen.

    >>> import paravent as pv
    >>> rows = pl.DataFrame({"zip": ["13053", "13068", "14850", "148"], "sex": ["f", "f", "m", "m"]})
    >>> plan = pv.Plan({"sex": pv.Quasi()}, pv.KAnonymity(2), treat=[Mask("zip", last=2)], order="source")
    >>> pv.anonymize(rows, plan).frame["zip"].to_list()
    ['130**', '130**', '148**', '1**']
    """

    _: KW_ONLY
    first: int = 0
    last: int = 0
    sign: str = "*"

    title: ClassVar[str] = "Masking"
    source: ClassVar[str] = "Attou, Djedoui 2023, §3"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.first < 0 or self.last < 0 or not self.first + self.last:
            raise PlanError("Mask: give first or last, how many signs of every value are masked.")
        if len(self.sign) != 1:
            raise PlanError(f"Mask: sign must be one sign, not {self.sign!r}.")

    @property
    def coarsens(self) -> bool:
        return True

    def by_row(self, table: Table) -> bool:  # noqa: ARG002
        return True

    def check(self, table: Table, roles: Mapping[str, RoleName]) -> None:
        pass

    def is_kept(self, table: Table, name: str, shown: pl.Series) -> bool:
        return is_masked(table.frame[name], shown, self.first, self.last, self.sign)

    def run(self, work: Work) -> Treated:
        cells, trace = {}, []
        for name in self.columns:
            codes, values, _ = distinct(as_text(work.cells(name)))
            shown = pl.concat([self._masked(values), pl.Series([None], dtype=pl.String)]).gather(codes)
            cells[name] = Masked(shown.alias("cells"), sign=self.sign)
            trace.append(f"Mask: {self.first + self.last} signs of every value of {name!r} are masked.")
        return Treated(cells, trace=tuple(trace))

    def _masked(self, text: pl.Series) -> pl.Series:
        rest = text.str.slice(self.first)
        parts = [self._signs(text.str.head(self.first)), rest.str.head(-self.last) if self.last else rest]
        parts += [self._signs(rest.str.tail(self.last))] if self.last else []
        return pl.select(pl.concat_str(parts)).to_series()

    def _signs(self, part: pl.Series) -> pl.Series:
        return part.str.replace_all("(?s).", self.sign.replace("$", "$$"))
