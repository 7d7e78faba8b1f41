"""Landmarks: evidence from the user's own table, within seconds that are given.

What the cube says is cheap runs on the whole table at once. All else runs on small samples of the table first, each a
part of the next, and on the whole as soon as that is expected to fit. On a share f of the rows k becomes k·f, so that
there are as many classes as on the whole table; where that is less than 2, k = 2 and k = 4 are taken, and what they
give is drawn on along the logarithm of rows over k. What a run will take is judged by what it took on the sample before
and by the budget of its search; a run that takes longer than is left is stopped where its method looks up.

Searches that go on for as long as they may are tried in haste (`Method.hasty`), and with all their work where they
could be the best and there is time for it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from paravent.knowledge.predicting.at_once import Order, again, at_once
from paravent.knowledge.predicting.probing import SIZES, Probe, Stand, Work
from paravent.plan.plan import Plan
from paravent.table.table import Table

__all__ = ["SIZES", "Order", "Probe", "probe"]

_SURE = 0.6
"""A run on the whole table is expected to fit that is thought to take so much of the time left at most."""


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
    work = Work(table, seconds, {"usage": usage, "target": target, "number": number, "metrics": metrics}, seed, clock)
    stands = [Stand(plan, cost) for plan, cost in zip(plans, prior or [0.0] * len(plans), strict=True)]
    if prior:
        at_once(work, stands, first)
    _by_samples(work, stands, (*(size for size in sizes if size < len(table)), len(table)))
    again(work, stands, first)
    return [stand.probes for stand in stands]


def _by_samples(work: Work, stands: Sequence[Stand], steps: Sequence[int]) -> None:
    """Run what is left on samples first, always what is expected to take least, and on the whole table as soon as it is
    expected to fit. Nobody takes more than a quarter of the time that is left or four times a fair share of it,
    whichever is more."""
    waiting = [stand for stand in stands if not stand.ended]
    while waiting:
        left = work.left
        sizes = [_next(stand, steps, work) for stand in waiting]
        costs = [stand.costs(size, work.table) for stand, size in zip(waiting, sizes, strict=True)]
        at = min(range(len(waiting)), key=lambda i: (costs[i], waiting[i].thought))  # of equals the first
        stand, size = waiting[at], sizes[at]
        if costs[at] * work.new(stand, size) > min(left, max(left / len(waiting) * 4, left / 4)):
            stand.ended = True
        else:
            work.run(stand, size, hasty=stand.in_haste)
        if stand.ended or size == len(work.table):
            del waiting[at]


def _next(stand: Stand, steps: Sequence[int], work: Work) -> int:
    """How many rows a plan runs on next: the smallest sample, unless the search has a budget, then the whole where that
    is expected to fit, else the next sample."""
    if not stand.probes and stand.budget == math.inf:
        return steps[0]
    if stand.costs(len(work.table), work.table) <= _SURE * work.left:
        return len(work.table)
    return next(size for size in steps if not stand.probes or size > stand.probes[-1].rows)
