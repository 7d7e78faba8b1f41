"""Rows: the table as questions see it. One person is at most so many rows of it, and a condition is asked row by row.

Whatever happens to a row here depends on that row, or on the rows of the same person, alone: that is what bounds how
much a person can change an answer. Nothing here fails because of what a cell holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import numpy as np
import polars as pl

from paravent.errors import PlanError
from paravent.near import suggest
from paravent.private.domains import numbers
from paravent.private.matching import plain_text
from paravent.table.table import Table

Where = Mapping[str, Any]
"""Conditions by column, all of which hold: a value, a list of values, `None` for missing, or two bounds `(30, 39)` or a
range, both ends included."""


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows that take part, at most `limit` of each person."""

    frame: pl.DataFrame = field(repr=False)
    limit: int

    @classmethod
    def of(cls, table: Table, person: str | None, limit: int) -> Rows:
        """With a `person` column, the first `limit` rows of each in the order of the table; rows that name nobody are
        left out. Without one, each row is a person."""
        check_people(person, limit, table.names)
        if person is None:
            return cls(table.frame, 1)
        whose = plain_text(table.frame[person]).to_frame("whose")
        nth = whose.select(pl.int_range(pl.len()).over("whose").alias("nth"))["nth"]
        return cls(table.frame.filter(whose["whose"].is_not_null() & (nth < limit)), limit)

    def column(self, name: str) -> pl.Series:
        check_column("question", name, self.frame.columns)
        return self.frame[name]

    def matching(self, where: Where | None) -> np.ndarray:
        """Which rows meet the conditions."""
        found = np.ones(self.frame.height, dtype=bool)
        for name, wanted in (where or {}).items():
            check_column("where", name, self.frame.columns)
            found &= _meets(self.frame[name], wanted)
        return found


def check_people(person: str | None, limit: int, columns: Sequence[str]) -> None:
    if limit < 1:
        raise PlanError(f"rows: a person takes part with at least 1 row, not {limit}.")
    if person is not None:
        check_column("person", person, columns)
    elif limit > 1:
        raise PlanError("rows: without a person column, each row is a person. Name the column with person=.")


def check_column(place: str, name: str, columns: Sequence[str]) -> None:
    if name not in columns:
        raise PlanError(f"{place}: the table has no column {name!r}. {suggest(name, columns)}")


def _meets(cells: pl.Series, wanted: Any) -> np.ndarray:
    if wanted is None:
        return np.asarray(plain_text(cells).is_null().to_numpy())
    ends = _ends(wanted)
    if ends is not None:
        values = numbers(cells, dates=isinstance(wanted, tuple) and type(wanted[0]) is date)
        with np.errstate(invalid="ignore"):
            return np.asarray((values >= ends[0]) & (values <= ends[1]))
    listed = named_values(wanted)
    texts = [text for value in listed for text in plain_text(pl.Series([value], strict=False)).to_list()]
    return np.asarray(plain_text(cells).is_in(texts).fill_null(False).to_numpy())


def named_values(wanted: Any) -> list[Any]:
    """The values that a condition names; none where it gives bounds or asks for missing cells.

    >>> named_values("a"), named_values(["a", "b"]), named_values((1, 5)), named_values(None)
    (['a'], ['a', 'b'], [], [])
    """
    if wanted is None or _ends(wanted) is not None:
        return []
    return list(wanted) if isinstance(wanted, list | tuple | set | frozenset) else [wanted]


def _ends(wanted: Any) -> tuple[float, float] | None:
    if isinstance(wanted, range) and len(wanted):
        return float(wanted[0]), float(wanted[-1])
    if isinstance(wanted, tuple) and len(wanted) == 2 and all(type(end) is date for end in wanted):
        if not wanted[0] <= wanted[1]:
            raise PlanError(f"where: bounds go from {wanted[0]} to {wanted[1]}. The earlier day comes first.")
        epoch = date(1970, 1, 1).toordinal()
        return float(wanted[0].toordinal() - epoch), float(wanted[1].toordinal() - epoch)
    if isinstance(wanted, tuple) and len(wanted) == 2 and all(type(end) in (int, float) for end in wanted):
        if not wanted[0] <= wanted[1]:
            raise PlanError(f"where: bounds go from {wanted[0]} to {wanted[1]}. The lower one comes first.")
        return float(wanted[0]), float(wanted[1])
    return None


def in_words(where: Where | None) -> str:
    """Conditions as the ledger and answers name them.

    >>> in_words({"sex": "F", "age": (30, 39)}), in_words(None)
    (' where sex = F and age = 30 … 39', '')
    """
    parts = []
    for name, wanted in (where or {}).items():
        ends = _ends(wanted)
        listed = isinstance(wanted, list | tuple | set | frozenset)
        text = f"{ends[0]:g} … {ends[1]:g}" if ends else " or ".join(map(str, wanted)) if listed else str(wanted)
        if ends and type(wanted[0]) is date:
            text = f"{wanted[0]} … {wanted[1]}"
        parts.append(f"{name} = {text}")
    return f" where {' and '.join(parts)}" if parts else ""
