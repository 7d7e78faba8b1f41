"""One run of GkAA or GAA read at several k: the run for a larger k passes through the result for a smaller one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paravent.errors import PlanError
from paravent.methods.merging.criteria import Criteria, table_alteration, table_criteria
from paravent.methods.merging.merge_run import MergeRun
from paravent.methods.method import Recoding, Task
from paravent.privacy.k_anonymity import KAnonymity

if TYPE_CHECKING:
    from paravent.methods.merging.gaa import GAA
    from paravent.methods.merging.gkaa import GkAA
    from paravent.plan.plan import Plan
    from paravent.plan.release import Release
    from paravent.table.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class KSweep:
    """The results of one run, for each of `ks`."""

    method: GkAA | GAA
    table: Table
    plan: Plan
    task: Task
    run: MergeRun
    ks: tuple[int, ...]

    def __repr__(self) -> str:
        return f"<KSweep: {self.task.n_rows} rows, k = {', '.join(map(str, self.ks))}>"

    def recoding(self, k: int) -> Recoding:
        """Classes and cells for k: what a run for k alone gives."""
        self._check(k)
        others = tuple(model for model in self.task.models if not isinstance(model, KAnonymity))
        return self.method.finished(replace(self.task, models=(KAnonymity(k), *others)), self.run, k)

    def classes(self, k: int) -> np.ndarray:
        """The class of every row (−1: left out)."""
        return self.recoding(k).of_row

    def release(self, k: int) -> Release:
        """The release for k, verified as every release is. The merging up to k is done anew for it."""
        from paravent.plan.runner import anonymize

        self._check(k)
        others = [model for model in self.plan.protect if not isinstance(model, KAnonymity)]
        return anonymize(self.table, replace_protect(self.plan, [KAnonymity(k), *others], self.method))

    def criteria(self, k: int) -> Criteria:
        """What the table for k costs."""
        found = self.recoding(k)
        return table_criteria(self.task.axes, found.of_row, found.n_classes, self.method)

    def alteration(self, k: int) -> float:
        """The cost of the table for k under the metric of the run, in percent of the most it could cost."""
        found = self.recoding(k)
        return table_alteration(self.task.axes, found.of_row, found.n_classes, self.method)

    def _check(self, k: int) -> None:
        if k not in self.ks:
            raise PlanError(f"k = {k} is no part of this sweep. Ask for one of {', '.join(map(str, self.ks))}.")


def replace_protect(plan: Plan, protect: list[Any], method: GkAA | GAA) -> Plan:
    return plan.replace(protect=protect, method=method)


def k_sweep(
    method: GkAA | GAA, source: Any, plan: Plan | Mapping[str, Any], ks: Iterable[int], *, k_alone: bool = False
) -> KSweep:
    """Encode the table, merge once, and keep what is needed to read the run at every k."""
    from paravent.plan.encode import encode, encode_sensitive, sensitive_domains, without_missing_rows
    from paravent.plan.file import resolved
    from paravent.plan.plan import Plan as PlanClass
    from paravent.plan.roles import Quasi
    from paravent.plan.runner import as_table
    from paravent.plan.targets import encode_targets

    asked = tuple(sorted(set(ks)))
    if not asked or any(isinstance(k, bool) or not isinstance(k, int) or k < 1 for k in asked):
        raise PlanError("ks: must name whole numbers from 1 on, such as [3, 5, 10].")
    if not isinstance(plan, PlanClass):
        columns = {name: tree if isinstance(tree, Quasi) else Quasi(tree) for name, tree in plan.items()}
        plan = PlanClass(columns, [KAnonymity(asked[-1])], method)
    plan = replace_protect(plan, list(plan.protect), method)
    table = as_table(source)
    plan.check(table)
    present, _, _ = without_missing_rows(table, plan)
    models = resolved(plan).protect
    if any(model.people for model in models):
        raise PlanError("a sweep over k counts in no population. Run the plan for each k instead.")
    if isinstance(plan.person, str):
        raise PlanError("a sweep over k counts rows, not people. Run the plan for each k instead.")
    task = Task(
        len(present),
        encode(present, plan),
        models,
        encode_sensitive(present, plan),
        plan.allowed(len(present)),
        plan.seed,
        domains=sensitive_domains(present, plan),
        targets=encode_targets(present, plan),
    )
    alone = all(isinstance(model, KAnonymity) for model in models)
    if k_alone and not alone:
        raise PlanError(f"{type(method).__name__}: a sweep knows k-anonymity only. Run the plan for each k instead.")
    return KSweep(method, table, plan, task, method.merged(task, asked[-1]), asked)
