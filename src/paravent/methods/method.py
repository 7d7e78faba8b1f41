"""Method: what every algorithm takes and gives.

A method that makes classes sees codes, not values: each quasi-identifier is an Axis of small integers in tree order. It
gives back the class of every row and, for each axis, what every class is published as. One that changes values takes
them from `Task.cells` and gives back columns, tables beside the first, or synthetic rows. None reads or writes files.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from paravent import kernels
from paravent.arguments import Checked
from paravent.hierarchy.axis import Axis
from paravent.methods.recoding import Beside, Recoding
from paravent.methods.trace import Step
from paravent.privacy.classes import Classes
from paravent.privacy.derivation import Derivation
from paravent.privacy.encoded_population import EncodedPopulation
from paravent.privacy.model import Model
from paravent.privacy.promise import Promise
from paravent.privacy.statistics import Statistics
from paravent.private.accounting import Cost
from paravent.published import Averages, Labels, Published, Representatives
from paravent.table.domain import Domain
from paravent.table.randomness import generator

__all__ = [
    "Averages",
    "Axis",
    "Beside",
    "Labels",
    "Method",
    "Progress",
    "Published",
    "Recoding",
    "Representatives",
    "Step",
    "Target",
    "Task",
    "silent",
]

Need = Literal["trees", "target", "suppression", "choices"]
OutputType = Literal["full-domain", "subtree", "multidimensional", "averages", "groups", "slices", "synthetic"]
Use = Literal["any", "classification", "regression"]

RoleName = Literal["quasi", "sensitive", "insensitive", "identifier"]

Progress = Callable[[str, float], None]
"""Called with what is being done and the share of it that is done (0 to 1). It may raise to stop the run."""


Charge = Callable[[str, Cost], None]
"""Called with what a mechanism is about to do and what that costs, before it is done. It raises where that is too
much."""


def silent(stage: str, done: float) -> None:
    """The progress of somebody who does not look."""


@dataclass(frozen=True, eq=False)
class Target:
    """A column that the release shall serve to predict: the code of each row, below `size`. `positions` places the
    codes on a line where the column holds numbers or dates; a missing cell has the last code and no place (nan).
    `ordered` tells that the codes stand in an order that means something."""

    codes: np.ndarray
    size: int
    positions: np.ndarray | None = None
    ordered: bool = False


@dataclass(frozen=True, eq=False)
class Task:
    """A table ready for a method.

    `sensitive` holds the codes of every sensitive column that a model needs, `domains` what they stand for where one
    asks, `populations` the populations that models name, `targets` the columns that the method names, `persons` whose
    each row is, for models of people. A method counts `statistics.columns` by class and asks `holds`. `cells` are the
    columns of the table that may be released, as they are, and `roles` says what each is for the plan. `secret` gives a
    hash of the table that is published nowhere: random numbers that protect somebody are drawn by `generator`.
    `promises` are all that the plan asks for, `leaves` what trees say a column can hold, whatever the data,
    `fixed_levels` the highest level of trees whose labels do not depend on the data (None: they do), and
    `charge` writes what a mechanism is about to spend (a `Cost`) to the ledger, or raises. Where equal rows were folded
    before (on a cluster), each stands for `times[i]` rows, and `n_rows` counts all of them: only methods of the
    full-domain family take such a task. Where the rows are a part of a table (a block of it), `whole` has the counts
    of its sensitive columns in the whole table, which models compare classes with.
    """

    n_rows: int
    axes: tuple[Axis, ...]
    models: tuple[Model, ...]
    sensitive: Mapping[str, np.ndarray] = field(default_factory=dict)
    max_suppressed: int = 0
    seed: int = 0
    progress: Progress = silent
    domains: Mapping[str, Domain] = field(default_factory=dict)
    populations: Mapping[str, EncodedPopulation] = field(default_factory=dict)
    targets: Mapping[str, Target] = field(default_factory=dict)
    persons: np.ndarray | None = None
    cells: Mapping[str, pl.Series] = field(default_factory=dict)
    roles: Mapping[str, RoleName] = field(default_factory=dict)
    secret: Callable[[], str] = str
    promises: tuple[Promise, ...] = ()
    leaves: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    charge: Charge = lambda what, cost: None  # noqa: ARG005
    fixed_levels: Mapping[str, int | None] = field(default_factory=dict)
    times: np.ndarray | None = None
    whole: Mapping[str, np.ndarray] | None = None

    def generator(self, *purpose: object) -> np.random.Generator:
        """Random numbers that nobody can draw again who has the plan with its seed, but not the table."""
        return generator(self.seed, self.secret(), *purpose)

    @cached_property
    def statistics(self) -> Statistics:
        """What has to be counted in each class, and how the models read the counts."""
        codes = [axis.codes for axis in self.axes]
        return Statistics(
            self.models,
            self.sensitive,
            self.domains,
            self.populations,
            codes,
            lambda: self.folded.tuple_of_row,
            self.persons,
            self.times,
            self.whole,
        )

    def rows_in(self, chosen: np.ndarray) -> int:
        """How many rows a mask over rows chooses."""
        return int(chosen.sum()) if self.times is None else int(self.times[chosen].sum())

    @cached_property
    def folded(self) -> kernels.Folded:
        """The distinct rows of the quasi-identifiers, in the order of the columns' trees, and how often each occurs."""
        return kernels.fold([axis.codes for axis in self.axes], [len(axis) for axis in self.axes], self.times)

    @cached_property
    def k(self) -> int:
        """The rows that a class needs for the models that look at its size alone; 1 where there is no such model."""
        return max((model.least_size for model in self.models if model.size_only), default=1)

    @cached_property
    def k_alone(self) -> bool:
        """Whether nothing is asked but that classes have `k` rows."""
        return all(model.size_only for model in self.models)

    @cached_property
    def least_size(self) -> int:
        """The rows without which no class holds, whatever they are: `k`, or more where another model needs more."""
        return max((model.least_size for model in self.models), default=1)

    @cached_property
    def _asked(self) -> list[kernels.Demand | None]:
        return [model.as_demand(self.sensitive) for model in self.models if not model.size_only]

    @property
    def demands(self) -> list[kernels.Demand] | None:
        """What the models ask beside a size, as a search asks it of every move, of the columns of `sensitive` in their
        order; None where a search cannot ask one of them."""
        found = [demand for demand in self._asked if demand is not None and demand.kind in kernels.SEARCHED]
        return found if len(found) == len(self._asked) else None

    @property
    def counted_demands(self) -> tuple[list[kernels.Demand], bool]:
        """What the models ask beside a size and a kernel can ask of counted classes, and whether that is all they
        ask."""
        found = [demand for demand in self._asked if demand is not None]
        return found, len(found) == len(self._asked)

    @property
    def judged(self) -> list[np.ndarray]:
        """The columns by which `guard` judges; none where `k` alone decides."""
        return [] if self.k_alone else list(self.statistics.columns.values())

    @property
    def guard(self) -> kernels.Guard | None:
        """Says which of some classes hold every model beside any others, from their sizes and histograms of `judged`;
        None where `k` alone decides."""
        return None if self.k_alone else self._holds_counted

    def _holds_counted(self, sizes: np.ndarray, histograms: kernels.Histograms) -> np.ndarray:
        return self.holds_in_part(self.statistics.part(sizes, histograms))

    @property
    def tables(self) -> Mapping[str, np.ndarray]:
        """The whole table's counts of each of `statistics.columns`."""
        return self.statistics.tables

    def classes(self, of_row: np.ndarray, n_classes: int) -> Classes:
        """The classes of all rows (−1: suppressed). The table that models compare with is without suppressed rows."""
        return self.statistics.classes(of_row, n_classes)

    def holds(self, classes: Classes) -> np.ndarray:
        """Which classes satisfy every model, given all classes of the table."""
        return self.statistics.holds(classes)

    def holds_in_part(self, classes: Classes) -> np.ndarray:
        """Which classes satisfy every model, given some classes only: a table of such classes satisfies them."""
        return self.statistics.holds(classes, in_part=True)

    def suppress_failing(self, of_row: np.ndarray, n_classes: int) -> np.ndarray | None:
        """The classes with every failing one suppressed (class −1), again and again where that changes the table that
        the others are compared with; None where more rows fail than may be suppressed."""
        of_row = of_row.copy()
        number = np.empty(n_classes + 1, dtype=np.int64)  # the last entry is class −1
        while True:
            left = np.flatnonzero(np.bincount(of_row[of_row >= 0], minlength=n_classes))
            number[:] = -1
            number[left] = np.arange(len(left))
            held = self.holds(self.classes(number[of_row], len(left)))
            if held.all():
                return of_row if len(left) or not n_classes else None
            number[left[~held]] = -1
            of_row[number[of_row] < 0] = -1
            if self.rows_in(of_row < 0) > self.max_suppressed:
                return None


class Method(Checked, ABC):
    """An algorithm with its parameters; `repr` recreates it. Subclasses are frozen keyword-only dataclasses.

    A method says what it `needs` beside a table, what type of generalization it `gives`, what it `suppresses`, whether
    its result is `optimal` (by the measure that its docstring names), whether it finds `many` solutions and releases
    the one of least loss, whether it `counts_people` where one has several different rows, for which `use` it was made,
    and whether it `weighs` columns: a plan whose weights its choice would not heed is refused.
    """

    title: ClassVar[str]
    source: ClassVar[str]
    gives: ClassVar[OutputType] = "multidimensional"
    suppresses: ClassVar[Literal["nothing", "rows", "cells"]] = "nothing"
    optimal: ClassVar[bool] = False
    many: ClassVar[bool] = False
    counts_people: ClassVar[bool] = True
    makes_classes: ClassVar[bool] = True
    """Whether it makes classes of the quasi-identifiers: a plan then names at least one."""
    draws_rows: ClassVar[bool] = False
    """Whether its rows are nobody's, drawn by mechanisms that keep differential privacy."""
    samples_rows: ClassVar[bool] = False
    """Whether its rows are a random sample of the table's, drawn so that it keeps differential privacy: as many as may
    be are left out, and the order of the others tells nothing."""

    @classmethod
    def is_mechanism(cls) -> bool:
        """Whether how it works keeps differential privacy."""
        return cls.draws_rows or cls.samples_rows

    @property
    def needs(self) -> tuple[Need, ...]:
        return ()

    @property
    def use(self) -> Use:
        return "any"

    @property
    def weighs(self) -> bool:
        """Whether the weights of the columns have a say in what it chooses."""
        return True

    @property
    def hasty(self) -> Method | None:
        """The same search with a fraction of its work, where it goes on for as long as it may and most is found early:
        what the whole search will give can be foreseen by it. None where it ends by itself."""
        return None

    @property
    def counts_rows(self) -> bool:
        """Whether what it publishes depends on how many rows somebody has, so that no single row can stand for all of
        a person's."""
        return False

    @property
    def targets(self) -> tuple[str, ...]:
        """The columns that it looks at beside the quasi-identifiers: `Task.targets` holds them."""
        return ()

    @property
    def bounds_presence(self) -> bool:
        """Whether it looks at whom labels cover beside the rows, so that a model may ask that everybody fits a class
        (`Model.bounds_absence`)."""
        return False

    @property
    def wildcards(self) -> bool:
        """Whether a blanked cell (`*`) counts as one that fits every value: a weaker promise, and named as such."""
        return False

    def changes(self, roles: Mapping[str, RoleName]) -> frozenset[str]:
        """The columns that it changes, given what each column is; the quasi-identifiers, unless it says otherwise. What
        it changes beyond them is not released."""
        return frozenset(name for name, role in roles.items() if role == "quasi")

    def may_be_false(self, roles: Mapping[str, RoleName]) -> frozenset[str]:
        """The columns whose published cells may be false of their rows, as noise makes them: all that it changes, where
        it makes no classes, unless it says otherwise."""
        return frozenset() if self.makes_classes else self.changes(roles)

    def check_domains(self, roles: Mapping[str, RoleName], declared: Mapping[str, Sequence[str]]) -> None:
        """Raise PlanError where nothing says what a column of the release can hold, and it must not be read from the
        data. `roles` are those of the columns of the release, `declared` what trees say by themselves."""

    @property
    def adds(self) -> tuple[str, ...]:
        """The columns of the first table of its releases that the original lacks."""
        return ()

    @property
    def derivation(self) -> Derivation | None:
        """How classes show in its releases; None: as rows that are equal in every quasi-identifier."""
        return None

    @abstractmethod
    def run(self, task: Task) -> Recoding:
        """Anonymize. The classes it returns satisfy every model of the task, or it raises InfeasibleError."""
