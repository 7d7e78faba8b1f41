"""Landmarks: evidence from the user's own table, within seconds that are given.

A method runs on small samples of the table first, each a part of the next, and on the whole where that still fits. On a
share f of the rows k becomes k·f, so that there are as many classes as on the whole table; where that is less than 2,
k = 2 and k = 4 are taken, and what they give is drawn on along the logarithm of rows over k. What a run will take is
judged by what it took on the sample before; a run that takes longer than is left is stopped where its method looks up.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

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
    usage: bool = False,
    target: str | None = None,
    number: str | None = None,
    seed: int = 0,
    sizes: Sequence[int] = SIZES,
) -> list[list[Probe]]:
    """Probe plans on samples of a table for so many seconds in all; the probes of each plan, small before large.
    `sizes` are the rows of the samples.

    `usage` asks for the metrics of learning and counting, too. Samples are drawn by `seed`, so that the same plans are
    probed on the same rows; how far they come depends on the clock.
    """
    begun = time.monotonic()
    stands = [_Stand(plan) for plan in plans]
    order = np.random.default_rng(seed).permutation(len(table))
    known: dict[tuple[int, str], Probe] = {}
    for size in (*(size for size in sizes if size < len(table)), len(table)):
        sample = _sample(table, order[:size])
        described: dict[tuple[str, ...], Descriptors] = {}
        encoder = SharedEncoding()
        waiting = sorted((s for s in stands if not s.ended), key=lambda stand: stand.expected(size))
        for place, stand in enumerate(waiting):
            left = seconds - (time.monotonic() - begun)
            fair = left / (len(waiting) - place) * 4  # the cheap come first, and leave what they do not need
            wanted = list(_ks(stand.plan, size, len(table)))
            new = [k for k in wanted if (size, repr(_with_k(stand.plan, k))) not in known]
            if stand.expected(size) * len(new) > min(left, fair):
                stand.ended = True
                continue
            names = tuple(stand.plan.quasi)
            if names not in described:
                described[names] = describe(sample, stand.plan)
            for k in wanted:
                asked = _with_k(stand.plan, k)
                key = (size, repr(asked))  # plans that differ in k alone come to the same on small samples
                if key not in known:
                    started = time.monotonic()
                    outcome = run(
                        sample,
                        asked,
                        encoder=encoder,
                        seconds=max(0.05, seconds - (started - begun)),
                        usage=usage,
                        target=target,
                        number=number,
                        processor=False,
                    )
                    spent = time.monotonic() - started
                    whole = size == len(table)
                    about = described[names]
                    known[key] = Probe(size, k, whole, about, outcome.values, outcome.status, outcome.reason, spent)
                stand.probes.append(known[key])
                if known[key].status in ("stopped", "refused", "failed"):
                    stand.ended = True
                    break
    return [stand.probes for stand in stands]


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
