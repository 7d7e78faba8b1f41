"""Model: a promise about every equivalence class."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NoReturn

import numpy as np

from paravent.errors import InfeasibleError, PlanError
from paravent.kernels.demands import Demand
from paravent.privacy.classes import Classes, Histogram
from paravent.privacy.promise import KnownBy, Promise


class Model(Promise):
    """What a release must satisfy, class by class.

    `needs` names the sensitive columns that it reads, `knowing` those among them that the attacker is taken to know:
    the classes it judges are then those of the quasi-identifiers and of these columns. `population` names a table of
    people whose counts it reads (`Classes.people`). A model is monotone under generalization when the union of two
    classes that hold holds too, and under suppression when dropping whole classes cannot break the others.
    """

    known_by: ClassVar[KnownBy] = "derived"

    @property
    def known(self) -> tuple[str, ...]:
        """The sensitive columns that the attacker knows."""
        return ()

    @property
    def guards(self) -> tuple[str, ...]:
        """The sensitive columns that it protects."""
        return tuple(name for name in self.needs if name not in self.known)

    @property
    def people(self) -> str | None:
        """The population that it counts in, if any."""
        return None

    @property
    def bounds_absence(self) -> bool:
        """Whether everybody of its population must fit a class, and no class too many of them: that depends on what
        labels cover beside the rows, and only some methods look at it."""
        return False

    @property
    def reads_values(self) -> bool:
        """Whether it asks what the codes of a histogram stand for (`Histogram.domain`)."""
        return False

    @property
    def by_column(self) -> bool:
        """Whether it speaks of each quasi-identifier by itself: the verifier then shows it the classes of each."""
        return False

    @property
    def least_size(self) -> int:
        """The rows of the smallest class that can satisfy it in any table."""
        return 1

    @property
    def size_only(self) -> bool:
        """Whether a class holds exactly when it has `least_size` rows, whatever they are and whatever is beside it."""
        return False

    @property
    def absorbs(self) -> bool:
        """Whether a class that holds does so whatever rows join it. (A monotone model promises that only of rows that
        hold by themselves.)"""
        return self.size_only

    @property
    def reads_shares(self) -> bool:
        """Whether it compares how often values occur, beside how many there are."""
        return False

    def as_demand(self, columns: Mapping[str, np.ndarray]) -> Demand | None:  # noqa: ARG002
        """What it asks of a class beside `least_size`, as a kernel asks it of counts: never less than the model does,
        to a billionth. None where no kernel can. `columns` are the codes of the sensitive columns."""
        return None

    @property
    def monotone_under_generalization(self) -> bool:
        return True

    @property
    def monotone_under_suppression(self) -> bool:
        return True

    @abstractmethod
    def holds(self, classes: Classes) -> np.ndarray:
        """One truth value a class, given all classes of a table."""

    def holds_in_part(self, classes: Classes) -> np.ndarray:
        """One truth value a class, given some classes only, such that a table in which all are true holds.

        Models of the table as a whole (an average) answer by what suffices class by class.
        """
        return self.holds(classes)

    @abstractmethod
    def level(self, classes: Classes) -> float:
        """The strongest parameter for which all classes hold."""

    def worst(self, levels: Iterable[float]) -> float:
        """The level of a table, given those of its parts, each of which has whole classes."""
        return max(levels, default=0)

    @abstractmethod
    def check_feasible(self, whole: Classes) -> None:
        """Raise InfeasibleError, naming the best reachable value, when no release of the table can hold.

        `whole` has all rows in one class, or one class for each combination of the `known` columns.
        """


class SizeModel(Model):
    """A model of how many rows a class has. Subclasses have the field `k`."""

    k: int

    def __post_init__(self) -> None:
        check_whole(f"{type(self).__name__}: k", self.k)

    @property
    def least_size(self) -> int:
        return self.k

    @property
    def size_only(self) -> bool:
        return True

    def holds(self, classes: Classes) -> np.ndarray:
        return np.asarray(classes.sizes >= self.k)

    def level(self, classes: Classes) -> float:
        return int(classes.sizes.min()) if len(classes) else 0

    def worst(self, levels: Iterable[float]) -> float:
        return min(levels, default=0)

    def check_feasible(self, whole: Classes) -> None:
        rows = int(whole.sizes.sum())
        if rows < self.k:
            raise InfeasibleError(
                f"{self.describe()} cannot hold: the whole table has {rows} {whole.counted}. "
                f"Ask for k of at most {rows}."
            )


class SensitiveModel(Model):
    """A model of one sensitive column. Subclasses have the fields `column` and `knowing`."""

    column: str
    knowing: tuple[str, ...] | None

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.column, *self.known)

    @property
    def known(self) -> tuple[str, ...]:
        return self.knowing or ()

    @property
    def reads_shares(self) -> bool:
        return True

    def histogram(self, classes: Classes) -> Histogram:
        return classes.histograms[self.column]

    def as_demand(self, columns: Mapping[str, np.ndarray]) -> Demand | None:
        if self.known:
            return None
        return self.demand_on(list(columns).index(self.column), columns[self.column])

    def demand_on(self, place: int, codes: np.ndarray) -> Demand | None:  # noqa: ARG002
        """The demand where nothing is known beside: `place` is the column's number and `codes` are its rows."""
        return None

    def check_columns(self) -> None:
        """Refuse names that are none; a single name in `knowing` becomes a tuple of one."""
        name = type(self).__name__
        if not isinstance(self.column, str) or not self.column:
            raise PlanError(f"{name}: column must be the name of a sensitive column, not {self.column!r}.")
        knowing: Any = self.knowing
        if isinstance(knowing, str):
            knowing = (knowing,)
        if knowing is not None:
            if not isinstance(knowing, list | tuple) or not all(isinstance(known, str) and known for known in knowing):
                raise PlanError(f"{name}: knowing must list the other sensitive columns, not {self.knowing!r}.")
            if self.column in knowing:
                raise PlanError(f"{name}: column {self.column!r} cannot be known and protected. Leave it out.")
            object.__setattr__(self, "knowing", tuple(knowing) or None)

    def keyed(self, parameter: str) -> str:
        """The dotted name of a level: `privacy.t.disease`, or `privacy.t.disease.knowing.salary`."""
        return ".".join(("privacy", parameter, self.column, *(("knowing", *self.known) if self.known else ())))

    def about(self) -> str:
        """`of 'disease'`, and what is known beside."""
        known = " and ".join(map(repr, self.known))
        return f"of {self.column!r}" + (f" (knowing {known})" if known else "")


def refuse_known(model: SensitiveModel, reached: float, parameter: str) -> NoReturn:
    """Columns that are known are published unchanged: their groups cannot be mixed, and one of them fails."""
    known = " and ".join(map(repr, model.known))
    best = "none is large enough" if reached == float("inf") else f"it takes {parameter} of {reached:.6g}"
    raise InfeasibleError(
        f"{model.describe()} cannot hold: among the rows that share {known}, {best}. "
        f"Ask for a larger {parameter}, or for less that is known."
    )


def check_number(where: str, value: object, *, low: float, high: float, open_low: bool = False) -> None:
    """Raise PlanError unless `value` is a number from `low` (excluded where `open_low`) to `high`."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    within = number and low <= value <= high and value != float("inf")  # type: ignore[operator]
    if within and not (open_low and value == low):
        return
    if high < float("inf"):
        span = f"a number {'above' if open_low else 'from'} {low:g} {'and at most' if open_low else 'to'} {high:g}"
    else:
        span = "a positive number" if open_low and low == 0 else f"a number of at least {low:g}"
    raise PlanError(f"{where} must be {span}, not {value!r}.")


def check_whole(where: str, value: object, *, low: int = 1) -> None:
    """Raise PlanError unless `value` is a whole number of at least `low`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise PlanError(f"{where} must be a whole number of at least {low}, not {value!r}.")
