"""What anatomy and bucketization share: rows are dealt into groups of different sensitive values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from paravent.errors import InfeasibleError
from paravent.methods.method import Method, OutputType, RoleName, Task
from paravent.methods.tables.dealing import Dealt, deal, largest_l, most_groups, suppressed
from paravent.methods.tables.grouped_method import GroupedMethod, codes_of


@dataclass(frozen=True)
class DealtMethod(GroupedMethod):
    """Rows in groups of at least l, no two of a group with the same value of the one sensitive column."""

    gives: ClassVar[OutputType] = "groups"
    suppresses: ClassVar[Literal["nothing", "rows", "cells"]] = "rows"

    def changes(self, roles: Mapping[str, RoleName]) -> frozenset[str]:
        return frozenset(name for name, role in roles.items() if role == "sensitive")

    def dealt(self, task: Task) -> tuple[str, Dealt]:
        """The sensitive column, and the groups."""
        column = self.the_sensitive(task)
        self.refuse_identity(task)
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
            raise self.says_nothing("group")
        return max(self.l or 2, *(model.least_size for model in models), 2)


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
