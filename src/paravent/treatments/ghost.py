"""Ghosts: columns that would tell what another one no longer tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from paravent.errors import PlanError
from paravent.methods.method import RoleName
from paravent.table.table import Table
from paravent.treatments.treatment import OnColumns, Treated, Work


@dataclass(frozen=True, repr=False)
class Ghost(OnColumns):
    """A column that must not say what column `of` hides: its cell is left empty wherever that of the other one is not
    released as it was, be it coded, moved, generalized or suppressed.

    >>> import paravent as pv, polars as pl
    >>> rows = pl.DataFrame({"age": [30, 30, 41, 49], "born": [1994, 1994, 1983, 1975]})
    >>> plan = pv.Plan({"age": pv.Quasi()}, pv.KAnonymity(2), treat=[Ghost("born", of="age")], order="source")
    >>> pv.anonymize(rows, plan).frame["born"].to_list()
    [1994, 1994, None, None]
    """

    _: KW_ONLY
    of: str

    title: ClassVar[str] = "Linked columns"
    source: ClassVar[str] = "Templ, Kowarik, Meindl 2015 (ghost variables)"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.of in self.columns:
            raise PlanError(f"Ghost: column {self.of!r} cannot be its own ghost. Name another.")

    @property
    def coarsens(self) -> bool:
        return True

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.of,)

    def check(self, table: Table, roles: Mapping[str, RoleName]) -> None:  # noqa: ARG002
        for name in self.columns:
            if roles[name] != "insensitive":
                what = "a quasi-identifier" if roles[name] == "quasi" else roles[name]
                raise PlanError(
                    f"Ghost: column {name!r} is {what}, and only an insensitive column can follow another: "
                    "empty cells would change what models count. Treat it by itself."
                )

    def run(self, work: Work) -> Treated:  # noqa: ARG002
        """Nothing yet: what becomes of the other column is known when the table is finished."""
        return Treated(trace=tuple(f"Ghost: column {name!r} follows {self.of!r}." for name in self.columns))
