"""The runner: Table and Plan in, verified Release out, or a clear error."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

import numpy as np

from paravent.arguments import check_call
from paravent.errors import PlanError
from paravent.methods.method import Charge, Method, Progress, Recoding, Task, silent
from paravent.methods.trace import over_all_rows
from paravent.plan.assemble import assemble, check_recoding, with_told
from paravent.plan.check import missing_count
from paravent.plan.encode import encode
from paravent.plan.finished import Finished
from paravent.plan.neutral import filled, words
from paravent.plan.order import of_kept, order_of_rows
from paravent.plan.persons import constant_quasi, folded, of_people, one_row_each, unfolded
from paravent.plan.plan import Plan
from paravent.plan.prepare import Encoder, Prepared, prepare
from paravent.plan.provenance import provenance
from paravent.plan.release import Release
from paravent.plan.replayed import assumptions, check_replay
from paravent.plan.sampled import check_sample, sample_assumptions
from paravent.plan.short_form import ShortForm, plan_of
from paravent.plan.stages import Stages
from paravent.plan.verification import check_cells, check_truth, verified
from paravent.privacy.verdict import Verdict
from paravent.private.accounting import Cost
from paravent.private.ledger import Budget
from paravent.table.side_by_side import meanwhile
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
    encoder: Encoder = encode,
    budget: Budget | None = None,
    **wished: Unpack[ShortForm],
) -> Release:
    """What `pv.anonymize` does on this machine; the same arguments, told there (`engine/anonymize.py`)."""
    check_call(anonymize, locals())
    stages = Stages(progress or silent)
    plan = None if plan is None else as_plan(plan, wished)
    with stages.stage("read"):
        table = as_table(source)
    plan = as_plan(None, wished, table.names) if plan is None else plan
    order = meanwhile(partial(order_of_rows, table, plan), rows=len(table))  # a hash of all cells
    prepared = prepare(
        table,
        plan,
        populations=populations,
        encoder=encoder,
        progress=stages.progress,
        stage=stages.stage,
        charge=_charge(budget, table),
    )
    task, present, positions = prepared.task, prepared.present, prepared.positions
    with stages.stage("anonymize"):
        method = prepared.located.method
        alone = task.persons is None or method.is_mechanism()
        recoding = method.run(task) if alone else _run_for_people(method, task)
    with stages.stage("assemble"):
        check_recoding(recoding, present, task.axes, plan)
        here = of_kept(order(), positions)
        finished = assemble(present, prepared.located, recoding, task.axes, here, prepared.original)
        finished = with_told(finished, prepared.base.beside)
        check_cells(finished, plan)
    with stages.stage("verify"):
        if recoding.transcript is not None:
            recoding = replace(recoding, account=check_replay(recoding.transcript, finished.frame))
        if recoding.sampled is not None:
            recoding = replace(recoding, account=check_sample(recoding.sampled, finished.frame))
        whose = None if task.persons is None or finished.rows is None else task.persons[finished.rows]
        verdict = verified(finished, prepared, whose, recoding.account)
        check_truth(finished, prepared, recoding)
        shown, counts = filled(finished, plan, task.axes)
        if counts:  # what was filled is not true of its row, and says so
            found = verified(shown, prepared, whose, recoding.account)
            verdict = replace(found, notes=(*found.notes, words(counts, plan)))
        if recoding.transcript is not None:
            verdict = replace(verdict, notes=(*verdict.notes, *assumptions(recoding.transcript, plan, budget)))
        if recoding.sampled is not None:
            said = sample_assumptions(recoding.sampled, plan, budget, finished.frame.height)
            verdict = replace(verdict, notes=(*verdict.notes, *said))
    return _release(prepared, recoding, finished, shown, verdict, whose, stages)


def _charge(budget: Budget | None, table: Table) -> Charge:
    """Writes what a mechanism is about to spend to the ledger, which is the table's own."""

    def charge(what: str, cost: Cost) -> None:
        if budget is not None:
            budget.bind(table.fingerprint)
            budget.spend(what, cost)

    return charge


def _release(
    prepared: Prepared,
    recoding: Recoding,
    finished: Finished,
    shown: Finished,
    verdict: Verdict,
    persons: np.ndarray | None,
    stages: Stages,
) -> Release:
    table, plan, positions = prepared.table, prepared.plan, prepared.positions
    return Release(
        frame=shown.frame,
        table=table,
        plan=plan,
        kept=None if finished.rows is None else positions[finished.rows],
        verdict=verdict,
        trace=(*prepared.base.trace, *recoding.trace),
        steps=over_all_rows(recoding.steps, positions, len(table)),
        provenance=provenance(
            table,
            plan,
            verdict,
            missing=_missing(prepared),
            timings=stages.timings,
            account=recoding.account,
            base=prepared.base,
        ),
        timings=stages.timings,
        encoded=prepared.task.axes if prepared.present is prepared.base.table and not prepared.everybody else None,
        persons=persons,
        unfilled=None if shown is finished else finished.frame,
        beside=finished.beside,
        account=recoding.account,
        rule=recoding.rule,
        transcript=recoding.transcript,
        treated=prepared.base,
    )


def _run_for_people(method: Method, task: Task) -> Recoding:
    """A method's answer where people have several rows: one row stands for each person where all are alike to it, else
    it works on rows and asks the models of people."""
    assert task.persons is not None
    if len(np.unique(task.persons)) == task.n_rows:  # rows are people
        return method.run(replace(task, persons=None))
    first = None if method.counts_rows else one_row_each(task)
    if first is not None:
        return unfolded(method.run(folded(task, first, task.models)), task.persons)
    if not method.counts_people:
        which = "several rows" if method.counts_rows else "several different rows"
        when = " when it rescales" if getattr(method, "rescale", False) else ""
        raise PlanError(
            f"method: {type(method).__name__} cannot count people with {which}{when}. Choose another method."
        )
    apart = constant_quasi(task.axes, task.persons)
    return method.run(replace(task, models=of_people(task.models, apart=apart)))


def _missing(prepared: Prepared) -> dict[str, Any]:
    table, plan = prepared.base.table, prepared.plan
    columns = {}
    for name in (*plan.quasi, *plan.judged):
        count = missing_count(table.frame[name].alias("cells"))
        if count:
            columns[name] = {"missing": count, "meaning": plan.meaning_of_missing(name)}
    for name, count in prepared.dropped.items():
        columns[name]["rows_dropped"] = count
    return {"dropped_rows": len(prepared.base.rows) - len(prepared.positions), "columns": columns}
