"""The steps of a method, in plain words and exact enough to be taken again on the same table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, overload

import numpy as np

from paravent.hierarchy.axis import Axis

_READ, _FIRST = 40, 25
"""Of more steps than 40, the first 25 and the last 15 are told."""


@dataclass(frozen=True, eq=False)
class Change:
    """The cells of `column` whose code lies from `first` to `last` now read `label`; of `rows` alone, where given."""

    column: str
    label: str
    first: int
    last: int
    rows: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Step:
    """What was done and why, in words; the figures it was decided by; what it changed; the rows it suppressed.

    Words name columns, levels, groups of trees and counts, never the value of somebody's cell: they may be shown with
    the release.
    """

    words: str
    figures: Mapping[str, float] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    suppressed: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))


class LazySteps(Sequence[Step]):
    """Steps that are made when somebody looks at them.

    >>> steps = LazySteps(lambda: [Step("Began."), Step("Ended.")])
    >>> len(steps), steps[-1].words
    (2, 'Ended.')
    """

    def __init__(self, make: Callable[[], Iterable[Step]]):
        self._make = make

    @cached_property
    def _made(self) -> tuple[Step, ...]:
        return tuple(self._make())

    def __len__(self) -> int:
        return len(self._made)

    @overload
    def __getitem__(self, at: int) -> Step: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Step]: ...
    def __getitem__(self, at: int | slice) -> Step | Sequence[Step]:
        return self._made[at]

    def __repr__(self) -> str:
        return "LazySteps(…)" if "_made" not in self.__dict__ else f"LazySteps({len(self)} steps)"

    def __reduce__(self) -> tuple[Any, ...]:
        return (tuple, (self._made,))


def in_words(steps: Sequence[Step]) -> tuple[str, ...]:
    """The steps as a person reads them: all of a few, else the first and the last.

    >>> in_words([Step(f"Step {i}.") for i in range(100)])[23:27]
    ('Step 23.', 'Step 24.', '… 60 more steps …', 'Step 85.')
    """
    words = tuple(step.words for step in steps)
    if len(words) <= _READ:
        return words
    first, last = words[:_FIRST], words[_FIRST - _READ :]
    return (*first, f"… {len(words) - _READ} more steps …", *last)


def over_all_rows(steps: Sequence[Step], positions: np.ndarray, n_rows: int) -> Sequence[Step]:
    """The steps of a run over the rows at `positions` of a table of n_rows: the others went before the first step.

    >>> steps = over_all_rows([Step("Began.", suppressed=np.array([1]))], np.array([0, 2]), 3)
    >>> [(step.words, step.suppressed.tolist()) for step in steps]
    [('Left out 1 row with a missing value.', [1]), ('Began.', [2])]
    """
    if len(positions) == n_rows:
        return steps
    if isinstance(steps, LazySteps):
        return LazySteps(lambda: over_all_rows(tuple(steps), positions, n_rows))
    if not steps:
        return ()
    gone = np.setdiff1d(np.arange(n_rows), positions)
    left_out = f"Left out {len(gone)} row{'s' if len(gone) > 1 else ''} with a missing value."

    def moved(change: Change) -> Change:
        return replace(change, rows=positions if change.rows is None else positions[change.rows])

    return (
        Step(left_out, suppressed=gone),
        *(
            replace(step, changes=tuple(map(moved, step.changes)), suppressed=positions[step.suppressed])
            for step in steps
        ),
    )


def replay(axes: Sequence[Axis], steps: Sequence[Step]) -> Iterator[tuple[Step, dict[str, list[str | None]]]]:
    """Each step with the quasi-identifiers as they stand after it, row by row (None: the row is suppressed).

    >>> from paravent.table.kinds import Kind
    >>> axis = Axis("sex", Kind.NOMINAL, np.array([0, 1, 0], dtype=np.int32), ("F", "M"))
    >>> steps = [Step("Began."), Step("Generalized 'sex'.", changes=(Change("sex", "*", 0, 1),))]
    >>> [(step.words, table["sex"]) for step, table in replay([axis], steps)]
    [('Began.', ['F', 'M', 'F']), ("Generalized 'sex'.", ['*', '*', '*'])]
    """
    codes = {axis.name: np.asarray(axis.codes) for axis in axes}
    cells = {axis.name: np.array(axis.values, dtype=object)[axis.codes] for axis in axes}
    gone = np.zeros(len(axes[0].codes) if axes else 0, dtype=bool)
    for step in steps:
        for change in step.changes:
            rows = np.arange(len(gone)) if change.rows is None else change.rows
            here = codes[change.column][rows]
            cells[change.column][rows[(here >= change.first) & (here <= change.last)]] = change.label
        gone[step.suppressed] = True
        yield (
            step,
            {name: [None if g else c for g, c in zip(gone, column, strict=True)] for name, column in cells.items()},
        )
