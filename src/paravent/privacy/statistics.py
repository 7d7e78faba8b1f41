"""What the models of a plan count in every class, as columns of codes, so that any method can collect it.

Beside the sensitive columns themselves there are two kinds. For a model that takes other sensitive columns as known,
the combinations of these and the protected one: a histogram of them is one of the classes that the known columns
divide each class into. For a model that counts in a population, the distinct rows of the quasi-identifiers: the people
who share one of them are all in its class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from paravent.privacy.classes import Classes, Histogram
from paravent.privacy.model import Model
from paravent.table.domain import Domain

_MARK = "\x1f"  # in no name that a person types


@dataclass(frozen=True, eq=False)
class _Joint:
    """Combination i is value `inner[i]` of the protected column and combination `outer[i]` of the known ones;
    `outer` ascends."""

    outer: np.ndarray
    inner: np.ndarray
    column: str


class Statistics:
    """The columns that a method counts by class (`columns`), and how the models read the counts.

    `people[name][i]` is the number of people of a population who share all quasi-identifiers of row i.
    """

    def __init__(
        self,
        models: Sequence[Model],
        sensitive: Mapping[str, np.ndarray],
        domains: Mapping[str, Domain] | None = None,
        people: Mapping[str, np.ndarray] | None = None,
        distinct_rows: Callable[[], np.ndarray] | None = None,
    ) -> None:
        self.models = tuple(models)
        self.columns: dict[str, np.ndarray] = dict(sensitive)
        self._domains = domains or {}
        self._joints: dict[str, _Joint] = {}
        self._people: dict[str, np.ndarray] = {}
        for model in self.models:
            if model.known and _joint_key(model) not in self.columns:
                self._join(model)
        for name, of_row in (people or {}).items():
            if distinct_rows is not None:
                key = f"{_MARK}{name}"
                self.columns[key] = distinct_rows()
                self._people[key] = np.zeros(int(self.columns[key].max(initial=-1)) + 1, dtype=np.int64)
                self._people[key][self.columns[key]] = of_row
        self.tables = {name: np.bincount(codes) for name, codes in self.columns.items()}

    def _join(self, model: Model) -> None:
        column = model.needs[0]
        key = np.zeros(len(self.columns[column]), dtype=np.int64)
        for name in (*model.known, column):
            codes = self.columns[name]
            key = _dense(key)[1] * (int(codes.max(initial=0)) + 1) + codes
        width = int(self.columns[column].max(initial=0)) + 1
        found, place = _dense(key)
        self.columns[_joint_key(model)] = place.astype(np.int32)
        self._joints[_joint_key(model)] = _Joint(found // width, (found % width).astype(np.int32), column)

    def classes(self, of_row: np.ndarray, n_classes: int) -> Classes:
        """The classes of all rows; those with a negative class are suppressed, and no part of the table either."""
        kept = of_row >= 0
        sizes = np.bincount(of_row[kept], minlength=n_classes)
        found = {}
        for name, codes in self.columns.items():
            table = self.tables[name]
            if not kept.all():
                table = np.bincount(codes[kept], minlength=len(table))
            found[name] = Histogram.of(of_row, n_classes, codes, table)
        return self.counted(sizes, found)

    def part(self, sizes: np.ndarray, histograms: Iterable[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> Classes:
        """Some classes of a table of which nothing is suppressed, from (start, value, count) for each of `columns`."""
        pairs = zip(self.columns, histograms, strict=True)
        return self.counted(sizes, {name: Histogram(*found, self.tables[name]) for name, found in pairs})

    def counted(self, sizes: np.ndarray, histograms: Mapping[str, Histogram]) -> Classes:
        people, named = {}, {}
        for name, found in histograms.items():
            if name in self._people:
                people[name[len(_MARK) :]] = found.summed(self._people[name][found.value])
            else:
                domain = self._domains.get(name)
                named[name] = Histogram(found.start, found.value, found.count, found.table, domain)
        return Classes(sizes, named, people)

    def seen_by(self, model: Model, classes: Classes) -> tuple[Classes, np.ndarray]:
        """The classes that a model judges, and the first of them in each class of `classes`."""
        if not model.known:
            return classes, np.arange(len(classes))
        joint, found = self._joints[_joint_key(model)], classes.histograms[_joint_key(model)]
        outer = joint.outer[found.value]
        new = np.ones(len(outer), dtype=bool)
        new[1:] = (np.diff(outer) != 0) | (np.diff(found.owner) != 0)
        first = np.flatnonzero(new)
        whole = classes.histograms[joint.column]
        divided = Histogram(
            np.append(first, len(outer)), joint.inner[found.value], found.count, whole.table, whole.domain
        )
        return Classes(divided.sizes, {joint.column: divided}), np.searchsorted(
            found.owner[first], np.arange(len(classes))
        )

    def holds(self, classes: Classes, *, in_part: bool = False) -> np.ndarray:
        """Which classes satisfy every model. `in_part` tells that they are not all classes of a table."""
        mask = np.ones(len(classes), dtype=bool)
        for model in self.models:
            seen, first = self.seen_by(model, classes)
            held = model.holds_in_part(seen) if in_part else model.holds(seen)
            mask &= np.logical_and.reduceat(held, first) if model.known and len(held) else held
        return mask


def _joint_key(model: Model) -> str:
    return _MARK.join((model.needs[0], *model.known))


def _dense(key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    found, place = np.unique(key, return_inverse=True)
    return found, place.reshape(-1)
