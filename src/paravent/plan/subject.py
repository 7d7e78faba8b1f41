"""The Subject of a plan: what is measured when a released table is laid beside its original."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from paravent.plan.as_original import in_types_of
from paravent.plan.encode import encode_original
from paravent.plan.persons import links_in, persons_in
from paravent.plan.plan import Plan
from paravent.plan.roles import OWN_VALUE, WILDCARD, Quasi, Role
from paravent.plan.treat import Base
from paravent.plan.truth import averages, perturbed
from paravent.privacy.grouping import cell_codes, group_rows
from paravent.privacy.verdict import Verdict
from paravent.table.alike import with_folded
from paravent.table.text import as_text

if TYPE_CHECKING:
    from paravent.methods.method import Axis
    from paravent.utility.subject import Subject, Together


def subject_of(
    base: Base,
    frame: pl.DataFrame,
    plan: Plan,
    verdict: Verdict,
    *,
    kept: np.ndarray | None,
    marked: np.ndarray | None,
    axes: tuple[Axis, ...] | None = None,
    verified: bool = False,
    persons: np.ndarray | None = None,
    synthetic: bool = False,
    beside: Mapping[str, pl.DataFrame] | None = None,
) -> Subject:
    """A release and its original, ready to be measured: what is generalized is laid beside the table as treatments left
    it, statistics beside the original. Every sensitive column is looked at, guarded or not.
    `verified`: the verdict is that of this very frame and plan, so its classes can be taken. `persons` says whose each
    released row is, where people are counted. `synthetic`: released rows are nobody's. `beside` are the further tables
    of the release."""
    from paravent.utility.subject import Subject

    seen = with_folded(base.table.frame, plan.alike)
    codes = {name: cell_codes(seen[name]) for name in plan.sensitive}
    wildcard = frozenset(name for name in plan.quasi if plan.meaning_of_missing(name) == WILDCARD)
    drawn: tuple[Axis, ...] = ()
    if synthetic:
        frame = in_types_of(base.original.frame, frame)
    if synthetic and not plan.quasi:  # nothing is generalized: counts are asked over all columns that are drawn
        asked = [name for name in base.table.names if name in frame.columns and name not in plan.sensitive]
        roles: dict[str, Role] = {name: Quasi(missing=OWN_VALUE) for name in asked}
        drawn = encode_original(base, plan.replace(columns={**plan.columns, **roles})) if asked else ()
    return Subject(
        encode_original(base, plan) if axes is None else axes,
        frame,
        kept,
        plan.models,
        codes,
        np.zeros(frame.height, dtype=bool) if marked is None else marked,
        wildcard,
        verdict.levels,
        base.original.frame,
        verdict.classes.sizes if verified and not wildcard and persons is None else None,
        frozenset(plan.alike),
        persons,
        None if persons is None else persons_in(base.original, plan),
        None if persons is None else links_in(frame, plan),
        averages(plan),
        synthetic,
        verdict.classes if plan.method.derivation is not None else None,
        None if plan.method.derivation is None else partial(_parts, plan, frame, marked, beside or {}, seen, codes),
        _before(base, plan),
        perturbed(plan, base.original.names),
        frozenset(name for treatment in plan.treat for name in treatment.columns),
        len(base.original) - len(base.rows),
        drawn,
    )


def _parts(
    plan: Plan,
    frame: pl.DataFrame,
    marked: np.ndarray | None,
    beside: Mapping[str, pl.DataFrame],
    seen: pl.DataFrame,
    codes: Mapping[str, np.ndarray],
) -> tuple[Together, ...]:
    """What stands together in the tables of a release, its sensitive values by the codes of the original."""
    from paravent.utility.subject import Together

    assert plan.method.derivation is not None
    real = frame if marked is None else frame.filter(~marked)
    hidden = list(plan.sensitive)
    found = []
    for part in plan.method.derivation.parts(real, beside, hidden):
        shown = with_folded(part.frame, plan.alike)
        told = {name: _recoded(shown[name], seen[name], codes[name]) for name in hidden if name in shown.columns}
        found.append(Together(frozenset(shown.columns), part.bucket, part.first, told))
    return tuple(found)


def _recoded(cells: pl.Series, original: pl.Series, codes: np.ndarray) -> np.ndarray:
    """The codes of some cells, given those of the original; −1 where it has no such cell."""
    known = pl.DataFrame([as_text(original.alias("cell")), pl.Series("code", codes)]).unique()
    asked = pl.DataFrame([as_text(cells.alias("cell"))])
    joined = asked.join(known, on="cell", how="left", nulls_equal=True, maintain_order="left")
    return joined["code"].fill_null(-1).to_numpy()


def _before(base: Base, plan: Plan) -> np.ndarray | None:
    """The rows of the original grouped by their quasi-identifiers; None where no treatment has changed any of these."""
    if not any(name in plan.quasi for treatment in plan.treat for name in treatment.columns):
        return None
    return group_rows([cell_codes(base.original.frame[name]) for name in plan.quasi], len(base.original))[0]
