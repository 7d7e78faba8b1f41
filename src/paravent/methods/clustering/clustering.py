"""What all clusterings share: blocks, rows that are left over, groups that do not hold, and the choice of what to leave
out. How the clusters of a block come about is each one's own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np

from paravent import kernels
from paravent.errors import InfeasibleError, PlanError
from paravent.kernels.clustering import Grouped, Judge, Members, Points
from paravent.methods.beside_k import least_loss
from paravent.methods.clustering.cluster_space import ClusterSpace, checked_cost
from paravent.methods.complements import completed
from paravent.methods.label_space import LabelStyle
from paravent.methods.merging.gkaa import EdgeCosts
from paravent.methods.method import Labels, Method, Need, Recoding, Task

_TRIES = 64
"""A row that is left over asks so many clusters whether their models would still hold, the cheapest first."""


@dataclass(frozen=True, eq=False)
class Block:
    """A part of the table: its points, which units of the space they are, and draws of its own from the plan's seed."""

    space: ClusterSpace
    units: np.ndarray
    points: Points
    random: np.random.Generator
    spare: int
    watch: Callable[[float], None]
    """Called with the share that is done; it may raise to stop the run."""

    @property
    def rows(self) -> int:
        return int(self.points.counts.sum())

    def every_row(self) -> np.ndarray:
        """The point of each row, in the order of the columns' trees."""
        return np.repeat(np.arange(len(self.points.codes), dtype=np.int32), self.points.counts)

    def holds(self, units: np.ndarray) -> bool:
        """Whether some rows, each named by its point, make a class that holds every model."""
        return self.space.holds(self.units[units])

    @property
    def judge(self) -> Judge | None:
        """What says whether a cluster holds, where k rows alone do not."""
        if not self.space.guarded:
            return None
        kind = self.space.kinds
        return Judge(self.holds, kind[self.units], np.bincount(kind, weights=self.space.points.counts).astype(np.int64))


@dataclass(frozen=True, kw_only=True)
class Clustering(Method):
    """A method that finds clusters of rows and publishes what covers each.

    `metric` is the cost that decides: `gcp` (the yardstick of loss, with the columns' weights) or one of GkAA's metrics
    or edge weights. `labels` as in Mondrian. Tables of more than `block` rows are cut by Mondrian into blocks of about
    that many (0: never), which are clustered side by side.

    A cluster grows until every model of the plan holds for it: of k rows that do not hold, it takes the row that adds
    least among those with sensitive values that are rarer in it than in the table. A row that is left over joins the
    cluster that it adds least to, among those that still hold with it; the plan may allow to leave it out instead,
    which is done where joining would cost more than saying nothing about the row. A cluster that does not hold at the
    end joins one that has what it lacks (`methods/complements.py`). Under models beside k-anonymity the table is never
    worse than Mondrian's: else that is returned.
    """

    metric: str | EdgeCosts = "gcp"
    labels: LabelStyle = "tree"
    block: int = 50_000

    suppresses: ClassVar[Literal["nothing", "rows", "cells"]] = "rows"
    leaves_out: ClassVar[bool] = False
    """Whether rows are left out while clusters are made, not only after."""

    def __post_init__(self) -> None:
        name = type(self).__name__
        if self.labels not in get_args(LabelStyle):
            raise PlanError(f"{name}: labels must be one of {', '.join(get_args(LabelStyle))}, not {self.labels!r}.")
        object.__setattr__(self, "metric", checked_cost(name, self.metric, self.labels))
        if isinstance(self.block, bool) or not isinstance(self.block, int) or self.block < 0:
            raise PlanError(f"{name}: block must be a number of rows, or 0 for no blocks, not {self.block!r}.")

    @property
    def needs(self) -> tuple[Need, ...]:
        return () if self.metric == "gcp" else ("trees",)

    @abstractmethod
    def clusters(self, block: Block) -> Grouped:
        """The rows of a block, each named by its point, in clusters (−1: left out). Rows not named are left over."""

    def run(self, task: Task) -> Recoding:
        if task.n_rows == 0:
            return Recoding(np.zeros(0, dtype=np.int32), 0, {a.name: Labels(a.codes, ()) for a in task.axes})
        space = ClusterSpace.of(task, self.metric, self.labels)
        if task.n_rows < space.k:
            raise InfeasibleError(f"{space.k}-anonymity cannot hold: the table has fewer rows. Ask for a smaller k.")
        blocks = space.blocks(self.block)
        found: Grouped | None = None
        tables = []
        for spare in (0, task.max_suppressed) if task.max_suppressed else (0,):
            if found is None or self.leaves_out:
                found = self._clustered(space, blocks, spare)
            settled = _settled(space, found, spare)
            recoding = _released(space, settled, len(blocks)) if settled is not None else None
            if settled is not None and recoding is not None:
                tables.append((space.cost(settled.rows, settled.n_groups), -spare, recoding))
        if not tables:
            raise InfeasibleError("The models do not hold for the table as a whole. Ask for less.")
        made = min(tables, key=lambda table: table[:2])[2]
        return least_loss(task, [made], self.metric, labels=self.labels) if space.guarded else made

    def _clustered(self, space: ClusterSpace, blocks: list[np.ndarray], spare: int) -> Grouped:
        """The clusters of all blocks; they do not depend on how many threads there are."""

        task = space.task
        stopped = Event()

        def watch(done: float) -> None:
            if len(blocks) == 1:
                task.progress("clustering", done)
            elif stopped.is_set():
                raise _StoppedError

        def one(at: int) -> Grouped:
            units = blocks[at]
            points = space.part(units)
            share = spare * int(points.counts.sum()) // task.n_rows
            found = self.clusters(Block(space, units, points, np.random.default_rng([task.seed, at]), share, watch))
            return Grouped(units[found.unit].astype(np.int32), found.group)

        if len(blocks) == 1:
            return one(0)
        whole: list[Grouped] = []
        before = 0
        with ThreadPoolExecutor(kernels.threads()) as pool:
            try:
                for done, found in enumerate(pool.map(one, range(len(blocks)))):
                    group = np.where(found.group >= 0, found.group + np.int32(before), np.int32(-1))
                    whole.append(Grouped(found.unit, group))
                    before += int(found.group.max(initial=-1)) + 1
                    task.progress("clustering", (done + 1) / len(blocks))
            except BaseException:
                stopped.set()  # so that the blocks at work end too
                raise
        return Grouped(np.concatenate([g.unit for g in whole]), np.concatenate([g.group for g in whole]))


class _StoppedError(Exception):
    """Another block was stopped."""


class _Settled(NamedTuple):
    """Every row with its group, and what was done after the clusters were made."""

    rows: Grouped
    n_groups: int
    clusters: int
    leftover: int
    mended: int


def _settled(space: ClusterSpace, found: Grouped, spare: int) -> _Settled | None:
    """Rows that are left over join clusters, and clusters that do not hold join others; None where nothing holds."""
    points, task = space.points, space.task
    spare -= int((found.group < 0).sum())
    n_groups = int(found.group.max(initial=-1)) + 1
    named = np.bincount(found.unit, minlength=len(points.codes))
    left = np.repeat(np.arange(len(points.codes), dtype=np.int32), points.counts - named)
    clusters = n_groups
    if n_groups == 0:
        found, n_groups = Grouped(np.r_[found.unit, left], np.r_[found.group, np.zeros(len(left), dtype=np.int32)]), 1
        left = left[:0]
    if len(left):
        members = Members.of(found.unit, found.group, n_groups)
        joined = kernels.join(
            points,
            members,
            left,
            spare=max(spare, 0),
            judge=_Takers(space, members) if space.guarded else None,
            tries=_TRIES,
            watch=lambda done: task.progress("placing leftovers", done),
        )
        spare -= int((joined < 0).sum())
        found = Grouped(np.r_[found.unit, left], np.r_[found.group, joined])
    mended = 0
    held = space.holding(found, n_groups)
    if not held.all():
        failing = np.flatnonzero(~held)
        mended = len(failing)
        found = _mended(space, found, n_groups, failing.astype(np.int32), max(spare, 0))
        n_groups = int(found.group.max(initial=-1)) + 1
        if not n_groups or not space.holding(found, n_groups).all():
            return None
    return _Settled(found, n_groups, clusters, len(left), mended)


def _mended(space: ClusterSpace, found: Grouped, n_groups: int, failing: np.ndarray, spare: int) -> Grouped:
    """The groups with those that fail joined to others: to such as have what they lack, where there are models beside
    k-anonymity, else to those that cost least to join. Rows left out before stay so."""
    if space.guarded:
        return completed(space, found, n_groups, spare=spare)
    joined = kernels.absorb(
        space.points,
        Members.of(found.unit, found.group, n_groups),
        failing,
        k=space.k,
        spare=spare,
        watch=lambda done: space.task.progress("merging", done),
    )
    gone = found.unit[found.group < 0]
    return Grouped(np.r_[joined.unit, gone], np.r_[joined.group, np.full(len(gone), -1, dtype=np.int32)])


def _released(space: ClusterSpace, settled: _Settled, n_blocks: int) -> Recoding | None:
    """The labelled classes, if every model holds for them: groups with one label are one class, and rows that are left
    out are no part of the table that models compare with."""
    of_row = space.of_row(settled.rows)
    recoding = space.labelled(of_row, settled.n_groups, tuple(_words(space, settled, of_row, n_blocks)))
    task = space.task
    if task.holds(task.classes(recoding.of_row, recoding.n_classes)).all():
        sizes = np.bincount(recoding.of_row[recoding.of_row >= 0])
        last = f"All classes hold: {len(sizes)} classes of {sizes.min()} to {sizes.max()} rows."
        return Recoding(recoding.of_row, recoding.n_classes, recoding.cells, (*recoding.trace, last))
    if (of_row < 0).any() or settled.n_groups == 1:
        return None
    # Classes that hold one by one do not where two of them show the same, or fail beside all others: merge on.
    unit = space.unit_of_row.astype(np.int32)
    rows = Grouped(unit, recoding.of_row)
    held = task.holds(task.classes(recoding.of_row, recoding.n_classes))
    found = _mended(space, rows, recoding.n_classes, np.flatnonzero(~held).astype(np.int32), 0)
    n_groups = int(found.group.max()) + 1
    return _released(space, settled._replace(rows=found, n_groups=n_groups, mended=settled.mended + 1), n_blocks)


def _words(space: ClusterSpace, settled: _Settled, of_row: np.ndarray, n_blocks: int) -> Iterator[str]:
    if n_blocks > 1:
        yield f"Cut the table into {n_blocks} blocks of neighbours first."
    yield f"Found {settled.clusters} clusters among {len(space.points.codes)} distinct rows."
    gone = int((of_row < 0).sum())
    if settled.leftover:
        yield f"{settled.leftover} rows were left over; each joined the cluster that it adds least to, or was left out."
    if gone:
        yield f"Left out {gone} rows: to join would have cost more than to say nothing about them."
    if settled.mended:
        yield f"{settled.mended} clusters did not hold and joined others."


class _Takers:
    """Whether a cluster still holds with one more row. The kernel asks the cheapest clusters in turn; the first that
    holds takes the row, and where none does the first that was asked."""

    def __init__(self, space: ClusterSpace, members: Members) -> None:
        self._holds = space.holds
        self._units = [members.row[a:b] for a, b in zip(members.start[:-1], members.start[1:], strict=True)]
        self._asked: list[int] = []

    def __call__(self, group: int, unit: int) -> bool:
        self._asked.append(group)
        holds = self._holds(np.r_[self._units[group], np.int32(unit)])
        if holds or len(self._asked) == min(_TRIES, len(self._units)):
            taker = group if holds else self._asked[0]
            self._units[taker] = np.r_[self._units[taker], np.int32(unit)]
            self._asked = []
        return holds
