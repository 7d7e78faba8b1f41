"""Probing: runs of plans on the user's table or a sample of it, against a clock, and what came of each."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from paravent.comparison.encoding import SharedEncoding
from paravent.knowledge.cube.run import run
from paravent.knowledge.descriptors import Descriptors, describe
from paravent.plan.plan import Plan
from paravent.privacy import KAnonymity
from paravent.privacy.k_anonymity import k_asked
from paravent.table.table import Table

SIZES = (2_000, 8_000)
"""The rows of the samples; the whole table comes last."""
_GROWTH = 1.2
"""The power of the rows by which time is taken to grow, until it is known better."""
_FIRST = 0.1
"""What a run on the smallest sample is taken to need, in seconds, before any has been seen."""
_BESIDE, _A_CELL = 0.01, 5e-7
"""What a run needs beside its method to check, verify and measure, in seconds: once, and for each cell of the
quasi-identifiers."""
HASTE = 0.2
"""The share of its time that a hasty search is taken to need: 0.07 to 0.34 in 30 pairs of runs, 0.19 in the middle."""


@dataclass(frozen=True, eq=False)
class Probe:
    """A run on a sample: its rows and k, a share of the whole table's rows, what was measured, how long it took, and
    whether the method searched in haste."""

    rows: int
    k: int
    whole: bool
    described: Descriptors
    values: Mapping[str, float]
    status: str
    reason: str
    seconds: float
    hasty: bool = False


@dataclass(eq=False)
class Stand:
    """Where the probing of one plan stands. `thought` are the seconds that its method is thought to need on the whole
    table."""

    plan: Plan
    thought: float = 0.0
    probes: list[Probe] = field(default_factory=list)
    ended: bool = False

    @property
    def in_haste(self) -> bool:
        """Whether it is tried in haste first."""
        return self.plan.method.hasty is not None

    def price(self, table: Table) -> float:
        """The seconds that the first run on the whole table is thought to take."""
        method = max(0.0, min(self.thought * (HASTE if self.in_haste else 1.0), self.budget))
        return method + self._beside(table)

    def _beside(self, table: Table) -> float:
        return _BESIDE + _A_CELL * len(table) * len(self.plan.quasi)

    @property
    def budget(self) -> float:
        """The seconds that the search which is tried first is given; endless where it has no budget."""
        return float(getattr(self.plan.method.hasty or self.plan.method, "seconds", math.inf))

    def costs(self, rows: int, table: Table) -> float:
        """The seconds that a run on so many rows of the table is expected to take; on all of them no more than is
        thought without a sample, or than its search is given."""
        seen = min(self.expected(rows), self.budget + self._beside(table))
        return min(seen, self.price(table)) if self.thought > 0 and rows == len(table) else seen

    def expected(self, rows: int) -> float:
        """What the samples so far say of the seconds that a run on so many rows takes."""
        done = [probe for probe in self.probes if probe.seconds > 0]
        if not done:
            return float(_FIRST * (rows / SIZES[0]) ** 0.7)
        last = done[-1]
        power = _GROWTH
        if len(done) > 1 and done[-2].rows < last.rows:
            seen = math.log(last.seconds / done[-2].seconds) / math.log(last.rows / done[-2].rows)
            power = min(2.5, max(1.0, seen))
        return float(last.seconds * (rows / last.rows) ** power)


@dataclass(eq=False)
class Work:
    """Runs on samples of one table against one clock; no plan runs twice on the same rows."""

    table: Table
    seconds: float
    options: Mapping[str, Any]
    seed: int
    clock: Callable[[], float]
    begun: float = 0.0
    known: dict[tuple[int, str], Probe] = field(default_factory=dict)
    samples: dict[int, tuple[Table, SharedEncoding]] = field(default_factory=dict)
    described: dict[tuple[int, tuple[str, ...]], Descriptors] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.begun = self.clock()

    @property
    def left(self) -> float:
        return self.seconds - (self.clock() - self.begun)

    def new(self, stand: Stand, size: int) -> int:
        """The runs on a sample that have not been made yet."""
        plan = _tried(stand.plan, hasty=stand.in_haste)
        return sum((size, repr(_with_k(plan, k))) not in self.known for k in _ks(plan, size, len(self.table)))

    def run(self, stand: Stand, size: int, *, hasty: bool) -> None:
        """Probe a plan on a sample, or on the whole table."""
        if size not in self.samples:
            order = np.random.default_rng(self.seed).permutation(len(self.table))
            self.samples[size] = _sample(self.table, order[:size]), SharedEncoding()
        sample, encoder = self.samples[size]
        names = tuple(stand.plan.quasi)
        if (size, names) not in self.described:
            self.described[size, names] = describe(
                sample, stand.plan, self.options.get("target"), number=self.options.get("number")
            )
        for k in _ks(stand.plan, size, len(self.table)):
            asked = _with_k(_tried(stand.plan, hasty=hasty), k)
            key = (size, repr(asked))  # plans that differ in k alone come to the same on small samples
            if key not in self.known:
                started = self.clock()
                limit = max(0.05, self.left)
                by_processor = self.clock is time.process_time
                outcome = run(sample, asked, encoder=encoder, seconds=limit, processor=by_processor, **self.options)
                spent = self.clock() - started
                about, whole = self.described[size, names], size == len(self.table)
                told = outcome.values, outcome.status, outcome.reason
                self.known[key] = Probe(size, k, whole, about, *told, spent, hasty)
            stand.probes.append(self.known[key])
            if self.known[key].status in ("stopped", "refused", "failed"):
                stand.ended = True
                break


def _tried(plan: Plan, *, hasty: bool) -> Plan:
    method = plan.method.hasty if hasty else None
    return plan if method is None else plan.replace(method=method)


def _ks(plan: Plan, rows: int, whole: int) -> Iterator[int]:
    """The k of a sample: as many classes as on the whole table, or 2 and 4 where that cannot be."""
    k = k_asked(plan.models)
    if k is None or rows == whole:
        yield k or 0
        return
    scaled = k * rows / whole
    if scaled >= 2:
        yield round(scaled)
    else:
        yield from (2, 4)


def _with_k(plan: Plan, k: int) -> Plan:
    if not k:
        return plan
    return plan.replace(protect=[KAnonymity(k) if isinstance(p, KAnonymity) else p for p in plan.protect])


def _sample(table: Table, rows: np.ndarray) -> Table:
    if len(rows) == len(table):
        return table
    rows = np.sort(rows)
    origin = replace(table.origin, address=None, fingerprint="", source=None)
    return replace(table, frame=table.frame[rows.tolist()], rows=table.rows[rows], origin=origin)
