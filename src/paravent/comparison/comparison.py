"""Comparison: what was found about several candidates, and the questions that can be asked of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any

from paravent.arguments import Checked, check_call
from paravent.comparison.curves import Curve, MeanValue, Sweep, curves, mean_values
from paravent.comparison.demands import Demand
from paravent.comparison.entry import Entry, TableFacts, Wanted, about
from paravent.comparison.levels import Level, Place, levels_of, ranking
from paravent.comparison.pareto import front
from paravent.errors import ParaventError, PlanError, TableError
from paravent.measures import Measure, Measures
from paravent.near import suggest
from paravent.plan.provenance import day_of_run, own_version


@dataclass(frozen=True, repr=False)
class Comparison(Checked):
    """Candidates side by side. It prints as a table, and holds no row and no cell of the table it is about.

    `demands` are those of all plans; every finished entry has an answer to each. `quasi` are the columns over which all
    were measured, `reference` the measures of the original on the same scale. `stopped`: somebody ended the work, and
    what had not begun is `not run`. `date` is the day of the run.
    """

    table: TableFacts
    quasi: tuple[str, ...]
    demands: tuple[Demand, ...]
    entries: tuple[Entry, ...]
    wanted: Wanted = field(default_factory=Wanted)
    sweep: Sweep | None = None
    reference: Measures | None = field(default=None, compare=False)
    stopped: bool = False
    version: str = field(default_factory=own_version)
    date: str = field(default_factory=day_of_run, compare=False)

    def __getitem__(self, name: str) -> Entry:
        for entry in self.entries:
            if entry.name == name:
                return entry
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def names(self) -> list[str]:
        return [entry.name for entry in self.entries]

    @property
    def done(self) -> tuple[Entry, ...]:
        """The candidates that have a release."""
        return tuple(entry for entry in self.entries if entry.status == "done")

    @property
    def failed(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.status == "failed")

    @cached_property
    def demanded(self) -> frozenset[int]:
        """The demands of the plans that could be met. One that nobody can meet is no standard for the others."""
        return frozenset().union(*(entry.asked for entry in self.done))

    @property
    def comparable(self) -> bool:
        """Whether every candidate satisfies every demand: all of them protect equally."""
        return all(self.missed(entry) == () for entry in self.done)

    def missed(self, entry: Entry) -> tuple[int, ...]:
        """The demands, of any plan, that a candidate does not satisfy."""
        check_call(Comparison.missed, locals())
        return tuple(sorted(self.demanded - entry.satisfied))

    @cached_property
    def _levels(self) -> tuple[Level, ...]:
        return levels_of(
            {entry.name: entry.asked for entry in self.done},
            {entry.name: entry.satisfied & self.demanded for entry in self.done},
        )

    def levels(self) -> tuple[Level, ...]:
        """The levels of protection, the strongest first, each with the candidates that reach it."""
        return self._levels

    def ranking(self, level: Level, by: str | None = None) -> tuple[Place, ...]:
        """The candidates of a level from best to worst."""
        check_call(Comparison.ranking, locals())
        measure = self._directed(by or self.wanted.by)
        values = {name: self[name].value(measure.name) for name in level.members}
        return ranking(values, lower_is_better=measure.better == "lower")

    @property
    def best(self) -> tuple[str, ...]:
        """Who ranks first among those that satisfy everything that was asked for; several where they are tied."""
        whole = [level for level in self.levels() if level.whole]
        return tuple(place.name for level in whole for place in self.ranking(level) if place.rank == 1)

    def front(self, risk: str | None = None, utility: str | None = None) -> tuple[str, ...]:
        """The Pareto front: nobody who protects as much is as good in both measures and better in one. What does not
        hold its own promise is not on it."""
        check_call(Comparison.front, locals())
        axes = [self._directed(risk or self.wanted.risk), self._directed(utility or self.wanted.utility)]
        points = {}
        for entry in self.done:
            x, y = (entry.value(measure.name) for measure in axes)
            if x is not None and y is not None and isfinite(x) and isfinite(y) and not entry.promise:
                points[entry.name] = (x, y)
        held = {entry.name: entry.satisfied & self.demanded for entry in self.done}
        return front(points, held, lower_is_better=[measure.better == "lower" for measure in axes])

    def curves(self, parameter: str, measure: str | None = None) -> tuple[Curve, ...]:
        """A measure against a parameter of the sweep, one curve for each combination of the others."""
        check_call(Comparison.curves, locals())
        if self.sweep is None:
            raise PlanError("there is no curve: nothing was swept. Use pv.sweep(table, plan, k=[2, 5, 10]).")
        self.sweep.check(parameter)
        return curves(self.sweep, self.done, parameter, self._known(measure or self.wanted.utility).name)

    def vmn(
        self, measure: str | None = None, *, over: str = "k", low: float | None = None, high: float | None = None
    ) -> tuple[MeanValue, ...]:
        """The normalised mean value of each curve over a parameter: its area by the length of the interval."""
        check_call(Comparison.vmn, locals())
        return mean_values(self.curves(over, measure), low, high)

    def about(self, name: str) -> Measure | None:
        check_call(Comparison.about, locals())
        return about(self.entries, name)

    def ranked_by(self, by: str | None = None, *, risk: str | None = None, utility: str | None = None) -> Comparison:
        """The same comparison, seen by other measures."""
        check_call(Comparison.ranked_by, locals())
        wanted = Wanted(by or self.wanted.by, risk or self.wanted.risk, utility or self.wanted.utility)
        if self.done:
            wanted.check(*(entry.measures for entry in self.done if entry.measures is not None))
        return replace(self, wanted=wanted)

    def _known(self, name: str) -> Measure:
        found = self.about(name)
        if found is None:
            names = {known for entry in self.done if entry.measures is not None for known in entry.measures}
            raise PlanError(f"no candidate has a measure {name!r}. {suggest(name, names)}")
        return found

    def _directed(self, name: str) -> Measure:
        found = self._known(name)
        if found.better == "neither":
            raise PlanError(f"{name} is neither better when higher nor when lower. Choose another measure.")
        return found

    def with_entry(self, at: int, entry: Entry, reference: Callable[[], Measures] | None = None) -> Comparison:
        """With one candidate finished; the first that has a release shows the original on the same scale."""
        check_call(Comparison.with_entry, locals())
        found = self.reference
        if found is None and reference is not None:
            try:
                found = reference()
            except ParaventError:
                found = None  # a measure that cannot look at the original: the map goes without it
        return replace(self, entries=(*self.entries[:at], entry, *self.entries[at + 1 :]), reference=found)

    def to_document(self, *, timings: bool = True) -> dict[str, Any]:
        """The comparison as nested dictionaries and lists, without any value of the table."""
        check_call(Comparison.to_document, locals())
        from paravent.comparison.file import to_document

        return to_document(self, timings=timings)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON, whole or not at all. Relative paths in plans start at the file's folder."""
        check_call(Comparison.save, locals())
        from paravent.comparison.file import save

        save(self, Path(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Comparison:
        check_call(Comparison.load, locals())
        from paravent.comparison.file import load

        return load(Path(path))

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the comparison as one HTML page that stands by itself."""
        check_call(Comparison.report, locals())
        from paravent.report.comparison_page import render

        _written(render(self), Path(path))

    def map(self, path: str | os.PathLike[str] | None = None) -> str:
        """The R-U map as SVG, and into a file where one is named."""
        check_call(Comparison.map, locals())
        from paravent.report.ru_map import standalone

        drawn = standalone(self)
        if path is not None:
            _written(drawn, Path(path))
        return drawn

    @property
    def sentences(self) -> Sequence[str]:
        """What can be compared with what and why, in plain words."""
        from paravent.comparison.words import sentences

        return sentences(self)

    def __str__(self) -> str:
        from paravent.comparison.words import as_text

        return as_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from paravent import notebook
        from paravent.comparison.words import main_table

        heads, rows, below = main_table(self)
        return notebook.shown(
            f"{len(self.done)} of {len(self.entries)} candidates have a release",
            notebook.table(heads, rows, right=range(1, len(heads))) if rows else "",
            notebook.sentences([*below, *self.sentences]),
        )


def _written(text: str, target: Path) -> None:
    from paravent.table.atomic import replacing

    try:
        with replacing(target) as part:
            part.write_text(text, encoding="utf-8", newline="\n")
    except TableError:
        raise
    except OSError as error:
        raise TableError(f"{target} cannot be written: {error.strerror or error}.") from None
