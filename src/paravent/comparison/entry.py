"""Entry: what is known about one candidate of a comparison, without its table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from paravent.comparison.demands import Met
from paravent.errors import ParaventError, PlanError
from paravent.measures import Measure, Measures
from paravent.near import suggest
from paravent.plan.plan import Plan
from paravent.table.table import Table
from paravent.utility.family import NOBODYS
from paravent.utility.protection import EPSILON

if TYPE_CHECKING:
    from paravent.plan.release import Release

Status = Literal["done", "failed", "not run"]


@dataclass(frozen=True)
class Failure:
    """Why a candidate has no release: the kind of error and its sentence, as told to the person and without values."""

    kind: str
    message: str
    redacted: str

    @classmethod
    def of(cls, error: ParaventError) -> Failure:
        return cls(type(error).__name__, str(error), error.redacted)


@dataclass(frozen=True)
class Entry:
    """One candidate.

    `asked` are the demands of its plan and `checks` the answers to those of all plans, by their place in
    `Comparison.demands`. `promise` says what its own plan promises and the release does not hold: only a table that
    was made elsewhere can have one. `families` were measured on request. `seconds` is the time to make and verify it.
    """

    name: str
    plan: Plan | None
    settings: Mapping[str, Any] = field(default_factory=dict)
    made_by: str = "plan"
    asked: frozenset[int] = frozenset()
    status: Status = "not run"
    failure: Failure | None = None
    promise: str = ""
    checks: tuple[Met, ...] = ()
    measures: Measures | None = field(default=None, compare=False)
    families: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)
    file: str | None = None
    release: Release | None = field(default=None, repr=False, compare=False)

    @property
    def satisfied(self) -> frozenset[int]:
        return frozenset(place for place, met in enumerate(self.checks) if met.holds)

    def value(self, name: str) -> float | None:
        """A measure, or None where it does not apply or nothing was measured."""
        return None if self.measures is None or name not in self.measures else self.measures[name]

    def why_not(self, name: str) -> str:
        """Why a measure does not apply, where that is known: of most of them, because rows are nobody's."""
        if self.measures is None or name in self.measures:
            return ""
        absent, parts = self.measures.absent, name.split(".")
        named = (absent.get(".".join(parts[:end])) for end in range(len(parts), 0, -1))
        return next((why for why in named if why), NOBODYS if NOBODYS in absent.values() else "")

    def text(self, name: str) -> str:
        """A measure as people read it."""
        return "–" if self.measures is None or name not in self.measures else self.measures.about(name).text


@dataclass(frozen=True)
class Wanted:
    """The measure to rank by, and the two that the R-U map lays against each other."""

    by: str = "utility.gcp"
    risk: str = "risk.prosecutor.average"
    utility: str = "utility.gcp"

    def check(self, *found: Measures) -> None:
        """Raise PlanError when none of some candidates has a measure, or when it is neither better high nor low.
        Epsilon is known even where nobody has one."""
        for option, name in (("by", self.by), ("risk", self.risk), ("utility", self.utility)):
            having = next((measures for measures in found if name in measures), None)
            if having is None:
                if name != EPSILON and not any(name in measures.absent for measures in found):
                    known = sorted({each for measures in found for each in measures})
                    raise PlanError(f"{option}: there is no measure {name!r}. {suggest(name, known)}")
            elif having.about(name).better == "neither":
                directed = [measure.name for measure in having.details() if measure.better != "neither"]
                raise PlanError(
                    f"{option}: {name} is neither better when higher nor when lower. {suggest(name, directed)}"
                )


@dataclass(frozen=True)
class TableFacts:
    """What a comparison remembers of its table."""

    source: str
    fingerprint: str
    rows: int
    columns: int

    @classmethod
    def of(cls, table: Table) -> TableFacts:
        return cls(table.origin.description, table.fingerprint, len(table), len(table.columns))


def about(entries: tuple[Entry, ...], name: str) -> Measure | None:
    """The title, meaning and direction of a measure, from the first candidate that has it."""
    for entry in entries:
        if entry.measures is not None and name in entry.measures:
            return entry.measures.about(name)
    return None
