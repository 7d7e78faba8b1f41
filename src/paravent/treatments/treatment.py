"""Treatment: a step on one or several columns that changes values, before classes are made or instead."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from paravent.arguments import Checked, Shown
from paravent.errors import PlanError
from paravent.hierarchy.spec import TreeSpec
from paravent.methods.method import Progress, RoleName, silent
from paravent.near import suggest
from paravent.published import Published
from paravent.table.domain import Domain
from paravent.table.table import Table


@dataclass(frozen=True, eq=False)
class Work:
    """What a treatment works on: the `table` as the treatments before have left it, a generator that nobody can repeat
    who lacks the original (`rng`), the roles of its columns, whose each row is where people are counted, and the trees
    that the plan gives to quasi-identifiers. Where the table is a part of all rows, `counts` has the values of its
    columns in the whole, and how often each occurs."""

    table: Table
    rng: np.random.Generator
    roles: Mapping[str, RoleName] = field(default_factory=dict)
    persons: np.ndarray | None = None
    progress: Progress = silent
    trees: Mapping[str, TreeSpec | str] = field(default_factory=dict)
    counts: Mapping[str, Domain] = field(default_factory=dict)

    @property
    def frame(self) -> pl.DataFrame:
        """The rows as they are so far."""
        return self.table.frame

    def cells(self, name: str) -> pl.Series:
        """One column. polars reads `*` and `^…$` as patterns, so it has a harmless name."""
        return self.frame[name].alias("cells")


Reach = Literal["rows", "groups", "table"]
"""How far a treatment looks: at each row by itself, and of all others at counts of values alone; at all rows that are
equal in the columns that it `reads`; or at all rows."""

Told = Callable[[pl.DataFrame], pl.DataFrame | None]
"""Makes a further table of the finished first one, which it alone may tell about; None where there is nothing to tell.
What later steps hide or suppress cannot come out by way of such a table."""


Tabled = Callable[[Mapping[str, int]], pl.DataFrame]


@dataclass(frozen=True, eq=False)
class Treated:
    """What a treatment gives: what becomes of each column that it changes, row by row, and the rows that stay (`kept`,
    ascending; None: all). `orders` has the values of columns that are ordinal now, from lowest to highest. `trace` says
    in words what was done and `figures` in numbers; neither holds a value of a person. `beside` are tables that are
    published with the release."""

    cells: Mapping[str, Published] = field(default_factory=dict)
    kept: np.ndarray | None = None
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    trace: tuple[str, ...] = ()
    beside: Mapping[str, Told] = field(default_factory=dict)
    figures: Mapping[str, float] = field(default_factory=dict)


class Treatment(Shown, Checked, ABC):
    """A step with its parameters; `repr` recreates it. Subclasses are frozen dataclasses with `repr=False`."""

    title: ClassVar[str]
    source: ClassVar[str]
    listed: ClassVar[bool] = True
    """Whether a plan may name it."""

    @property
    @abstractmethod
    def coarsens(self) -> bool:
        """Whether a published cell follows from its original alone and says less: coding, suppression, sampling. Where
        it may be false of its row (noise, swapping), models that judge the column are void."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns that it changes."""

    def by_row(self, table: Table) -> bool:  # noqa: ARG002
        """Whether what becomes of a cell follows from its own row and the parameters alone, whatever other rows hold
        and without chance. Then it may come before differential privacy."""
        return False

    @property
    def reach(self) -> Reach | None:
        """How far it looks, so that it can be done in parts where rows lie on many machines; None: on one machine only,
        but for what `by_row` says."""
        return None

    def dtype(self, table: Table, name: str) -> pl.DataType:
        """The type that one of its columns has afterwards, where it is done in parts."""
        return table.frame.schema[name]

    def tables(self, roles: Mapping[str, RoleName]) -> Mapping[str, tuple[str, Tabled]]:  # noqa: ARG002
        """Tables that are published with the release, by name: the column that each tells about, and what makes it of
        the released values and how often each occurs."""
        return {}

    @property
    def reads(self) -> tuple[str, ...]:
        """Further columns that it looks at, such as strata."""
        return ()

    @abstractmethod
    def check(self, table: Table, roles: Mapping[str, RoleName]) -> None:
        """Raise PlanError when it does not fit the table, in one sentence; its columns are known to be there."""

    def is_kept(self, table: Table, name: str, shown: pl.Series) -> bool:  # noqa: ARG002
        """Whether a column of the table became the cells that the parameters say, worked out without what `run` did."""
        return True

    @abstractmethod
    def run(self, work: Work) -> Treated:
        """Do it. Missing values stay missing, and strata are never mixed."""


@dataclass(frozen=True, repr=False)
class OnColumns(Treatment):
    """A treatment of one column, or of several, each by itself."""

    column: str | tuple[str, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.column, str):
            object.__setattr__(self, "column", tuple(self.column))
        if not self.columns:
            raise PlanError(f"{type(self).__name__}: no column is named. Name at least one.")
        if len(set(self.columns)) < len(self.columns):
            raise PlanError(f"{type(self).__name__}: a column is named twice. Name it once.")

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,) if isinstance(self.column, str) else self.column


def check_names(treatment: Treatment, names: Sequence[str]) -> None:
    """Raise PlanError when a column that a treatment names is not there."""
    for name in (*treatment.columns, *treatment.reads):
        if name not in names:
            raise PlanError(f"{type(treatment).__name__}: the table has no column {name!r}. {suggest(name, names)}")
