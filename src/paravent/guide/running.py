"""Running: signatures become releases, measured on the criteria of a context, several at a time.

What is finished is kept when the work is stopped. Where time or memory is a criterion, signatures run one after the
other, so that none is charged with the work of another.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from paravent.errors import CancelledError
from paravent.guide.context import Context
from paravent.guide.signatures import Signature
from paravent.knowledge.cube.criteria import CRITERIA
from paravent.knowledge.cube.run import Clock, Outcome, measured, released
from paravent.methods.method import Progress
from paravent.plan.release import Release
from paravent.table.table import Table

MOST_SECONDS = 3600.0
WAITING, DONE, STOPPED = "waiting", "done", "stopped"


@dataclass(frozen=True, eq=False)
class Result:
    """What came of a signature: values by criterion, or the reason why there are none. The `release` is there while
    the process lasts."""

    name: str
    status: str
    values: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""
    seconds: float = 0.0
    release: Release | None = None


def run_all(
    table: Table,
    signatures: Sequence[Signature],
    context: Context,
    *,
    budget: float | None = None,
    progress: Progress | None = None,
    finished: Callable[[Result], None],
) -> bool:
    """Run signatures, in their order, for at most `budget` seconds; `finished` is given each result. False: the work
    was stopped, by `progress`, by Ctrl-C or because the time was up, and the rest was not run."""
    end = time.monotonic() + (MOST_SECONDS if budget is None else budget)
    alone = bool({"time", "memory"} & set(context.goals.weights))
    tell = _Told(progress, len(signatures))
    with ThreadPoolExecutor(1 if alone else min(2, os.cpu_count() or 1)) as pool:
        waiting = {pool.submit(_run, table, each, context, end, tell): each for each in signatures}
        try:
            return _collect(waiting, finished, tell)
        except (KeyboardInterrupt, CancelledError):
            tell.stop.set()
            _collect(waiting, finished, tell, quietly=True)
            return False


def _collect(
    waiting: Mapping[Future[Result], Signature],
    finished: Callable[[Result], None],
    tell: _Told,
    *,
    quietly: bool = False,
) -> bool:
    left, whole = {each for each in waiting if not getattr(each, "taken", False)}, True
    while left:
        done, left = wait(left, timeout=0.1, return_when=FIRST_COMPLETED)
        for each in sorted(done, key=lambda future: waiting[future].name):
            result = each.result()
            each.taken = True  # type: ignore[attr-defined]
            whole = whole and result.status != STOPPED
            finished(result)
            tell.done += 1
        if not quietly:
            tell.speak()
    return whole


def _run(table: Table, signature: Signature, context: Context, end: float, tell: _Told) -> Result:
    left = end - time.monotonic()
    if tell.stop.is_set() or left <= 0:
        return Result(signature.name, STOPPED, reason="there was no time left to run it.")
    limit = left if context.time is None else min(left, context.time)
    begun = time.monotonic()
    memory = "memory" in context.goals.weights
    outcome, release = released(table, signature.plan, _Stoppable(limit, tell.stop), memory=memory)
    if release is None:
        return Result(signature.name, outcome.status, {}, outcome.reason, time.monotonic() - begun)
    values = values_of(release, outcome, context)
    return Result(signature.name, DONE, values, "", time.monotonic() - begun, release)


def values_of(release: Release, outcome: Outcome, context: Context) -> dict[str, float]:
    """What was measured, by criterion of the context."""
    found = {
        **outcome.values,
        **measured(
            release,
            usage=[CRITERIA[name].metric.name for name in context.goals.weights],
            target=context.target if context.use == "classification" else next(iter(release.plan.sensitive), None),
            number=context.target if context.use == "regression" else None,
        ),
    }
    named = {name: CRITERIA[name].metric.name for name in context.goals.weights}
    return {name: float(found[metric]) for name, metric in named.items() if metric in found}


class _Stoppable(Clock):
    """A clock that looks, too, whether somebody has stopped the work."""

    def __init__(self, seconds: float, stop: threading.Event) -> None:
        super().__init__(seconds, time.monotonic)
        self._stop = stop

    def __call__(self, stage: str, done: float) -> None:
        if self._stop.is_set():
            raise CancelledError("it was stopped.")
        super().__call__(stage, done)


class _Told:
    """Progress over all signatures."""

    def __init__(self, progress: Progress | None, count: int) -> None:
        self.progress, self.count, self.done, self.stop = progress, count, 0, threading.Event()

    def speak(self) -> None:
        if self.progress is not None:
            self.progress(f"{self.done} of {self.count} signatures", self.done / max(1, self.count))
