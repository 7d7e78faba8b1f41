"""One candidate of the guide becomes a verified release, measured on the criteria of its context."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paravent.errors import CancelledError, InfeasibleError
from paravent.guide import Context
from paravent.guide.running import DONE, MOST_SECONDS, STOPPED, values_of
from paravent.knowledge.cube.run import Clock, released
from paravent.web.jobs.kinds.anonymize import kept_release

if TYPE_CHECKING:
    from paravent.web.jobs.progress import Progress, Stages
    from paravent.web.workspace.project import Project

EVERYTHING = {("time", "memory"): 1.0}
"""Preferences that name what a run costs, so that it is kept with the rest: it may matter later."""


def run(project: Project, arguments: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """`name` and `plan` of the candidate, and the `context` that it is for. The result is that of a release, with what
    was measured by criterion under `values`."""
    plan = project.plan_from(arguments["plan"])
    context = Context.from_dict(arguments["context"]).replace(preferences=EVERYTHING)
    begun = time.monotonic()
    clock = _Telling(context.time or MOST_SECONDS, progress.part(0.0, 0.7).stages())
    outcome, release = released(project.table(), plan, clock)
    if release is None:
        if outcome.status == STOPPED and clock.cancelled:
            raise CancelledError("it was stopped.")
        raise InfeasibleError(outcome.reason)
    progress("measure", 0.7)
    values = values_of(release, outcome, context)
    progress("keep", 0.9)
    told = kept_release(release, progress.folder)
    release.report(progress.folder / "report.html")
    seconds = time.monotonic() - begun
    return {**told, "status": DONE, "signature": arguments["name"], "values": values, "seconds": seconds}


class _Telling(Clock):
    """A clock that tells how far the work is, and learns that it is to stop."""

    def __init__(self, seconds: float, stages: Stages) -> None:
        super().__init__(seconds, time.monotonic)
        self._stages = stages
        self.cancelled = False

    def __call__(self, stage: str, done: float) -> None:
        try:
            self._stages(stage, done)
        except CancelledError:
            self.cancelled = True
            raise
        super().__call__(stage, done)
