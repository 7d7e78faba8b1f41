"""Preparing: a table and a plan become the task of a method, checked and encoded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from paravent.errors import InfeasibleError, TreeError
from paravent.hierarchy.spec import spec_from_document
from paravent.methods.method import Axis, Charge, Progress, Task, silent
from paravent.plan.check import check_limits
from paravent.plan.encode import encode, encode_sensitive, sensitive_domains, without_missing_rows
from paravent.plan.exposed import check_labels, check_roles
from paravent.plan.feasibility import check_feasible
from paravent.plan.file import resolved
from paravent.plan.mechanism import declared_leaves
from paravent.plan.neutral import check_neutral, check_rules
from paravent.plan.persons import of_people, persons_in
from paravent.plan.plan import Plan
from paravent.plan.population import Population, encoded_population, populations_of, widened
from paravent.plan.pseudonym import check_keys
from paravent.plan.targets import encode_targets
from paravent.plan.treat import Base, base_of
from paravent.table.kinds import Kind
from paravent.table.table import Table

Encoder = Callable[[Table, Plan], tuple[Axis, ...]]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A task and what is needed to publish its answer. `base` is the table as treatments left it, `present` are the
    rows of it that stay and that missing values do not drop, `positions` their places, and `dropped` counts the latter
    by column. `located` is the plan with absolute
    paths. `wide` are the axes with the values of populations; `everybody` tells that the task's axes are those."""

    task: Task
    plan: Plan
    located: Plan
    table: Table
    base: Base
    present: Table
    positions: np.ndarray
    dropped: Mapping[str, int]
    populations: Mapping[str, Population]
    wide: tuple[Axis, ...]
    everybody: bool

    @cached_property
    def original(self) -> pl.DataFrame:
        """The rows that are `present`, as they were before treatments."""
        if len(self.positions) == len(self.table):
            return self.table.frame
        return self.table.only_rows(self.positions).frame


def prepare(
    table: Table,
    plan: Plan,
    *,
    populations: Mapping[str, Any] | None = None,
    encoder: Encoder = encode,
    progress: Progress = silent,
    stage: Callable[[str], AbstractContextManager[None]] | None = None,
    releasing: bool = True,
    charge: Charge = lambda what, cost: None,  # noqa: ARG005
) -> Prepared:
    """Check that the plan fits the table and can be served, and encode it. `populations` holds tables of people by the
    names that models give them; `stage` is entered for each stage of the work. Where nothing is released (`releasing`),
    columns need no roles and labels may show rare values. `charge` is asked before a mechanism spends anything."""
    enter = stage or (lambda name: nullcontext())  # noqa: ARG005
    with enter("check"):
        plan.check(table)
        check_limits(plan, table)
        check_neutral(plan)
        if releasing:
            check_roles(plan, table)
        with enter("treat") if plan.treat else nullcontext():
            base = base_of(table, plan, progress)
        if plan.treat:
            plan.check(base.table.only_rows(base.rows))  # treated cells of rows that were sampled out are empty
        if releasing and not plan.method.is_mechanism():
            check_labels(plan, base.table)
        present, positions, dropped = without_missing_rows(base, plan)
        if len(present) == 0:
            raise InfeasibleError("every row has a missing value that drops it. Give missing values another meaning.")
        sensitive, persons = encode_sensitive(present, plan), persons_in(present, plan)
        allowed, located = plan.allowed(len(present)), resolved(plan)
        if plan.method.samples_rows:
            allowed = len(present)
        check_keys(located)
        domains, people = sensitive_domains(present, plan), populations_of(plan, populations)
        check_feasible(
            located.models if persons is None else of_people(located.models, apart=False),
            len(present),
            sensitive,
            allowed,
            domains,
            {name: population.total for name, population in people.items()},
            persons,
        )
        _check_presence(plan)
    with enter("encode"):
        try:
            axes = encoder(present, plan)
        except TreeError as error:
            raise _with_cause(error, table, base.table) from None
        check_rules(plan, axes)
        wide = widened(axes, present, plan, people) if people else axes
        everybody = any(model.bounds_absence for model in located.models)
        if everybody:  # labels are made, and counted, over the values of the population too
            axes = wide
        released = [name for name in present.names if name not in plan.left_out]
        task = Task(
            len(present),
            axes,
            located.models,
            sensitive,
            allowed,
            plan.seed,
            progress,
            domains,
            {name: encoded_population(axes, population) for name, population in people.items()},
            encode_targets(present, plan),
            persons,
            {name: present.frame[name].alias("cells") for name in released},
            plan.role_names(released),
            lambda: table.order_key,
            located.protect,
            declared_leaves(plan) if plan.method.draws_rows else {},
            charge,
            fixed_levels(located, {name: column.kind for name, column in present.columns.items()})
            if plan.method.samples_rows
            else {},
        )
    return Prepared(task, plan, located, table, base, present, positions, dropped, people, wide, everybody)


def _with_cause(error: TreeError, original: Table, treated: Table) -> TreeError:
    """Why a tree does not fit, where the reason is that a treatment made texts of numbers."""
    for name, column in treated.columns.items():
        was = original.columns[name].kind
        if f"tree {name!r}" in error.raw and was.is_numeric and not column.kind.is_numeric:
            return TreeError(
                f"tree {name!r}: the column is {column.kind} after its treatment, which writes labels in place of "
                "numbers. Top and bottom coding keep numbers with replace='limit'; for labels choose a tree that lists "
                "them, such as balanced() or groups(…)."
            )
    return error


def fixed_levels(plan: Plan, kinds: Mapping[str, Kind]) -> dict[str, int | None]:
    """The highest level of each tree of a quasi-identifier whose labels depend on one value at a time; None where they
    depend on others too. `kinds` are those of the columns."""
    found: dict[str, int | None] = {}
    for name, role in plan.quasi.items():
        spec = spec_from_document(role.tree, name=name) if isinstance(role.tree, str) else role.tree
        found[name] = 0 if spec is None else spec.fixed_levels(name, kinds[name])
    return found


def _check_presence(plan: Plan) -> None:
    """A lower bound of presence is refused where the method does not look at whom labels cover."""
    for model in plan.models:
        if model.bounds_absence and not plan.method.bounds_presence:
            raise InfeasibleError(
                f"{model.describe()} cannot be reached by {type(plan.method).__name__}: everybody of the population "
                "must fit a class, and it does not look at people who are not in the table. Take Mondrian, Optimal, "
                "Samarati, Datafly, MinGen or Filter, or leave low at 0."
            )
