"""What all microaggregations share: rows in groups of at least k, each published by its average, or by a label."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, get_args

import numpy as np

from paravent.errors import PlanError
from paravent.kernels.micro import MicroColumn
from paravent.methods.method import Averages, Method, OutputType, Recoding, Representatives, Task
from paravent.methods.microaggregation.averages import Median, Publish, averages, labels
from paravent.methods.microaggregation.groups import by_own_k, least_size, merged_until_safe, part
from paravent.methods.microaggregation.space import NominalDistance, space_of
from paravent.published import Published


@dataclass(frozen=True, kw_only=True)
class Microaggregation(Method):
    """Groups of close rows, and what they are published as.

    `publish`: `average` keeps the type of every column (the mean of numbers and dates, the median of ordinal values,
    the mode of names); `interval` shows the interval, range or set of values of the group, `ancestor` the label of its
    tree where there is one. `median`: `median` (the lower one) or `convex`. `nominal`: names are `equal` or not, or as
    far apart as the `tree` says. `whole` rounds the means of whole numbers; `rescale` stretches means so that every
    column of numbers keeps its variance. `own_k` names a column with the k that each row asks for.
    """

    publish: Publish = "average"
    median: Median = "median"
    nominal: NominalDistance = "equal"
    whole: bool = False
    rescale: bool = False
    own_k: str | None = None

    gives: ClassVar[OutputType] = "averages"

    def __post_init__(self) -> None:
        for field, choices in (("publish", Publish), ("median", Median), ("nominal", NominalDistance)):
            check_choice(self, field, get_args(choices))
        for field in ("whole", "rescale"):
            if not isinstance(getattr(self, field), bool):
                raise PlanError(f"{type(self).__name__}: {field} must be True or False.")
        if self.publish != "average" and (self.whole or self.rescale):
            raise PlanError(f"{type(self).__name__}: whole and rescale are about averages. Say publish='average'.")
        if self.own_k is not None and (not isinstance(self.own_k, str) or not self.own_k):
            raise PlanError(f"{type(self).__name__}: own_k must be the name of a column, not {self.own_k!r}.")

    @property
    def counts_rows(self) -> bool:
        return self.rescale  # the variance that it keeps is that of all rows

    @property
    def targets(self) -> tuple[str, ...]:
        return (self.own_k,) if self.own_k else ()

    @abstractmethod
    def groups(self, columns: list[MicroColumn], k: int, task: Task) -> tuple[np.ndarray, int]:
        """The group of every row, and how many; each of at least k rows."""

    def run(self, task: Task) -> Recoding:
        check_populations(self, task)
        if task.n_rows == 0:
            nothing = np.zeros(0, dtype=np.int32)
            return Recoding(nothing, 0, {axis.name: self._cells(axis, nothing, 0) for axis in task.axes})
        columns, k = space_of(task, self.nominal), least_size(task)
        if self.own_k is None:
            of_row, found = self.groups(columns, k, task)
        else:
            of_row, found = by_own_k(
                own_sizes(self, task), k, lambda rows, own: self.groups(part(columns, rows), own, task)
            )
        of_row, n_classes = merged_until_safe(task, columns, of_row, found)
        sizes = np.bincount(of_row)
        trace = [f"Made {found} groups of at least {k} rows."]
        if n_classes < found:
            trace.append(f"Joined {found - n_classes} groups with their nearest, so that every model holds.")
        trace.append(f"Published {n_classes} classes of {sizes.min()} to {sizes.max()} rows by {_WHAT[self.publish]}.")
        cells = {axis.name: self._cells(axis, of_row, n_classes) for axis in task.axes}
        return Recoding(of_row, n_classes, cells, tuple(trace))

    def _cells(self, axis: Any, of_row: np.ndarray, n_classes: int) -> Published:
        if n_classes == 0:
            return Representatives(of_row) if axis.positions is None else Averages(np.zeros(0))
        if self.publish != "average":
            return labels(axis, of_row, n_classes, self.publish)
        return averages(axis, of_row, n_classes, median=self.median, whole=self.whole, rescale=self.rescale)


_WHAT = {"average": "their averages", "interval": "what they span", "ancestor": "their lowest common ancestors"}


def check_choice(method: Method, field: str, choices: tuple[str, ...]) -> None:
    value = getattr(method, field)
    if value not in choices:
        raise PlanError(f"{type(method).__name__}: {field} must be one of {', '.join(choices)}, not {value!r}.")


def check_populations(method: Any, task: Task) -> None:
    """Averages cover nobody: a model that counts the people of a population behind each cell has nothing to count."""
    counting = [model for model in task.models if model.people is not None]
    if counting and method.publish == "average":
        raise PlanError(
            f"{type(method).__name__}: {counting[0].describe()} counts the people that a cell covers, and an average "
            "covers none. Say publish='interval', or leave the model out."
        )


def own_sizes(method: Microaggregation, task: Task) -> np.ndarray:
    """The k that each row asks for; 1 where its cell is missing."""
    assert method.own_k is not None
    target = task.targets[method.own_k]
    where = f"{type(method).__name__}: own_k column {method.own_k!r}"
    if target.positions is None:
        raise PlanError(f"{where} must hold whole numbers.")
    asked = np.nan_to_num(target.positions, nan=1.0)[target.codes]
    if np.any(asked < 1) or np.any(asked != np.floor(asked)):
        raise PlanError(f"{where} must hold whole numbers of at least 1.")
    return np.asarray(asked, dtype=np.int64)
