"""What a plan may ask for on Spark, and the sentence for what it may not."""

from __future__ import annotations

from paravent.errors import PlanError
from paravent.plan.plan import Plan
from paravent.plan.roles import WILDCARD, Identifier
from paravent.privacy.differential_privacy import DifferentialPrivacy
from paravent.privacy.model import Model
from paravent.treatments.sample import Sample
from paravent.treatments.treatment import Treatment

SAMPLED = ("SafePub",)
"""Drawn on the driver, over the distinct rows of all released columns."""
FULL_DOMAIN = ("Datafly", "Samarati", "Incognito", "Optimal", "MinGen")
"""Searched on the driver, over the distinct rows of quasi-identifiers and judged columns."""
BLOCKS = {
    "Mondrian": 500_000,
    "LocalRecoding": 20_000,
    "GkAA": 5_000,
    "GAA": 5_000,
    "MDAV": 20_000,
    "VMDAV": 20_000,
    "KMember": 10_000,
    "OKA": 20_000,
    "KACA": 5_000,
}
"""Methods that work inside blocks of the table, and how many rows a block has where nobody says: as many as one core
works on in about a minute."""


def check_serves(plan: Plan) -> None:
    """Raise PlanError for what is not done on Spark."""
    name = type(plan.method).__name__
    if name not in (*FULL_DOMAIN, *SAMPLED, *BLOCKS):
        known = ", ".join((*BLOCKS, *FULL_DOMAIN, *SAMPLED))
        raise PlanError(f"method: {name} does not run on Spark. Take one of {known}, or run it on one machine.")
    if isinstance(plan.person, str):
        _check_persons(plan, name)
    for i, promise in enumerate(plan.protect):
        served = isinstance(promise, Model) and promise.people is None
        if not served and not (isinstance(promise, DifferentialPrivacy) and plan.method.samples_rows):
            raise PlanError(
                f"protect[{i}]: {promise.describe()} is not judged on Spark, which judges classes alone. Leave it out, "
                "or run the plan on one machine."
            )
    for column, role in plan.quasi.items():
        if plan.meaning_of_missing(column) == WILDCARD:
            raise PlanError(
                f"columns.{column}: missing cells that match anything are not judged on Spark. Say "
                "missing='own value', 'drop rows' or 'impute'."
            )
        if role.neutral is not None:
            raise PlanError(f"columns.{column}: neutral values are not filled in on Spark. Leave neutral out.")
    for column, own in plan.identifiers.items():
        if isinstance(own, Identifier) and own.replace == "random":
            raise PlanError(
                f"columns.{column}: random numbers are not given on Spark. Drop the column, or say "
                "replace='pseudonym' with a key."
            )
    if plan.order == "source":
        raise PlanError("order: rows have no order of the source on Spark. Leave order='source' out.")
    if plan.cell_suppression < 1:
        raise PlanError("cell_suppression: a limit of cells is not kept on Spark. Leave it out.")
    if plan.alike:
        raise PlanError(f"columns.{plan.alike[0]}: alike='one' is not judged on Spark. Unify the values before.")
    if getattr(plan.method, "rescale", False):
        raise PlanError("method: rescale looks at the whole table, and blocks do not. Leave it out.")


def check_treatment(where: str, treatment: Treatment) -> None:
    """Raise PlanError where a treatment is not done in parts of a table."""
    if treatment.reach is None and not isinstance(treatment, Sample):
        raise PlanError(
            f"{where}: {type(treatment).__name__} looks at several columns or rows, which is not done on Spark. Take "
            "one that says limits, widths, breaks or mappings itself, or treat the table before."
        )


def _check_persons(plan: Plan, name: str) -> None:
    """Whose rows are is known to a few methods only, and must not show in the release."""
    if name not in (*FULL_DOMAIN, *SAMPLED):
        known = ", ".join((*FULL_DOMAIN, *SAMPLED))
        raise PlanError(
            f"person: people with several rows are not counted by {name} on Spark. Take one of {known}, give one row a "
            "person, or run it on one machine."
        )
    if plan.linking:
        raise PlanError(
            f"person: column {plan.linking[0]!r} would show which rows are one person's, which is not judged on Spark. "
            "Leave it out of the release with pv.Identifier()."
        )
    for i, model in enumerate(plan.models):
        if model.by_column:
            raise PlanError(f"protect[{i}]: {model.describe()} of people is not judged on Spark. Leave it out.")
