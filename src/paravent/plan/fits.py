"""Whether a plan fits a table, without anonymizing anything."""

from __future__ import annotations

from paravent.plan.encode import encode
from paravent.plan.exposed import check_labels, check_roles
from paravent.plan.plan import Plan
from paravent.table.table import Table


def check_fits(plan: Plan, table: Table) -> None:
    """Raise the error of the first entry that does not fit: columns, roles that name people, labels, trees.

    >>> import polars as pl, paravent as pv
    >>> plan = pv.Plan({"agee": pv.Quasi()}, pv.KAnonymity(2))
    >>> check_fits(plan, pv.read(pl.DataFrame({"age": [1, 2]})))
    Traceback (most recent call last):
    ...
    paravent.errors.PlanError: columns: the table has no column 'agee'. Did you mean 'age'?
    """
    plan.check(table)
    check_roles(plan, table)
    check_labels(plan, table)
    encode(table, plan)  # builds the trees and looks for values that they do not cover
