"""The best k-partition of a class by a constraint solver (Mauger 2021, §5.3.1), with OR-Tools' CP-SAT.

Equal records are one integer variable a group, groups have a switch, and the class as it was is the first hint. One
worker, a fixed seed and a limit in the solver's own deterministic time: the same class gives the same partition.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paravent.errors import PlanError
from paravent.methods.partition.groups import Groups
from paravent.methods.partition.two_parts import Split


def cp_sat() -> Any:
    """OR-Tools' module, or a sentence on how to get it."""
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        raise PlanError(
            "solver 'ortools' needs OR-Tools, which is not installed. Get it with: pip install 'paravent[solver]', or "
            "leave out solver to use the method that is built in."
        ) from None
    return cp_model


def solved_partition(rows: np.ndarray, groups: Groups, k: int, start: Split, *, effort: float) -> tuple[Split, bool]:
    """The partition into parts of at least k rows that keeps most, never worse than `start`, and whether it is proved
    to be the best. `effort` limits the search, in the solver's deterministic seconds."""
    cp_model = cp_sat()
    model = cp_model.CpModel()
    total = int(rows.sum())
    opened = [model.new_bool_var("") for _ in groups.members]
    shares: list[dict[int, Any]] = [{} for _ in rows]
    for g, members in enumerate(groups.members):
        inside = []
        for i in members.tolist():
            share = model.new_int_var(0, int(rows[i]), "")
            shares[i][g] = share
            inside.append(share)
        model.add(sum(inside) >= k * opened[g])
        model.add(sum(inside) <= min(total, int(groups.rows[g])) * opened[g])
    for i, found in enumerate(shares):
        model.add(sum(found.values()) == int(rows[i]))
    floor = int(groups.worth.min())  # smaller numbers, the same optimum
    model.maximize(sum(int(groups.worth[g] - floor) * share for found in shares for g, share in found.items()))
    _hint(model, opened, shares, groups, start)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.max_deterministic_time = effort
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return start, False
    taken = np.zeros((len(groups.members), len(rows)), dtype=np.int64)
    for i, found in enumerate(shares):
        for g, share in found.items():
            taken[g, i] = solver.value(share)
    proved = status == cp_model.OPTIMAL and groups.complete
    kept = int(groups.worth @ taken.sum(axis=1))
    if kept <= start.worth:
        return start, proved
    return Split(taken[taken.any(axis=1)], kept), proved


def _hint(model: Any, opened: list[Any], shares: list[dict[int, Any]], groups: Groups, start: Split) -> None:
    """Say where the solver may begin: each part of `start` at the group of its lowest label."""
    members = [frozenset(found.tolist()) for found in groups.members]
    where: list[int] = []
    for taken in start.taken:
        held = frozenset(np.flatnonzero(taken).tolist())
        fit = [g for g, all_of_it in enumerate(members) if held <= all_of_it]
        where.append(max(fit, key=lambda g: (int(groups.worth[g]), -g)))
    hinted: dict[tuple[int, int], int] = {}
    for g, taken in zip(where, start.taken, strict=True):
        for i in np.flatnonzero(taken).tolist():
            hinted[i, g] = hinted.get((i, g), 0) + int(taken[i])
    for g, switch in enumerate(opened):
        model.add_hint(switch, g in where)
    for i, found in enumerate(shares):
        for g, share in found.items():
            model.add_hint(share, hinted.get((i, g), 0))
