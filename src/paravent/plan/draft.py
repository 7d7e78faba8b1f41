"""A starter plan: what the profile proposes, written down with its reasons so that a person can correct it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paravent.arguments import check_call
from paravent.errors import PlanError, either
from paravent.plan.document import to_document
from paravent.plan.plan import UNSAID, Person, Plan
from paravent.plan.roles import OWN_VALUE, Drop, Identifier, Insensitive, Quasi, Role, Sensitive
from paravent.plan.toml_text import plan_text
from paravent.privacy.k_anonymity import KAnonymity
from paravent.privacy.l_diversity import LDiversity
from paravent.privacy.model import Model
from paravent.privacy.t_closeness import TCloseness
from paravent.profiling import lexicon
from paravent.profiling.column import ColumnProfile
from paravent.profiling.detect import Confidence
from paravent.profiling.profile import Profile, profile

MOST_DIVERSE = 3
CROWDED = 0.8
CLOSE = 0.3
"""t where l-diversity would ask too much: the shares of a class are at most 30 points from those of the table."""
_TELLING = ("person number", "national number", "email")
"""Identifiers that one person has and no other, the surest first."""
_NAMELESS = ("free text", "survey weight")
"""What is left out without being anybody's name."""
_DOUBT = {Confidence.CERTAIN: "", Confidence.LIKELY: "? ", Confidence.GUESS: "?? "}


def draft(
    source: Any,
    *,
    k: int = 5,
    l: int | None = None,  # noqa: E741 (the name the model has)
    vocabularies: Sequence[str | Path] = (),
) -> Plan:
    """A plan for a table (or whatever `pv.read` makes one of), or for a profile of it.

    Identifiers and free text are dropped, quasi-identifiers get the proposed tree, and the release is k-anonymous.
    Every sensitive column gets a model: l-diversity with the l that you give (as far as the column has so many values),
    or with the largest l up to 3 (and k) that does not force classes to grow out of proportion: the l − 1 most
    frequent values may hold at most 80 % of the rows. Where not even two fit, because nearly everybody has the same
    value, it is t-closeness with t = 0.3. Missing values, where there are any, count as a value of their own.
    Where a number of patients, cases or the like is in every row, people are told apart by it: `person` is that column
    if it repeats, and None if it never does. `vocabularies` are tree files that may know a column's values, as in
    `pv.profile`. Everything else is left at its default.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"name": ["Ann", "Bob", "Cy"], "age": [31, 35, 40], "disease": ["flu", "ulcer", "flu"]})
    >>> plan = draft(frame, k=2)
    >>> plan.columns["age"], [model.describe() for model in plan.protect]
    (pv.Quasi(pv.flat()), ['2-anonymity', "distinct 2-diversity of 'disease'"])
    """
    check_call(draft, locals())
    found = profiled(source, vocabularies)
    if l is not None and (isinstance(l, bool) or not isinstance(l, int) or l < 2):
        raise PlanError(f"l: must be a whole number from 2 on, not {l!r}. Leave it out to have one proposed.")
    if not found.named(lexicon.Role.QUASI):
        raise PlanError(
            "no quasi-identifier was recognised, so there is nothing to generalize. "
            "Write a plan that names the columns others may know about people, such as "
            + either("{'age': pv.Quasi()}.", 'age = { role = "quasi" }, or name them with --quasi.')
        )
    guarded = (column for column in found.columns if column.role is lexicon.Role.SENSITIVE)
    return Plan(
        {column.name: _role(column) for column in found.columns},
        protect=[KAnonymity(k), *(_model(column, k, l) for column in guarded)],
        person=_person(found),
    )


def profiled(source: Any, vocabularies: Sequence[str | Path] = ()) -> Profile:
    """The profile that a draft rests on."""
    return source if isinstance(source, Profile) else profile(source, max_subset=1, vocabularies=vocabularies)


def _person(found: Profile) -> str | Person | None:
    """Whose each row is: by the number of a person that every row has, if there is one; None where it never repeats.
    Names alone do not tell: two people may share one."""
    for concept in _TELLING:
        for column in found.columns:
            if column.role is lexicon.Role.IDENTIFIER and column.proposal.concept == concept:
                if column.missing or column.distinct < 2:
                    continue
                return None if column.distinct == column.rows else column.name
    return UNSAID


def draft_text(found: Profile, plan: Plan) -> str:
    """The file of a drafted plan, in which comments say why each column has its role, and what else was noticed.

    >>> import polars as pl
    >>> found = profiled(pl.DataFrame({"age": [31, 35, 40], "job": ["a", "b", "c"]}))
    >>> print(draft_text(found, draft(found, k=2)).partition("[columns]")[2])
    <BLANKLINE>
    # the header names an age, and the numbers fit one
    age = { role = "quasi", tree = { flat = true } }
    # ? the header names work
    job = { role = "quasi", tree = { flat = true } }
    <BLANKLINE>
    """
    notes = {column.name: f"{_DOUBT[column.proposal.confidence]}{column.proposal.reason}" for column in found.columns}
    head = [
        f"Drafted from {found.rows} rows. Read every line: only you can know what others know about these people.",
        'A comment says why a column has its role: ? is likely, ?? a guess. Roles: "identifier", "quasi", "sensitive", '
        '"insensitive", "drop" (left out although it names nobody).',
        *_about_people(found, plan),
        *(f"! {warning}" for warning in found.warnings),
        *(f"! {column.name}: {warning}" for column in found.columns for warning in column.warnings if column.alike),
    ]
    return plan_text(to_document(plan), notes, head)


def _about_people(found: Profile, plan: Plan) -> list[str]:
    """What the file says of whose the rows are."""
    if isinstance(plan.person, str):
        return [f"? {plan.person!r} numbers people and repeats: people are counted, not rows."]
    names = [
        column.name
        for column in found.columns
        if column.name in plan.identifiers and column.distinct < column.rows - column.missing
    ]
    if plan.person is None:
        return ["? every row has a number of a person that no other row has: each row is another person."]
    if not names:
        return []
    return [
        f"! {', '.join(map(repr, names))}: names people and repeats. Say whose each row is before this plan runs: "
        'person = "the column that numbers people", or person = false if every row is another person.'
    ]


def _role(column: ColumnProfile) -> Role:
    missing = OWN_VALUE if column.missing else None
    match column.role:
        case lexicon.Role.IDENTIFIER:
            return Drop() if column.proposal.concept in _NAMELESS else Identifier()
        case lexicon.Role.QUASI:
            return Quasi(column.tree, missing=missing)
        case lexicon.Role.SENSITIVE:
            return Sensitive(missing=missing, alike="one" if column.alike else "apart")
        case _:
            return Insensitive()


def _model(column: ColumnProfile, k: int, wanted: int | None) -> Model:
    """What guards a sensitive column. A missing value counts as a value."""
    values = column.distinct + (column.missing > 0) - sum(len(group) - 1 for group in column.alike)
    if wanted is not None and values >= 2:
        return LDiversity(min(wanted, values), column.name)
    present = column.rows - column.missing
    top = max(column.most_frequent * present, column.missing) / max(column.rows, 1)
    candidates = range(2, min(MOST_DIVERSE, k, values) + 1)
    least = max((least for least in candidates if (least - 1) * top <= CROWDED), default=1)
    return LDiversity(least, column.name) if least >= 2 else TCloseness(CLOSE, column.name)
