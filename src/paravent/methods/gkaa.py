"""GkAA (Mauger 2021, ch. 3): the smallest class joins the one that costs least to join, until all are large enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from paravent import kernels
from paravent.errors import InfeasibleError, PlanError
from paravent.kernels import Folded, Merges, Slope
from paravent.methods.labelling import tree_cells
from paravent.methods.method import Axis, Cells, Method, Recoding, Task
from paravent.privacy.k_anonymity import KAnonymity
from paravent.utility.cost import METRICS, Conventions
from paravent.utility.cost.axes import axis_costs

TieBreak = Literal["first", "random"]


@dataclass(frozen=True, kw_only=True)
class GkAA(Method):
    """Greedy merging of classes, guided by a metric of the unified loss model.

    `metric`: distortion, ncp, total, llm, nllm, wllm or wnllm. `leaf_count` is how many leaves a leaf counts in its
    weights (0 as in the source's examples, 1 as in its definition). The partner is sought among all classes, large
    ones too, so the run for a larger k passes through the result for a smaller one.

    Ties, between classes of one size and between partners of one cost: the class that came first, in the order of the
    columns' trees, merged classes last; with `tie_break="random"` in an order drawn by the plan's seed. Models beyond
    k-anonymity are met by merging on until they hold.

    >>> GkAA(metric="ncp")
    GkAA(metric='ncp', leaf_count=0, tie_break='first')
    """

    metric: str = "nllm"
    leaf_count: Literal[0, 1] = 0
    tie_break: TieBreak = "first"

    title: ClassVar[str] = "GkAA"
    source: ClassVar[str] = "Mauger: Optimising data utility during a k-anonymisation process. Thesis, Amiens 2021"

    def __post_init__(self) -> None:
        if str(self.metric).lower() not in METRICS:
            raise PlanError(f"GkAA: metric must be one of {', '.join(METRICS)}, not {self.metric!r}.")
        object.__setattr__(self, "metric", self.metric.lower())
        if self.tie_break not in ("first", "random"):
            raise PlanError(f"GkAA: tie_break must be 'first' or 'random', not {self.tie_break!r}.")
        Conventions(leaf_count=self.leaf_count)

    def run(self, task: Task) -> Recoding:
        if task.n_rows == 0:
            raise InfeasibleError("the table has no rows to anonymize.")
        k = max((model.k for model in task.models if isinstance(model, KAnonymity)), default=1)
        k_alone = all(isinstance(model, KAnonymity) for model in task.models)
        folded, order = _tuples(task, self.tie_break)
        merges = self._merge(task, folded, order, k if k_alone else task.n_rows)
        steps = _first(merges, k)
        if not k_alone:
            steps = _first_that_holds(task, folded, order, merges, steps)
        of_tuple, n_classes = _classes(merges, len(order), steps)
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = of_tuple
        of_row = rank[folded.tuple_of_row]
        spent = int(merges.cost[:steps].sum())
        return Recoding(
            of_row, n_classes, _cells(task.axes, of_row, n_classes), _trace(len(order), steps, spent, of_row)
        )

    def _merge(self, task: Task, folded: Folded, order: np.ndarray, k: int) -> Merges:
        conventions = Conventions(leaf_count=self.leaf_count)
        _, costs = axis_costs(task.axes, self.metric, conventions=conventions, rows=task.n_rows)
        slopes = [Slope(c.tree.parent, c.tree.first, c.tree.last, c.climb) for c in costs]
        nodes = np.stack([axis.codes[folded.representative[order]] for axis in task.axes], axis=1)
        sizes = folded.weight[order].astype(np.int64)
        return kernels.merge(nodes, sizes, slopes, k=k, watch=lambda done: task.progress("merging", done))


def _tuples(task: Task, tie_break: TieBreak) -> tuple[Folded, np.ndarray]:
    """The distinct rows, and the order in which they count as coming first."""
    folded = kernels.fold([axis.codes for axis in task.axes], [len(axis) for axis in task.axes])
    order = np.arange(len(folded.weight))
    if tie_break == "random":
        order = np.random.default_rng(task.seed).permutation(len(order))
    return folded, order


def _first(merges: Merges, k: int) -> int:
    """How many merges lead to the first table whose smallest class has k rows."""
    enough = np.flatnonzero(merges.smallest >= k)
    if not len(enough):
        raise InfeasibleError(f"{k}-anonymity cannot hold: the table has fewer rows. Ask for a smaller k.")
    return int(enough[0])


def _classes(merges: Merges, n: int, steps: int) -> tuple[np.ndarray, int]:
    """The class of each starting class after so many merges, numbered by first appearance."""
    into = np.arange(n + steps)
    into[merges.left[:steps]] = into[merges.right[:steps]] = np.arange(n, n + steps)
    for c in range(n + steps - 1, -1, -1):  # a class is merged into one with a higher number
        into[c] = into[into[c]]
    _, first, inverse = np.unique(into[:n], return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int32)
    number[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return number[inverse.reshape(-1)], len(first)


def _first_that_holds(task: Task, folded: Folded, order: np.ndarray, merges: Merges, low: int) -> int:
    """A table in which every model holds, from `low` merges on: the earliest one where a merge of two classes that
    hold holds too, for then it is found by halving."""
    real = np.flatnonzero(merges.smallest > 0)
    real = real[real >= low]

    def holds(steps: int) -> bool:
        of_tuple, n_classes = _classes(merges, len(order), steps)
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = of_tuple
        return bool(task.holds(task.classes(rank[folded.tuple_of_row], n_classes)).all())

    if not holds(int(real[-1])):
        raise InfeasibleError("The models do not hold for the table as a whole. Ask for less.")
    below, above = -1, len(real) - 1
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if holds(int(real[middle])) else (middle, above)
    return int(real[above])


def _cells(axes: tuple[Axis, ...], of_row: np.ndarray, n_classes: int) -> dict[str, Cells]:
    cells = {}
    for axis in axes:
        low = np.full(n_classes, len(axis), dtype=np.int32)
        high = np.full(n_classes, -1, dtype=np.int32)
        np.minimum.at(low, of_row, axis.codes)
        np.maximum.at(high, of_row, axis.codes)
        cells[axis.name] = tree_cells(axis, low, high)
    return cells


def _trace(tuples: int, steps: int, spent: int, of_row: np.ndarray) -> tuple[str, ...]:
    sizes = np.bincount(of_row)
    return (
        f"Began with {tuples} classes of equal rows.",
        f"Merged {steps} times, the smallest class first, at a cost of {spent} units.",
        f"All classes are large enough: {len(sizes)} classes of {sizes.min()} to {sizes.max()} rows.",
    )
