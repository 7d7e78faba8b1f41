"""What anatomy and bucketization share: rows are dealt into groups of different sensitive values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from paravent.errors import InfeasibleError, PlanError
from paravent.methods.method import Method, OutputType, RoleName, Task
from paravent.methods.tables.dealing import Dealt, deal, largest_l, most_groups, suppressed
from paravent.privacy.grouping import cell_codes, dense_codes
from paravent.privacy.model import check_whole


@dataclass(frozen=True, kw_only=True)
class DealtMethod(Method):
    """Rows in groups of at least l, no two of a group with the same value of the one sensitive column. Where `l` is
    left out, it is what the models of the plan ask."""

    l: int | None = None  # noqa: E741 (the name it has in the literature)

    gives: ClassVar[OutputType] = "groups"
    suppresses: ClassVar[Literal["nothing", "rows", "cells"]] = "rows"
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

    def changes(self, roles: Mapping[str, RoleName]) -> frozenset[str]:
        return frozenset(name for name, role in roles.items() if role == "sensitive")

    def dealt(self, task: Task) -> tuple[str, Dealt]:
        """The sensitive column, and the groups."""
        column = the_sensitive(self, task)
        refuse_identity(self, task)
        l, codes = self.asked(task), codes_of(task, column)  # noqa: E741
        counts = np.bincount(codes)
        if suppressed(counts, l) > task.max_suppressed or most_groups(counts, l) == 0:
            raise InfeasibleError(_too_large(self, column, l, counts, task.max_suppressed))
        dealt = deal(codes, l, task.generator(repr(self)))
        judged = replace(task, models=tuple(model for model in task.models if model.guards), populations={})
        for model in judged.models:
            alone = replace(judged, models=(model,))
            if not alone.holds(alone.classes(dealt.of_row, dealt.n_groups)).all():
                raise InfeasibleError(
                    f"{model.describe()} does not hold in groups of {l} different values, which is what "
                    f"{type(self).__name__} makes. Ask for less, for another l, or for a method that generalizes."
                )
        return column, dealt

    def asked(self, task: Task) -> int:
        """The rows that a group needs where all its values are different."""
        models = [model for model in task.models if model.guards]
        if self.l is None and not models:
            raise PlanError(
                f"{type(self).__name__}: nothing says how many values a group shall have. Protect the sensitive column "
                "with a model such as pv.LDiversity(3, 'disease'), or say l=3 here."
            )
        return max(self.l or 2, *(model.least_size for model in models), 2)


def the_sensitive(method: Method, task: Task) -> str:
    """The one sensitive column of a plan."""
    found = [name for name, role in task.roles.items() if role == "sensitive"]
    if len(found) == 1:
        return found[0]
    name = type(method).__name__
    if not found:
        raise PlanError(f"{name}: the plan names no sensitive column, so there is nothing to hide. Name one.")
    raise PlanError(
        f"{name} hides the values of one sensitive column, and the plan names {len(found)}: "
        f"{', '.join(map(repr, found))}. Leave all but one out with pv.Drop(), or take a method that generalizes."
    )


def refuse_identity(method: Method, task: Task) -> None:
    """Refuse at once to hide who is who, where the quasi-identifiers as they are do not."""
    for model in task.models:
        if model.size_only and int(task.folded.weight.min()) < model.least_size:
            raise InfeasibleError(
                f"{model.describe()} cannot be reached by {type(method).__name__}, which publishes quasi-identifiers "
                f"as they are: some combination of theirs has {int(task.folded.weight.min())} of the rows. Leave it "
                "out, or take a method that generalizes."
            )


def codes_of(task: Task, column: str) -> np.ndarray:
    """The codes of a sensitive column, as the models see it where one does."""
    if column in task.sensitive:
        return task.sensitive[column]
    return dense_codes(cell_codes(task.cells[column]))[0]


def numbers(dealt: Dealt) -> pl.Series:
    """The number of each row's group, from 1."""
    return pl.Series(dealt.of_row) + 1


def told(dealt: Dealt, column: str) -> str:
    sizes = np.bincount(dealt.of_row[dealt.of_row >= 0], minlength=dealt.n_groups)
    return (
        f"Dealt {int(sizes.sum())} rows into {dealt.n_groups} groups of {sizes.min()} to {sizes.max()}, no two of "
        f"which have the same value of {column!r}."
    )


def _too_large(method: Method, column: str, l: int, counts: np.ndarray, allowed: int) -> str:  # noqa: E741
    different, most, rows = int(np.count_nonzero(counts)), int(counts.max()), int(counts.sum())
    why = (
        f"{column!r} has {different} different values" if different < l
        else f"one value of {column!r} has {most} of the {rows} rows, and a group may hold it once"
    )  # fmt: skip
    spared = f", even with {allowed} rows suppressed" if allowed else ""
    return (
        f"{type(method).__name__}: groups of {l} different values cannot be made, because {why}{spared}. "
        f"The largest l possible is {largest_l(counts, allowed)}."
    )
