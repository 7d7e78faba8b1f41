"""Polish: the release of any method, made to lose less."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from paravent.errors import PlanError
from paravent.methods.beside_k import least_loss
from paravent.methods.merging.gkaa import EdgeCosts, GkAA, checked_metric
from paravent.methods.merging.merge_run import cells, coalesced
from paravent.methods.method import Method, Need, Recoding, Task
from paravent.methods.named import Written, method_named
from paravent.methods.partition.bound import Bound, lower_bound
from paravent.methods.partition.search import Effort, Search
from paravent.methods.partition.space import Space
from paravent.utility.cost import Conventions

_MOST_COLUMNS = 64
"""Its searches take the square of the columns."""
_HASTE = 0.25
"""The seconds of a hasty search."""


@dataclass(frozen=True)
class Polished:
    """The class of each row (−1: suppressed) before and after, what the tables cost (`space` has the unit), and a cost
    that no partition of these rows goes below under k-anonymity, where it was asked for."""

    of_row: np.ndarray
    start: np.ndarray
    cost: int
    start_cost: int
    space: Space
    said: tuple[str, ...]
    bound: Bound | None

    @property
    def gap(self) -> float | None:
        """By how many percent the cost may lie above the optimum."""
        return None if self.bound is None else self.bound.gap(self.cost)


@dataclass(frozen=True, kw_only=True)
class Polish(Method):
    """The classes that another method made, changed until they lose less: never worse than they were with tree labels.

    `base` is any method, such as `pv.methods.Mondrian()` or `"LocalRecoding(effort='high')"`; its own result is what
    the search begins with (rows that it suppressed stay suppressed). `metric` says what is lost: a metric of the
    unified loss model as in `GkAA`, or `gcp`, the loss of detail that `utility.gcp` measures. Classes are labelled by
    the lowest tree nodes over them.

    Two searches follow one another, both as in `LocalRecoding`: labels are opened and closed while rows move between
    them, and neighbouring classes are put together and clustered anew.
    Models beyond k-anonymity are kept by the second alone: every class that it makes holds; the table is never worse
    than Mondrian's.
    `effort` (`fast`, `normal`, `high`) counts work, not seconds, so a run can be repeated; `budget` says how much by
    the seconds of the processor that it takes, about, beside the base and the bound.

    `bound` says how far from the optimum the result is at most (see `methods.partition.bound`). It counts k-anonymity
    alone; with further models the optimum may be further away than it says.

    >>> Polish(base="Mondrian()", metric="gcp")
    Polish(base='Mondrian()', metric='gcp', leaf_count=0, effort='normal', bound=True, budget=None)
    """

    base: Written = "GkAA"
    metric: str | EdgeCosts = "nllm"
    leaf_count: Literal[0, 1] = 0
    effort: Effort = "normal"
    bound: bool = True
    budget: float | None = None

    title: ClassVar[str] = "Polish"
    source: ClassVar[str] = "beyond Mauger: Optimising data utility during a k-anonymisation process. Thesis, 2021"
    suppresses: ClassVar[Literal["nothing", "rows", "cells"]] = "rows"

    def __post_init__(self) -> None:
        if self.metric != "gcp":
            object.__setattr__(self, "metric", checked_metric("Polish", self.metric))
        Conventions(leaf_count=self.leaf_count)
        object.__setattr__(self, "base", str(self.base))
        method_named("Polish", self.base)
        if self.budget is not None and not 0 < self.budget < float("inf"):
            raise PlanError(f"Polish: budget must be a number of seconds above 0, not {self.budget!r}.")

    @property
    def hasty(self) -> Polish | None:
        return replace(self, budget=_HASTE, bound=False) if self.budget is None or self.budget > _HASTE else None

    @property
    def needs(self) -> tuple[Need, ...]:
        return tuple(dict.fromkeys(("trees", *self._base().needs)))

    @property
    def targets(self) -> tuple[str, ...]:
        return self._base().targets

    def _base(self) -> Method:
        if self.base == "GkAA":
            return GkAA(metric="ncp" if self.metric == "gcp" else self.metric, leaf_count=self.leaf_count)
        return method_named("Polish", self.base)

    def run(self, task: Task) -> Recoding:
        if len(task.axes) > _MOST_COLUMNS:
            raise PlanError(
                f"Polish: the plan has {len(task.axes)} quasi-identifiers, and it searches at most {_MOST_COLUMNS}. "
                f"Name fewer, or take {self.base} alone."
            )
        start = self._base().run(task)
        if not (start.of_row >= 0).any():
            return start
        found = self.polish(task, start.of_row)
        if found.of_row is found.start and not self._holds(task, start.of_row):
            # Its classes hold as it labelled them; joined where tree labels are equal, a model would break.
            return replace(start, trace=(*start.trace, *found.said))
        of_row, n_classes = coalesced(task.axes, found.of_row, int(found.of_row.max()) + 1)
        sizes = np.bincount(of_row[of_row >= 0])
        trace = (
            *(f"{self.base.split('(')[0]}: {words}" for words in start.trace),
            *found.said,
            f"{len(sizes)} classes of {sizes.min()} to {sizes.max()} rows.",
        )
        made = Recoding(of_row, n_classes, cells(task.axes, of_row, n_classes), trace)
        if task.k_alone:
            return made
        return least_loss(task, [made], self.metric)

    def polish(self, task: Task, of_row: np.ndarray) -> Polished:
        """The classes of a table of this task (−1: suppressed) polished, and what is known about the result."""
        kept = np.flatnonzero(of_row >= 0)
        axes = tuple(replace(axis, codes=np.ascontiguousarray(axis.codes[kept])) for axis in task.axes)
        space = Space.of(axes, self.metric, conventions=Conventions(leaf_count=self.leaf_count))
        k_alone = task.k_alone
        k = task.k
        search = Search(space, k, self.effort, task.seed, task.progress, self.budget)
        begun = of_row[kept]
        if int(space.parts(begun).sizes.min()) < k:
            raise PlanError(f"Polish: {self.base} made classes of fewer than {k} rows. Name another base.")
        start_cost = search.cost(begun)
        if k_alone:
            best, said = search.improved(begun)
        else:
            best, said = self._guarded(task, search, begun, kept)
        result = of_row.copy()
        result[kept] = np.unique(best, return_inverse=True)[1].reshape(-1)
        cost = search.cost(best)
        if cost >= start_cost or not self._holds(task, result):
            result, cost, said = of_row, start_cost, ["No search found classes of less loss."]
        bound = None
        if self.bound:
            bound = lower_bound(space, k, watch=lambda done: task.progress("bounding", done))
            rows = "" if len(kept) == len(of_row) else ", of the rows that are kept"
            alone = "" if k_alone else ", by k-anonymity alone"
            said.append(bound.words(cost, self._name).removesuffix(".") + f"{rows}{alone}.")
        return Polished(result, of_row, cost, start_cost, space, tuple(said), bound)

    @property
    def _name(self) -> str:
        return self.metric.upper() if isinstance(self.metric, str) else "the given weights"

    def _guarded(self, task: Task, search: Search, begun: np.ndarray, kept: np.ndarray) -> tuple[np.ndarray, list[str]]:
        """Neighbouring classes made anew, so that each holds all models, beside whichever others."""
        columns = [np.ascontiguousarray(codes[kept]) for codes in task.statistics.columns.values()]

        def holds(sizes: np.ndarray, histograms: object) -> np.ndarray:
            return task.holds_in_part(task.statistics.part(sizes, histograms))  # type: ignore[arg-type]

        before = search.cost(begun)
        found = search.regrouped(begun, judged=columns, guard=holds)
        after = search.cost(found)
        said = [f"Neighbouring classes made anew: {1 - after / before:.2%} less loss."] if after < before else []
        return found, said

    def _holds(self, task: Task, of_row: np.ndarray) -> bool:
        """Whether the table as it will be shown, with equal labels joined, satisfies every model."""
        shown, n_classes = coalesced(task.axes, of_row, int(of_row.max()) + 1)
        return bool(task.holds(task.classes(shown, n_classes)).all())
