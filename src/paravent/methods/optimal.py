"""Optimal full-domain generalization: the combination of levels that loses least, proven."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from paravent import kernels
from paravent.errors import InfeasibleError, PlanError
from paravent.methods.full_domain import prunes
from paravent.methods.levels import METRIC_NAMES, LevelCosts, check_trees, classes_at, ladders, level_costs, recoding_at
from paravent.methods.method import Method, Need, OutputType, Recoding, Task
from paravent.near import suggest
from paravent.privacy.k_anonymity import KAnonymity

_MOST_NODES = 4_000_000
_EVERY = 512


@dataclass(frozen=True, kw_only=True)
class Optimal(Method):
    """The node of the full-domain lattice with the least loss under any models, with a limit of suppressed rows.

    `metric`: `loss` (Iyengar 2002 over all leaves of the trees, as in ARX), `gcp` (over values that occur), or one of
    distortion, ncp, total, llm, nllm, wllm, wnllm. `mean`: how the columns' losses become one, `geometric` or
    `arithmetic`. A suppressed row costs as much as a row that says nothing.

    The lattice is walked from the top. What a node loses without suppression bounds it from below; a node that would
    suppress too much rules out all below it, where the models let it (see `full_domain.prunes`); else every node within
    the bound is looked at.
    Lattices too large to be walked, and runs that meet `time_limit` seconds, give the best node found and say that it
    is not proven.

    Ties: the least sum of levels, then the lowest level of the column that stands first.

    >>> Optimal(metric="gcp")
    Optimal(metric='gcp', mean='geometric', time_limit=None)
    """

    metric: str = "loss"
    mean: Literal["geometric", "arithmetic"] = "geometric"
    time_limit: float | None = None

    title: ClassVar[str] = "Optimal full-domain search"
    source: ClassVar[str] = "after Kohlmayer et al.: Flash. 2012, and Prasser et al.: Lightning. 2016"
    gives: ClassVar[OutputType] = "full-domain"
    suppresses: ClassVar[Literal["nothing", "rows", "cells"]] = "rows"
    optimal: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.metric not in METRIC_NAMES:
            raise PlanError(f"Optimal: metric {self.metric!r} is unknown. {suggest(self.metric, METRIC_NAMES)}")
        if self.mean not in ("geometric", "arithmetic"):
            raise PlanError(f"Optimal: mean must be 'geometric' or 'arithmetic', not {self.mean!r}.")
        if self.time_limit is not None and not self.time_limit > 0:
            raise PlanError(f"Optimal: time_limit must be a positive number of seconds, not {self.time_limit!r}.")

    @property
    def needs(self) -> tuple[Need, ...]:
        return ("trees",)

    def run(self, task: Task) -> Recoding:
        check_trees(task.axes, "Optimal")
        search = _Search(self, task)
        node, loss, proven = search.run()
        suppressed = search.suppressed(node)
        names = ", ".join(f"{axis.name} {level}" for axis, level in zip(task.axes, node, strict=True))
        trace = (
            f"Searched {search.checked} of {search.n_nodes} combinations of levels.",
            f"Best: {names}; loss {loss:.6g}, {int(suppressed.sum())} rows suppressed.",
            "No other combination loses less." if proven else f"Not proven: {search.why_not}",
        )
        return recoding_at(task.axes, node, suppressed, trace)


class _Search:
    def __init__(self, method: Optimal, task: Task):
        self.method, self.task = method, task
        self.costs: list[LevelCosts] = level_costs(task.axes, method.metric)
        self.shape = tuple(len(cost.kept) for cost in self.costs)
        self.n_nodes = int(np.prod([float(n) for n in self.shape]))
        self.rungs = ladders(task.axes, self.costs)
        self.k_alone = all(isinstance(model, KAnonymity) for model in task.models)
        self.k = max((model.k for model in task.models if isinstance(model, KAnonymity)), default=1)
        self.prunes = prunes(task)
        self.checked = 0
        self.why_not = ""
        self.deadline = None if method.time_limit is None else time.monotonic() + method.time_limit
        self.known: dict[tuple[int, ...], float | None] = {}
        folded = kernels.fold([axis.codes for axis in task.axes], [len(axis) for axis in task.axes])
        leaves = [np.ascontiguousarray(axis.codes[folded.representative]) for axis in task.axes]
        self.tuples = kernels.Tuples(leaves, self.rungs, folded.weight)

    def join(self, by_column: np.ndarray) -> np.ndarray:
        """One loss from those of the columns (last axis)."""
        if self.method.mean == "arithmetic":
            return np.asarray(by_column.mean(axis=-1))
        return np.asarray(np.exp(np.log1p(by_column).mean(axis=-1)) - 1)

    def bounds(self, nodes: np.ndarray) -> np.ndarray:
        """The loss of nodes if nothing had to be suppressed."""
        return self.join(np.stack([cost.kept[nodes[:, j]] for j, cost in enumerate(self.costs)], axis=1))

    def losses(self, nodes: np.ndarray) -> list[float | None]:
        """The loss of nodes, None where too many rows would have to be suppressed."""
        asked = [i for i, node in enumerate(map(tuple, nodes.tolist())) if node not in self.known]
        if asked:
            self.checked += len(asked)
            fresh = nodes[asked]
            for node, loss in zip(map(tuple, fresh.tolist()), self._evaluate(fresh), strict=True):
                self.known[node] = loss
        return [self.known[node] for node in map(tuple, nodes.tolist())]

    def _evaluate(self, nodes: np.ndarray) -> list[float | None]:
        limit = self.task.max_suppressed
        if not self.k_alone:
            return [self._by_models(tuple(node)) for node in nodes.tolist()]
        found = kernels.outliers(self.tuples, nodes.astype(np.int32), k=self.k, limit=limit)
        kept = np.stack([cost.kept[nodes[:, j]] for j, cost in enumerate(self.costs)], axis=1)
        units = np.array([cost.unit for cost in self.costs])
        losses = self.join(kept + found.cost * units)
        too_many = (found.rows > limit) | (found.rows >= self.task.n_rows)
        return [None if bad else float(loss) for bad, loss in zip(too_many, losses, strict=True)]

    def _by_models(self, node: tuple[int, ...]) -> float | None:
        of_row, example = classes_at(self.task.axes, node)
        left = self.task.suppress_failing(of_row, len(example))
        if left is None or (left < 0).all():
            return None
        gone = left < 0
        by_column = []
        for axis, cost, level in zip(self.task.axes, self.costs, node, strict=True):
            by_column.append(cost.kept[level] + float(cost.spare[level][axis.codes[gone]].sum()) * cost.unit)
        return float(self.join(np.array(by_column)))

    def suppressed(self, node: tuple[int, ...]) -> np.ndarray:
        """Which rows a node's release leaves out."""
        of_row, example = classes_at(self.task.axes, node)
        left = self.task.suppress_failing(of_row, len(example))
        assert left is not None
        return left < 0

    def run(self) -> tuple[tuple[int, ...], float, bool]:
        top = tuple(n - 1 for n in self.shape)
        best = self._descend(top)
        if best is None and self.prunes:
            raise InfeasibleError("not even the whole table as one class satisfies the models. Ask for less.")
        # Where a row that joins a class can break it, the top may fail and a node below it hold.
        best = best or (top, math.inf)
        if self.n_nodes > _MOST_NODES:
            self.why_not = f"{self.n_nodes} combinations are too many to rule out."
            found = (*self._restarts(best), False)
        else:
            found = self._walk(best)
        if math.isinf(found[1]):
            raise InfeasibleError("no combination of levels satisfies the models. Ask for less, or allow more rows.")
        return found

    def _late(self) -> bool:
        return self.deadline is not None and time.monotonic() > self.deadline

    def _descend(self, start: tuple[int, ...]) -> tuple[tuple[int, ...], float] | None:
        """From a node always on to the specialization that loses least, as long as there is a valid one."""
        loss = self.losses(np.array([start]))[0]
        if loss is None:
            return None
        best = (start, loss)
        at = start
        while not self._late():
            below = [tuple(np.subtract(at, step).tolist()) for step in np.eye(len(at), dtype=int)]
            below = [node for node in below if min(node) >= 0]
            if not below:
                return best
            valid = [(x, sum(n), n) for n, x in zip(below, self.losses(np.array(below)), strict=True) if x is not None]
            if not valid:
                return best
            loss, _, at = min(valid)
            if (loss, sum(at), at) < (best[1], sum(best[0]), best[0]):
                best = (at, loss)
        return best

    def _walk(self, best: tuple[tuple[int, ...], float]) -> tuple[tuple[int, ...], float, bool]:
        """Every node that could beat the best one, from the top down; nodes of one sum of levels at once."""
        nodes = np.indices(self.shape, dtype=np.int32).reshape(len(self.shape), -1).T
        bounds = self.bounds(nodes)
        ruled_out = np.zeros(self.shape, dtype=bool)
        flat = ruled_out.reshape(-1)
        order = np.argsort(-nodes.sum(axis=1), kind="stable")
        sums = -nodes[order].sum(axis=1)
        starts = np.flatnonzero(np.r_[True, np.diff(sums) != 0])
        for begin, end in zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True):
            stratum = order[begin:end]
            for at in range(0, len(stratum), _EVERY):
                self.task.progress("searching", (begin + at) / len(order))
                if self._late():
                    self.why_not = "the time was up."
                    return (*best, False)
                # a node whose bound equals the best loss may still win the tie
                part = stratum[at : at + _EVERY]
                part = part[~flat[part] & (bounds[part] <= best[1] * (1 + 1e-12))]
                if not len(part):
                    continue
                for node, loss in zip(map(tuple, nodes[part].tolist()), self.losses(nodes[part]), strict=True):
                    if loss is None:
                        if self.prunes:
                            ruled_out[tuple(slice(0, level + 1) for level in node)] = True
                    elif (loss, sum(node), node) < (best[1], sum(best[0]), best[0]):
                        best = (node, loss)
        return (*best, True)

    def _restarts(self, best: tuple[tuple[int, ...], float]) -> tuple[tuple[int, ...], float]:
        """Descents from random nodes above the best one, until the time is up (20 seconds where none is set)."""
        rng = np.random.default_rng(self.task.seed)
        if self.deadline is None:
            self.deadline = time.monotonic() + 20
        top = np.array(self.shape) - 1
        while not self._late():
            lifted = np.minimum(np.array(best[0]) + rng.integers(0, 3, len(top)), top)
            lifted = np.where(rng.random(len(top)) < 0.15, rng.integers(0, top + 1), lifted)
            found = self._descend(tuple(int(level) for level in lifted))
            if found is not None and (found[1], sum(found[0]), found[0]) < (best[1], sum(best[0]), best[0]):
                best = found
            self.task.progress("searching", 0.5)
            if len(self.known) > 2_000_000:
                self.known.clear()
        return best
