"""The roles of columns in a plan's document: proposed by the profile, corrected by a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import paravent as pv
from paravent.errors import ParaventError
from paravent.profiling.detect import Confidence, Proposal
from paravent.profiling.lexicon import Role

if TYPE_CHECKING:
    from paravent.profiling.profile import Profile

ROLES = ("identifier", "quasi", "sensitive", "insensitive", "drop")
"""As plans name them."""

_PROPOSED = {Role.IDENTIFIER: "identifier", Role.QUASI: "quasi", Role.SENSITIVE: "sensitive"}


def proposed_role(profile: Profile, name: str) -> str:
    """The role that a draft gives a column."""
    column = profile[name]
    if column.role is Role.IDENTIFIER and column.proposal.concept in ("free text", "survey weight"):
        return "drop"
    return _PROPOSED.get(column.role, "insensitive")


def proposed_plan(profile: Profile) -> dict[str, Any]:
    """The document of the plan that the profile proposes."""
    try:
        return dict(pv.draft(profile).to_document())
    except ParaventError:  # nothing to generalize: the roles alone
        columns = {column.name: {"role": proposed_role(profile, column.name)} for column in profile}
        return {"columns": columns, "protect": []}


def fits(plan: Mapping[str, Any], profile: Profile) -> bool:
    """Whether a plan speaks of the columns of this table."""
    named = set(plan.get("columns") or {})
    return bool(named) and named <= {column.name for column in profile}


def role_in(plan: Mapping[str, Any], name: str) -> str:
    """The role of a column; one that is not named is insensitive.

    >>> role_in({"columns": {"age": {"role": "quasi"}}}, "age"), role_in({}, "job")
    ('quasi', 'insensitive')
    """
    entry = (plan.get("columns") or {}).get(name)
    return str(entry["role"]) if isinstance(entry, Mapping) and "role" in entry else "insensitive"


def named(plan: Mapping[str, Any], role: str) -> list[str]:
    """The columns of a role, in the order of the plan."""
    return [name for name in plan.get("columns") or {} if role_in(plan, name) == role]


def with_role(plan: Mapping[str, Any], profile: Profile, name: str, role: str) -> dict[str, Any]:
    """The plan with another role for one column. Promises about it go when it is no longer sensitive; a column that
    becomes sensitive gets the promise that a draft would give it, one that becomes a quasi-identifier its tree."""
    columns = {column.name: {"role": "insensitive"} for column in profile} | dict(plan.get("columns") or {})
    columns[name] = {"role": role}
    changed = {**plan, "columns": columns}
    drafted = _drafted(profile, changed)
    if role in ("quasi", "sensitive") and name in drafted["columns"]:
        columns[name] = drafted["columns"][name]
    kept = [
        model
        for model in plan.get("protect") or []
        if not isinstance(model.get("column"), str) or role_in(changed, model["column"]) == "sensitive"
    ]
    if role == "sensitive" and name not in {model.get("column") for model in kept}:
        kept += [model for model in drafted["protect"] if model.get("column") == name]
    if not kept:
        kept = [model for model in drafted["protect"] if "column" not in model]
    if changed.get("person") == name and role not in ("identifier", "drop"):
        changed.pop("person")
    return {**changed, "protect": kept}


def _drafted(profile: Profile, plan: Mapping[str, Any]) -> dict[str, Any]:
    """What a draft says for these roles."""
    roles = {"identifier": Role.IDENTIFIER, "quasi": Role.QUASI, "sensitive": Role.SENSITIVE}
    columns = tuple(
        replace(
            column, proposal=Proposal(roles.get(role_in(plan, column.name), Role.INSENSITIVE), Confidence.CERTAIN, "")
        )
        for column in profile
    )
    try:
        return dict(pv.draft(replace(profile, columns=columns)).to_document())
    except ParaventError:
        return {"columns": {}, "protect": []}
