"""A limit on how many rows of a finished table are an original row still."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import polars as pl

from paravent.privacy.compared import as_names, check_names
from paravent.privacy.exact import as_written, shown
from paravent.privacy.model import check_number
from paravent.privacy.promise import Evidence, Found, Limit


@dataclass(frozen=True, repr=False)
class HiddenFailure(Limit):
    """At most the share `share` of the released rows equals an original row, be it their own or another.

    Rows are compared in `columns`: by default in the quasi-identifiers and sensitive columns of the first table, in all
    that both tables have where there are none. Cells are compared as numbers where they are numbers, else as text.

    >>> import paravent as pv
    >>> ages = pl.DataFrame({"age": [31, 32, 38, 39]})
    >>> plan = pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(2), HiddenFailure(0)])
    >>> print(pv.anonymize(ages, plan).verdict.levels)
    {'privacy.k': 2, 'privacy.hidden_failure': 0.0}
    """

    share: float
    columns: tuple[str, ...] | None = None

    protects: ClassVar[str] = "At most this share of the released rows can be recognised as a row of the original."
    leaves_open: ClassVar[str] = "A row that differs from its original in one cell may still be plain to see."

    def __post_init__(self) -> None:
        check_number("HiddenFailure: share", self.share, low=0, high=1)
        object.__setattr__(self, "columns", as_names("HiddenFailure", self.columns))

    @property
    def key(self) -> str:
        return "privacy.hidden_failure"

    def describe(self) -> str:
        where = "" if self.columns is None else f" ({', '.join(self.columns)})"
        return f"at most {self.share:g} of the rows left as they were{where}"

    def check_table(self, table: pl.DataFrame, quasi: Sequence[str], sensitive: Sequence[str]) -> None:  # noqa: ARG002
        check_names("HiddenFailure", self.columns or (), table)

    def measure(self, evidence: Evidence) -> Found:
        from paravent.privacy.risk.hidden_failure import hidden_failure

        released, original = evidence.released[evidence.rows], evidence.original
        elsewhere = [name for name in self.columns or () if name not in released.columns]
        if elsewhere:
            return Found(float("nan"), False, f"column {elsewhere[0]!r} is not in the first table")
        told = [name for name in (*evidence.quasi, *evidence.sensitive) if name in released.columns]
        found = hidden_failure(original, released, self.columns or told or None)
        rate = Fraction(found.count, max(found.rows, 1))
        holds = rate <= as_written(self.share) and found.rows > 0
        level = shown(float(rate), self.share, holds=holds, most=True)
        count = len(found.columns)
        return Found(level, holds, f"all {found.rows} rows compared in {count} column{'' if count == 1 else 's'}")
