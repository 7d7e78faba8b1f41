"""The construction algorithms (Mauger 2021, §5.3.2): classes made too large by GkAA, then split in the best way.

`Gxk` asks GkAA for x·k, `Pxk` splits into parts of x·k rows at least, `conv` does it again and again on its own result.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from paravent.errors import PlanError
from paravent.methods.beside_k import least_loss
from paravent.methods.merging.criteria import table_alteration
from paravent.methods.merging.gkaa import EdgeCosts, GkAA, checked_metric
from paravent.methods.merging.merge_run import MergeRun, cells, coalesced
from paravent.methods.method import Method, Need, Recoding, Task
from paravent.methods.named import Written, method_named
from paravent.methods.partition.bound import lower_bound
from paravent.methods.partition.repartition import Limits, Repartition, Solver
from paravent.methods.partition.schedules import Schedule, schedule
from paravent.methods.partition.space import Space
from paravent.methods.partition.workshop import Workshop, check_enough
from paravent.utility.cost import Conventions

_SOURCE = "Mauger: Optimising data utility during a k-anonymisation process. Thesis, Amiens 2021"


@dataclass(frozen=True)
class Construction:
    """What a construction found: the class of each row, what it costs, and how it came about: the alteration of the
    table after every round, which round was best, and why it ended."""

    of_row: np.ndarray
    cost: int
    alterations: tuple[float, ...]
    best: int
    ended: str
    proved: tuple[int, int] = (0, 0)
    """How many classes of the last round were split in a way proved to be the best, and how many there were."""


@dataclass(frozen=True, kw_only=True)
class _Constructed(Method):
    metric: str | EdgeCosts = "nllm"
    leaf_count: Literal[0, 1] = 0
    base: Written = "GkAA"
    solver: Solver = "own"
    nodes: int = 4000
    t_out: float | None = None
    bound: bool = False

    source: ClassVar[str] = _SOURCE
    enlarge: ClassVar[int] = 1
    """How many times k the classes are made to have before they are split."""
    halfway: ClassVar[int] = 1
    """The classes are split down to so many times k first."""

    def __post_init__(self) -> None:
        me = type(self).__name__
        object.__setattr__(self, "metric", checked_metric(me, self.metric))
        Conventions(leaf_count=self.leaf_count)
        object.__setattr__(self, "base", str(self.base))
        method_named(me, self.base)
        if self.nodes < 0:
            raise PlanError(f"{me}: nodes must be a whole number from 0 on, not {self.nodes!r}.")
        if self.t_out is not None and not self.t_out > 0:
            raise PlanError(f"{me}: t_out must be a number of seconds above 0, not {self.t_out!r}.")

    @property
    def needs(self) -> tuple[Need, ...]:
        return ("trees",)

    def run(self, task: Task) -> Recoding:
        found = self.construct(task)
        of_row, n_classes = coalesced(task.axes, found.of_row, int(found.of_row.max()) + 1)
        altered = table_alteration(task.axes, of_row, n_classes, self)
        sizes = np.bincount(of_row)
        proved, looked = found.proved
        trace = (
            f"{self.base} made the classes and {_SOLVERS[self.solver]} split them; {proved} of {looked} classes of the "
            "last round in a way proved to be the best.",
            f"Rounds: {len(found.alterations)}, {found.ended}. The best was round {found.best + 1}, with an alteration "
            f"of {altered:.4f} %.",
            f"{len(sizes)} classes of {sizes.min()} to {sizes.max()} rows.",
            *self._gap(task, found.cost),
        )
        made = Recoding(of_row, n_classes, cells(task.axes, of_row, n_classes), trace)
        if task.k_alone:
            return made
        return least_loss(task, [made] if task.holds(task.classes(of_row, n_classes)).all() else [], self.metric)

    def _gap(self, task: Task, cost: int) -> Iterator[str]:
        """How far from the optimum the result is at most, where that is asked for."""
        if not self.bound:
            return
        k = task.k
        space = Space.of(task.axes, self.metric, conventions=Conventions(leaf_count=self.leaf_count))
        least = lower_bound(space, k, watch=lambda done: task.progress("bounding", done))
        yield least.words(cost, self.metric.upper() if isinstance(self.metric, str) else "the given weights")

    def construct(self, task: Task, *, merged: MergeRun | None = None, workers: int | None = None) -> Construction:
        """The best table found. `merged` is a run of GkAA over the same rows, where there is one already."""
        k = task.k
        check_enough(task, k)
        conventions = Conventions(leaf_count=self.leaf_count)
        space = Space.of(task.axes, self.metric, conventions=conventions)
        limits = Limits(nodes=self.nodes, visits=5000 * self.nodes, seconds=self.t_out)
        tools = Workshop(
            task,
            space,
            Repartition(space, self.solver, limits, workers, task.progress),
            GkAA(metric=self.metric, leaf_count=self.leaf_count),
            None if self.base == "GkAA" else method_named(type(self).__name__, self.base),
            merged,
        )
        return self._built(tools, k)

    def _built(self, tools: Workshop, k: int) -> Construction:
        start = tools.begin(min(self.enlarge * k, tools.task.n_rows))
        found = self._split(tools, start, k)
        if not tools.holds(found):
            found = start
        cost = tools.cost(found)
        return Construction(
            found, cost, (tools.space.alteration(cost),), 0, "as the algorithm has it", tools.splitter.last
        )

    def _split(self, tools: Workshop, of_row: np.ndarray, k: int) -> np.ndarray:
        if self.halfway > 1:
            of_row = tools.split(of_row, min(self.halfway * k, int(np.bincount(of_row).min())))
        return tools.split(of_row, k)


_SOLVERS = {"own": "our own search", "ortools": "OR-Tools' CP-SAT"}


@dataclass(frozen=True, kw_only=True)
class GkPk(_Constructed):
    """GkAA for k, then every class of 2k rows or more split in the best way: never worse than GkAA.

    `metric` and `leaf_count` as in `GkAA`. `base` names any other method in its place, with its parameters, such as
    `"Mondrian(strict=False)"`. `solver`: `own` is exact for classes with few groups and halves the others again and
    again; `ortools` asks CP-SAT instead (an extra). `nodes` limits the search for one class; `t_out`, in seconds, all
    of them (the only limit that makes a result depend on the machine). `bound` adds to the trace how far the result is
    from the optimum at most, by k-anonymity alone; finding that takes longer than the construction. Under models beyond
    k-anonymity a class whose parts do not all hold stays whole, and the table is never worse than Mondrian's. No rows
    are left out.

    >>> GkPk()
    GkPk(metric='nllm', leaf_count=0, base='GkAA', solver='own', nodes=4000, t_out=None, bound=False)
    """

    title: ClassVar[str] = "GkPk"


@dataclass(frozen=True, kw_only=True)
class G3kPk(_Constructed):
    """GkAA for 3k, then its classes split into parts of k rows at least; parameters as in `GkPk`.

    >>> G3kPk(base="Mondrian()").base
    'Mondrian()'
    """

    title: ClassVar[str] = "G3kPk"
    enlarge: ClassVar[int] = 3


@dataclass(frozen=True, kw_only=True)
class _Convergent(_Constructed):
    rounds: int = 60
    min_rounds: int = 1
    restarts: int = 0
    prec: float = 1e-6
    schedule: Schedule = "fixed"

    enlarge: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        me = type(self).__name__
        for name, least in (("rounds", 1), ("min_rounds", 1), ("restarts", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise PlanError(f"{me}: {name} must be a whole number from {least} on, not {value!r}.")
        if not self.prec >= 0:
            raise PlanError(f"{me}: prec must be 0 or more percent of alteration, not {self.prec!r}.")
        if self.schedule not in get_args(Schedule):
            raise PlanError(f"{me}: schedule must be one of {', '.join(get_args(Schedule))}, not {self.schedule!r}.")

    def _built(self, tools: Workshop, k: int) -> Construction:
        """Round after round, each on the table of the one before; the best table that was seen."""
        begun, rng = time.monotonic(), np.random.default_rng(tools.task.seed)
        asked = schedule(self.schedule, tools.task.n_rows, k, self.enlarge * k)
        start = tools.begin(asked[0])
        table = self._split(tools, start, k)
        if not tools.holds(table):
            table = start
        best, path, best_at = table, [tools.cost(table)], 0
        seen, restarts, escape = {tools.key(table)}, 0, 0
        ended = f"the limit of {self.rounds}"
        while len(path) < self.rounds:
            tools.task.progress("rounds", len(path) / self.rounds)
            if self.t_out is not None and time.monotonic() - begun > self.t_out:
                ended = "time was up"
                break
            larger = asked[min(len(path), len(asked) - 1)]
            if not escape:
                grown = tools.enlarged(table, larger)
            elif escape % 2:  # stronger generalization, twice as strong every time
                grown = tools.enlarged(best, min(larger << (escape + 1) // 2, tools.task.n_rows))
            else:
                grown = tools.shaken(best, larger, rng)
            table = self._split(tools, grown, k)
            cost, key = tools.cost(table), tools.key(table)
            moved = abs(tools.space.alteration(cost) - tools.space.alteration(path[-1]))
            if cost < path[best_at] and tools.holds(table):
                best, best_at = table, len(path)
            path.append(cost)
            if escape:
                seen, escape = {key}, 0
            elif len(path) > len(asked) and (moved <= self.prec or key in seen):
                ended = "until it converged" if moved <= self.prec else "until it went round in a circle"
                if restarts >= self.restarts and len(path) >= self.min_rounds:
                    break
                restarts = escape = restarts + 1
            seen.add(key)
        alterations = tuple(tools.space.alteration(cost) for cost in path)
        return Construction(best, path[best_at], alterations, best_at, ended, tools.splitter.last)


@dataclass(frozen=True, kw_only=True)
class G2kPkConv(_Convergent):
    """GkAA for 2k and its classes split into parts of k rows, again and again on its own result; the best table seen.

    Parameters as in `GkPk`. It ends when two tables in a row differ by `prec` percent of alteration or less, when it
    comes to a table that it has seen before, after `rounds` rounds, or after `t_out` seconds. With `restarts`, or
    before `min_rounds`, it goes on from the best table instead: by turns, GkAA asks it for classes 2, 4, 8, … times as
    large, or some of its classes, drawn by the plan's seed, are merged first. `schedule`: the first rounds ask for
    growing (`up`) or falling (`down`) sizes in place of 2k.

    >>> G2kPkConv(rounds=20, restarts=1)
    G2kPkConv(metric='nllm', leaf_count=0, base='GkAA', solver='own', nodes=4000, t_out=None, bound=False, rounds=20, \
min_rounds=1, restarts=1, prec=1e-06, schedule='fixed')
    """

    title: ClassVar[str] = "G2kPkconv"


@dataclass(frozen=True, kw_only=True)
class G2kP2kPkConv(_Convergent):
    """As `G2kPkConv`, but classes are split into parts of 2k rows at least before they are split into parts of k.

    >>> G2kP2kPkConv().restarts
    0
    """

    title: ClassVar[str] = "G2kP2kPkconv"
    halfway: ClassVar[int] = 2


@dataclass(frozen=True, kw_only=True)
class G4kP2kPkConv(_Convergent):
    """As `G2kP2kPkConv`, from classes of 4k rows.

    >>> G4kP2kPkConv(schedule="down").schedule
    'down'
    """

    title: ClassVar[str] = "G4kP2kPkconv"
    enlarge: ClassVar[int] = 4
    halfway: ClassVar[int] = 2
