"""Cautions about columns that are released as they are: alone, together, or beside the generalized ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from paravent.cautions.case import Case, number, quoted, rows
from paravent.cautions.caution import Caution
from paravent.measures import as_percent
from paravent.plan.exposed import exposed, naming
from paravent.plan.roles import Sensitive
from paravent.privacy.classes import Classes
from paravent.privacy.grouping import cell_codes, group_rows
from paravent.privacy.risk.attackers import Risk
from paravent.privacy.verify_people import people_classes

SINGLED_OUT = 0.05
"""The share of rows that other columns may single out before it is serious."""


def telling_columns(case: Case) -> Iterator[Caution]:
    """Columns that can name somebody by themselves, on the plan's word."""
    frame = case.frame
    if frame.height < 2:
        return
    known = exposed(case.table, list(case.distinct))
    moved = [name for name in case.distinct if name in case.subject.perturbed]
    named = naming(case.table, moved)
    for name, distinct in case.distinct.items():
        if name in named if name in moved else name in known or distinct > max(2, frame.height / 2):
            why = f"{known[name]}. " if name in known else ""
            how = (
                "Its cells may stand in other rows, but they are released"
                if name in moved
                else "It is released as it is"
            )
            yield Caution(
                "identifying-column",
                "serious",
                (name,),
                f"“{name}” can identify people by itself",
                f"{why[:1].upper()}{why[1:]}{how}: {number(distinct)} different "
                f"value{'' if distinct == 1 else 's'} in {rows(frame.height)}.",
                "If anybody else holds these values, drop it or make it a quasi-identifier.",
            )


def linking_values(case: Case) -> Iterator[Caution]:
    """Sensitive columns whose values are nearly all different: bills, salaries to the cent."""
    frame = case.frame
    for name in case.as_they_are:
        if not isinstance(case.plan.role(name), Sensitive) or name in case.subject.perturbed:
            continue
        distinct = frame[name].drop_nulls().n_unique()
        if distinct > max(2, frame.height / 2):
            yield Caution(
                "linking-values",
                "serious",
                (name,),
                f"Whoever holds the values of “{name}” finds its rows",
                f"It is released as it is: {number(distinct)} different values in {rows(frame.height)}. "
                "The promise is about people who do not know them; others may: a bank, an insurer, an employer.",
                "Round it, unless nobody else holds these values.",
            )


def singling_out(case: Case) -> Iterator[Caution]:
    """Columns that nobody called quasi-identifying can still single people out beside the others."""
    frame = case.frame
    if frame.height < 2:
        return
    others = [
        name
        for name, distinct in case.distinct.items()
        if distinct <= max(2, frame.height / 2) and name not in case.subject.perturbed
    ]
    if not others:
        return
    groups = case.subject.of_row[~case.subject.placeholder]
    of_row, count = group_rows([groups, *(cell_codes(frame[name]) for name in others)], frame.height)
    persons = case.subject.persons
    classes = Classes(np.bincount(of_row, minlength=count), {})
    if persons is not None:
        classes = people_classes(of_row, persons[~case.subject.placeholder], {})
    known = Risk.of_classes(classes)
    if known.uniques > 0:
        yield Caution(
            "singling-out",
            "serious" if known.uniques >= SINGLED_OUT else "note",
            tuple(others),
            f"Who also knows {quoted(others)} can single out {as_percent(known.uniques)} of the {case.subject.counted}",
            f"{'These columns were' if len(others) > 1 else 'This column was'} called insensitive and "
            f"{'are' if len(others) > 1 else 'is'} released as {'they are' if len(others) > 1 else 'it is'}. "
            "The promise is about people who know the quasi-identifiers alone.",
            "If outsiders may know more, make what they know a quasi-identifier too.",
        )
