"""Verification: the finished tables of a release against its plan, before anybody gets them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from paravent.errors import InfeasibleError, UnsafeReleaseError, either
from paravent.methods.method import Axis, Recoding
from paravent.plan.assemble import sources_of
from paravent.plan.finished import Finished
from paravent.plan.ghosts import check_ghosts, ghosts_of
from paravent.plan.persons import links_in
from paravent.plan.plan import Plan
from paravent.plan.population import people_of_cells
from paravent.plan.prepare import Prepared
from paravent.plan.roles import WILDCARD
from paravent.privacy.language import Language
from paravent.privacy.promise import Entry, Evidence, Limit
from paravent.privacy.verdict import Verdict
from paravent.privacy.verify import suppressed_cells, verify_frame
from paravent.published import Place, Published, Untouched, check_same
from paravent.table.side_by_side import side_by_side


def wildcards(plan: Plan) -> list[str]:
    return [name for name in plan.quasi if plan.meaning_of_missing(name) == WILDCARD]


def check_cells(finished: Finished, plan: Plan) -> None:
    """Too many starred cells are no danger, but not what was asked for."""
    if plan.cell_suppression >= 1:
        return
    share = suppressed_cells(finished.frame.filter(~finished.marked), quasi_in(finished.frame, plan))
    if share > plan.cell_suppression:
        raise InfeasibleError(
            f"cell_suppression: {type(plan.method).__name__} suppresses {share:.2%} of the quasi-identifier cells, and "
            f"the plan allows {plan.cell_suppression:.2%}. Allow more cells or rows, ask for less, or choose another "
            "method."
        )


def quasi_in(frame: pl.DataFrame, plan: Plan) -> list[str]:
    """The quasi-identifiers of the first table. A method may publish some of them in another."""
    if plan.method.derivation is None:
        return list(plan.quasi)
    return [name for name in plan.quasi if name in frame.columns]


def verified(
    finished: Finished, prepared: Prepared, persons: np.ndarray | None, account: Sequence[Entry] | None
) -> Verdict:
    """The verdict on finished tables; what does not hold is not released."""
    frame, plan, task = finished.frame, prepared.plan, prepared.task
    links = links_in(frame, plan)

    def count_people(rows: pl.DataFrame) -> Mapping[str, tuple[np.ndarray, int]]:
        people = prepared.populations.items()
        return {name: people_of_cells(task.axes, population, rows, prepared.wide) for name, population in people}

    measured = any(isinstance(promise, Limit) for promise in plan.protect)
    verdict = verify_frame(
        frame,
        quasi_in(frame, plan),
        prepared.located.protect,
        wildcard=wildcards(plan),
        marked=finished.marked,
        allowed=task.max_suppressed,
        cells=plan.cell_suppression,
        blanks=plan.method.wildcards,
        dropped=0 if finished.rows is None else task.n_rows - frame.height,
        absent=plan.left_out,
        alike=plan.alike,
        replaced=plan.replaced,
        count_people=count_people if prepared.populations else None,
        persons=persons,
        links=links,
        derivation=plan.method.derivation,
        beside=finished.beside,
        evidence=evidence_of(finished, prepared) if measured else None,
        account=account,
    )
    if not verdict:
        remedy = "Nothing is released."
        if links is not None:
            remedy += (
                f" Column {plan.linking[0]!r} shows which rows are one person's, so that all of somebody's rows must "
                f"be like those of others: leave it out of the release with pv.Identifier()."
            )
        if wildcards(plan) and verdict.strict_k < task.n_rows:
            remedy += " Wildcards can cause this: try " + either("missing='own value'.", "--missing 'own value'.")
        raise UnsafeReleaseError(f"the finished release does not keep its promise: {verdict.why_not()}. {remedy}")
    return verdict


def evidence_of(finished: Finished, prepared: Prepared) -> Evidence:
    """The finished tables beside the original, for promises that are measured."""
    plan = prepared.plan
    return Evidence(
        finished.frame,
        prepared.table.only_rows(prepared.positions).frame,
        finished.rows,
        tuple(plan.quasi),
        tuple(plan.sensitive),
        finished.marked,
        prepared.task.persons,
        finished.beside,
        languages_of(prepared.task.axes, plan),
    )


def languages_of(axes: Sequence[Axis], plan: Plan) -> dict[str, Language]:
    """How the cells of quasi-identifiers are meant."""
    return {axis.name: Language(axis, generalized=plan.quasi[axis.name].tree is not None) for axis in axes}


def check_truth(finished: Finished, prepared: Prepared, recoding: Recoding) -> None:
    """Every changed column is true in the sense of its kind. Treated cells were held to their originals when they were
    made: what is published of them is what was checked."""
    check_ghosts(finished, prepared.original, prepared.present.frame, prepared.plan)
    if finished.rows is None:
        return
    sources = sources_of(prepared.present, prepared.task.axes)
    place = Place.of(finished.rows, marked=finished.marked)
    changed: dict[str, Published] = dict(recoding.cells)
    for treatment in prepared.plan.treat:
        changed = {name: Untouched() for name in treatment.columns} | changed
    ghosts = {name for name, _ in ghosts_of(prepared.plan)}
    told = [name for name in changed if name in finished.frame.columns and name not in ghosts]
    side_by_side(
        lambda name: changed[name].check(sources[name], finished.frame[name], place), told, rows=len(place.rows)
    )
    for name, cells in recoding.added.items():
        check_same(name, cells, finished.frame[name], place)
    derivation = prepared.plan.method.derivation
    if derivation is not None:
        real = ~finished.marked
        original = prepared.present.frame[finished.rows[real]]
        sensitive = list(prepared.plan.sensitive)
        derivation.check_truth(finished.frame.filter(real), finished.beside, original, sensitive)
