"""One scale for all candidates: everybody is measured over the quasi-identifiers of all plans together.

A column that some plan generalizes and another one releases as it is loses nothing there, but an attacker knows it; one
that is left out loses everything and helps nobody. Without this a plan could look better by calling fewer columns
quasi-identifying.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from paravent.hierarchy.axis import MISSING_LABEL, Axis
from paravent.plan.encode import encode, encode_original
from paravent.plan.judge import marked_rows, persons_behind
from paravent.plan.matching import match_rows
from paravent.plan.persons import persons_in
from paravent.plan.plan import Plan
from paravent.plan.release import Release
from paravent.plan.roles import OWN_VALUE, Insensitive, Quasi, Role, Sensitive
from paravent.plan.subject import subject_of
from paravent.plan.treat import base_of
from paravent.privacy.model import Model
from paravent.privacy.verdict import Verdict
from paravent.table.table import Table
from paravent.table.text import as_text
from paravent.utility.subject import Subject


@dataclass(frozen=True)
class Scale:
    """The columns that any plan calls quasi-identifying, and those that any calls sensitive (and none the former)."""

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...] = ()

    @classmethod
    def of(cls, plans: Sequence[Plan], table: Table) -> Scale:
        """Both in the order of the table."""
        quasi = tuple(name for name in table.names if any(name in plan.quasi for plan in plans))
        guarded = (name for name in table.names if any(name in plan.sensitive for plan in plans))
        return cls(quasi, tuple(name for name in guarded if name not in quasi))


def subject_on_scale(
    table: Table,
    released: pl.DataFrame | Release,
    plan: Plan,
    verdict: Verdict,
    scale: Scale,
    beside: Mapping[str, pl.DataFrame] | None = None,
) -> Subject:
    """A candidate beside its original, over the common columns. `beside` are its further tables."""
    wider: dict[str, Role] = {name: Quasi(missing=OWN_VALUE) for name in scale.quasi if name not in plan.quasi}
    wider |= {name: Sensitive() for name in scale.sensitive if isinstance(plan.role(name), Insensitive)}
    if isinstance(released, Release) and released.table is table and not wider:
        return released.subject
    frame: Any = released.frame if isinstance(released, Release) else released
    base = released.base if isinstance(released, Release) else base_of(table, plan)
    marked = marked_rows(frame, plan)
    if isinstance(released, Release):
        kept = released.kept
    else:
        kept = None if plan.method.draws_rows else match_rows(base, frame, plan, marked)
    if wider:
        known = [name for name in scale.quasi if name in wider and name in frame.columns]
        frame = frame.with_columns(as_text(frame[name]).fill_null(MISSING_LABEL).alias(name) for name in known)
        plan = plan.replace(columns={**plan.columns, **wider})
    persons = released.persons if isinstance(released, Release) else persons_behind(frame, frame, plan)
    if persons is None and kept is not None:
        whose = persons_in(table, plan)
        persons = None if whose is None else whose[kept]
    return subject_of(
        base,
        frame,
        plan,
        verdict,
        kept=kept,
        marked=marked,
        axes=encode_original(base, plan),
        persons=persons,
        synthetic=plan.method.draws_rows,
        beside=beside,
    )


def original_on_scale(subject: Subject, models: Sequence[Model], table: Table, plan: Plan) -> Subject:
    """The original beside itself, as if it were released: what every candidate is to be seen against.

    Its level is told for those models that need nothing but classes.
    """
    if plan.treat:
        subject = replace(subject, axes=_untreated(subject, table, plan), before=None)
    shown = pl.DataFrame([pl.Series(axis.name, list(axis.values), pl.String)[axis.codes] for axis in subject.axes])
    original = subject.original
    if original is not None:
        shown = original.with_columns(shown)
    return replace(
        subject,
        released=shown,
        kept=np.arange(subject.n_rows),
        marked=np.zeros(subject.n_rows, dtype=bool),
        models=tuple(model for model in models if not model.reads_values),
        levels=None,
        class_sizes=None,
        persons=subject.persons_before,
        synthetic=False,
        links=None,
        derived=None,
        parted=None,
        perturbed=frozenset(),
        treated=frozenset(),
    )


def _untreated(subject: Subject, table: Table, plan: Plan) -> tuple[Axis, ...]:
    """The quasi-identifiers as they were before treatments. Trees are about treated values, so there are none."""
    roles: dict[str, Role] = {axis.name: Quasi(missing=OWN_VALUE) for axis in subject.axes}
    return encode(table, Plan(roles, plan.protect, plan.method, person=None))
