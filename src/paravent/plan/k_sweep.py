"""k_sweep: one run of a merging method on a table, and its release for every k."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from paravent.arguments import check_call
from paravent.errors import PlanError
from paravent.methods.merging import k_sweep as merging
from paravent.methods.merging.gaa import GAA
from paravent.methods.merging.gkaa import GkAA
from paravent.methods.method import Method, Task
from paravent.plan.plan import Plan
from paravent.plan.prepare import prepare
from paravent.plan.release import Release
from paravent.plan.roles import Quasi
from paravent.plan.runner import anonymize, as_table
from paravent.privacy.k_anonymity import KAnonymity
from paravent.table.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class KSweep(merging.KSweep):
    """The results of one run on a table, for each of `ks`."""

    table: Table
    plan: Plan

    def release(self, k: int) -> Release:
        """The release for k, verified as every release is. The merging up to k is done anew for it."""
        self.check(k)
        others = [promise for promise in self.plan.protect if not isinstance(promise, KAnonymity)]
        return anonymize(self.table, self.plan.replace(protect=[KAnonymity(k), *others]))


def k_sweep(
    source: Any, plan: Plan | Mapping[str, Any], method: GkAA | GAA | None = None, *, ks: Iterable[int]
) -> KSweep:
    """Merge once, and read the run at every k.

    `plan` may be a mapping of quasi-identifiers to their trees. `method` is that of the plan where nothing is said, and
    `GkAA()` for a mapping.

    >>> import polars as pl, paravent as pv
    >>> table = pv.read(pl.DataFrame({"age": [20, 21, 40, 43, 47]}))
    >>> found = pv.k_sweep(table, {"age": pv.intervals(5, 10)}, ks=[2, 3])
    >>> found
    <KSweep: 5 rows, k = 2, 3>
    >>> sorted(found.release(2).frame["age"])
    ['[20, 25[', '[20, 25[', '[40, 50[', '[40, 50[', '[40, 50[']
    >>> set(found.release(3).frame["age"])
    {'*'}
    """
    check_call(k_sweep, locals())
    asked = merging.checked_ks(ks)
    if not isinstance(plan, Plan):
        columns = {name: tree if isinstance(tree, Quasi) else Quasi(tree) for name, tree in plan.items()}
        plan = Plan(columns, [KAnonymity(asked[-1])], method or GkAA())
    merger = _merging_method(method or plan.method)
    plan = plan.replace(method=merger)
    table = as_table(source)
    found = merger.sweep(_task(table, plan), ks=asked)
    return KSweep(found.method, found.task, found.run, found.ks, table, plan)


def _merging_method(method: Method) -> GkAA | GAA:
    if isinstance(method, GkAA | GAA):
        return method
    raise PlanError(
        f"k_sweep: {type(method).__name__} has a run for each k. Use pv.methods.GkAA or GAA, or pv.sweep(…, k=[…])."
    )


def _task(table: Table, plan: Plan) -> Task:
    """The table as a merging method sees it. Populations and people with several rows are refused."""
    if any(model.people for model in plan.models):
        raise PlanError("a sweep over k counts in no population. Run the plan for each k instead.")
    if isinstance(plan.person, str):
        raise PlanError("a sweep over k counts rows, not people. Run the plan for each k instead.")
    return prepare(table, plan, releasing=False).task  # `release` asks for roles
