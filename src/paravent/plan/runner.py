"""The runner: Table and Plan in, verified Release out, or a clear error."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import polars as pl

from paravent.arguments import check_call
from paravent.errors import InfeasibleError, PlanError, UnsafeReleaseError, either
from paravent.methods.method import Axis, Method, Progress, Published, Recoding, Task, silent
from paravent.methods.trace import over_all_rows
from paravent.plan.assemble import Finished, assemble, check_recoding
from paravent.plan.check import missing_count
from paravent.plan.encode import encode, encode_sensitive, sensitive_domains, without_missing_rows
from paravent.plan.exposed import check_labels, check_roles
from paravent.plan.feasibility import check_feasible
from paravent.plan.file import resolved
from paravent.plan.neutral import check_neutral, check_rules, filled, words
from paravent.plan.order import places
from paravent.plan.persons import constant_quasi, folded, links_in, of_people, one_row_each, persons_in, unfolded
from paravent.plan.plan import Plan
from paravent.plan.population import Population, encoded_population, people_of_cells, populations_of, widened
from paravent.plan.provenance import provenance
from paravent.plan.pseudonym import check_keys
from paravent.plan.release import Release
from paravent.plan.roles import WILDCARD
from paravent.plan.short_form import ShortForm, plan_of
from paravent.plan.stages import Stages
from paravent.plan.targets import encode_targets
from paravent.plan.truth import check_truth
from paravent.privacy.verdict import Verdict
from paravent.privacy.verify import suppressed_cells, verify_frame
from paravent.table.table import Table


def as_plan(
    plan: Plan | str | os.PathLike[str] | None,
    wished: Mapping[str, Any] | None = None,
    columns: Sequence[str] | None = None,
) -> Plan:
    """A plan, the one in a file, or the one that a short form stands for."""
    if wished and plan is not None:
        raise PlanError(
            f"a plan and {next(iter(wished))}= both say what is wanted. Put it into the plan, or leave one out."
        )
    if wished:
        return plan_of(wished, columns)
    if plan is None:
        raise PlanError(
            "nothing says what is wanted. Give a plan, or name columns and models: quasi=['age', 'zip'], k=5."
        )
    if isinstance(plan, Plan):
        return plan
    if isinstance(plan, str | os.PathLike):
        return Plan.load(plan)
    raise PlanError(f"a plan must be a pv.Plan or the path of a plan file, not {type(plan).__name__}.")


def as_table(source: Any) -> Table:
    """A table, or what `pv.read` makes one of."""
    if isinstance(source, Table):
        return source
    from paravent.table.read import read

    return read(source)


def anonymize(
    source: Any,
    plan: Plan | str | os.PathLike[str] | None = None,
    *,
    progress: Progress | None = None,
    populations: Mapping[str, Any] | None = None,
    encoder: Callable[[Table, Plan], tuple[Axis, ...]] = encode,
    **wished: Unpack[ShortForm],
) -> Release:
    """Anonymize a table and prove it.

    `source` is a Table or anything that `pv.read` takes; `plan` a Plan or the path of one, or none, where the rest says
    what is wanted: `quasi=["age", "zip"], sensitive=["disease"], k=5, l=2` and whatever else a `ShortForm` may hold;
    the plan that is made of it is the release's. `progress` is called with
    the name of a stage and the share of it that is done; what it raises ends the run. `populations` holds tables of
    people by the names that models of the plan give them, where these are not files. `encoder` turns the table into
    codes; several runs over one table can share them. The finished frame is verified by code that knows nothing of the
    method: what does not hold is never returned (UnsafeReleaseError).

    >>> ages = pl.DataFrame({"age": [31, 32, 38, 39], "disease": ["flu", "ulcer", "flu", "cold"]})
    >>> sorted(anonymize(ages, quasi=["age"], sensitive=["disease"], k=2, l=2).frame["age"])
    ['[31, 32]', '[31, 32]', '[38, 39]', '[38, 39]']
    """
    check_call(anonymize, locals())
    stages = Stages(progress or silent)
    plan = None if plan is None else as_plan(plan, wished)
    with stages.stage("read"):
        table = as_table(source)
    plan = as_plan(None, wished, table.names) if plan is None else plan
    with stages.stage("check"):
        plan.check(table)
        check_roles(plan, table)
        check_neutral(plan)
        check_labels(plan, table)
        present, positions, dropped = without_missing_rows(table, plan)
        if len(present) == 0:
            raise InfeasibleError("every row has a missing value that drops it. Give missing values another meaning.")
        sensitive = encode_sensitive(present, plan)
        persons = persons_in(present, plan)
        allowed = plan.allowed(len(present))
        located = resolved(plan)
        check_keys(located)
        domains = sensitive_domains(present, plan)
        people = populations_of(plan, populations)
        check_feasible(
            located.protect if persons is None else of_people(located.protect, apart=False),
            len(present),
            sensitive,
            allowed,
            domains,
            {name: population.total for name, population in people.items()},
            persons,
        )
        _check_presence(plan)
    with stages.stage("encode"):
        axes = encoder(present, plan)
        check_rules(plan, axes)
        wide = widened(axes, present, plan, people) if people else axes
        everybody = any(model.bounds_absence for model in located.protect)
        if everybody:  # labels are made, and counted, over the values of the population too
            axes = wide
    with stages.stage("anonymize"):
        task = Task(
            len(present),
            axes,
            located.protect,
            sensitive,
            allowed,
            plan.seed,
            stages.progress,
            domains,
            {name: encoded_population(axes, population) for name, population in people.items()},
            encode_targets(present, plan),
            persons,
        )
        recoding = plan.method.run(task) if persons is None else _run_for_people(plan.method, task)
    with stages.stage("assemble"):
        check_recoding(recoding, len(present), axes)
        place = places(table, plan)
        finished = assemble(present, located, recoding, axes, None if place is None else place[positions])
        _check_cells(finished, plan)
    with stages.stage("verify"):
        whose = None if persons is None else persons[finished.rows]
        verdict = _verified(finished, plan, task, people, recoding.cells, whose, wide)
        shown, counts = filled(finished, plan, axes)
        if counts:
            found = _verified(shown, plan, task, people, {}, whose, wide)
            verdict = replace(found, notes=(*found.notes, words(counts, plan)))
    return Release(
        frame=shown.frame,
        table=table,
        plan=plan,
        kept=positions[finished.rows],
        verdict=verdict,
        trace=recoding.trace,
        steps=over_all_rows(recoding.steps, positions, len(table)),
        provenance=provenance(
            table, plan, verdict, missing=_missing(table, plan, positions, dropped), timings=stages.timings
        ),
        timings=stages.timings,
        encoded=axes if present is table and not everybody else None,
        persons=whose,
        unfilled=finished.frame if counts else None,
    )


def _run_for_people(method: Method, task: Task) -> Recoding:
    """A method's answer where people have several rows: one row stands for each person where all are alike to it, else
    it works on rows and asks the models of people."""
    assert task.persons is not None
    first = one_row_each(task)
    if first is not None:
        return unfolded(method.run(folded(task, first, task.models)), task.persons)
    if not method.counts_people:
        raise PlanError(
            f"method: {type(method).__name__} cannot count people with several different rows. Choose another method."
        )
    apart = constant_quasi(task.axes, task.persons)
    return method.run(replace(task, models=of_people(task.models, apart=apart)))


def _verified(
    finished: Finished,
    plan: Plan,
    task: Task,
    populations: Mapping[str, Population],
    published: Mapping[str, Published],
    persons: np.ndarray | None,
    wide: tuple[Axis, ...],
) -> Verdict:
    frame = finished.frame
    links = links_in(frame, plan)

    def count_people(rows: pl.DataFrame) -> dict[str, tuple[np.ndarray, int]]:
        return {name: people_of_cells(task.axes, population, rows, wide) for name, population in populations.items()}

    verdict = verify_frame(
        frame,
        list(plan.quasi),
        task.models,
        wildcard=wildcards(plan),
        marked=finished.marked,
        allowed=task.max_suppressed,
        cells=plan.cell_suppression,
        blanks=plan.method.wildcards,
        dropped=task.n_rows - frame.height,
        absent=plan.left_out,
        alike=plan.alike,
        replaced=plan.replaced,
        count_people=count_people if populations else None,
        persons=persons,
        links=links,
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
    for axis in task.axes if published else ():  # what was filled is not true of its row, and says so
        check_truth(published[axis.name], axis, frame[axis.name], finished.rows, finished.marked)
    return verdict


def _check_presence(plan: Plan) -> None:
    """A lower bound of presence is refused where the method does not look at whom labels cover."""
    for model in plan.protect:
        if model.bounds_absence and not plan.method.bounds_presence:
            raise InfeasibleError(
                f"{model.describe()} cannot be reached by {type(plan.method).__name__}: everybody of the population "
                "must fit a class, and it does not look at people who are not in the table. Take Mondrian, Optimal, "
                "Samarati, Datafly, MinGen or Filter, or leave low at 0."
            )


def _check_cells(finished: Finished, plan: Plan) -> None:
    """Too many starred cells are no danger, but not what was asked for."""
    if plan.cell_suppression >= 1:
        return
    real = finished.frame if finished.marked is None else finished.frame.filter(~finished.marked)
    share = suppressed_cells(real, list(plan.quasi))
    if share > plan.cell_suppression:
        raise InfeasibleError(
            f"cell_suppression: {type(plan.method).__name__} suppresses {share:.2%} of the quasi-identifier cells; "
            "the plan "
            f"allows {plan.cell_suppression:.2%}. Allow more cells or rows, ask for less, or choose another method."
        )


def wildcards(plan: Plan) -> list[str]:
    return [name for name in plan.quasi if plan.meaning_of_missing(name) == WILDCARD]


def _missing(table: Table, plan: Plan, positions: np.ndarray, dropped: Mapping[str, int]) -> dict[str, Any]:
    columns = {}
    for name in (*plan.quasi, *plan.judged):
        count = missing_count(table.frame[name].alias("cells"))
        if count:
            columns[name] = {"missing": count, "meaning": plan.meaning_of_missing(name)}
    for name, count in dropped.items():
        columns[name]["rows_dropped"] = count
    return {"dropped_rows": len(table) - len(positions), "columns": columns}
