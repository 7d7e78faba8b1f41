"""What local recoding begins with, and how a budget is spent on beginnings and on the search.

Every step has a price in seconds that follows from the size of the table alone. A larger budget takes the same steps
and then more, and the cheapest table of all is kept: so it never loses more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from paravent.errors import InfeasibleError, PlanError
from paravent.kernels.regrouping import A_SECOND
from paravent.methods.clustering.k_member import KMember
from paravent.methods.clustering.kaca import KACA
from paravent.methods.clustering.nearest_neighbour import NearestNeighbour
from paravent.methods.clustering.oka import OKA
from paravent.methods.local.space import Groups, Space
from paravent.methods.merging.gkaa import GkAA
from paravent.methods.method import Method, Task
from paravent.methods.partition.construction import G2kPkConv, G3kPk

_A_CELL = 40_000
"""The work of `kernels.regrouping` for a cell in each second of a budget, at most: small tables need no more."""
_STAGES = (0.4, 1.1, 3.5, 15.0, 40.0, 140.0)
"""A budget is spent in stages of so many seconds; the last is repeated."""
_SHARE, _LARGE_SHARE, _LARGE = 0.5, 0.9, 20
"""Of each stage, labels are opened and closed in such a share; the larger one is for k from the third on where
rows are alike: making neighbouring classes anew finds little there."""
_COOL, _HOT, _WARM = 0.1, 0.35, 0.15
"""The first temperature at k = 1, in what a row costs; it grows with √k. The lowest is that of the first stage, which
is short; the last one is for small k from the third stage on: what has been reached is not melted again."""
_DISTINCT = 0.9
"""Where more of the rows differ, they are not few and k is small, hardly any cheap label joins k rows, and labels are
not searched."""
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

    def made_anew(self, task: Task, space: Space, seconds: float, whole: float) -> Begun:
        """Neighbouring classes made anew, for so many seconds of the whole that a stage has for it."""
        found = space.regrouped(task, self.groups, _work(task, seconds), planned=_work(task, whole))
        return Begun(found, self.came.removesuffix(_ANEW) + _ANEW)


def _work(task: Task, seconds: float) -> int:
    """What is done in some seconds, or is enough for a table."""
    return int(min(seconds * A_SECOND, seconds * _A_CELL * task.n_rows * len(task.axes)))


class Step(NamedTuple):
    """Seconds, and what makes tables in that time, given the cheapest so far; None: those that are there are searched
    on, for these seconds of the `whole` that a stage has for it."""

    seconds: float
    make: Callable[[Groups], list[Begun]] | None
    whole: float


@dataclass(frozen=True, eq=False)
class Starts:
    """The tables to begin with, beside relaxed Mondrian's (`begun`)."""

    task: Task
    space: Space
    begun: Groups

    def of_stage(self, stage: int, seconds: float) -> Iterator[tuple[float, Callable[[Groups], list[Begun]]]]:
        """What a stage of so many seconds begins with."""
        n, d = self.task.n_rows, len(self.task.axes)
        if self._labels_help():
            price = seconds * (_LARGE_SHARE if self.task.least_size >= _LARGE and self._alike else _SHARE)
            yield price, lambda best: self._by_labels(best, stage, price)
            seconds -= price
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

    def _labels_help(self) -> bool:
        n = self.task.n_rows
        if self.task.demands is None or not self.space.has_room:
            return False
        return n <= FEW or self.task.least_size >= _LARGE or self._alike

    @property
    def _alike(self) -> bool:
        return self.space.tuples <= _DISTINCT * self.task.n_rows

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

    def _by_labels(self, best: Groups, stage: int, seconds: float) -> list[Begun]:
        """Labels opened and closed by simulated annealing."""
        k = self.task.least_size
        hot = max(0.2, (_COOL if stage == 0 else _HOT if stage == 1 or k >= _LARGE else _WARM) * k**0.5)
        work = _work(self.task, seconds)
        if stage == 1 and k >= _LARGE:  # cuts decide for few columns, and large classes hold on to them
            best = self.space.groups(np.zeros_like(best.of_row), 1)
        found = self.space.opened(self.task, best, work, hot=hot, seed=self.task.seed + stage)
        return [Begun(found, "labels opened and closed")]


def schedule(starts: Starts, seconds: float) -> list[Step]:
    """The steps that a budget allows. Seconds that the next start would not fit into are left."""
    steps: list[Step] = []
    stage = 0
    while seconds > 1e-9:
        whole = _STAGES[min(stage, len(_STAGES) - 1)]
        for price, make in starts.of_stage(stage, whole):
            if price > seconds:
                return steps
            steps.append(Step(price, make, price))
            seconds -= price
            whole -= price
        more = min(seconds, whole)
        seconds -= more
        steps.append(Step(more, None, whole))
        stage += 1
    return steps
