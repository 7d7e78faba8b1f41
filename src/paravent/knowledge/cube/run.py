"""One run of the grid: a method on a table with its parameters, and everything that was measured about it.

Time is the processor's, of the method alone, after encoding: what others do on the machine does not count. Memory is
how far the process grew at its highest. A run that fails is a result, too, with the reason.
"""

from __future__ import annotations

import ctypes
import gc
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from paravent.errors import CancelledError, InfeasibleError, ParaventError
from paravent.knowledge.cube.criteria import METRICS
from paravent.knowledge.cube.settings import Named, Setting
from paravent.knowledge.cube.tables import NUMBER, SENSITIVE
from paravent.measures import Measures
from paravent.methods.method import Method
from paravent.plan.encode import encode
from paravent.plan.plan import Plan
from paravent.plan.prepare import Encoder
from paravent.plan.release import Release
from paravent.plan.roles import Role
from paravent.plan.runner import anonymize
from paravent.privacy import LDiversity
from paravent.table.table import Table
from paravent.table.text import as_text
from paravent.utility.family import Study, known_families
from paravent.utility.learning import accuracy

STATUSES = ("done", "infeasible", "refused", "stopped", "failed")
MEMORY = "cost.megabytes"
LEAST_MEGABYTES = 1.0
"""Less memory than this is called this much: two runs of one method on a small table differ by as much."""
USAGE = ("utility.learning.naive_bayes", "utility.queries.are", "utility.regression")
"""Metrics of learning and counting, which take longer than the others."""
_ABOUT_ONE = ("risk.attribute.disclosed", "risk.attribute.belief", "utility.cm", "utility.regression")
"""Metrics whose measures end in the name of a column."""
_FAMILIES: Mapping[str, Sequence[str]] = {
    "class_sizes": ("utility.dm", "utility.cavg"),
    "classification": ("utility.cm",),
    "contingency": ("utility.contingency",),
    "disclosure": ("risk.attribute.disclosed", "risk.attribute.belief"),
    "distributions": ("utility.shift",),
    "generalization": ("utility.prec", "utility.genloss"),
    "loss": ("utility.gcp",),
    "marginals": ("utility.marginals.1.mean", "utility.marginals.2.mean"),
    "reidentification": ("risk.prosecutor.max", "risk.prosecutor.average"),
    "rows": ("utility.completeness",),
}
"""The families of measures that hold our metrics, but for those of use."""


@dataclass(frozen=True)
class Outcome:
    """What came of a run: values by metric, or why there are none."""

    status: str
    values: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""


def plan_for(
    setting: Setting,
    value: float,
    table: Table,
    roles: Mapping[str, Role],
    *,
    l: int = 0,  # noqa: E741 (the name it has in the literature)
    suppression: float = 0.0,
    seed: int = 0,
) -> Plan:
    """The plan of a run: `value` is the k, l or epsilon that is asked for, `l` what is asked beside k."""
    quasi = [name for name, role in roles.items() if role.name == "quasi"]
    number = NUMBER if NUMBER in roles else None
    ordered = [name for name in quasi if table.columns[name].kind.is_ordered]
    named = Named(quasi, SENSITIVE, number, partial(domains_of, table, list(roles)), ordered)
    method = setting.make(named)
    diverse = [LDiversity(l, SENSITIVE)] if l else []
    return Plan(
        dict(roles),
        [*setting.promises(value, SENSITIVE, seed), *diverse],
        setting.with_value(method, value),
        _suppression(method, suppression),
        seed=seed,
    )


def _suppression(method: Method, share: float) -> float:
    """The share of rows that a plan lets a method suppress: all of them where it draws some of the rows, and keeps no
    other."""
    if method.suppresses != "rows":
        return 0.0
    return 1.0 if method.samples_rows else share


def domains_of(table: Table, names: list[str]) -> dict[str, Any]:
    """What columns can hold, for methods that must not look it up: a list of values, or the ends of a line. Here it is
    taken from the table, as if its values were known to all: what is measured says nothing about anybody's privacy."""
    found: dict[str, Any] = {}
    for name in names:
        cells = table.frame[name]
        if cells.dtype.is_numeric() and cells.n_unique() > 100:
            low, high = float(str(cells.min())), float(str(cells.max()))
            found[name] = {"from": low, "to": high, "bins": 16}
        else:
            found[name] = sorted(as_text(cells.drop_nulls().unique()).to_list())
    return found


def run(
    table: Table,
    plan: Plan,
    *,
    encoder: Encoder = encode,
    seconds: float = 60.0,
    usage: bool | Collection[str] = True,
    target: str | None = SENSITIVE,
    number: str | None = NUMBER,
    processor: bool = True,
    metrics: Collection[str] | None = None,
) -> Outcome:
    """Run a plan and measure all metrics that apply, or those named in `metrics`. `usage` asks for those of learning
    and counting, which take longer, all of them or by name; a run that takes longer than `seconds` is stopped where its
    method looks up: of the processor's time, or of the clock's, where others work on the machine as well."""
    clock = Clock(seconds, time.process_time if processor else time.monotonic)
    memory = metrics is None or MEMORY in metrics
    outcome, release = released(table, plan, clock, encoder=encoder, memory=memory)
    if release is None:
        return outcome
    more = measured(release, usage=usage, target=target, number=number, metrics=metrics)
    return replace(outcome, values={**outcome.values, **more})


def released(
    table: Table, plan: Plan, clock: Clock, *, encoder: Encoder = encode, memory: bool = True
) -> tuple[Outcome, Release | None]:
    """Run a plan: its release, and what it cost; or why there is none. To say what `memory` it took, all that was freed
    before is given back first, which takes longer than a run on a small table."""
    before = _memory_begun() if memory else None
    try:
        release = anonymize(table, plan, encoder=encoder, progress=clock)
    except CancelledError:
        return Outcome("stopped", {}, f"it took longer than {clock.seconds:g} s"), None
    except InfeasibleError as error:
        return Outcome("infeasible", {}, str(error)), None
    except ParaventError as error:
        return Outcome("refused", {}, str(error)), None
    except (ValueError, ArithmeticError, LookupError, AssertionError, MemoryError, RuntimeError) as error:
        return Outcome("failed", {}, f"{type(error).__name__}: {error}"), None
    found = {"cost.seconds": max(clock.spent, 1e-5)}
    grown = _memory_grown(before)
    if grown is not None:
        found[MEMORY] = max(grown, LEAST_MEGABYTES)
    return Outcome("done", found), release


def measured(
    release: Release,
    *,
    usage: bool | Collection[str] = True,
    target: str | None = SENSITIVE,
    number: str | None = NUMBER,
    metrics: Collection[str] | None = None,
) -> dict[str, float]:
    """Every metric that applies to a release, by name, or those named in `metrics`; of those of use, all or the ones
    that `usage` names."""
    asked = (USAGE if usage else ()) if isinstance(usage, bool) else usage
    quick = [name for name, own in _FAMILIES.items() if metrics is None or not set(own).isdisjoint(metrics)]
    found = dict(_read(_measures(release, quick, Study()), release.plan, target, number))
    if "utility.queries.are" in asked:
        found |= dict(_read(_measures(release, ("queries",), Study(queries=100)), release.plan, target, number))
    if "utility.learning.naive_bayes" in asked and target is not None:
        found |= _accuracy(release, target)
    if "utility.regression" in asked and number is not None:
        found |= dict(_read(_measures(release, ("regression",), Study(target=number)), release.plan, target, number))
    return found


def _measures(release: Release, families: Iterable[str], study: Study) -> Measures:
    chosen = [family for family in known_families() if family.name in families]
    return Measures(found for family in chosen for found in family(release.subject, study))


def _accuracy(release: Release, target: str) -> dict[str, float]:
    try:
        found = accuracy(release.subject, Study(target=target, folds=2, most_rows=5_000))
    except ParaventError:
        return {}
    return {} if found is None else {"utility.learning.naive_bayes": found}


def _read(measures: Measures, plan: Plan, target: str | None, number: str | None) -> Iterator[tuple[str, float]]:
    for name in METRICS:
        key = name
        if name in _ABOUT_ONE:
            key = f"{name}.{number if name == 'utility.regression' else target}"
        if key in measures:
            yield name, float(measures[key])
    shifts = [float(measures[key]) for each in plan.quasi if (key := f"utility.shift.{each}") in measures]
    if shifts:
        yield "utility.shift", sum(shifts) / len(shifts)


@dataclass
class Clock:
    """A progress that takes the processor's time of the stage in which the method runs, and stops what takes long."""

    seconds: float
    clock: Callable[[], float]
    spent: float = 0.0
    _begun: float = 0.0
    _start: float = 0.0

    def __post_init__(self) -> None:
        self._start = self.clock()

    def __call__(self, stage: str, done: float) -> None:
        if stage == "anonymize":
            if done <= 0:
                self._begun = time.process_time()
            self.spent = time.process_time() - self._begun
        if self.clock() - self._start > self.seconds:
            raise CancelledError("it takes too long.")


def _memory_begun() -> float | None:
    """The megabytes that the process holds, its highest mark forgotten; None where the system does not say. What was
    freed before is given back first, or a run would be served from it and seem to need nothing."""
    try:
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        return _status("VmRSS")
    except (OSError, KeyError, AttributeError):
        return None


def _memory_grown(before: float | None) -> float | None:
    return None if before is None else _status("VmHWM") - before


def _status(entry: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    found = dict(line.split(":", 1) for line in lines if ":" in line)
    return float(found[entry].split()[0]) / 1024
