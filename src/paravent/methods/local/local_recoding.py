"""Local recoding: classes that lie near one another are made anew, as long as a budget lasts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

import numpy as np

from paravent.errors import PlanError
from paravent.methods.beside_k import least_loss
from paravent.methods.local.space import Groups, Space
from paravent.methods.local.starts import FEW, Begun, Starts, schedule
from paravent.methods.method import Labels, Method, Recoding, Task
from paravent.methods.mondrian.table_cuts import TableCuts

Effort = Literal["fast", "normal", "high"]
EFFORTS: dict[Effort, float] = {"fast": 1.5, "normal": 5.0, "high": 60.0}
"""Processor seconds that an effort stands for."""


@dataclass(frozen=True, kw_only=True)
class LocalRecoding(Method):
    """Classes that lie near one another are made anew, again and again: less loss than the other methods here, for as
    much time as it is given.

    It begins with the cheapest of some tables: relaxed Mondrian's, that of a search over labels where many rows are
    alike or k is large, k-member's where columns are many; where rows are few, with each of these and with those of
    merging and clustering. Then a few neighbouring classes are put together and their rows
    clustered anew, where that loses less (a large neighbourhood search); later a little loss is accepted on the way.
    Classes are labelled by the lowest tree nodes (`tree`), spans or sets that cover them.

    `effort` stands for about so many processor seconds: `fast` 1.5, `normal` 5, `high` 60; `budget` says them as a
    number. What is counted is work, not time, so that a run can be repeated; a small table takes less. A larger budget
    begins with all that a smaller one does: it never loses more.

    Every class that changes is asked for l-diversity (distinct, entropy, recursive), t-closeness with equal distances
    and (α, k)-anonymity while it grows, and for other models when it is made. The result never loses more than
    Mondrian's.

    >>> LocalRecoding(effort="fast")
    LocalRecoding(effort='fast', budget=None)
    """

    effort: Effort = "normal"
    budget: float | None = None

    title: ClassVar[str] = "Local recoding"
    source: ClassVar[str] = "after Xu et al.: Utility-based anonymization using local recoding. KDD 2006"

    def __post_init__(self) -> None:
        if self.effort not in get_args(Effort):
            raise PlanError(f"LocalRecoding: effort must be one of {', '.join(get_args(Effort))}, not {self.effort!r}.")
        if self.budget is not None and not 0 < self.budget < float("inf"):
            raise PlanError(f"LocalRecoding: budget must be a number of seconds above 0, not {self.budget!r}.")

    @property
    def seconds(self) -> float:
        """The budget."""
        return EFFORTS[self.effort] if self.budget is None else float(self.budget)

    @property
    def hasty(self) -> LocalRecoding | None:
        return replace(self, effort="fast", budget=None) if self.seconds > EFFORTS["fast"] else None

    def run(self, task: Task) -> Recoding:
        if task.n_rows == 0:
            return Recoding(np.zeros(0, dtype=np.int32), 0, {a.name: Labels(a.codes, ()) for a in task.axes})
        space = Space(task.axes)
        start = TableCuts.of(task, space.labels, relaxed=True).recoded()  # raises where nothing holds
        begun = space.groups(start.of_row, start.n_classes)
        made = replace(start, trace=(*start.trace, "No search found classes of less loss."))
        for found in sorted(self._searched(task, space, begun), key=_cost):
            if found.groups.cost >= begun.cost:
                break
            gain = 1 - found.groups.cost / begun.cost
            table = space.labelled(found.groups, (f"Best: {found.came}, {gain:.1%} less loss than relaxed Mondrian.",))
            if task.holds(task.classes(table.of_row, table.n_classes)).all():
                made = table
                break
        return made if task.k_alone else least_loss(task, [made], "gcp")

    def _searched(self, task: Task, space: Space, begun: Groups) -> list[Begun]:
        """Tables that were begun in one way or another, and what became of them."""
        tracks = [Begun(begun, "relaxed Mondrian")]
        found = list(tracks)
        for seconds, make, whole in schedule(Starts(task, space, begun), self.seconds):
            if min(track.groups.cost for track in tracks) == 0:
                break
            if make is not None:
                tables = make(min(tracks, key=_cost).groups)
                tracks += sorted(tables, key=_cost)[:1]
            else:
                if task.n_rows > FEW:  # one after another would take too long: the cheapest is searched on
                    tracks = [min(tracks, key=_cost)]
                tables = tracks = [
                    track.made_anew(task, space, seconds / len(tracks), whole / len(tracks)) for track in tracks
                ]
            found += tables
        return found


def _cost(begun: Begun) -> int:
    return begun.groups.cost
