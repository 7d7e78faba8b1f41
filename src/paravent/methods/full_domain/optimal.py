"""Optimal full-domain generalization: the combination of levels that loses least, proven."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from paravent.errors import InfeasibleError, PlanError
from paravent.methods.full_domain.lattice import level_steps
from paravent.methods.full_domain.lattice_search import Found, LatticeSearch
from paravent.methods.full_domain.levels import check_trees, recoding_of
from paravent.methods.full_domain.objectives import OBJECTIVES, UNWEIGHED, objective_of
from paravent.methods.full_domain.wide_search import WideSearches, bound_of_all
from paravent.methods.method import Method, Need, OutputType, Recoding, Task
from paravent.methods.trace import LazySteps
from paravent.near import suggest
from paravent.privacy.model import check_whole

_COUNTED, _CHECKS = 300_000_000, (1_000, 25_000)
"""Tuples counted in a lattice too large to be walked, and how many nodes that may come to, by each of the searches."""


@dataclass(frozen=True, kw_only=True)
class Optimal(Method):
    """The node of the full-domain lattice with the least loss under any models, with a limit of suppressed rows.

    `metric`: `loss` (Iyengar 2002 over all leaves of the trees, as in ARX), `gcp` (over values that occur), one of
    distortion, ncp, total, llm, nllm, wllm, wnllm, or of the classes: `dm` (discernability), `cavg` (average size),
    `ambiguity`, `entropy` (non-uniform), `kl` (divergence). `mean`: how the columns' losses become one, `geometric` or
    `arithmetic` (it does not matter to the last five); columns count by their weights (not to `dm`, `cavg`, `ambiguity`
    and `kl`, which refuse them) and, under the seven metrics, by what they can lose: their arithmetic mean is the
    alteration. A suppressed row costs as much as a row that says nothing.

    The lattice is walked from the top. Nodes are ruled out by what they lose at least (`objectives`), and by nodes
    above them that would suppress too much, where the models let it (`full_domain.prunes`).
    Lattices too large to be walked are searched from node to node. Such runs, and those that meet `time_limit` seconds,
    give the best node found, and say that it is not proven and how much less another may lose. Without a time limit
    the search ends after a number of nodes, so that a run can be repeated.
    `memory_limit` is in bytes: what the search takes for itself, beside the table and the release.

    Ties (12 digits): the least sum of levels, then the lowest level of the column that stands first.

    >>> Optimal(metric="gcp")
    Optimal(metric='gcp', mean='geometric', time_limit=None, memory_limit=4294967296)
    """

    metric: str = "loss"
    mean: Literal["geometric", "arithmetic"] = "geometric"
    time_limit: float | None = None
    memory_limit: int = 1 << 32

    title: ClassVar[str] = "Optimal full-domain search"
    source: ClassVar[str] = "after Kohlmayer et al.: Flash. 2012, and Prasser et al.: Lightning. 2016"
    gives: ClassVar[OutputType] = "full-domain"
    suppresses: ClassVar[Literal["nothing", "rows", "cells"]] = "rows"
    optimal: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.metric not in OBJECTIVES:
            raise PlanError(f"Optimal: metric {self.metric!r} is unknown. {suggest(self.metric, OBJECTIVES)}")
        if self.mean not in ("geometric", "arithmetic"):
            raise PlanError(f"Optimal: mean must be 'geometric' or 'arithmetic', not {self.mean!r}.")
        if self.time_limit is not None and not self.time_limit > 0:
            raise PlanError(f"Optimal: time_limit must be a positive number of seconds, not {self.time_limit!r}.")
        check_whole("Optimal: memory_limit", self.memory_limit)

    @property
    def bounds_presence(self) -> bool:
        return True

    @property
    def needs(self) -> tuple[Need, ...]:
        return ("trees",)

    @property
    def weighs(self) -> bool:
        return self.metric not in UNWEIGHED

    def run(self, task: Task) -> Recoding:
        return self.search(task)

    def search(self, task: Task, better: Callable[[Found], None] | None = None) -> Recoding:
        """As `run`; `better` hears of every improvement in a lattice too large to be walked."""
        check_trees(task.axes, "Optimal")
        if task.n_rows == 0:
            raise InfeasibleError("the table has no rows to anonymize.")
        lattice = LatticeSearch(
            task,
            lambda k, weight: objective_of(self.metric, self.mean, task.axes, k, weight),
            memory_limit=self.memory_limit,
            deadline=None if self.time_limit is None else time.monotonic() + self.time_limit,
        )
        found = self._walked(lattice) if lattice.can_walk else self._improved(lattice, better)
        if math.isinf(found.loss):
            raise InfeasibleError("no combination of levels satisfies the models. Ask for less, or allow more rows.")
        of_row, example = lattice.released(found.node)
        assert of_row is not None
        representative = np.empty(len(lattice.tuples), dtype=np.int64)
        representative[lattice.tuple_of_row] = np.arange(len(lattice.tuple_of_row))
        names = ", ".join(f"{axis.name} {level}" for axis, level in zip(task.axes, found.node, strict=True))
        trace = (
            f"Searched {min(lattice.checked, lattice.n_nodes)} of {lattice.n_nodes} combinations of levels.",
            f"Best: {names}; loss {found.loss:.6g}, {task.rows_in(of_row < 0)} rows suppressed.",
            self._proof(found, lattice),
        )
        recoding = recoding_of(task.axes, found.node, of_row, representative[example], trace)
        return replace(recoding, steps=LazySteps(lambda: level_steps(task.axes, found.node, trace, recoding.of_row)))

    def _walked(self, lattice: LatticeSearch) -> Found:
        top = tuple(n - 1 for n in lattice.shape)
        start = lattice.descend(top)
        if start is None and lattice.prunes:
            raise InfeasibleError("not even the whole table as one class satisfies the models. Ask for less.")
        # Where a row that joins a class can break it, the top may fail and a node below it hold.
        return lattice.walk(start or Found(top, math.inf, -math.inf))

    def _improved(self, lattice: LatticeSearch, better: Callable[[Found], None] | None) -> Found:
        checks = int(np.clip(_COUNTED // len(lattice.tuples), *_CHECKS)) if self.time_limit is None else 10**12
        found = WideSearches(lattice, checks=checks, better=better).run()
        return found._replace(bound=bound_of_all(lattice, found.loss))

    def _proof(self, found: Found, lattice: LatticeSearch) -> str:
        if found.proven:
            return "No other combination loses less."
        why = "the time was up" if lattice.can_walk else "the combinations are too many to rule out"
        gap = 1 - found.bound / found.loss if found.loss > 0 else 0.0
        return f"Not proven: {why}. None loses less than {max(found.bound, 0.0):.6g} ({gap:.1%} less)."
