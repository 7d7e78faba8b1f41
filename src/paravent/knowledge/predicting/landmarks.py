"""Landmarks: evidence from the user's own table, within seconds that are given.

What the cube says is cheap runs on the whole table at once. All else runs on small samples of the table first, each a
part of the next, and on the whole where that still fits. On a
share f of the rows k becomes k·f, so that there are as many classes as on the whole table; where that is less than 2,
k = 2 and k = 4 are taken, and what they give is drawn on along the logarithm of rows over k. What a run will take is
judged by what it took on the sample before; a run that takes longer than is left is stopped where its method looks up.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
_OVERHEAD = 5e-7
"""What a run needs beside its method to encode, verify and measure, in seconds a cell of the quasi-identifiers."""
_RISK = 1.2
"""A run that matters is made if so many times what it is thought to take is left."""
_TURN = 3
"""So many runs are made before it is asked again which matter."""
_BREAK = 6.0
"""A run goes without a sample if the time left is so many times what it is thought to take."""
_KEPT = 0.3
"""The share of the time that is kept for what needs a sample first."""
_SURE = 0.6
"""The share of the time left that runs may be thought to take and still be counted on."""


Order = Sequence[int] | Callable[[Mapping[int, Mapping[str, float]]], Sequence[int]]
"""Places of plans, or what tells them from the metrics that were measured, by place."""


@dataclass(frozen=True, eq=False)
class Probe:
    """A run on a sample: its rows and k, a share of the whole table's rows, what was measured, how long it took."""

    rows: int
    k: int
    whole: bool
    described: Descriptors
    values: Mapping[str, float]
    status: str
    reason: str
    seconds: float


@dataclass(eq=False)
class _Stand:
    """Where the probing of one plan stands."""

    plan: Plan
    thought: float = 0.0
    """The seconds that its method is thought to need on the whole table: what is cheap is tried first."""
    probes: list[Probe] = field(default_factory=list)
    ended: bool = False

    def expected(self, rows: int) -> float:
        """The seconds that a run on so many rows is expected to take."""
        done = [probe for probe in self.probes if probe.seconds > 0]
        if not done:
            return float(_FIRST * (rows / SIZES[0]) ** 0.7)
        last = done[-1]
        power = _GROWTH
        if len(done) > 1 and done[-2].rows < last.rows:
            seen = math.log(last.seconds / done[-2].seconds) / math.log(last.rows / done[-2].rows)
            power = min(2.5, max(1.0, seen))
        return float(last.seconds * (rows / last.rows) ** power)


def probe(
    table: Table,
    plans: Sequence[Plan],
    seconds: float,
    *,
    usage: bool | Sequence[str] = False,
    target: str | None = None,
    number: str | None = None,
    metrics: Sequence[str] | None = None,
    seed: int = 0,
    sizes: Sequence[int] = SIZES,
    prior: Sequence[float] = (),
    first: Order = (),
    clock: Callable[[], float] = time.monotonic,
) -> list[list[Probe]]:
    """Probe plans on samples of a table for so many seconds in all; the probes of each plan, small before large.
    `sizes` are the rows of the samples. `prior` are the seconds that each plan's method is thought to need on the whole
    table, where that is known: what is cheap then goes without samples. `first` are the places of plans that matter,
    or tells them from what has been measured on the whole table so far: they are tried before others. `clock` is what
    seconds are read from.

    `metrics` are those to measure (all), and `usage` asks for those of learning and counting, too. Samples are drawn by
    `seed`, so that the same plans are probed on the same rows; how far they come depends on the clock.
    """
    work = _Work(table, seconds, {"usage": usage, "target": target, "number": number, "metrics": metrics}, seed, clock)
    stands = [_Stand(plan, cost) for plan, cost in zip(plans, prior or [0.0] * len(plans), strict=True)]
    if prior:
        work.at_once(stands, [max(0.0, each) for each in prior], first)
    steps = (*(size for size in sizes if size < len(table)), len(table))
    for size in steps:
        waiting = sorted((s for s in stands if not s.ended), key=lambda stand: (stand.expected(size), stand.thought))
        skipping = work.affordable(waiting) if steps[0] < size < len(table) else 0
        for place, stand in enumerate(waiting[skipping:]):
            left = work.left
            # The cheap come first, and leave what they do not need; a quarter of what is left is theirs in any case.
            fair = max(left / (len(waiting) - skipping - place) * 4, left / 4)
            if stand.expected(size) * work.new(stand.plan, size) > min(left, fair):
                stand.ended = True
            else:
                work.run(stand, size)
    return [stand.probes for stand in stands]


@dataclass(eq=False)
class _Work:
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

    def at_once(self, stands: Sequence[_Stand], prior: Sequence[float], first: Order) -> None:
        """Run on the whole table what matters and what is cheap. How far the thought was wrong so far is taken into
        account. First come those that `first` names, as long as they fit; then the cheapest, so cheap that they would
        not break the budget if they took several times as long, and some of the time stays for the rest."""
        beside = [_OVERHEAD * len(self.table) * len(stand.plan.quasi) for stand in stands]
        thought = [cost + more for cost, more in zip(prior, beside, strict=True)]
        spent = foreseen = 0.0
        kept = self.seconds * _KEPT if len(self.table) > SIZES[0] else 0.0  # no sample is smaller than a small table
        named = True
        while True:
            slower = max(1.0, spent / foreseen) if foreseen else 1.0
            waiting = [at for at, stand in enumerate(stands) if not stand.ended]
            wanted = self._asked(stands, first) if named else sorted(waiting, key=lambda at: thought[at])
            room = (self.left - kept) / _RISK if named else self.left / _BREAK
            fitting = [at for at in wanted if not stands[at].ended and thought[at] * slower <= room]
            if not named and (not fitting or self.left < self.seconds * _KEPT):
                return
            named = named and bool(fitting)
            for at in fitting[:_TURN] if named else fitting[:1]:
                if thought[at] * slower > (self.left - kept if named else self.left):
                    break
                self.run(stands[at], len(self.table))
                stands[at].ended = True
                spent, foreseen = spent + stands[at].probes[-1].seconds, foreseen + thought[at]

    def _asked(self, stands: Sequence[_Stand], first: Order) -> Sequence[int]:
        """The places to try next; those that change with what was measured are asked again."""
        if not callable(first):
            return first
        seen = ((at, [p.values for p in stand.probes if p.whole]) for at, stand in enumerate(stands))
        return first({at: values[0] for at, values in seen if values and values[0]})

    def affordable(self, waiting: Sequence[_Stand]) -> int:
        """How many of the first plans can go on to the whole table at once, so that a sample between is no gain."""
        costs = np.cumsum([stand.expected(len(self.table)) for stand in waiting])
        return int(np.searchsorted(costs, _SURE * self.left))

    def new(self, plan: Plan, size: int) -> int:
        """The runs on a sample that have not been made yet."""
        return sum((size, repr(_with_k(plan, k))) not in self.known for k in _ks(plan, size, len(self.table)))

    def run(self, stand: _Stand, size: int) -> None:
        """Probe a plan on a sample, or on the whole table."""
        if size not in self.samples:
            order = np.random.default_rng(self.seed).permutation(len(self.table))
            self.samples[size] = _sample(self.table, order[:size]), SharedEncoding()
        sample, encoder = self.samples[size]
        names = tuple(stand.plan.quasi)
        if (size, names) not in self.described:
            self.described[size, names] = describe(sample, stand.plan)
        for k in _ks(stand.plan, size, len(self.table)):
            asked = _with_k(stand.plan, k)
            key = (size, repr(asked))  # plans that differ in k alone come to the same on small samples
            if key not in self.known:
                started = self.clock()
                limit = max(0.05, self.left)
                by_processor = self.clock is time.process_time
                outcome = run(sample, asked, encoder=encoder, seconds=limit, processor=by_processor, **self.options)
                spent = self.clock() - started
                about, whole = self.described[size, names], size == len(self.table)
                self.known[key] = Probe(size, k, whole, about, outcome.values, outcome.status, outcome.reason, spent)
            stand.probes.append(self.known[key])
            if self.known[key].status in ("stopped", "refused", "failed"):
                stand.ended = True
                break


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
