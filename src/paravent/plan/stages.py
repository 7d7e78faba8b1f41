"""Stages of a run: their names for the progress, their times for the record."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from paravent.methods.method import Progress


@dataclass
class Stages:
    """Times each stage and reports its start and end."""

    progress: Progress
    timings: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        self.progress(name, 0.0)
        begun = time.perf_counter()
        yield
        self.timings[name] = self.timings.get(name, 0.0) + time.perf_counter() - begun
        self.progress(name, 1.0)
