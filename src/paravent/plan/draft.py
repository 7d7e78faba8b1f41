"""A starter plan: what the profile proposes, written down so that a person can correct it."""

from __future__ import annotations

from typing import Any

from paravent.errors import PlanError
from paravent.plan.plan import Plan
from paravent.plan.roles import OWN_VALUE, Identifier, Insensitive, Quasi, Role, Sensitive
from paravent.privacy.k_anonymity import KAnonymity
from paravent.privacy.l_diversity import LDiversity
from paravent.privacy.model import Model
from paravent.table import detect_lexicon
from paravent.table.profile import Profile, profile
from paravent.table.profile_column import ColumnProfile

MOST_DIVERSE = 3
CROWDED = 0.8


def draft(source: Any, *, k: int = 5) -> Plan:
    """A plan for a table (or whatever `pv.read` makes one of), or for a profile of it.

    Identifiers and free text are dropped, quasi-identifiers get the proposed tree, and the release is k-anonymous.
    A sensitive column is also l-diverse, with the largest l up to 3 (and k) that does not force classes to grow out
    of proportion: the l − 1 most frequent values may hold at most 80 % of the rows. Missing values, where there are
    any, count as a value of their own. Everything else is left at its default.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"name": ["Ann", "Bob", "Cy"], "age": [31, 35, 40], "disease": ["flu", "ulcer", "flu"]})
    >>> plan = draft(frame, k=2)
    >>> plan.columns["age"], [model.describe() for model in plan.protect]
    (pv.Quasi(pv.flat()), ['2-anonymity', "distinct 2-diversity of 'disease'"])
    """
    found = source if isinstance(source, Profile) else profile(source, max_subset=1)
    if not found.named(detect_lexicon.Role.QUASI):
        raise PlanError(
            "no quasi-identifier was recognised, so there is nothing to generalize. "
            "Write a plan that names the columns others may know about people, such as {'age': pv.Quasi()}."
        )
    models: list[Model] = [KAnonymity(k)]
    columns: dict[str, Role] = {}
    for column in found.columns:
        columns[column.name] = _role(column)
        if column.role is detect_lexicon.Role.SENSITIVE:
            diversity = _diversity(column, k)
            if diversity >= 2:
                models.append(LDiversity(diversity, column.name))
    return Plan(columns, protect=models)


def _role(column: ColumnProfile) -> Role:
    missing = OWN_VALUE if column.missing else None
    match column.role:
        case detect_lexicon.Role.IDENTIFIER:
            return Identifier()
        case detect_lexicon.Role.QUASI:
            return Quasi(column.tree, missing=missing)
        case detect_lexicon.Role.SENSITIVE:
            return Sensitive(missing=missing)
        case _:
            return Insensitive()


def _diversity(column: ColumnProfile, k: int) -> int:
    """The l to ask of a sensitive column; 1 where most rows share one value. A missing value counts as one."""
    values = column.distinct + (column.missing > 0)
    present = column.rows - column.missing
    top = max(column.most_frequent * present, column.missing) / max(column.rows, 1)
    candidates = range(2, min(MOST_DIVERSE, k, values) + 1)
    return max((least for least in candidates if (least - 1) * top <= CROWDED), default=1)
