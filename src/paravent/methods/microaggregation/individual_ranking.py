"""Individual ranking (Defays, Nanopoulos 1993): every column microaggregated by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

import numpy as np

from paravent import kernels
from paravent.errors import InfeasibleError, PlanError
from paravent.methods.method import Method, OutputType, Recoding, Task
from paravent.methods.microaggregation.averages import Median, averages, labels
from paravent.methods.microaggregation.groups import least_size
from paravent.methods.microaggregation.microaggregation import check_choice, check_populations
from paravent.methods.microaggregation.space import columns_of
from paravent.methods.microaggregation.univariate import best_groups
from paravent.privacy.column_anonymity import ColumnAnonymity
from paravent.published import Averages, ByClass, Published, Representatives

RankingPublish = Literal["average", "interval"]


@dataclass(frozen=True, kw_only=True)
class IndividualRanking(Method):
    """The best groups of at least k in the order of each column, each column by itself. Little is lost, and little is
    promised: **this is no k-anonymity**. A plan that asks for `ColumnAnonymity(k)` gets it; one that asks for more is
    refused unless the result happens to keep it.

    `publish`, `median`, `whole` and `rescale` as for MDAV. Ties as for UnivariateOptimal.

    >>> IndividualRanking(whole=True)
    IndividualRanking(publish='average', median='median', whole=True, rescale=False)
    """

    publish: RankingPublish = "average"
    median: Median = "median"
    whole: bool = False
    rescale: bool = False

    counts_people: ClassVar[bool] = False
    title: ClassVar[str] = "Individual ranking"
    source: ClassVar[str] = "Defays, Nanopoulos: Panels of enterprises and confidentiality. Statistics Canada 1993"
    gives: ClassVar[OutputType] = "averages"

    def __post_init__(self) -> None:
        check_choice(self, "publish", get_args(RankingPublish))
        check_choice(self, "median", get_args(Median))
        if self.publish != "average" and (self.whole or self.rescale):
            raise PlanError("IndividualRanking: whole and rescale are about averages. Say publish='average'.")

    @property
    def weighs(self) -> bool:
        return False

    @property
    def counts_rows(self) -> bool:
        return self.rescale

    def run(self, task: Task) -> Recoding:
        check_populations(self, task)
        k = least_size(task)
        if task.n_rows == 0:
            nothing = np.zeros(0, dtype=np.int32)
            empty: dict[str, Published] = {
                axis.name: Representatives(nothing) if axis.positions is None else Averages(np.zeros(0))
                for axis in task.axes
            }
            return Recoding(nothing, 0, empty)
        group_of_row: list[np.ndarray] = []
        cells: dict[str, ByClass] = {}
        for done, axis in enumerate(task.axes, start=1):
            groups, count = best_groups(columns_of(axis), k, axis.name)
            group_of_row.append(groups)
            if self.publish == "average":
                cells[axis.name] = averages(
                    axis, groups, count, median=self.median, whole=self.whole, rescale=self.rescale
                )
            else:
                cells[axis.name] = labels(axis, groups, count, "interval")
            task.progress("grouping", done / len(task.axes))
        folded = kernels.fold(group_of_row, [int(groups.max()) + 1 for groups in group_of_row])
        n_classes = len(folded.weight)
        self._check(task, folded.tuple_of_row, n_classes)
        by_class = {
            axis.name: cells[axis.name].of_classes(groups[folded.representative])
            for axis, groups in zip(task.axes, group_of_row, strict=True)
        }
        told = f"Grouped each of {len(task.axes)} columns by itself, at least {k} rows a group."
        return Recoding(folded.tuple_of_row, n_classes, by_class, (told,))

    def _check(self, task: Task, of_row: np.ndarray, n_classes: int) -> None:
        """Refuse what the result does not keep, rather than let the verifier find out."""
        others = tuple(model for model in task.models if not isinstance(model, ColumnAnonymity))
        if not others:
            return
        asked = replace(task, models=others)
        failing = int((~asked.holds(asked.classes(of_row, n_classes))).sum())
        if failing:
            raise InfeasibleError(
                f"IndividualRanking: {failing} classes of rows fail a model, for columns are grouped one by one. "
                f"Ask for ColumnAnonymity({least_size(task)}) alone, or take MDAV."
            )
