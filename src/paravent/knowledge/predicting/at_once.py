"""Runs on the whole table, without a sample first: what matters, what is cheap, and at last what was tried in haste.

How far the thought of what runs take was wrong so far is taken into account.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from paravent.knowledge.predicting.probing import HASTE, SIZES, Probe, Stand, Work

Measured = Mapping[int, Mapping[str, float]]
"""The metrics that were measured on the whole table, by the place of a plan."""

Order = Sequence[int] | Callable[[Measured, Measured], Sequence[int]]
"""Places of plans in the order in which they matter, or what tells them from what was measured so far, and from what
was measured in haste and could be run again."""

_RISK = 1.2
"""A run that matters is made if so many times what it is thought to take is left."""
_TURN = 3
"""So many runs are made before it is asked again which matter."""
_BREAK = 6.0
"""A run goes without a sample if the time left is so many times what it is thought to take."""
_KEPT = 0.3
"""The share of the time that is kept for what needs a sample first."""


def at_once(work: Work, stands: Sequence[Stand], first: Order) -> None:
    """Run on the whole table what matters and what is cheap. First come those that `first` names, as long as they fit;
    then, with all their work, those tried in haste that matter still; then the cheapest, so cheap that they would not
    break the budget if they took several times as long, and some of the time stays for the rest."""
    prices = Prices([stand.price(work.table) for stand in stands], [repr(stand.plan.method) for stand in stands])
    kept = work.seconds * _KEPT if len(work.table) > SIZES[0] else 0.0  # no sample is smaller than a small table
    named = True
    while True:
        waiting = [at for at, stand in enumerate(stands) if not stand.ended]
        wanted = _asked(stands, first) if named else sorted(waiting, key=prices.of)
        room = (work.left - kept) / _RISK if named else work.left / _BREAK
        fitting = [at for at in wanted if not stands[at].ended and prices.of(at) <= room]
        if not named and (not fitting or work.left < kept):
            return
        if named and not fitting:
            named = False
            again(work, stands, first, kept)
            continue
        for at in fitting[:_TURN] if named else fitting[:1]:
            if prices.of(at) > (work.left - kept if named else work.left):
                break
            work.run(stands[at], len(work.table), hasty=stands[at].in_haste)
            stands[at].ended = True
            prices.paid(at, stands[at].probes[-1].seconds)


@dataclass(eq=False)
class Prices:
    """What runs are thought to take, corrected by what others took: of the same method, or of all."""

    thought: Sequence[float]
    methods: Sequence[str]
    spent: dict[str, list[float]] = field(default_factory=dict)
    """What was thought and what was paid, by method."""

    def of(self, at: int) -> float:
        """The seconds of a plan."""
        thought, paid = self.spent.get(self.methods[at], self.spent.get("", [1.0, 1.0]))
        factor = paid / thought
        return self.thought[at] * (factor if self.methods[at] in self.spent else max(1.0, factor))

    def paid(self, at: int, seconds: float) -> None:
        for name in (self.methods[at], ""):
            sums = self.spent.setdefault(name, [0.0, 0.0])
            sums[0] += self.thought[at]
            sums[1] += seconds


def again(work: Work, stands: Sequence[Stand], first: Order, kept: float = 0.0) -> None:
    """Run what was tried in haste and could still be the best with all its work, as long as there is time, of which
    some is kept."""
    hurried = {
        at: probe.seconds / HASTE
        for at, stand in enumerate(stands)
        if (probe := _hasty(stand)) is not None and _exact(stand) is None
    }
    while hurried:
        wanted = [at for at in _asked(stands, first, hurried) if at in hurried]
        fitting = [at for at in wanted if hurried[at] * _RISK <= work.left - kept]
        if not fitting:
            return
        work.run(stands[fitting[0]], len(work.table), hasty=False)
        del hurried[fitting[0]]


def _asked(stands: Sequence[Stand], first: Order, hurried: Collection[int] | None = None) -> Sequence[int]:
    """The places to try next; those that change with what was measured are asked again."""
    if not callable(first):
        return first or sorted(hurried or ())
    exact = {at: probe.values for at, stand in enumerate(stands) if (probe := _exact(stand)) is not None}
    hasty = {at: probe.values for at, stand in enumerate(stands) if (probe := _hasty(stand)) is not None}
    if hurried is None:
        return first({**hasty, **exact}, {})
    return first(exact, {at: values for at, values in hasty.items() if at in hurried})


def _exact(stand: Stand) -> Probe | None:
    return next((probe for probe in stand.probes if probe.whole and probe.values and not probe.hasty), None)


def _hasty(stand: Stand) -> Probe | None:
    return next((probe for probe in stand.probes if probe.whole and probe.values and probe.hasty), None)
