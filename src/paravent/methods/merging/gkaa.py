"""GkAA (Mauger 2021, ch. 3): the smallest class joins the one that costs least to join, until all are large enough."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from paravent import kernels
from paravent.errors import PlanError
from paravent.kernels import Folded, TreeCosts
from paravent.methods.merging.k_sweep import KSweep, checked_ks
from paravent.methods.merging.merge_run import MergeRun, price_of, tuples
from paravent.methods.merging.shards import sharded
from paravent.methods.merging.stubs import stubbed
from paravent.methods.method import Method, Need, Recoding, Task
from paravent.utility.cost import METRICS, Conventions
from paravent.utility.cost.axes import axis_costs

EdgeCosts = Mapping[str, Mapping[str, int | float | str]]
"""What the step up from a node costs, by column and label; fractions may be written `2/3`."""

TieBreak = Literal["first", "random"]


@dataclass(frozen=True, kw_only=True)
class GkAA(Method):
    """Greedy merging of classes, guided by a metric of the unified loss model.

    `metric`: distortion, ncp, total, llm, nllm, wllm or wnllm, or weights of one's own: for each column, what the step
    up from each node (by its label) costs. `leaf_count` is how many leaves a leaf counts in its
    weights (0 as in the source's examples, 1 as in its definition). The partner is sought among all classes, large
    ones too, so the run for a larger k passes through the result for a smaller one.

    Ties, between classes of one size and between partners of one cost: the class that came first, in the order of the
    columns' trees, merged classes last; with `tie_break="random"` in an order drawn by the plan's seed. Under models
    beyond k-anonymity a class that fails joins one that has what it lacks (`methods/complements.py`), and the table is
    never worse than Mondrian's. Rows that may be suppressed are those whose joining cost most.

    `shards` cuts a large table into so many parts of neighbours, which are merged side by side: far faster, for a
    little more loss (k-anonymity alone; no rows are left out, and ties go to the class that came first).

    With `stubs` a class that would keep k rows gives only those that the smaller one lacks (KACA's class division, see
    `stubs.py`; k-anonymity alone, no rows are left out): equal rows may then be released differently, and every
    k takes a run of its own.

    >>> GkAA(metric="ncp")
    GkAA(metric='ncp', leaf_count=0, tie_break='first', shards=1, stubs=False)
    """

    metric: str | EdgeCosts = "nllm"
    leaf_count: Literal[0, 1] = 0
    tie_break: TieBreak = "first"
    shards: int = 1
    stubs: bool = False

    title: ClassVar[str] = "GkAA"
    source: ClassVar[str] = "Mauger: Optimising data utility during a k-anonymisation process. Thesis, Amiens 2021"
    suppresses: ClassVar[Literal["nothing", "rows", "cells"]] = "rows"

    def __post_init__(self) -> None:
        object.__setattr__(self, "metric", checked_metric("GkAA", self.metric))
        if self.tie_break not in ("first", "random"):
            raise PlanError(f"GkAA: tie_break must be 'first' or 'random', not {self.tie_break!r}.")
        if isinstance(self.shards, bool) or not isinstance(self.shards, int) or self.shards < 1:
            raise PlanError(f"GkAA: shards must be a whole number from 1 on, not {self.shards!r}.")
        if self.stubs and self.shards > 1:
            raise PlanError("GkAA: stubs cannot be combined with shards. Leave one of them out.")
        Conventions(leaf_count=self.leaf_count)

    @property
    def needs(self) -> tuple[Need, ...]:
        return ("trees",)

    def run(self, task: Task) -> Recoding:
        k = task.k
        if self.shards > 1:
            folded, order = tuples(task, random=False)
            return sharded(task, *self._classes(task, folded, order), k=k, shards=self.shards)
        if self.stubs:
            folded, order = tuples(task, random=self.tie_break == "random")
            return stubbed(task, folded, order, *self._classes(task, folded, order), k=k)
        return self.finished(task, self.merged(task, k), k)

    def finished(self, task: Task, run: MergeRun, k: int) -> Recoding:
        """The table of a run at k, and as the other models of the task have it."""
        if task.k_alone:
            return run.recoding(task, k)
        from paravent.methods.beside_k import completions, least_loss

        steps = run.steps(k)
        tables = completions(task, *run.classes(steps), self.metric, run.said(steps))
        return least_loss(task, tables, self.metric)

    def merged(self, task: Task, k: int) -> MergeRun:
        """The merges that lead to k-anonymity, and past every smaller k."""
        folded, order = tuples(task, random=self.tie_break == "random")
        classes = self._classes(task, folded, order)
        merges = kernels.merge(*classes, k=k, watch=lambda done: task.progress("merging", done))
        return MergeRun(folded, order, merges, price_of(*classes))

    def _classes(self, task: Task, folded: Folded, order: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[TreeCosts]]:
        """The nodes and sizes of the distinct rows, and the costs of climbing."""
        conventions = Conventions(leaf_count=self.leaf_count)
        _, costs = axis_costs(task.axes, self.metric, conventions=conventions, rows=task.n_rows)
        tree_costs = [TreeCosts(c.tree.parent, c.tree.first, c.tree.last, c.climb) for c in costs]
        nodes = np.stack([axis.codes[folded.representative[order]] for axis in task.axes], axis=1)
        return nodes, folded.weight[order].astype(np.int64), tree_costs

    def sweep(self, task: Task, *, ks: Iterable[int]) -> KSweep:
        """One run, and its result for every k (`pv.k_sweep` begins with a table and a plan)."""
        if self.shards > 1:
            raise PlanError("GkAA: the run of a table in parts has no tables on the way. Leave out shards.")
        if self.stubs:
            raise PlanError("GkAA: a run with stubs is for one k. Leave out stubs, or run the plan for each k.")
        asked = checked_ks(ks)
        return KSweep(self, task, self.merged(task, asked[-1]), asked)


def checked_metric(method: str, metric: str | EdgeCosts) -> str | EdgeCosts:
    """A metric by its name in small letters, or the weights as they are."""
    if isinstance(metric, Mapping):
        return metric
    if str(metric).lower() not in METRICS:
        raise PlanError(f"{method}: metric must be one of {', '.join(METRICS)}, or weights, not {metric!r}.")
    return metric.lower()
