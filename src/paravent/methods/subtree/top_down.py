"""Top-Down Specialization (Fung, Wang, Yu 2005): from the roots downwards, part what tells most about a target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from paravent import kernels
from paravent.errors import InfeasibleError
from paravent.hierarchy.levels import ROOT_LABEL
from paravent.methods.full_domain.lattice import prunes
from paravent.methods.labelling import span_cells
from paravent.methods.method import Axis, Method, Need, OutputType, Recoding, Task, Use
from paravent.methods.subtree.information import DIGITS, check_target, class_codes, counts_up_to, entropy, gain
from paravent.methods.subtree.subtrees import TreeLabels, Value, recoded
from paravent.methods.trace import Change, Step


@dataclass(frozen=True, kw_only=True)
class TopDown(Method):
    """Every column begins at its root; step by step one label is replaced by its children, as long as the models hold.

    `target` names the column that the release shall help to predict; `bounds` part one of numbers into classes. A step
    is chosen by what it tells about the target per row that the smallest class shrinks by: IG / AL, or IG where AL is
    0. What tells nothing (IG 0) is not parted.

    Numbers, dates and ordered values without a tree grow intervals: one is parted where that tells most, among the
    places with at least k rows on both sides; a missing value is set apart first. Names without a tree are published
    as they are or as `*`.

    Ties (12 digits): the column that stands first in the plan, then the label that stands first in its tree; between
    the places of an interval the lowest.

    >>> TopDown(target="income")
    TopDown(target='income', bounds=())
    """

    target: str
    bounds: tuple[float, ...] = ()

    title: ClassVar[str] = "Top-Down Specialization"
    source: ClassVar[str] = "Fung, Wang, Yu: Top-down specialization for information and privacy. ICDE 2005"
    gives: ClassVar[OutputType] = "subtree"
    suppresses: ClassVar[Literal["nothing", "rows", "cells"]] = "rows"

    def __post_init__(self) -> None:
        object.__setattr__(self, "bounds", check_target("TopDown", self.target, self.bounds))

    @property
    def needs(self) -> tuple[Need, ...]:
        return ("target",)

    @property
    def use(self) -> Use:
        return "classification"

    @property
    def targets(self) -> tuple[str, ...]:
        return (self.target,)

    @property
    def weighs(self) -> bool:
        return False

    def run(self, task: Task) -> Recoding:
        if task.n_rows == 0:
            raise InfeasibleError("the table has no rows to anonymize.")
        state = _State(task, *class_codes(task, self.target, self.bounds, "TopDown"))
        start = state.judge(state.of_tuple, 1)
        if start is None:
            raise InfeasibleError("TopDown: the models do not hold for the table as a whole. Ask for less.")
        state.smallest = start
        roots = tuple(Change(axis.name, state.cuts[j][0].label, 0, len(axis) - 1) for j, axis in enumerate(task.axes))
        steps = [Step(f"Began with every column at its root: one class of {task.n_rows} rows.", {}, roots)]
        while (chosen := state.choose()) is not None:
            before = state.smallest
            state.apply(chosen)
            name = task.axes[chosen.axis].name
            words = f"Parted {chosen.value.label} of {name} into {len(chosen.parts)}: information gain "
            words += f"{chosen.gain:.4g}, smallest class {before} → {state.smallest} rows."
            lost = before - state.smallest
            figures = {"information gain": chosen.gain, "anonymity loss": lost, "score": chosen.score}
            changes = tuple(Change(name, part.label, part.first, part.last) for part in chosen.parts)
            steps.append(Step(words, figures, changes))
            task.progress("specializing", 1 - 1 / len(steps))
        of_row = state.of_row()
        left = task.suppress_failing(of_row, state.n_classes)
        assert left is not None
        return recoded(task, state.cuts, of_row, left < 0, steps)


@dataclass(eq=False)
class _Candidate:
    """A label that can be parted. What parting gains stays; what it costs depends on the other columns."""

    axis: int
    value: Value
    parts: tuple[Value, ...]
    gain: float
    score: float = 0.0
    smallest: int = 0


class _State:
    def __init__(self, task: Task, classes: np.ndarray, n_classes: int):
        self.task = task
        self.k = task.k if task.k_alone else None
        self.least = task.k
        self.counts = [counts_up_to(axis, classes, n_classes) for axis in task.axes]
        self.labels = [None if axis.tree is None else TreeLabels.of(axis) for axis in task.axes]
        self.cuts = [[self._root(j)] for j in range(len(task.axes))]
        # Equal rows go together. Beyond k-anonymity, models look at rows one by one.
        self.folded = kernels.fold([axis.codes for axis in task.axes], [len(axis) for axis in task.axes])
        whole = self.k is not None
        self.codes = [axis.codes[self.folded.representative] if whole else axis.codes for axis in task.axes]
        self.weight = self.folded.weight.astype(np.float64) if whole else np.ones(task.n_rows)
        self.of_tuple = np.zeros(len(self.weight), dtype=np.int64)
        self.n_classes = 1
        self.next = self.of_tuple, 1  # the classes once the best candidate is applied
        self.smallest = task.n_rows
        self.candidates = [found for j in range(len(task.axes)) for found in self._candidates(j, self.cuts[j])]

    def _root(self, j: int) -> Value:
        axis, labels = self.task.axes[j], self.labels[j]
        if labels is not None:
            return labels.root
        return _span(axis, 0, len(axis) - 1) if _grows(axis) else Value(ROOT_LABEL, 0, len(axis) - 1)

    def _candidates(self, j: int, values: list[Value]) -> list[_Candidate]:
        found = []
        for value in values:
            parts = self._parts(j, value)
            told = gain(np.stack([self._counts(j, part) for part in parts])) if len(parts) > 1 else 0.0
            if told > 0:
                found.append(_Candidate(j, value, parts, told))
        return found

    def _counts(self, j: int, value: Value) -> np.ndarray:
        return np.asarray(self.counts[j][value.last + 1] - self.counts[j][value.first])

    def _parts(self, j: int, value: Value) -> tuple[Value, ...]:
        axis, labels = self.task.axes[j], self.labels[j]
        if labels is not None:
            parts = labels.children.get(value, ())
            while len(parts) == 1:  # a group of one tells what it holds: look at what is below
                parts = labels.children.get(parts[0], ())
            return parts
        if value.first == value.last:
            return ()
        if not _grows(axis):
            return tuple(Value(axis.values[code], code, code) for code in range(value.first, value.last + 1))
        if axis.positions is not None and np.isnan(axis.positions[value.last]):
            return self._beside_missing(j, value)
        return self._halves(j, value)

    def _beside_missing(self, j: int, value: Value) -> tuple[Value, ...]:
        """A missing value lies on no side of a number: it is set apart, by itself where that tells something, else
        together with the first cut of the numbers."""
        axis = self.task.axes[j]
        numbers, missing = _span(axis, value.first, value.last - 1), _span(axis, value.last, value.last)
        if gain(np.stack([self._counts(j, numbers), self._counts(j, missing)])) > 0:
            return numbers, missing
        return *self._halves(j, numbers), missing

    def _halves(self, j: int, value: Value) -> tuple[Value, ...]:
        """An interval parted where it tells most (Fung et al. 2005, §4)."""
        axis, summed = self.task.axes[j], self.counts[j]
        if value.first == value.last:
            return ()
        left = summed[value.first + 1 : value.last + 1] - summed[value.first]
        right = summed[value.last + 1] - summed[value.first + 1 : value.last + 1]
        rows = left.sum(axis=1), right.sum(axis=1)
        mixed = rows[0] * entropy(left) + rows[1] * entropy(right)
        mixed = np.round(mixed / self.task.n_rows, DIGITS)
        mixed[np.minimum(*rows) < self.least] = np.inf
        at = int(np.argmin(mixed))
        if not np.isfinite(mixed[at]):
            return ()
        middle = value.first + at
        return _span(axis, value.first, middle), _span(axis, middle + 1, value.last)

    def of_row(self) -> np.ndarray:
        return self.of_tuple[self.folded.tuple_of_row] if self.k is not None else self.of_tuple

    def judge(self, of_tuple: np.ndarray, n_classes: int) -> int | None:
        """The size of the smallest class that is published; None where the models do not hold."""
        if self.k is None:
            left = self.task.suppress_failing(of_tuple, n_classes)
            if left is None:
                return None
            sizes = np.bincount(left[left >= 0])
            return int(sizes[sizes > 0].min())
        sizes = np.bincount(of_tuple, weights=self.weight)
        held = sizes >= self.k
        if not held.any() or int(sizes[~held].sum()) > self.task.max_suppressed:
            return None
        return int(sizes[held].min())

    def choose(self) -> _Candidate | None:
        """The valid candidate of the highest score. One that is not valid never will be where models are monotone."""
        best: _Candidate | None = None
        found: tuple[np.ndarray, int] = self.of_tuple, self.n_classes
        lasting = []
        for candidate in sorted(self.candidates, key=lambda c: (c.axis, c.value.first)):
            of_tuple, n_classes = self._parted(candidate)
            smallest = self.judge(of_tuple, n_classes)
            if smallest is None:
                if not prunes(self.task):
                    lasting.append(candidate)
                continue
            lasting.append(candidate)
            lost = self.smallest - smallest
            candidate.score = round(candidate.gain / lost, DIGITS) if lost > 0 else candidate.gain
            candidate.smallest = smallest
            if best is None or candidate.score > best.score:
                best, found = candidate, (of_tuple, n_classes)
        self.candidates = lasting
        self.next = found
        return best

    def _parted(self, candidate: _Candidate) -> tuple[np.ndarray, int]:
        """The classes once a label is parted, numbered without gaps."""
        axis = self.task.axes[candidate.axis]
        part = np.zeros(len(axis), dtype=np.int64)
        for i, found in enumerate(candidate.parts):
            part[found.first : found.last + 1] = i
        key = self.of_tuple * len(candidate.parts) + part[self.codes[candidate.axis]]
        occurs = np.zeros(self.n_classes * len(candidate.parts), dtype=bool)
        occurs[key] = True
        number = np.cumsum(occurs) - 1
        return number[key], int(number[-1]) + 1

    def apply(self, chosen: _Candidate) -> None:
        (self.of_tuple, self.n_classes), self.smallest = self.next, chosen.smallest
        cut = [value for value in self.cuts[chosen.axis] if value != chosen.value] + list(chosen.parts)
        self.cuts[chosen.axis] = sorted(cut, key=lambda value: value.first)
        self.candidates = [candidate for candidate in self.candidates if candidate is not chosen]
        self.candidates += self._candidates(chosen.axis, list(chosen.parts))


def _grows(axis: Axis) -> bool:
    return axis.tree is None and (axis.positions is not None or axis.kind.is_ordered)


def _span(axis: Axis, first: int, last: int) -> Value:
    (label,) = span_cells(axis, np.array([first]), np.array([last])).labels
    return Value(label, first, last)
