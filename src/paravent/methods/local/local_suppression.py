"""Local suppression: single cells of rows that stand out are blanked (`*`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np

from paravent import kernels
from paravent.hierarchy.levels import ROOT_LABEL
from paravent.methods.full_domain.lattice import Node, levels_of
from paravent.methods.method import Labels, Recoding, Task
from paravent.methods.trace import Change, Step, in_words

Combination = tuple[int, ...]


class Blanked:
    """A table on the levels of a node, with some of its cells blanked. A root that is labelled `*` says as little as
    a blanked cell: the two are one label."""

    def __init__(self, task: Task, node: Node, checked: Sequence[Combination] | None):
        self.task = task
        self.everything: Combination = tuple(range(len(task.axes)))
        self.checked = (self.everything,) if checked is None else tuple(checked)
        self.whole = checked is None or len(self.checked) == 1
        self.labels: list[tuple[str, ...]] = []
        self.codes: list[np.ndarray] = []
        for axis, at in zip(task.axes, node, strict=True):
            level = levels_of(axis)[at]
            self.codes.append(np.ascontiguousarray(level.codes.astype(np.int32)[axis.codes]))
            self.labels.append(level.labels if ROOT_LABEL in level.labels else (*level.labels, ROOT_LABEL))
        self.blank = [np.zeros(task.n_rows, dtype=bool) for _ in task.axes]
        self._failing: dict[Combination, np.ndarray] = {(): np.zeros(task.n_rows, dtype=bool)}

    def failing(self, columns: Combination) -> np.ndarray:
        """Which rows fail when only these columns are known. Blanked cells are read as they were."""
        if columns not in self._failing:
            folded = kernels.fold([self.codes[j] for j in columns], [len(self.labels[j]) for j in columns])
            held = self.task.holds(self.task.classes(folded.tuple_of_row, len(folded.weight)))
            self._failing[columns] = ~held[folded.tuple_of_row]
        return self._failing[columns]

    @cached_property
    def outliers(self) -> np.ndarray:
        """Which rows stand out in some combination that is checked."""
        return np.asarray(np.logical_or.reduce([self.failing(columns) for columns in self.checked]))

    def suppress_locally(self) -> Iterator[Step]:
        """Blank cells until no row stands out by what is left of it."""
        folded = kernels.fold(self.codes, [len(labels) for labels in self.labels])
        counts = [np.bincount(codes)[codes] for codes in self.codes]
        blank = np.zeros((len(self.everything), len(folded.weight)), dtype=bool)
        for alike in np.unique(folded.tuple_of_row[self.outliers]).tolist():
            example, open_columns = int(folded.representative[alike]), self.everything
            while (torn := self._torn(example, open_columns))[0]:
                part_of = {j: sum(j in c for c in torn[1]) for j in open_columns}
                worst = min(open_columns, key=lambda j: (-part_of[j], int(counts[j][example]), j))
                open_columns = tuple(j for j in open_columns if j != worst)
            blank[[j for j in self.everything if j not in open_columns], alike] = True
        self.blank = [of_tuple[folded.tuple_of_row] for of_tuple in blank]
        yield from (self._step(j, self.blank[j]) for j in self.everything if self.blank[j].any())

    def _torn(self, row: int, open_columns: Combination) -> tuple[bool, list[Combination]]:
        """Whether a row stands out by its open cells, and the combinations of them by which it does."""
        if not self.whole:
            found = [c for c in self.checked if set(c) <= set(open_columns) and self.failing(c)[row]]
            return bool(found), found
        known = tuple(j for j in open_columns if j in self.checked[0])
        if not self.failing(known)[row]:
            return False, []
        small = [c for size in (2, 3) if size < len(known) for c in combinations(known, size)]
        return True, [c for c in (*small, known) if self.failing(c)[row]]

    def _step(self, j: int, rows: np.ndarray, why: str = "they stood out") -> Step:
        axis, n = self.task.axes[j], int(rows.sum())
        words = f"Blanked {axis.name} in {n} row{'s' if n > 1 else ''}: {why if n > 1 else why.replace('they', 'it')}."
        change = Change(axis.name, ROOT_LABEL, 0, len(axis) - 1, np.flatnonzero(rows))
        return Step(words, {"cells": n}, (change,))

    def _cells(self) -> list[np.ndarray]:
        stars = [labels.index(ROOT_LABEL) for labels in self.labels]
        columns = zip(self.codes, self.blank, stars, strict=True)
        return [np.where(blank, np.int32(star), codes) for codes, blank, star in columns]

    def _classes(self) -> kernels.Folded:
        return kernels.fold(self._cells(), [len(labels) for labels in self.labels])

    def readings(self) -> tuple[int, int]:
        """The smallest class, read strictly, and how many rows every row fits at least with blanked cells as wildcards:
        those that agreed with its open cells before any were blanked."""
        strict = int(self._classes().weight.min())
        patterns = kernels.fold([blank.astype(np.int32) for blank in self.blank], [2] * len(self.blank))
        fits = self.task.n_rows
        for pattern, example in enumerate(patterns.representative.tolist()):
            open_columns = [j for j in self.everything if not self.blank[j][example]]
            if open_columns:
                sizes = [len(self.labels[j]) for j in open_columns]
                folded = kernels.fold([self.codes[j] for j in open_columns], sizes)
                fits = min(fits, int(folded.weight[folded.tuple_of_row[patterns.tuple_of_row == pattern]].min()))
        return strict, fits

    def suppress_failing(self) -> np.ndarray | None:
        """The strict classes with failing ones suppressed; None where these are too many."""
        folded = self._classes()
        left = self.task.suppress_failing(folded.tuple_of_row, len(folded.weight))
        return None if left is None or bool((left < 0).all()) else left

    def make_strict(self) -> Iterator[Step]:
        """Blank more cells until the strict reading holds, but for rows that may be suppressed: in rows that fail the
        columns one by one, the most blanked first; then all cells of the smallest class, again and again."""
        most_blanked = sorted(self.everything, key=lambda j: (-int(self.blank[j].sum()), j))
        for j in most_blanked:
            if self.suppress_failing() is not None:
                return
            folded = self._classes()
            held = self.task.holds(self.task.classes(folded.tuple_of_row, len(folded.weight)))
            rows = ~held[folded.tuple_of_row] & ~self.blank[j]
            if rows.any():
                self.blank[j] |= rows
                yield self._step(j, rows, "read strictly, their classes failed")
        while self.suppress_failing() is None:
            folded = self._classes()
            open_cells = ~np.logical_and.reduce(self.blank)
            if not open_cells.any():
                return
            sizes = np.bincount(folded.tuple_of_row[open_cells], minlength=len(folded.weight))
            smallest = int(np.argmin(np.where(sizes > 0, sizes, self.task.n_rows + 1)))
            rows = (folded.tuple_of_row == smallest) & open_cells
            for j in self.everything:
                self.blank[j] |= rows
                yield self._step(j, rows, "blanked rows need company")

    def recoding(self, suppressed: np.ndarray, steps: Sequence[Step]) -> Recoding:
        folded = self._classes()
        left, compact = np.unique(folded.tuple_of_row[~suppressed], return_inverse=True)
        of_row = np.full(self.task.n_rows, -1, dtype=np.int32)
        of_row[~suppressed] = compact.reshape(-1)
        example = folded.representative[left]
        cells = {}
        for axis, codes, labels in zip(self.task.axes, self._cells(), self.labels, strict=True):
            used, of_class = np.unique(codes[example], return_inverse=True)
            chosen = tuple(labels[code] for code in used.tolist())
            cells[axis.name] = Labels(of_class.reshape(-1).astype(np.int32), chosen)
        sizes = np.bincount(of_row[of_row >= 0], minlength=len(left))
        words = f"{int(suppressed.sum())} rows are suppressed. " if suppressed.any() else ""
        words += f"{len(left)} classes of {sizes.min()} to {sizes.max()} rows."
        last = Step(words, {"suppressed": int(suppressed.sum())}, suppressed=np.flatnonzero(suppressed))
        steps = (*steps, last)
        return Recoding(of_row, len(left), cells, in_words(steps), steps)
