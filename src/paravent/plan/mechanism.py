"""What a plan of differential privacy may hold: nothing that looks at all rows beside the mechanism."""

from __future__ import annotations

from paravent.errors import PlanError, either
from paravent.hierarchy.spec import spec_from_document
from paravent.plan.file import resolved
from paravent.plan.plan import Plan
from paravent.plan.roles import IMPUTE, WILDCARD
from paravent.privacy.differential_privacy import DifferentialPrivacy
from paravent.privacy.model import Model
from paravent.table.table import Table


def check_mechanism(plan: Plan, table: Table) -> None:
    """Raise PlanError where differential privacy is asked for and cannot be kept by construction."""
    if plan.method.samples_rows:
        _check_sampled(plan, table)
    if any(isinstance(promise, DifferentialPrivacy) for promise in plan.protect):
        _check_promised(plan, table)
    if plan.method.draws_rows:
        released = [name for name in table.names if name not in plan.left_out]
        plan.method.check_domains(plan.role_names(released), declared_leaves(plan))


def _check_promised(plan: Plan, table: Table) -> None:
    if not plan.method.is_mechanism():
        raise PlanError(
            f"protect: differential privacy cannot be made by {type(plan.method).__name__}. Take a method that draws "
            "synthetic rows (AIM, MST, PrivBayes or NaiveBayes), or SafePub, which samples and generalizes true ones."
        )
    for i, treatment in enumerate(plan.treat):
        if not treatment.by_row(table):
            raise PlanError(
                f"treat[{i}]: {type(treatment).__name__} as given looks at other rows or draws by chance, and then one "
                "person may change the cells of many before the mechanism counts them. Before differential privacy, "
                "give limits, widths, breaks, mappings or levels themselves (TopCode with above=, Recode with width= "
                "or breaks=, Mask, Round), or coarsen columns by their domains."
            )


def declared_leaves(plan: Plan) -> dict[str, tuple[str, ...]]:
    """What the trees of quasi-identifiers say that a column can hold, whatever the data."""
    found = {}
    for name, role in resolved(plan).quasi.items():
        spec = spec_from_document(role.tree, name=name) if isinstance(role.tree, str) else role.tree
        leaves = None if spec is None else spec.declared(name)
        if leaves is not None:
            found[name] = leaves
    return found


def _check_sampled(plan: Plan, table: Table) -> None:
    """Where true rows are released, each may depend on itself alone, and be told from k others by nothing."""
    name = type(plan.method).__name__
    for i, promise in enumerate(plan.protect):
        if not isinstance(promise, DifferentialPrivacy) and not (isinstance(promise, Model) and promise.size_only):
            raise PlanError(
                f"protect[{i}]: {name} leaves classes out by their size alone; whether {promise.describe()} holds "
                "depends on more, and leaving out by that would break differential privacy. Leave it out."
            )
    for column, role in plan.identifiers.items():
        if role.replace != "drop" and column in table.columns:
            raise PlanError(
                f"columns.{column}: {name} publishes rows that are alike in all columns, and replaced identifiers tell "
                f"them apart. Drop it: {either('pv.Identifier()', '--identifier')}."
            )
    for column, own in plan.quasi.items():
        if plan.meaning_of_missing(column) in (WILDCARD, IMPUTE):
            raise PlanError(
                f"columns.{column}: {name} treats every row by itself, and missing={plan.meaning_of_missing(column)!r} "
                "looks at the others. Say missing='own value' or 'drop rows'."
            )
        if own.neutral is not None:
            raise PlanError(f"columns.{column}: neutral values are made of all rows. Leave neutral out for {name}.")
    if plan.suppressed == "mark":
        raise PlanError(
            f"suppressed: marks would tell how many rows there were, which {name} must not. Write suppressed='drop'."
        )
    if plan.order == "source":
        raise PlanError(f"order: {name} publishes its rows in the order of their cells. Leave order='source' out.")
