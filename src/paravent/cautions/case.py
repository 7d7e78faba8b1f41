"""Case: what the cautions look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from paravent.measures import Measures
from paravent.plan.plan import Plan
from paravent.plan.roles import Identifier, Sensitive
from paravent.table.table import Table
from paravent.utility.subject import Subject


@dataclass(frozen=True, eq=False)
class Case:
    """A release beside its original and its plan, with the measures of its loss, its rows and what it discloses."""

    plan: Plan
    table: Table
    subject: Subject
    measures: Measures

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The release without the marks of suppressed rows."""
        marks = self.subject.placeholder
        return self.subject.released.filter(~marks) if marks.any() else self.subject.released

    @cached_property
    def original_rows(self) -> np.ndarray:
        """The row of the original that each row of `frame` comes from."""
        kept = self.subject.kept
        assert kept is not None
        return np.asarray(kept[~self.subject.placeholder])

    @cached_property
    def as_they_are(self) -> tuple[str, ...]:
        """The columns that are not generalized; treatments may have changed their cells."""
        plan = self.plan
        return tuple(
            name
            for name in self.frame.columns
            if name in self.table.columns and name not in plan.quasi and not isinstance(plan.role(name), Identifier)
        )

    @cached_property
    def distinct(self) -> dict[str, int]:
        """How many different values the insensitive columns have."""
        plain = (name for name in self.as_they_are if not isinstance(self.plan.role(name), Sensitive))
        return {name: self.frame[name].n_unique() for name in plain}


def number(count: float) -> str:
    """
    >>> number(30162)
    '30\\u202f162'
    """
    return f"{count:,.0f}".replace(",", "\u202f")


def rows(count: int) -> str:
    return f"{number(count)} row{'' if count == 1 else 's'}"


def quoted(names: Sequence[str], most: int = 4) -> str:
    """
    >>> quoted(["age"]), quoted(["age", "sex", "zip"], most=2)
    ('“age”', '“age”, “sex” and 1 more')
    """
    shown = [f"“{name}”" for name in names]
    if len(shown) > most:
        return f"{', '.join(shown[:most])} and {len(shown) - most} more"
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else "".join(shown)
