"""Models that take columns of the sensitive block as known: what is published beside a value tells people apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from paravent.methods.method import Task
from paravent.privacy.grouping import group_rows

_KNOWN = "\x1fblock"  # in no name that a person types


def knowing(task: Task, column: str, beside: Sequence[str]) -> Task:
    """The task with models of `column` that know the quasi-identifiers `beside`: they judge, in every class, the rows
    that are equal in these."""
    models: list[Any] = list(task.models)
    if not beside:
        return replace(task, models=tuple(replace(model, knowing=None) for model in models))
    axes = {axis.name: axis.codes for axis in task.axes}
    known, _ = group_rows([axes[name] for name in beside], task.n_rows)
    return replace(
        task,
        models=tuple(replace(model, knowing=(_KNOWN,)) for model in models),
        sensitive={column: task.sensitive[column], _KNOWN: np.asarray(known, dtype=np.int32)},
    )
