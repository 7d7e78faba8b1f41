"""Progress: how far a piece of work is, told to whoever waits; and how it learns that it is to stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from paravent.errors import CancelledError

_OFTEN = 0.1
"""Seconds between two messages."""


class Progress:
    """What a kind of job is given: call it with the stage and the share of the whole that is done (0 to 1).

    `folder` is where it may leave files. A call raises CancelledError when somebody has stopped the job.
    """

    def __init__(self, folder: Path, tell: Callable[[str, float], None], stop: threading.Event | None = None) -> None:
        self.folder = folder
        self._tell = tell
        self._stop = stop or threading.Event()
        self._last = (0.0, "")

    def __call__(self, stage: str, done: float) -> None:
        if self._stop.is_set():
            raise CancelledError("it was stopped.")
        now = time.monotonic()
        if now - self._last[0] >= _OFTEN or stage != self._last[1]:
            self._last = (now, stage)
            self._tell(stage, min(1.0, max(0.0, float(done))))

    def part(self, begin: float, end: float, stage: str | None = None) -> Progress:
        """The progress of a part of the work, which goes from `begin` to `end` of the whole."""

        def tell(said: str, done: float) -> None:
            self(stage or said, begin + (end - begin) * done)

        return Progress(self.folder, tell, self._stop)

    def stages(self, shares: Mapping[str, float] | None = None) -> Stages:
        """For functions that tell a stage and the share of that stage."""
        return Stages(self, shares or ANONYMIZE)


ANONYMIZE: Mapping[str, float] = {
    "read": 0.0,
    "check": 0.02,
    "encode": 0.05,
    "anonymize": 0.1,
    "assemble": 0.75,
    "verify": 0.8,
}
"""How much of `pv.anonymize` lies behind it when a stage begins."""


class Stages:
    """Turns a stage and the share of it into the share of the whole. A stage that is not known is one of the longest.

    >>> told = []
    >>> stages = Progress(Path(), lambda said, done: told.append((said, round(done, 3)))).stages()
    >>> stages("encode", 0.5)
    >>> stages("searching", 0.2)
    >>> told
    [('encode', 0.075), ('searching', 0.23)]
    """

    def __init__(self, progress: Progress, begins: Mapping[str, float]) -> None:
        self._progress = progress
        self._begins = begins
        ends = [*list(begins.values())[1:], 1.0]
        self._ends = dict(zip(begins, ends, strict=True))
        self._inside = max(begins, key=lambda stage: self._ends[stage] - begins[stage])

    def __call__(self, stage: str, done: float) -> None:
        known = stage if stage in self._begins else self._inside  # methods have stages of their own
        begin, end = self._begins[known], self._ends[known]
        self._progress(stage, begin + (end - begin) * done)
