"""What local recoding begins with, and how a budget is spent on beginnings and on the search.

Every step has a price in seconds that follows from the size of the table alone. A larger budget takes the same steps
and then more, and the cheapest table of all is kept: so it never loses more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from paravent.errors import InfeasibleError, PlanError
from paravent.kernels.regrouping import A_SECOND
from paravent.methods.clustering.k_member import KMember
from paravent.methods.clustering.kaca import KACA
from paravent.methods.clustering.nearest_neighbour import NearestNeighbour
from paravent.methods.clustering.oka import OKA
from paravent.methods.local.label_pool import is_listed
from paravent.methods.local.space import Budget, Groups, Space
from paravent.methods.merging.gkaa import GkAA
from paravent.methods.method import Method, Task
from paravent.methods.partition.construction import G2kPkConv, G3kPk
from paravent.methods.partition.covering import Covering

_A_CELL = 20_000
"""The work of `kernels.regrouping` for a cell in each second of a budget, at most: small tables need no more."""
_STAGES = (1.5, 3.5, 15.0, 40.0, 140.0)
"""A budget is spent in stages of so many seconds; the last is repeated."""
_LABELS = (
    Budget(14_000_000, 200, 12_000_000, 30, 10**7, 0.5),
    Budget(36_000_000, 400, 12_000_000, 150, 10**8, 1.3),
    Budget(60_000_000, 440, 24_000_000, 600, 10**9, 1.3),
    Budget(200_000_000, 440, 24_000_000, 3_000, 5 * 10**9, 2.0),
)
"""How much a search over labels tries in the first stages."""
_LOOKUP, _PROPOSAL = 2.5e-8, 4e-7
"""Seconds."""
_LARGE, _LARGER = 100, 256
"""From this k on, where it alone decides, labels are so few that a search over which are open goes on where the one
over rows ends; from the second on it needs no other."""
_COVERS = 0.8
"""The share of a stage that this search takes."""
_DISTINCT = 0.9
"""Where more of the rows differ, and they are not few, hardly any label joins k rows, and labels are not searched."""
FEW = 3000
"""Tables of up to so many rows are begun in every way."""
_WIDE = 12
"""From so many columns on, rows have no near neighbours, and k-member's classes are hard to find from others."""
_BLOCK = 3000
"""Such tables are clustered in blocks of so many rows first: much faster, and on 16 and 24 columns blocks of 3 000 lost
least of those from 1 500 to 50 000 rows."""

_ANEW = ", then neighbouring classes made anew"


@dataclass(frozen=True)
class Begun:
    """Classes, and how they came about."""

    groups: Groups
    came: str

    def made_anew(self, task: Task, space: Space, seconds: float) -> Begun:
        """Neighbouring classes made anew, for so many seconds."""
        work = min(seconds * A_SECOND, seconds * _A_CELL * task.n_rows * len(task.axes))
        return Begun(space.regrouped(task, self.groups, int(work)), self.came.removesuffix(_ANEW) + _ANEW)


Step = tuple[float, Callable[[Groups], list[Begun]] | None]
"""Seconds, and what makes tables in that time, given the cheapest so far; None: those that are there are searched on.
"""


@dataclass(frozen=True, eq=False)
class Starts:
    """The tables to begin with, beside relaxed Mondrian's (`begun`)."""

    task: Task
    space: Space
    begun: Groups

    def of_stage(self, stage: int, seconds: float) -> Iterator[Step]:
        """What a stage of so many seconds begins with."""
        n, d = self.task.n_rows, len(self.task.axes)
        covers = stage < len(_LABELS) and self._covers(seconds) > 0
        if stage < len(_LABELS) and self._labels_help() and not (covers and (stage or self._few_labels)):
            budget = _LABELS[stage]
            proposals = min(budget.proposals * n, budget.in_all)
            price = min(budget.lookups, n * 300_000) * _LOOKUP + proposals * _PROPOSAL
            if price <= 0.8 * seconds:
                yield price, lambda _: self._by_labels(stage, budget)
                seconds -= price
        if covers:
            price = _COVERS * seconds
            yield price, lambda best: self._by_cover(best, self._covers(price))
        if n <= FEW:
            if stage == 0:
                yield 1e-4 * n, lambda _: self._by(KMember(), NearestNeighbour(), OKA(), GkAA(metric="ncp"))
            elif stage == 1:
                yield 1e-3 * n, lambda _: self._by(G2kPkConv(metric="ncp"), G3kPk(metric="ncp"), KACA())
        elif d >= _WIDE:
            for block in (_BLOCK, KMember().block):
                price = 1e-10 * n * (min(n, block) + _BLOCK) * d
                earlier = any(price <= 0.8 * before for before in _STAGES[:stage])
                if price <= 0.8 * seconds and not earlier:
                    yield price, lambda _, block=block: self._by(KMember(block=block))  # type: ignore[misc]
                    seconds -= price

    @cached_property
    def _covering(self) -> Covering | None:
        large = self.task.k_alone and self.task.least_size >= _LARGE
        return self.space.covering(self.task.least_size) if large else None

    @property
    def _few_labels(self) -> bool:
        return self.task.n_rows > FEW and self.task.least_size >= _LARGER

    def _covers(self, seconds: float) -> int:
        """How many proposals a search over open labels has in so many seconds; 0 where that is too few."""
        proposals = 0 if self._covering is None else self._covering.proposals(seconds)
        return proposals if self._covering is not None and self._covering.is_enough(proposals) else 0

    def _by_cover(self, best: Groups, proposals: int) -> list[Begun]:
        if self._covering is None or proposals == 0:
            return []
        return [Begun(self.space.covered(self.task, best, self._covering, proposals), "a cover by labels")]

    def _labels_help(self) -> bool:
        n, tuples = self.task.n_rows, len(self.space.folded.weight)
        return n <= FEW or (tuples <= _DISTINCT * n and is_listed(self.space.priced_levels))

    def _by(self, *methods: Method) -> list[Begun]:
        """The classes of other methods, with no row left out; none where they find that nothing holds."""
        found = []
        task = replace(self.task, max_suppressed=0)
        for method in methods:
            if "trees" in method.needs and any(axis.tree is None for axis in task.axes):
                continue
            try:
                of_row = np.unique(method.run(task).of_row, return_inverse=True)[1].astype(np.int32).reshape(-1)
            except (InfeasibleError, PlanError):
                continue
            if np.bincount(of_row).min() >= task.least_size and self._holds(of_row):
                groups = self.space.groups(of_row, int(of_row.max()) + 1)
                found.append(Begun(groups, method.title))
        return found

    def _holds(self, of_row: np.ndarray) -> bool:
        return bool(self.task.holds(self.task.classes(of_row, int(of_row.max()) + 1)).all())

    def _by_labels(self, stage: int, budget: Budget) -> list[Begun]:
        """Classes of labels that were opened and closed by simulated annealing."""
        task, space, demands = self.task, self.space, self.task.demands
        k = task.least_size
        # Where k alone decides and all nodes are at hand, the search's own start comes first: it leaves more freedom.
        own_start = demands == [] and is_listed(space.priced_levels)
        both = bool(demands) and stage > 0
        begins = [False, True] if both else [not own_start]
        sizes = [k] if demands is not None else [max(k, 2), 2 * max(k, 2), 4 * max(k, 2)]
        found = []
        for size in (size for size in sizes if size <= task.n_rows):
            for begin in begins:
                of_row = space.search(size, budget, task, self.begun, demands or [], begins=begin)
                mended = of_row if demands == [] else space.repaired(task, of_row, k)
                if mended is not None:
                    groups = space.recut(task, mended, k)
                    found.append(Begun(groups, f"search over labels of at least {size} rows"))
        return found


def schedule(starts: Starts, seconds: float) -> list[Step]:
    """The steps that a budget allows. Seconds that the next start would not fit into are left."""
    steps: list[Step] = []
    stage = 0
    while seconds > 1e-9:
        whole = _STAGES[min(stage, len(_STAGES) - 1)]
        for price, make in starts.of_stage(stage, whole):
            if price > seconds:
                return steps
            steps.append((price, make))
            seconds -= price
            whole -= price
        more = min(seconds, whole)
        seconds -= more
        if steps and steps[-1][1] is None:  # nothing new to begin with: the same search goes on
            more += steps.pop()[0]
        steps.append((more, None))
        stage += 1
    return steps
