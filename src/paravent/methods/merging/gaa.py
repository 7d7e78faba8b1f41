"""GAA (Mauger 2021, ch. 4): greedy merging under any model, guided by cost, diversity, closeness or size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from paravent import kernels
from paravent.errors import InfeasibleError, PlanError
from paravent.kernels import TreeCosts
from paravent.kernels.guided import Values, none_of
from paravent.methods.class_judge import ClassJudge
from paravent.methods.merging.gkaa import EdgeCosts, GkAA, TieBreak, checked_metric
from paravent.methods.merging.k_sweep import KSweep, checked_ks
from paravent.methods.merging.merge_run import MergeRun, cells, price_of, tuples
from paravent.methods.method import Method, Need, Recoding, Task
from paravent.privacy.classes import Histogram
from paravent.utility.cost import Conventions
from paravent.utility.cost.axes import axis_costs

Strategy = Literal[1, 2, 3, 4, 5, 6, 7, "l", "t", "size"]
Scope = Literal["table", "class"]

_RULES: Mapping[Strategy, str] = {
    1: "cost", 2: "cost-l", 3: "l-cost", 4: "cost/l", 5: "cost-t", 6: "t-cost", 7: "cost*t",
    "l": "l", "t": "t", "size": "size-cost",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class GAA(Method):
    """The smallest class that fails a model joins the class that a strategy prefers, until none fails.

    `strategy` (l is the diversity, exp of the entropy, of `column`; t its distance to the whole table):
    1 least cost, as GkAA; 2 least cost, then most l; 3 most l, then least cost; 4 least cost / l; 5 least cost, then
    least t; 6 least t, then least cost; 7 least cost × t; `l` and `t` alone; `size` smallest merged class, then least
    cost, to find the k that comes with a demand of l or t.

    `scope`: l and t are those of the table after the merge, that is of its worst class, or those of the merged class
    alone. Whether t is taken as L1 or as half of it changes no choice. Products that tie go to the least cost, and all
    ties then to the class that came first (with `tie_break="random"` in an order drawn by the plan's seed). By its
    definition strategy 5 differs from 1 in ties only; the source reports otherwise. Rows are suppressed by the rules of
    GkAA: more rows to spare never make the table worse. `stubs` as in GkAA: with strategy 1 and k-anonymity alone.

    Under models beside k-anonymity the table is the best of what the published algorithm makes, of classes completed by
    others as in GkAA, and of Mondrian's; `published(task)` gives the first alone.

    >>> GAA(strategy=3, column="disease", scope="class")
    GAA(strategy=3, column='disease', scope='class', metric='nllm', leaf_count=0, tie_break='first', stubs=False)
    """

    strategy: Strategy = 1
    column: str | None = None
    scope: Scope = "table"
    metric: str | EdgeCosts = "nllm"
    leaf_count: Literal[0, 1] = 0
    tie_break: TieBreak = "first"
    stubs: bool = False

    title: ClassVar[str] = "GAA"
    source: ClassVar[str] = "Mauger: Optimising data utility during a k-anonymisation process. Thesis, Amiens 2021"
    suppresses: ClassVar[Literal["nothing", "rows", "cells"]] = "rows"

    def __post_init__(self) -> None:
        if self.strategy not in _RULES or isinstance(self.strategy, bool):
            raise PlanError(f"GAA: strategy must be 1 to 7, 'l', 't' or 'size', not {self.strategy!r}.")
        if self._reads_values and self.column is None:
            raise PlanError(f"GAA: strategy {self.strategy!r} looks at a sensitive column. Name it with column=.")
        if self.scope not in get_args(Scope):
            raise PlanError(f"GAA: scope must be 'table' or 'class', not {self.scope!r}.")
        if self.tie_break not in get_args(TieBreak):
            raise PlanError(f"GAA: tie_break must be 'first' or 'random', not {self.tie_break!r}.")
        if self.stubs and self.strategy != 1:
            raise PlanError("GAA: stubs go with strategy 1 only. Leave out stubs, or choose strategy 1.")
        object.__setattr__(self, "metric", checked_metric("GAA", self.metric))
        Conventions(leaf_count=self.leaf_count)

    @property
    def _reads_values(self) -> bool:
        return self.strategy not in (1, "size")

    @property
    def needs(self) -> tuple[Need, ...]:
        return ("trees",)

    @property
    def targets(self) -> tuple[str, ...]:
        return (self.column,) if self._reads_values and self.column is not None else ()

    @property
    def weighs(self) -> bool:
        return self.strategy not in ("l", "t")

    def run(self, task: Task) -> Recoding:
        if self.stubs:
            return self._by_cost.run(task)
        k = task.k
        return self.finished(task, self.merged(task, k), k)

    def finished(self, task: Task, run: MergeRun, k: int) -> Recoding:
        """The table of a run at k, and as the other models of the task have it."""
        if task.k_alone:
            return run.recoding(task, k)
        from paravent.methods.beside_k import completions, least_loss

        steps = run.steps(k)
        tables = [*completions(task, *run.classes(steps), self.metric, run.said(steps))]
        try:
            tables.append(self.published(task))
        except InfeasibleError:
            if not tables:
                raise
        return least_loss(task, tables, self.metric)

    def published(self, task: Task) -> Recoding:
        """The result of the published algorithm, which merges by its strategy until no class fails. Under models beside
        k-anonymity that can be far worse than what `run` gives."""
        k = task.k
        if task.k_alone:
            return self.merged(task, k).recoding(task, k)
        found = self._merged(task, k, judged=True)
        of_row, n_classes, steps = found.best_that_holds(task, len(found.merges.left))
        sizes, spent = np.bincount(of_row[of_row >= 0]), int(found.merges.cost[:steps].sum())
        left_out = int((of_row < 0).sum())
        trace = (
            f"Began with {found.n} classes of equal rows.",
            f"Merged {steps} times, the smallest failing class first, at a cost of {spent} units.",
            *([f"Left out {left_out} rows."] if left_out else []),
            f"No class fails: {n_classes} classes of {sizes.min()} to {sizes.max()} rows, so k is {sizes.min()}.",
        )
        return Recoding(of_row, n_classes, cells(task.axes, of_row, n_classes), trace)

    @property
    def _by_cost(self) -> GkAA:
        return GkAA(metric=self.metric, leaf_count=self.leaf_count, tie_break=self.tie_break, stubs=self.stubs)

    def merged(self, task: Task, k: int) -> MergeRun:
        """The merges that lead to k-anonymity, and past every smaller k."""
        return self._merged(task, k, judged=False)

    def _merged(self, task: Task, k: int, *, judged: bool) -> MergeRun:
        folded, order = tuples(task, random=self.tie_break == "random")
        place = np.empty(len(order), dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        of_row = place[folded.tuple_of_row]
        conventions = Conventions(leaf_count=self.leaf_count)
        _, costs = axis_costs(task.axes, self.metric, conventions=conventions, rows=task.n_rows)
        judge = ClassJudge(task, of_row, len(order)) if judged else None
        nodes = np.stack([axis.codes[folded.representative[order]] for axis in task.axes], axis=1)
        sizes = folded.weight[order].astype(np.int64)
        tree_costs = [TreeCosts(c.tree.parent, c.tree.first, c.tree.last, c.climb) for c in costs]
        merges = kernels.merge_guided(
            nodes,
            sizes,
            tree_costs,
            self._values(task, of_row, len(order)),
            rule=_RULES[self.strategy],
            whole_table=self.scope == "table",
            k=1 if judged else k,  # the judge hears of every merge, and knows k too
            failing=None if judge is None else judge.failing,
            judge=judge,
            watch=lambda done: task.progress("merging", done),
        )
        return MergeRun(folded, order, merges, price_of(nodes, sizes, tree_costs))

    def _values(self, task: Task, of_row: np.ndarray, n_classes: int) -> Values:
        if not self.targets:
            return none_of(n_classes)
        target = task.targets[self.targets[0]]
        found = Histogram.of(of_row, n_classes, target.codes, np.bincount(target.codes, minlength=target.size))
        return Values(found.start, found.value, found.count, found.table)

    def sweep(self, task: Task, *, ks: Iterable[int]) -> KSweep:
        """One run, and its result for every k; only where k-anonymity is all that is asked, for other models stop
        where they are satisfied (the source claims more, wrongly)."""
        if self.stubs:
            return self._by_cost.sweep(task, ks=ks)
        if not task.k_alone:
            raise PlanError("GAA: a sweep is for k-anonymity only. Run the plan for each k instead.")
        asked = checked_ks(ks)
        return KSweep(self, task, self.merged(task, asked[-1]), asked)
