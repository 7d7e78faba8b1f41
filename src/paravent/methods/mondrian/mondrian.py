"""Mondrian (LeFevre, DeWitt, Ramakrishnan 2006): cut the table in two, again and again, while both parts are safe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from paravent.errors import PlanError
from paravent.kernels.cutting import Classes, Rule
from paravent.methods.label_space import LabelSpace, LabelStyle
from paravent.methods.method import Labels, Method, Need, Recoding, Target, Task, Use
from paravent.methods.mondrian.presence import bounded
from paravent.methods.mondrian.presence_cuts import presence_cuts
from paravent.methods.mondrian.table_cuts import TableCuts
from paravent.methods.subtree.information import check_target, class_codes

CutRule = Literal["loss", "median", "infogain", "lsd"]

_RULES = {"loss": Rule.LEAST_COST, "median": Rule.MEDIAN}


@dataclass(frozen=True, kw_only=True)
class Mondrian(Method):
    """One recursion with three parts that can be exchanged: which cut, which cut is allowed, how a class is labelled.

    `cut`: `loss` takes, among all cuts of all columns, the one that leaves the least loss in both parts together;
    `median` is the published rule: the column of widest normalised range, cut at its lower median. `infogain` and
    `lsd` serve a `target` column: the cut, among all places of all columns, that leaves the least weighted entropy of
    its classes (`bounds` part a column of numbers), or the least squared deviation of its numbers.
    Allowed is a cut when every model of the plan holds in both parts.
    `labels`: `tree` names the lowest common ancestor (intervals for numbers without a tree, sets for names without
    one) and cuts along the tree; `interval` names the span from lowest to highest value; `set` lists the values of
    names and orders.
    `strict` keeps equal rows together; relaxed cuts may part rows that lie on the cut.
    Where a model asks that everybody of a population fits a class (presence with a lower bound), rows and people are
    cut together, and labels are those of both (`methods/mondrian/presence_cuts.py`).

    Ties: the column that stands first in the plan, then the lowest cut. Entropies and deviations that agree to 12
    digits are equal.

    >>> Mondrian(labels="set")
    Mondrian(cut='loss', labels='set', strict=True, target=None, bounds=())
    """

    cut: CutRule = "loss"
    labels: LabelStyle = "tree"
    strict: bool = True
    target: str | None = None
    bounds: tuple[float, ...] = ()

    title: ClassVar[str] = "Mondrian"
    source: ClassVar[str] = "LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity. ICDE 2006"

    def __post_init__(self) -> None:
        if self.cut not in get_args(CutRule):
            raise PlanError(f"Mondrian: cut must be one of {', '.join(get_args(CutRule))}, not {self.cut!r}.")
        if self.labels not in get_args(LabelStyle):
            raise PlanError(f"Mondrian: labels must be one of {', '.join(get_args(LabelStyle))}, not {self.labels!r}.")
        served = self.cut in ("infogain", "lsd")
        if not served and (self.target is not None or self.bounds):
            raise PlanError(f"Mondrian: cut={self.cut!r} serves no target. Leave it out, or take 'infogain' or 'lsd'.")
        if served:
            object.__setattr__(self, "bounds", check_target("Mondrian", self.target, self.bounds))
            if not self.strict:
                raise PlanError(f"Mondrian: cut={self.cut!r} keeps equal rows together. Leave strict as it is.")
            if self.cut == "lsd" and self.bounds:
                raise PlanError("Mondrian: cut='lsd' reads the numbers of its target as they are. Leave bounds out.")
        else:
            object.__setattr__(self, "bounds", ())

    @property
    def bounds_presence(self) -> bool:
        return self.target is None

    @property
    def needs(self) -> tuple[Need, ...]:
        return ("target",) if self.target else ()

    @property
    def use(self) -> Use:
        return {"infogain": "classification", "lsd": "regression"}.get(self.cut, "any")  # type: ignore[return-value]

    @property
    def targets(self) -> tuple[str, ...]:
        return (self.target,) if self.target else ()

    @property
    def weighs(self) -> bool:
        return self.target is None

    def run(self, task: Task) -> Recoding:
        if task.n_rows == 0:
            return Recoding(np.zeros(0, dtype=np.int32), 0, {a.name: Labels(a.codes, ()) for a in task.axes})
        if bounded(task):
            return presence_cuts(task)
        space = LabelSpace.of(task.axes, self.labels)
        if self.target is None:
            return TableCuts.of(task, space, rule=_RULES[self.cut], relaxed=not self.strict).recoded()
        classes = class_codes(task, self.target, self.bounds, "Mondrian")
        if self.cut == "infogain":
            return TableCuts.of(task, space, rule=Rule.ENTROPY, target=Classes(*classes)).recoded()
        numbers = _numbers(task.targets[self.target], self.target)
        return TableCuts.of(task, space, rule=Rule.DEVIATION, target=numbers).recoded()


def _numbers(target: Target, name: str) -> np.ndarray:
    """The numbers of a target, row by row."""
    if target.positions is None:
        raise PlanError(f"Mondrian: cut='lsd' needs numbers, and the target column {name!r} holds none.")
    numbers = target.positions[target.codes]
    if np.isnan(numbers).any():
        raise PlanError(f"Mondrian: the target column {name!r} has missing values. Fill or drop them for cut='lsd'.")
    return np.asarray(numbers)
