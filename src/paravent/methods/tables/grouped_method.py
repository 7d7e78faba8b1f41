"""What methods share that publish quasi-identifiers as they are and hide a sensitive value in groups of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.errors import InfeasibleError, PlanError
from paravent.methods.method import Method, Task
from paravent.privacy.grouping import cell_codes, dense_codes
from paravent.privacy.model import check_whole


@dataclass(frozen=True)
class GroupedMethod(Method):
    """One sensitive column, one row a person. `l`, the one parameter that may be given without its name, says how well
    a value is hidden; where it is left out, it is what the models of the plan ask."""

    l: int | None = None  # noqa: E741 (the name it has in the literature)

    counts_people: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.l is not None:
            check_whole(f"{type(self).__name__}: l", self.l, low=2)

    @property
    def weighs(self) -> bool:
        return False

    @property
    def counts_rows(self) -> bool:
        return True

    def the_sensitive(self, task: Task) -> str:
        """The one sensitive column of a plan."""
        found = [name for name, role in task.roles.items() if role == "sensitive"]
        if len(found) == 1:
            return found[0]
        name = type(self).__name__
        if not found:
            raise PlanError(f"{name}: the plan names no sensitive column, so there is nothing to hide. Name one.")
        raise PlanError(
            f"{name} hides the values of one sensitive column, and the plan names {len(found)}: "
            f"{', '.join(map(repr, found))}. Leave all but one out with pv.Drop(), or take a method that generalizes."
        )

    def refuse_identity(self, task: Task) -> None:
        """Refuse at once to hide who is who, where the quasi-identifiers as they are do not."""
        for model in task.models:
            if model.size_only and int(task.folded.weight.min()) < model.least_size:
                raise InfeasibleError(
                    f"{model.describe()} cannot be reached by {type(self).__name__}, which publishes quasi-identifiers "
                    f"as they are: some combination of theirs has {int(task.folded.weight.min())} of the rows. Leave "
                    "it out, or take a method that generalizes."
                )

    def says_nothing(self, what: str) -> PlanError:
        """The refusal of a plan in which nothing says how many values a group has."""
        return PlanError(
            f"{type(self).__name__}: nothing says how many values a {what} shall have. Protect the sensitive column "
            "with a model such as pv.LDiversity(3, 'disease'), or say l=3 here."
        )


def codes_of(task: Task, column: str) -> np.ndarray:
    """The codes of a sensitive column, as the models see it where one does."""
    if column in task.sensitive:
        return task.sensitive[column]
    return dense_codes(cell_codes(task.cells[column]))[0]
