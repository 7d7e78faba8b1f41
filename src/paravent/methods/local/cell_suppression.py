"""Local suppression: single cells are blanked (`*`), all others stay as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar, Literal, get_args

import numpy as np

from paravent import kernels
from paravent.errors import InfeasibleError, PlanError
from paravent.hierarchy.tree import ROOT_LABEL, Tree
from paravent.methods.local.local_recoding import Effort, LocalRecoding
from paravent.methods.local.local_suppression import Combination
from paravent.methods.method import Axis, Labels, Method, OutputType, Recoding, Task

Counting = Literal["strict", "wildcard"]

_MOST_PATTERNS = 1 << 14
"""So many sets of columns to blank are tried, the cheapest first; rows that none of them helps are blanked whole."""


_MOST_COLUMNS = 1000


@dataclass(frozen=True, kw_only=True)
class LocalSuppression(Method):
    """Cells are blanked where rows stand out, and nothing is generalized: numbers stay numbers, names stay names.

    `importance` lists columns, the most important first: each counts as much as two cells of the one after it, and a
    column that is not listed as one of the last. So the cells of the first are the last to be blanked. Columns count by
    the weights of the plan beside.

    `counting` says how a blanked cell is read. `strict`, the default: as a value like any other, so that rows are alike
    only where the same cells are blanked. That is k-anonymity as every other method here has it. `wildcard`: as a
    value that fits every other. That blanks fewer cells and is WEAKER: rows may be told apart by which of their cells
    are blank, and the strict k of such a release can be 1. Its verdict says so.

    Under strict counting `LocalRecoding` searches which cells to keep, with `effort` as there; models beside
    k-anonymity are asked as there. With wildcards every row that stands out is blanked where that costs least for its
    open cells to be shared by rows enough; ties go to the columns that stand last in the plan.

    >>> LocalSuppression(importance=["age", "sex"])
    LocalSuppression(importance=('age', 'sex'), counting='strict', effort='normal')
    """

    importance: tuple[str, ...] = ()
    counting: Counting = "strict"
    effort: Effort = "normal"

    title: ClassVar[str] = "Local suppression"
    source: ClassVar[str] = (
        "after Hundepool, Willenborg 1996 and Templ, Kowarik, Meindl: Disclosure control with sdcMicro. 2015"
    )
    gives: ClassVar[OutputType] = "multidimensional"
    suppresses: ClassVar[Literal["nothing", "rows", "cells"]] = "cells"

    def __post_init__(self) -> None:
        given: object = self.importance
        if not isinstance(given, list | tuple) or not all(isinstance(name, str) for name in given):
            raise PlanError(
                f"LocalSuppression: importance must list columns, such as ['age', 'sex'], not {self.importance!r}."
            )
        object.__setattr__(self, "importance", tuple(self.importance))
        if len(set(self.importance)) < len(self.importance):
            raise PlanError("LocalSuppression: importance names a column twice. Name each once.")
        if self.counting not in get_args(Counting):
            raise PlanError(f"LocalSuppression: counting must be 'strict' or 'wildcard', not {self.counting!r}.")
        if self.effort not in get_args(Effort):
            raise PlanError(
                f"LocalSuppression: effort must be one of {', '.join(get_args(Effort))}, not {self.effort!r}."
            )

    @property
    def hasty(self) -> LocalSuppression | None:
        searched = self.counting == "strict" and self.effort != "fast"
        return replace(self, effort="fast") if searched else None

    @property
    def wildcards(self) -> bool:
        return self.counting == "wildcard"

    def run(self, task: Task) -> Recoding:
        names = [axis.name for axis in task.axes]
        for name in self.importance:
            if name not in names:
                raise PlanError(
                    f"LocalSuppression: importance names {name!r}, which is no quasi-identifier of the plan. "
                    f"Choose among {', '.join(names)}."
                )
        if len(names) > _MOST_COLUMNS:
            raise PlanError(
                f"LocalSuppression: the plan has {len(names)} quasi-identifiers, and it searches at most "
                f"{_MOST_COLUMNS}. Name fewer, or use LocalRecoding."
            )
        if task.n_rows == 0:
            return Recoding(np.zeros(0, dtype=np.int32), 0, {a.name: Labels(a.codes, ()) for a in task.axes})
        axes = tuple(_flat(axis, axis.weight * self._importance(axis.name)) for axis in task.axes)
        if self.wildcards:
            for model in task.models:
                if not model.absorbs:
                    raise PlanError(
                        f"LocalSuppression: counting='wildcard' knows k-anonymity and distinct l-diversity, not "
                        f"{model.describe()}: with wildcards a row is taken for more rows than its class. "
                        "Take counting='strict', or leave the model out."
                    )
            return _with_wildcards(replace(task, axes=axes))
        found = LocalRecoding(effort=self.effort).run(replace(task, axes=axes))
        return replace(found, trace=tuple(_words(task, found)))

    def _importance(self, name: str) -> int:
        at = self.importance.index(name) if name in self.importance else len(self.importance) - 1
        return 1 << max(0, len(self.importance) - 1 - at)


def _flat(axis: Axis, weight: float) -> Axis:
    """A column whose cells are kept or blanked."""
    tree = Tree.from_paths(axis.name, [[value, ROOT_LABEL] for value in axis.values])
    return replace(axis, tree=tree, given=tree, positions=None, weight=weight)


def _words(task: Task, found: Recoding) -> Iterator[str]:
    blanked = {}
    for axis in task.axes:
        cells = found.cells[axis.name]
        assert isinstance(cells, Labels)
        star = np.array([label == ROOT_LABEL for label in cells.labels], dtype=bool)
        blanked[axis.name] = int(star[cells.codes][found.of_row].sum())
    total, cells_in_all = sum(blanked.values()), task.n_rows * len(task.axes)
    by_column = ", ".join(f"{name} {count}" for name, count in blanked.items() if count)
    yield f"Blanked {total} of {cells_in_all} cells" + (f" (by column: {by_column})." if total else ".")
    sizes = np.bincount(found.of_row)
    yield f"{len(sizes)} classes of {sizes.min()} to {sizes.max()} rows, a blank counting as a value."


def _with_wildcards(task: Task) -> Recoding:
    """Every row that stands out is blanked in the cheapest set of columns without which it does not."""
    everything = tuple(range(len(task.axes)))
    codes = [np.ascontiguousarray(axis.codes) for axis in task.axes]
    widths = [len(axis) for axis in task.axes]
    blank = np.zeros((len(task.axes), task.n_rows), dtype=bool)
    waiting = np.ones(task.n_rows, dtype=bool)
    for done, gone in enumerate(_patterns(task, everything)):
        open_columns = [j for j in everything if j not in gone]
        if open_columns:
            folded = kernels.fold([codes[j] for j in open_columns], [widths[j] for j in open_columns])
            of_row, n_classes = folded.tuple_of_row, len(folded.weight)
        else:
            of_row, n_classes = np.zeros(task.n_rows, dtype=np.int32), 1
        helped = waiting & task.holds_in_part(task.classes(of_row, n_classes))[of_row]
        for j in gone:
            blank[j] |= helped
        waiting &= ~helped
        task.progress("blanking", done / _MOST_PATTERNS)
        if not waiting.any():
            break
    if waiting.any():
        raise InfeasibleError("LocalSuppression: the models do not hold even with every cell blanked. Ask for less.")
    shown = [np.where(gone, np.int32(width), c) for gone, width, c in zip(blank, widths, codes, strict=True)]
    folded = kernels.fold(shown, [width + 1 for width in widths])
    cells = {}
    for axis, column in zip(task.axes, shown, strict=True):
        used, of_class = np.unique(column[folded.representative], return_inverse=True)
        labels = tuple((*axis.values, ROOT_LABEL)[code] for code in used.tolist())
        cells[axis.name] = Labels(of_class.reshape(-1).astype(np.int32), labels)
    found = Recoding(folded.tuple_of_row, len(folded.weight), cells)
    weaker = "Counted with blanks as wildcards, which is weaker: rows may be told apart by which cells are blank."
    return replace(found, trace=(*_words(task, found), weaker))


def _patterns(task: Task, everything: Combination) -> Iterator[Combination]:
    """Sets of columns to blank, the cheapest first; of equals those that stand last in the plan. At last all."""
    weight = [axis.weight for axis in task.axes]
    listed: list[Combination] = []
    for size in range(len(everything)):
        for gone in combinations(everything, size):
            if len(listed) < _MOST_PATTERNS:
                listed.append(gone)
    listed.sort(key=lambda gone: (sum(weight[j] for j in gone), [-j for j in reversed(gone)]))
    yield from listed
    yield everything
