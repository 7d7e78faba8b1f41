"""Targets: the columns that a release shall help to predict, where its method names some."""

from __future__ import annotations

import numpy as np

from paravent.errors import PlanError
from paravent.methods.method import Target
from paravent.near import suggest
from paravent.plan.plan import Plan
from paravent.table.domain import Coded
from paravent.table.table import Table


def check_targets(plan: Plan, table: Table) -> None:
    """Raise PlanError where the method names a column that cannot be predicted from."""
    for name in plan.method.targets:
        if name not in table.columns:
            raise PlanError(f"method: the table has no column {name!r} to be the target. {suggest(name, table.names)}")
        if name in plan.identifiers or name in plan.left_out:
            known = "an identifier" if name in plan.identifiers else "left out"
            raise PlanError(f"method: the target {name!r} is {known} in this plan. Choose a column of the release.")


def encode_targets(table: Table, plan: Plan) -> dict[str, Target]:
    """The targets as codes in the order of their values; a missing cell has the last code."""
    return {name: target_of(Coded.of(table, name)) for name in plan.method.targets}


def target_of(coded: Coded) -> Target:
    """A column as a target."""
    size, positions = len(coded.domain), coded.domain.positions
    codes = coded.codes
    if coded.missing.any():
        codes = np.where(coded.missing, np.int32(size), codes)
        positions = None if positions is None else np.append(positions, np.nan)
        size += 1
    return Target(codes, size, positions, coded.domain.kind.is_ordered)
