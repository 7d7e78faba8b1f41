"""Samarati (2001): the lowest height of the lattice at which some combination of levels is acceptable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from paravent.errors import InfeasibleError
from paravent.methods.full_domain.lattice import Lattice, Solution, best, prunes, to_node
from paravent.methods.method import Method, Need, OutputType, Recoding, Task
from paravent.methods.trace import Step

_MOST_NODES = 2_000_000


@dataclass(frozen=True, kw_only=True)
class Samarati(Method):
    """Binary search over the heights of the lattice; every acceptable combination of the lowest one is a solution.

    Acceptable: what fails may be suppressed under the plan's limit (MaxSup). Optimal means: no acceptable combination
    has a smaller sum of levels. Where models do not promise that what holds below holds above, the heights are
    searched from the bottom instead of by halving.

    Of several solutions the one of least loss (GCP) is released. Ties: the lowest level of the column that stands
    first in the plan, then of the next. `solutions(task)` gives all of them.

    >>> Samarati()
    Samarati()
    """

    title: ClassVar[str] = "Samarati"
    source: ClassVar[str] = "Samarati: Protecting respondents' identities in microdata release. TKDE 13(6), 2001"
    gives: ClassVar[OutputType] = "full-domain"
    suppresses: ClassVar[Literal["nothing", "rows", "cells"]] = "rows"
    optimal: ClassVar[bool] = True
    many: ClassVar[bool] = True

    @property
    def bounds_presence(self) -> bool:
        return True

    @property
    def needs(self) -> tuple[Need, ...]:
        return ("trees", "suppression")

    def run(self, task: Task) -> Recoding:
        lattice = Lattice(task, "Samarati", most=_MOST_NODES)
        found, steps = self._search(lattice)
        chosen = best(found)
        others = f" of {len(found)} solutions, the one of least loss ({chosen.loss:.4g})" if len(found) > 1 else ""
        steps.append(
            Step(
                f"Took {lattice.spelled(chosen.node)}{others}.",
                {"height": chosen.height, "solutions": len(found), "loss": chosen.loss},
                to_node(task.axes, chosen.node),
            )
        )
        return lattice.recoding(chosen.node, steps)

    def solutions(self, task: Task) -> tuple[Solution, ...]:
        """All acceptable combinations of the lowest height, ascending by the levels of the columns in turn."""
        return self._search(Lattice(task, "Samarati", most=_MOST_NODES))[0]

    def _search(self, lattice: Lattice) -> tuple[tuple[Solution, ...], list[Step]]:
        task = lattice.task
        steps: list[Step] = []

        def acceptable(height: int) -> list[tuple[int, ...]]:
            nodes = lattice.at_height(height)
            good = [node for node, ok in zip(nodes, lattice.acceptable(nodes), strict=True) if ok]
            words = f"Height {height}: {len(good)} of {len(nodes)} combinations of levels are acceptable"
            words += (": " + "; ".join(map(lattice.spelled, good)) if 0 < len(good) <= 8 else "") + "."
            steps.append(Step(words, {"height": height, "nodes": len(nodes), "acceptable": len(good)}))
            task.progress("searching", len(steps) / (sum(lattice.tops) + 2))
            return good

        top = sum(lattice.tops)
        if prunes(task):
            low, high, found = 0, top, None
            while low < high:
                middle = (low + high) // 2
                good = acceptable(middle)
                if good:
                    found, high = good, middle
                else:
                    low = middle + 1
            found = acceptable(top) if found is None else found
        else:
            found = next((good for height in range(top + 1) if (good := acceptable(height))), [])
        if not found:
            raise InfeasibleError("The models do not hold for the table as a whole. Ask for less.")
        return lattice.solutions(found), steps
