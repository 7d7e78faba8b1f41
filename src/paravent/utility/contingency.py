"""Do two columns still go together as they did? Tables of two columns, before and after.

Released cells are spread evenly over what they cover. Columns with many values are cut into groups of neighbouring
ranks that hold about the same number of rows, so that a table of two columns stays a table and not a list of people.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from paravent.measures import Absent, Measure
from paravent.utility.family import family
from paravent.utility.grouped import Grouped
from paravent.utility.subject import Subject

MOST_GROUPS = 32
_MOST_CELLS = 4_000_000


@family
def contingency(subject: Subject) -> Iterator[Measure | Absent]:
    names = ("utility.contingency", "utility.contingency.max")
    if len(subject.axes) < 2:
        for name in names:
            yield Absent(name, "it takes two quasi-identifiers.")
        return
    false = [axis.name for axis in subject.axes if axis.name in subject.perturbed]
    if not len(subject.classes) or false:
        why = f"cells of {false[0]!r} may be false of their rows." if false else "no row is left."
        for name in names:
            yield Absent(name, why)
        return
    found = {
        (a.axis.name, b.axis.name): change
        for (a, b), change in zip(combinations(subject.readings, 2), pair_changes(subject), strict=True)
    }
    worst = max(found, key=lambda pair: found[pair])
    yield Measure(
        names[0],
        float(np.mean(list(found.values()))),
        "Change of the tables of two columns",
        "The share of rows that would have to move to restore the table of two quasi-identifiers, averaged over all "
        "pairs.",
        unit="share",
    )
    yield Measure(
        names[1],
        found[worst],
        "Change of the worst table of two columns",
        f"The same for the pair that has changed most: {worst[0]} and {worst[1]}.",
        unit="share",
    )


def pair_changes(subject: Subject) -> list[float]:
    """The total variation distance between the tables of two quasi-identifiers before and after, pair by pair."""
    row, weight = subject.original_tuples
    sizes = subject.classes.sizes
    columns = [Grouped.of(reading, MOST_GROUPS) for reading in subject.readings]
    before = [column.of_rank[axis.codes[row]] for column, axis in zip(columns, subject.axes, strict=True)]
    after = [column.shape_of_label[labels] for column, labels in zip(columns, subject.class_labels, strict=True)]
    changes = []
    for a, b in combinations(range(len(columns)), 2):
        old = _counts(before[a], before[b], columns[a].n_groups, columns[b].n_groups, weight)
        new = _expected(columns[a], columns[b], after[a], after[b], sizes)
        changes.append(min(float(np.abs(old / old.sum() - new / new.sum()).sum() / 2), 1.0))
    return changes


def _expected(a: Grouped, b: Grouped, shape_a: np.ndarray, shape_b: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The table of two released columns, cells spread evenly: by pairs of shapes, or class by class where those are
    more than a table can hold."""
    if a.n_shapes * b.n_shapes <= _MOST_CELLS:
        shapes = _counts(shape_a, shape_b, a.n_shapes, b.n_shapes, weight)
        return np.asarray(a.shares.T @ shapes @ b.shares)
    total = np.zeros((a.n_groups, b.n_groups))
    left, right, weight = a.shares.astype(np.float32), b.shares.astype(np.float32), weight.astype(np.float32)
    for at in range(0, len(weight), 1 << 16):
        part = slice(at, at + (1 << 16))
        total += np.einsum("ci,cj->ij", left[shape_a[part]] * weight[part, None], right[shape_b[part]])
    return total


def _counts(a: np.ndarray, b: np.ndarray, n_a: int, n_b: int, weight: np.ndarray) -> np.ndarray:
    return np.bincount(a * n_b + b, weights=weight, minlength=n_a * n_b).reshape(n_a, n_b)
