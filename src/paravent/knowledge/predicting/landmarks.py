"""Landmarks: evidence from the user's own table, within seconds that are given.

What the cube says is cheap runs on the whole table at once. All else runs on small samples of the table first, each a
part of the next, and on the whole where that still fits. On a
share f of the rows k becomes k·f, so that there are as many classes as on the whole table; where that is less than 2,
k = 2 and k = 4 are taken, and what they give is drawn on along the logarithm of rows over k. What a run will take is
judged by what it took on the sample before; a run that takes longer than is left is stopped where its method looks up.

Searches that go on for as long as they may are tried in haste (`Method.hasty`), and with all their work at the end, if
there is time for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from paravent.knowledge.predicting.at_once import Order, again, at_once
from paravent.knowledge.predicting.probing import SIZES, Probe, Stand, Work
from paravent.plan.plan import Plan
from paravent.table.table import Table

__all__ = ["SIZES", "Order", "Probe", "probe"]

_SURE = 0.6
"""The share of the time left that runs may be thought to take and still be counted on."""


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
    steps = (*(size for size in sizes if size < len(table)), len(table))
    for size in steps:
        waiting = sorted((s for s in stands if not s.ended), key=lambda s: (s.costs(size, table), s.thought))
        skipping = _affordable(work, waiting) if steps[0] < size < len(table) else 0
        for place, stand in enumerate(waiting[skipping:]):
            left = work.left
            # The cheap come first, and leave what they do not need; a quarter of what is left is theirs in any case.
            fair = max(left / (len(waiting) - skipping - place) * 4, left / 4)
            if stand.costs(size, table) * work.new(stand, size) > min(left, fair):
                stand.ended = True
            else:
                work.run(stand, size, hasty=stand.in_haste)
    again(work, stands, first)
    return [stand.probes for stand in stands]


def _affordable(work: Work, waiting: Sequence[Stand]) -> int:
    """How many of the first plans can go on to the whole table at once, so that a sample between is no gain."""
    costs = np.cumsum([stand.costs(len(work.table), work.table) for stand in waiting])
    return int(np.searchsorted(costs, _SURE * work.left))
