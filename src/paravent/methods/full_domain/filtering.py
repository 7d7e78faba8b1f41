"""Filter: generalize as told, then leave out what does not hold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from paravent.errors import InfeasibleError, PlanError
from paravent.methods.full_domain.lattice import Lattice, to_node
from paravent.methods.method import Method, Need, OutputType, Recoding, Task
from paravent.methods.trace import Step


@dataclass(frozen=True, kw_only=True)
class Filter(Method):
    """k-anonymity, l-diversity or any other model by filtering: every column stands on the level that `levels` names
    (0, as it is, where it names none; "top" for the root), and classes that fail are suppressed.

    The tree of a column says what a level is: `pv.intervals(25)` has intervals of width 25 on level 1, `pv.prefixes()`
    masks the last j characters on level j, `pv.flat()` suppresses the column on level 1, and a tree of groups names
    ancestors. Filtering can drop much: the plan's `suppression` is the limit.

    >>> Filter(levels={"age": 1, "zip": "top"})
    Filter(levels={'age': 1, 'zip': 'top'})
    """

    levels: Mapping[str, int | Literal["top"]] = field(default_factory=dict)

    title: ClassVar[str] = "Filtering after a chosen generalization"
    source: ClassVar[str] = "Attou, Djedoui: Anonymisation des données sensibles dans un data-set. Thesis, 2023"
    gives: ClassVar[OutputType] = "full-domain"
    suppresses: ClassVar[Literal["nothing", "rows", "cells"]] = "rows"

    def __post_init__(self) -> None:
        if not isinstance(self.levels, Mapping):
            raise PlanError("Filter: levels must map columns to levels of their trees, such as {'age': 1}.")
        for name, level in self.levels.items():
            if level != "top" and (isinstance(level, bool) or not isinstance(level, int) or level < 0):
                raise PlanError(f"Filter: the level of {name!r} must be a whole number or 'top', not {level!r}.")
        object.__setattr__(self, "levels", dict(self.levels))

    @property
    def bounds_presence(self) -> bool:
        return True

    @property
    def needs(self) -> tuple[Need, ...]:
        return ("trees", "choices", "suppression")

    @property
    def weighs(self) -> bool:
        return False

    def run(self, task: Task) -> Recoding:
        lattice = Lattice(task, "Filter")
        node = self._node(lattice)
        steps = [Step(f"Generalized as told: {lattice.spelled(node)}.", changes=to_node(task.axes, node))]
        if lattice.suppressed(node) is None:
            (outliers,) = lattice.outliers([node])
            share = math.ceil(1000 * outliers / task.n_rows) / 1000
            remedy = f"suppression to {share:g} at least, or " if outliers < task.n_rows else "No limit helps: "
            raise InfeasibleError(
                f"Filter: after this generalization {outliers} of {task.n_rows} rows do not hold, and "
                f"{task.max_suppressed} may be suppressed. {'Raise ' if outliers < task.n_rows else ''}{remedy}"
                "choose higher levels."
            )
        return lattice.recoding(node, steps)

    def _node(self, lattice: Lattice) -> tuple[int, ...]:
        names = [axis.name for axis in lattice.task.axes]
        for name in self.levels:
            if name not in names:
                raise PlanError(f"Filter: levels names {name!r}, which is no quasi-identifier. Leave it out.")
        node = []
        for name, top in zip(names, lattice.tops, strict=True):
            level = self.levels.get(name, 0)
            at = top if level == "top" else int(level)
            if at > top:
                raise PlanError(f"Filter: the tree of {name!r} has levels 0 to {top}, and level {at} is asked for.")
            node.append(at)
        return tuple(node)
