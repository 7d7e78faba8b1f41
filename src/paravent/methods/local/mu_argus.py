"""µ-Argus (Hundepool, Willenborg 1996): the publisher generalizes columns; cells of rows that still stand out go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from paravent.errors import InfeasibleError, PlanError
from paravent.methods.full_domain.lattice import Lattice, to_level
from paravent.methods.local.local_suppression import Blanked, Combination
from paravent.methods.method import Method, Need, OutputType, Recoding, Task
from paravent.methods.trace import Step

Check = Literal["full", "pairs_triples"]


@dataclass(frozen=True, eq=False)
class Situation:
    """What the publisher sees: the level of each column and its highest, the columns that can still be generalized,
    and how many rows stand out, in all and by combination of columns."""

    levels: Mapping[str, int]
    tops: Mapping[str, int]
    movable: tuple[str, ...]
    outliers: int
    combinations: Mapping[tuple[str, ...], int]


Choose = Callable[[Situation], str | None]
"""The publisher: the column to generalize one level, or None to stop."""


@dataclass(frozen=True, kw_only=True)
class MuArgus(Method):
    """Interactive global recoding, then local suppression.

    The publisher names columns, one by one, that go one level up: `choices` lists them (a script), or `interactive`
    asks. Without either, the column that leaves the fewest rows standing out is taken, until no more do than the plan
    may suppress. Then, in each row that stands out, the cell that is part of most combinations that stand out is
    blanked (`*`), and again, until none of what is left stands out.

    `check`: `full` looks at all quasi-identifiers together; `pairs_triples`, as published, at two and three, and so
    does not promise k-anonymity over more. `identifying` gives a column 0 (never looked at), 1 (identifying), 2 (more)
    or 3 (most identifying): combinations are then one of the most, one of the more and one of the identifying columns.
    `singles` first generalizes every column until each of its values alone holds.

    A blanked cell can be read in two ways. As a wildcard it fits every value: so the published algorithm reads it.
    Read strictly it is a value like others: so a release is verified. The trace reports both. `published(task)` gives
    the published result; a release goes on until the strict reading holds too: what fails is suppressed where the plan
    allows it, else more of its cells are blanked.

    Ties: between columns the one that stands first in the plan; between cells the one whose value is rarest, then the
    one that stands first.

    >>> MuArgus(choices=["education", "zip"])
    MuArgus(choices=('education', 'zip'), check='full', identifying={}, singles=False)
    """

    choices: tuple[str, ...] | None = None
    check: Check = "full"
    identifying: Mapping[str, int] = field(default_factory=dict)
    singles: bool = False
    ask: Choose | None = field(default=None, init=False, repr=False, compare=False)

    title: ClassVar[str] = "µ-Argus"
    source: ClassVar[str] = "Hundepool, Willenborg: µ- and τ-Argus, software for statistical disclosure control. 1996"
    gives: ClassVar[OutputType] = "full-domain"
    suppresses: ClassVar[Literal["nothing", "rows", "cells"]] = "cells"

    def __post_init__(self) -> None:
        if self.choices is not None:
            listed = isinstance(self.choices, list | tuple) and all(isinstance(name, str) for name in self.choices)
            if not listed:
                raise PlanError(f"MuArgus: choices must list columns, such as ['age', 'zip'], not {self.choices!r}.")
            object.__setattr__(self, "choices", tuple(self.choices))
        if self.check not in get_args(Check):
            raise PlanError(f"MuArgus: check must be one of {', '.join(get_args(Check))}, not {self.check!r}.")
        for name, code in self.identifying.items():
            if isinstance(code, bool) or code not in (0, 1, 2, 3):
                raise PlanError(f"MuArgus: identifying gives {name!r} a code from 0 to 3, not {code!r}.")
        object.__setattr__(self, "identifying", dict(self.identifying))

    @classmethod
    def interactive(cls, choose: Choose, **options: Any) -> MuArgus:
        """A run that asks `choose` what to do. Its steps name the choices, so that it can be repeated as a script."""
        made = cls(**options)
        object.__setattr__(made, "ask", choose)
        return made

    @property
    def needs(self) -> tuple[Need, ...]:
        return ("trees", "choices")

    @property
    def weighs(self) -> bool:
        return False

    def run(self, task: Task) -> Recoding:
        blanked, steps = self._published(task)
        more = list(blanked.make_strict())
        left = blanked.suppress_failing()
        if left is None:
            raise InfeasibleError("MuArgus: the models do not hold even with every cell blanked. Ask for less.")
        return blanked.recoding(left < 0, [*steps, *more])

    def published(self, task: Task) -> Recoding:
        """The result of the published algorithm. Its classes are those of the strict reading, and may not hold."""
        blanked, steps = self._published(task)
        return blanked.recoding(np.zeros(task.n_rows, dtype=bool), steps)

    def _published(self, task: Task) -> tuple[Blanked, list[Step]]:
        lattice = Lattice(task, "MuArgus")
        self._check_names(task)
        node, steps = self._recode(lattice)
        blanked = Blanked(task, node, self._combinations(task))
        steps += list(blanked.suppress_locally())
        strict, wild = blanked.readings()
        words = f"Read strictly the smallest class has {strict} rows; with blanked cells as wildcards a row fits "
        words += f"{wild} at least."
        steps.append(Step(words, {"strict": strict, "wildcard": wild}))
        return blanked, steps

    def _check_names(self, task: Task) -> None:
        names = [axis.name for axis in task.axes]
        for name in (*(self.choices or ()), *self.identifying):
            if name not in names:
                raise PlanError(
                    f"MuArgus: {name!r} is no quasi-identifier of the plan. Choose among {', '.join(names)}."
                )

    def _combinations(self, task: Task) -> tuple[Combination, ...] | None:
        """The combinations to be checked; None for all columns together."""
        if self.check == "full" and not self.identifying:
            return None
        codes = [self.identifying.get(axis.name, 3 if not self.identifying else 1) for axis in task.axes]
        looked_at = [j for j, code in enumerate(codes) if code > 0]
        if self.check == "full":
            return (tuple(looked_at),)
        found = [c for size in (2, 3) for c in combinations(looked_at, size) if _across([codes[j] for j in c])]
        return tuple(found) or (tuple(looked_at),)

    def _recode(self, lattice: Lattice) -> tuple[tuple[int, ...], list[Step]]:
        task = lattice.task
        axes = task.axes
        node = (0,) * len(axes)
        steps: list[Step] = []
        if self.singles:
            for j, axis in enumerate(axes):
                while node[j] < lattice.tops[j] and Blanked(task, node, ((j,),)).outliers.any():
                    node = _up(node, j)
                if node[j]:
                    words = (
                        f"Generalized {axis.name} to level {node[j]} of {lattice.tops[j]}: each value alone holds now."
                    )
                    steps.append(Step(words, changes=to_level(axis, node[j])))
        checked = self._combinations(task)
        publisher = self._publisher(lattice, checked)
        blanked = Blanked(task, node, checked)
        outliers = int(blanked.outliers.sum())
        steps.append(Step(f"{outliers} rows stand out.", {"outliers": outliers}))
        while (name := publisher(_situation(lattice, node, blanked))) is not None:
            names = [axis.name for axis in axes]
            j = names.index(name) if name in names else -1
            if j < 0 or node[j] == lattice.tops[j]:
                why = "is no quasi-identifier" if j < 0 else "is at its highest level already"
                raise PlanError(f"MuArgus: {str(name)!r} {why}. Choose another column, or stop.")
            node = _up(node, j)
            blanked = Blanked(task, node, checked)
            outliers = int(blanked.outliers.sum())
            words = f"The publisher chose {name}: level {node[j]} of {lattice.tops[j]}. {outliers} rows stand out."
            steps.append(Step(words, {"outliers": outliers}, to_level(axes[j], node[j])))
            task.progress("generalizing", sum(node) / max(sum(lattice.tops), 1))
        return node, steps

    def _publisher(self, lattice: Lattice, checked: tuple[Combination, ...] | None) -> Choose:
        if self.ask is not None:
            return self.ask
        if self.choices is not None:
            script: Iterator[str] = iter(self.choices)
            return lambda _: next(script, None)
        names = [axis.name for axis in lattice.task.axes]

        def fewest(situation: Situation) -> str | None:
            if situation.outliers <= lattice.task.max_suppressed or not situation.movable:
                return None
            node = tuple(situation.levels.values())

            def outliers(name: str) -> int:
                return int(Blanked(lattice.task, _up(node, names.index(name)), checked).outliers.sum())

            return min(situation.movable, key=outliers)

        return fewest


def _situation(lattice: Lattice, node: tuple[int, ...], blanked: Blanked) -> Situation:
    names = [axis.name for axis in lattice.task.axes]
    return Situation(
        dict(zip(names, node, strict=True)),
        dict(zip(names, lattice.tops, strict=True)),
        tuple(name for name, at, top in zip(names, node, lattice.tops, strict=True) if at < top),
        int(blanked.outliers.sum()),
        {tuple(names[j] for j in c): int(blanked.failing(c).sum()) for c in blanked.checked},
    )


def _across(codes: list[int]) -> bool:
    """One most identifying column, and where there are three one more identifying (the sets are nested)."""
    codes = sorted(codes, reverse=True)
    return codes[0] == 3 and (len(codes) == 2 or codes[1] >= 2)


def _up(node: tuple[int, ...], j: int) -> tuple[int, ...]:
    return tuple(at + (i == j) for i, at in enumerate(node))
