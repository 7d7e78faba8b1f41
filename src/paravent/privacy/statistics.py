"""What the models of a plan count in every class, as columns of codes, so that any method can collect it.

Beside the sensitive columns themselves there are two kinds. For a model that takes other sensitive columns as known,
the combinations of these and the protected one: a histogram of them is one of the classes that the known columns
divide each class into. For a model that counts in a population, the quasi-identifiers, row by row and each by itself:
the people who share a row of a class are behind it, and so are those who share a value of it on every axis.
Where people are counted instead of rows: whose each row is, and for each sensitive column who holds what.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from paravent.privacy.classes import Classes, Histogram
from paravent.privacy.encoded_population import EncodedPopulation
from paravent.privacy.model import Model
from paravent.privacy.people import Holding, OfPeople, counting_people
from paravent.table.domain import Domain

_MARK = "\x1f"  # in no name that a person types
_ROWS = f"{_MARK}rows"
_PEOPLE = f"{_MARK}people"


@dataclass(frozen=True, eq=False)
class _Joint:
    """Combination i is value `inner[i]` of the protected column and combination `outer[i]` of the known ones;
    `outer` ascends."""

    outer: np.ndarray
    inner: np.ndarray
    column: str


@dataclass(frozen=True, eq=False)
class Shown:
    """For each population, how many people the label of each class covers, and how many fit none."""

    people: Mapping[str, np.ndarray]
    beyond: Mapping[str, int]


class Statistics:
    """The columns that a method counts by class (`columns`), and how the models read the counts.

    `axes` are the codes of the quasi-identifiers and `distinct` tells equal rows of them; both are looked at only where
    a model names a population. `persons` says whose each row is, for models of people (`OfPeople`). Row i stands for
    `times[i]` rows (None: for itself). `whole` has the counts of sensitive columns in the whole table, where the rows
    are a part of it.
    """

    def __init__(
        self,
        models: Sequence[Model],
        sensitive: Mapping[str, np.ndarray],
        domains: Mapping[str, Domain] | None = None,
        populations: Mapping[str, EncodedPopulation] | None = None,
        axes: Sequence[np.ndarray] = (),
        distinct: Callable[[], np.ndarray] | None = None,
        persons: np.ndarray | None = None,
        times: np.ndarray | None = None,
        whole: Mapping[str, np.ndarray] | None = None,
    ) -> None:
        self.models = tuple(models)
        self._times = times
        self.columns: dict[str, np.ndarray] = dict(sensitive)
        self._domains = domains or {}
        self._joints: dict[str, _Joint] = {}
        self._populations = dict(populations or {})
        self._alike: dict[str, np.ndarray] = {}
        self._axes: list[str] = []
        self._holdings: dict[str, Holding] = {}
        self._holders: dict[Holding, np.ndarray] = {}
        for model in self.models:
            if isinstance(model, OfPeople):
                assert persons is not None, "a model of people needs to know whose each row is"
                self.columns[_PEOPLE] = persons
                if model.needs and _joint_key(model) not in self._holdings:
                    self._hold(model, persons)
            elif model.known and _joint_key(model) not in self.columns:
                self._join(model)
        if self._populations and distinct is not None:
            rows = self.columns[_ROWS] = distinct()
            for name, population in self._populations.items():
                self._alike[name] = np.zeros(int(rows.max(initial=-1)) + 1, dtype=np.int64)
                self._alike[name][rows] = population.alike
            for j, codes in enumerate(axes):
                self._axes.append(f"{_MARK}{j}")
                self.columns[self._axes[-1]] = codes
        self._whole = whole or {}
        self.tables = {name: _counts(codes, times) for name, codes in self.columns.items()} | dict(self._whole)

    def _join(self, model: Model) -> None:
        column = model.needs[0]
        key = np.zeros(len(self.columns[column]), dtype=np.int64)
        for name in (*model.known, column):
            codes = self.columns[name]
            width = len(np.bincount(codes))
            key = _dense(key)[1] * width + codes
        found, place = _dense(key)
        self.columns[_joint_key(model)] = place.astype(np.int32)
        self._joints[_joint_key(model)] = _Joint(found // width, (found % width).astype(np.int32), column)

    def _hold(self, model: Model, persons: np.ndarray) -> None:
        column, known = model.needs[0], [self.columns[name] for name in model.known]
        holding, of_row = Holding.of(column, self.columns[column], known, persons)
        self._holdings[_joint_key(model)] = holding
        self.columns[_people_key(model)] = of_row

    def classes(self, of_row: np.ndarray, n_classes: int, shown: Shown | None = None) -> Classes:
        """The classes of all rows; those with a negative class are suppressed, and no part of the table either. `shown`
        tells whom their labels cover, where that is known."""
        kept = of_row >= 0
        times = None if self._times is None else self._times[kept]
        sizes = _counts(of_row[kept], times, n_classes)
        found = {}
        for name, codes in self.columns.items():
            table = self.tables[name]
            if not kept.all():
                table = self._without(name, codes, kept, times)
            found[name] = Histogram.of(of_row, n_classes, codes, table, times=self._times)
        return self.counted(sizes, found, shown)

    def _without(self, name: str, codes: np.ndarray, kept: np.ndarray, times: np.ndarray | None) -> np.ndarray:
        """The counts of the table without its suppressed rows; of the whole table without those of this part of it."""
        table = self.tables[name]
        if name not in self._whole:
            return _counts(codes[kept], times, len(table))
        gone = None if self._times is None else self._times[~kept]
        return np.asarray(table - _counts(codes[~kept], gone, len(table)))

    def part(self, sizes: np.ndarray, histograms: Iterable[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> Classes:
        """Some classes of a table of which nothing is suppressed, from (start, value, count) for each of `columns`."""
        pairs = zip(self.columns, histograms, strict=True)
        return self.counted(sizes, {name: Histogram(*found, self.tables[name]) for name, found in pairs})

    def counted(self, sizes: np.ndarray, histograms: Mapping[str, Histogram], shown: Shown | None = None) -> Classes:
        """Classes from the histograms of `columns`, with the people behind them."""
        named = {
            name: Histogram(found.start, found.value, found.count, found.table, self._domains.get(name))
            for name, found in histograms.items()
        }
        if shown is not None:
            return Classes(sizes, named, shown.people, beyond=shown.beyond)
        people = {name: named[_ROWS].summed(alike[named[_ROWS].value]) for name, alike in self._alike.items()}
        classes = Classes(sizes, named, people)
        for model in self.models:
            if model.people in people:
                # Who shares a whole row is counted at once; where that is too few, whoever shares its values is.
                seen, _ = self.seen_by(model, classes)
                self._look_closer(
                    classes, people[model.people], self._populations[model.people], ~model.holds_in_part(seen)
                )
        return classes

    def _look_closer(
        self, classes: Classes, people: np.ndarray, population: EncodedPopulation, doubtful: np.ndarray
    ) -> None:
        axes = [classes.histograms[name] for name in self._axes]
        for c in np.flatnonzero(doubtful).tolist():
            people[c] = population.behind([found.value[found.start[c] : found.start[c + 1]] for found in axes])

    def seen_by(self, model: Model, classes: Classes) -> tuple[Classes, np.ndarray]:
        """The classes that a model judges, and the first of them in each class of `classes`."""
        if isinstance(model, OfPeople):
            return self._seen_by_people(model, classes)
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

    def _seen_by_people(self, model: OfPeople, classes: Classes) -> tuple[Classes, np.ndarray]:
        members = classes.histograms[_PEOPLE]
        if not model.needs:
            return counting_people(classes, members), np.arange(len(classes))
        found, holding = classes.histograms[_people_key(model)], self._holdings[_joint_key(model)]
        like = classes.histograms[model.needs[0]]

        def compute() -> tuple[Classes, np.ndarray]:
            whole = found.table is self.tables[_people_key(model)]  # nothing is suppressed: counted before
            holders = self._holders.get(holding) if whole else None
            if holders is None:
                holders = holding.holders(found.table, len(like.table))
            if whole:
                self._holders[holding] = holders
            return holding.classes(found, members, replace(like, table=holders))

        return found.once("people", compute)

    def holds(self, classes: Classes, *, in_part: bool = False) -> np.ndarray:
        """Which classes satisfy every model. `in_part` tells that they are not all classes of a table."""
        mask = np.ones(len(classes), dtype=bool)
        for model in self.models:
            seen, first = self.seen_by(model, classes)
            held = model.holds_in_part(seen) if in_part else model.holds(seen)
            mask &= np.logical_and.reduceat(held, first) if model.known and len(held) else held
        return mask


def _counts(codes: np.ndarray, times: np.ndarray | None, width: int = 0) -> np.ndarray:
    """How many rows have each code; row i stands for `times[i]` rows."""
    counts = np.bincount(codes, weights=times, minlength=width)
    return counts if times is None else counts.astype(np.int64)


def _joint_key(model: Model) -> str:
    return _MARK.join((model.needs[0], *model.known))


def _people_key(model: Model) -> str:
    return _MARK.join((_joint_key(model), _PEOPLE))


def _dense(key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct keys, ascending, and the place of each row's among them."""
    span = int(key.max(initial=-1)) + 1
    if span <= 4 * len(key) + 1024:
        occurs = np.zeros(span, dtype=bool)
        occurs[key] = True
        return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[key]
    found, place = np.unique(key, return_inverse=True)
    return found, place.reshape(-1)
