"""Does a plan fit a table? Every answer no is one sentence that names the entry."""

from __future__ import annotations

import polars as pl

from paravent.errors import InfeasibleError, PlanError, either
from paravent.near import suggest
from paravent.plan.mechanism import check_mechanism
from paravent.plan.persons import check_person
from paravent.plan.plan import Plan
from paravent.plan.roles import Drop, Identifier, Quasi, Sensitive
from paravent.plan.targets import check_targets
from paravent.plan.treat import check_treatments
from paravent.privacy.model import Model
from paravent.privacy.promise import Limit
from paravent.table.table import Table
from paravent.table.text import is_text


def check(plan: Plan, table: Table) -> None:
    """Raise PlanError when the plan does not fit the table, InfeasibleError when there is nothing to protect."""
    check_shape(plan, table)
    if len(table) == 0:
        raise InfeasibleError(NO_ROWS)
    check_person(plan, table)
    for name in (*(() if plan.method.draws_rows else plan.quasi), *plan.judged):
        check_missing(plan, name, missing_count(table.frame[name].alias("cells")))


NO_ROWS = "the table has no rows, so there is nothing to release. Check the source."


def check_missing(plan: Plan, name: str, missing: int) -> None:
    """Raise PlanError when cells are missing and the plan does not say what that means."""
    if missing and plan.meaning_of_missing(name) is None:
        raise PlanError(_silent_about_missing(name, missing, plan))


def check_shape(plan: Plan, table: Table) -> None:
    """Raise PlanError when the plan does not fit the columns of the table, whatever its rows."""
    for name in plan.columns:
        if name not in table.columns:
            raise PlanError(f"columns: the table has no column {name!r}. {suggest(name, table.names)}")
    _check_weights(plan)
    for name in plan.method.adds:
        if name in table.columns:
            raise PlanError(
                f"method: {type(plan.method).__name__} adds a column {name!r}, and the table has one of this name. "
                f"Name it otherwise in {plan.method!r}."
            )
    for i, model in enumerate(plan.protect):
        for name in model.needs:
            _check_judged(f"protect[{i}] ({model.describe()})", name, plan, table)
        if isinstance(model, Model):
            _check_alike(f"protect[{i}] ({model.describe()})", model, plan, table)
    check_targets(plan, table)
    check_treatments(plan, table)
    check_mechanism(plan, table)


def check_limits(plan: Plan, table: Table) -> None:
    """Raise PlanError when a limit cannot be measured on a release of the table. The original is what it compares with,
    whatever treatments make of it."""
    released = pl.DataFrame([table.frame[name] for name in table.names if name not in plan.left_out])
    for i, promise in enumerate(plan.protect):
        if isinstance(promise, Limit):
            try:
                promise.check_table(released, tuple(plan.quasi), tuple(plan.sensitive))
            except PlanError as error:
                raise PlanError(f"protect[{i}]: {error.raw}") from None


def _check_weights(plan: Plan) -> None:
    """Weights that the method would not heed are refused, not forgotten."""
    weights = {name: role.weight for name, role in plan.quasi.items()}
    if len(set(weights.values())) < 2 or plan.method.weighs:
        return
    name = next(name for name, weight in weights.items() if weight != next(iter(weights.values())))
    raise PlanError(
        f"columns.{name}: the columns have different weights, and nothing that {plan.method!r} chooses by counts them. "
        "Leave the weights out, or take a method that weighs columns, such as Mondrian()."
    )


def missing_count(cells: pl.Series) -> int:
    """How many cells are missing; a float that is not a number is."""
    return cells.null_count() + (int(cells.is_nan().sum()) if cells.dtype.is_float() else 0)


_KNOWN_AS: dict[type, str] = {Quasi: "a quasi-identifier", Identifier: "an identifier", Drop: "left out"}


def _check_judged(where: str, name: str, plan: Plan, table: Table) -> None:
    role = plan.columns.get(name)
    if name not in table.columns:
        raise PlanError(f"{where}: the table has no column {name!r}. {suggest(name, plan.sensitive or table.names)}")
    if isinstance(role, Sensitive):
        return
    known = _KNOWN_AS.get(type(role), "insensitive")
    remedy = either("Declare it as pv.Sensitive().", 'Name it with --sensitive (in a plan: role = "sensitive").')
    raise PlanError(f"{where}: column {name!r} is {known} in this plan. {remedy}")


def _check_alike(where: str, model: Model, plan: Plan, table: Table) -> None:
    """Where a model speaks of single values, nothing says which of those that look alike it means."""
    for name in model.needs:
        if name not in plan.alike or not is_text(table.frame.schema[name]):
            continue
        if name in model.known or model.reads_values:
            does = "takes as known" if name in model.known else "reads value by value"
            raise PlanError(
                f"{where}: it {does} column {name!r}, in which values that look alike count as one. Leave alike='one' "
                "out, and unify the values in the table first: `paravent clean --alike`, pv.clean(table, alike=True)."
            )


def _silent_about_missing(name: str, missing: int, plan: Plan) -> str:
    count = f"{missing} missing value{'s' if missing > 1 else ''}"
    if name in plan.quasi:
        return (
            f"columns.{name}: the column has {count} and the plan does not say what they mean. "
            "Set missing to 'own value', 'wildcard', 'drop rows' or 'impute', "
            + either("here or for the whole plan.", "with --missing, or in the plan.")
        )
    return (
        f"columns.{name}: a model judges this column, it has {count} and the plan does not say what they mean. "
        "Set missing to 'own value' or 'drop rows' " + either("here.", "with --missing, or in the plan.")
    )
