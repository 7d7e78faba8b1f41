"""The models of a task as demands that a search asks of every move (`kernels.Demand`)."""

from __future__ import annotations

import numpy as np

from paravent.kernels import Demand, DemandKind
from paravent.methods.method import Task
from paravent.privacy.alpha_k import AlphaKAnonymity
from paravent.privacy.k_anonymity import KAnonymity
from paravent.privacy.l_diversity import LDiversity
from paravent.privacy.model import Model
from paravent.privacy.t_closeness import TCloseness

_KINDS = {"distinct": DemandKind.DISTINCT, "entropy": DemandKind.ENTROPY, "recursive": DemandKind.RECURSIVE}


def least_size(task: Task) -> int:
    """The rows that a class needs at least."""
    return max((model.k for model in task.models if isinstance(model, KAnonymity | AlphaKAnonymity)), default=1)


def demands_of(task: Task) -> list[Demand] | None:
    """What the models ask beside a size, of the columns of `task.sensitive` in their order; None where a search cannot
    ask one of them."""
    found = []
    for model in task.models:
        if isinstance(model, KAnonymity):
            continue
        demand = _demand(model, task)
        if demand is None:
            return None
        found.append(demand)
    return found


def _demand(model: Model, task: Task) -> Demand | None:
    if model.known:
        return None
    if isinstance(model, LDiversity) and model.kind in _KINDS:
        return Demand(_KINDS[model.kind], _place(task, model.column), float(model.l), float(model.c or 0))
    if isinstance(model, AlphaKAnonymity):
        return Demand(DemandKind.SHARE, _place(task, model.column), float(model.alpha))
    if isinstance(model, TCloseness) and model.distance == "equal":
        counts = np.bincount(task.sensitive[model.column])
        most = model.t if model.normalised else model.t / 2
        return Demand(DemandKind.DISTANCE, _place(task, model.column), float(most), whole=counts / counts.sum())
    return None


def _place(task: Task, column: str) -> int:
    return list(task.sensitive).index(column)
