"""MinGen (Sweeney 2002): of all full-domain generalizations that protect, one of minimal distortion."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

from paravent.errors import InfeasibleError
from paravent.methods.full_domain.lattice import Lattice, Node, Solution, to_node
from paravent.methods.method import Method, Need, OutputType, Recoding, Task
from paravent.methods.trace import Step

MOST_NODES = 20_000
_AT_ONCE = 256


@dataclass(frozen=True, kw_only=True)
class MinGen(Method):
    """Every combination of levels is looked at, and of those that are acceptable the one of minimal distortion taken.

    Distortion charges one unit for each cell and each level that it is generalized by; a suppressed cell is charged all
    levels of its column. Columns count by their weights. Acceptable: what fails may be suppressed under the plan's
    limit. It is exhaustive, as published, and so refuses more than 20 000 combinations: `Optimal` finds the best of
    many millions, by other losses. `solutions(task)` gives all combinations of minimal distortion; of several the one
    of least loss (GCP) is released. Ties: the lowest sum of levels, then the lowest level of the first column.

    >>> MinGen().optimal
    True
    """

    title: ClassVar[str] = "MinGen"
    source: ClassVar[str] = (
        "Sweeney: Achieving k-anonymity privacy protection using generalization and suppression. IJUFKS 10(5), 2002"
    )
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
        lattice = Lattice(task, "MinGen", most=MOST_NODES)
        found, acceptable, distortion = _search(lattice)
        chosen = min(found, key=lambda s: (round(s.loss, 12), s.height, s.node))
        words = f"{acceptable} of {lattice.n_nodes} combinations of levels are acceptable."
        among = f", one of {len(found)}" if len(found) > 1 else ""
        steps = [
            Step(words, {"nodes": lattice.n_nodes, "acceptable": acceptable}),
            Step(
                f"Took {lattice.spelled(chosen.node)}{among} of minimal distortion ({float(distortion):g}).",
                {"distortion": float(distortion), "solutions": len(found), "loss": chosen.loss},
                to_node(task.axes, chosen.node),
            ),
        ]
        return lattice.recoding(chosen.node, steps)

    def solutions(self, task: Task) -> tuple[Solution, ...]:
        """All acceptable combinations of minimal distortion, in the order of the lattice."""
        return _search(Lattice(task, "MinGen", most=MOST_NODES))[0]


def distortion(lattice: Lattice, found: Solution) -> Fraction:
    """Cells × levels, by the columns' weights; a suppressed cell counts all levels of its column."""
    kept, gone = lattice.task.n_rows - found.suppressed, found.suppressed
    columns = zip(lattice.task.axes, found.node, lattice.tops, strict=True)
    return sum((Fraction(axis.weight) * (kept * level + gone * top) for axis, level, top in columns), Fraction(0))


def _search(lattice: Lattice) -> tuple[tuple[Solution, ...], int, Fraction]:
    """The solutions, how many combinations are acceptable, and their distortion."""
    best: list[Solution] = []
    least: Fraction | None = None
    acceptable = looked = 0
    pending: list[Node] = []
    nodes = (node for height in range(sum(lattice.tops) + 1) for node in lattice.at_height(height))
    for node in nodes:
        pending.append(node)
        looked += 1
        if len(pending) < _AT_ONCE and looked < lattice.n_nodes:
            continue
        lattice.task.progress("searching", looked / lattice.n_nodes)
        good = [node for node, ok in zip(pending, lattice.acceptable(pending), strict=True) if ok]
        acceptable += len(good)
        pending = []
        for solution in lattice.solutions(good) if good else ():
            here = distortion(lattice, solution)
            if least is None or here < least:
                best, least = [], here
            if here == least:
                best.append(solution)
    if least is None:
        raise InfeasibleError("The models do not hold for the table as a whole. Ask for less.")
    return tuple(best), acceptable, least
