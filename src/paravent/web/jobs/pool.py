"""Pool: the processes that do jobs. One is always warm, so that a job begins at once; none serves two people.

A process that takes more memory or time than it may is ended, and the job says so; the server goes on.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from paravent.web.sentences import OUT_OF_MEMORY

_LOOK = 0.1
"""Seconds between two looks at what a process takes."""
_GRACE = 3.0
"""Seconds that a job has to stop by itself."""
_RETIRE = 1 << 30
"""A process that holds more bytes than these after a job is not used again."""
_SPARE_FOR = 300.0
"""Seconds that an idle process of a person waits for the next job."""


@dataclass(eq=False)
class Run:
    """One job for a process: what it is told, what it may take, and who hears of it."""

    owner: str
    told: Mapping[str, Any]
    memory: int
    seconds: float
    hear: Callable[[str, Mapping[str, Any]], None]
    urgent: bool = False
    """Somebody waits for it on the screen: it begins at once, beside those at work."""
    begun: float = 0.0
    stop_by: float | None = None
    ended: bool = field(default=False, init=False)


class _Worker:
    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.owner: str | None = None
        self.run: Run | None = None
        self.idle_since = time.monotonic()
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "paravent.web.jobs.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=environment,
            start_new_session=True,  # Ctrl-C is for the server, which stops its jobs by itself
        )
        threading.Thread(target=self._listen, daemon=True, name="job").start()

    def say(self, **told: Any) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self.process.stdin.write(f"{json.dumps(told)}\n")
            self.process.stdin.flush()

    def memory(self) -> int:
        """The bytes that it holds now."""
        try:
            with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError, IndexError):
            return 0

    def end(self) -> None:
        with contextlib.suppress(OSError):
            self.process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError, ValueError):
                assert pipe is not None
                pipe.close()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            for line in self.process.stdout:
                told = json.loads(line)
                self.pool.heard(self, told.pop("say"), told)
        self.pool.heard(self, "gone", {})


class Pool:
    """`slots` jobs run at a time, those of different people in turns."""

    _shared: Pool | None = None
    _sharing = threading.Lock()

    def __init__(self, slots: int | None = None) -> None:
        self.slots = slots or max(1, os.cpu_count() or 1)
        self._lock = threading.RLock()
        self._queue: list[Run] = []
        self._workers: list[_Worker] = []
        self._served: dict[str, float] = {}
        self._closed = False
        threading.Thread(target=self._watch, daemon=True, name="jobs").start()

    @classmethod
    def shared(cls) -> Pool:
        """The pool of this process."""
        with cls._sharing:
            if cls._shared is None:
                cls._shared = cls()
            return cls._shared

    def warm(self) -> None:
        """Have a process ready before it is needed."""
        with self._lock:
            if not self._closed and not any(worker.run is None and worker.owner is None for worker in self._workers):
                self._workers.append(_Worker(self))

    def submit(self, run: Run) -> None:
        with self._lock:
            self._queue.append(run)
            self._next()

    def stop(self, run: Run) -> None:
        """Ask a job to stop; one that waits never begins, and one that does not hear is ended."""
        with self._lock:
            if run in self._queue:
                self._queue.remove(run)
                self._over(run, "stopped", {})
                return
            for worker in self._workers:
                if worker.run is run and run.stop_by is None:
                    run.stop_by = time.monotonic() + _GRACE
                    worker.say(do="stop")

    def waiting(self) -> int:
        return len(self._queue)

    def close(self) -> None:
        """End all processes. Jobs that were at work are interrupted."""
        with self._lock:
            self._closed = True
            workers, self._workers = self._workers, []
            self._queue.clear()
        for worker in workers:
            worker.end()

    def heard(self, worker: _Worker, say: str, told: Mapping[str, Any]) -> None:
        """What a process said; `gone` when it ended."""
        with self._lock:
            run = worker.run
            if say == "gone" and worker in self._workers:
                self._workers.remove(worker)
                worker.end()
            if run is None or say == "ready":
                return
            if say == "progress":
                run.hear("progress", told)
                return
            worker.run = None
            worker.idle_since = time.monotonic()
            if say == "gone":
                if self._closed:
                    return
                if run.stop_by is not None:
                    self._over(run, "stopped", {})
                else:
                    self._over(run, "failed", {"error": OUT_OF_MEMORY if worker.process.returncode else _GONE})
            else:
                self._over(run, say, told)
                if worker.memory() > _RETIRE:
                    self._drop(worker)
            self._next()

    def _over(self, run: Run, say: str, told: Mapping[str, Any]) -> None:
        if not run.ended:
            run.ended = True
            run.hear(say, told)

    def _drop(self, worker: _Worker) -> None:
        if worker in self._workers:
            self._workers.remove(worker)
        threading.Thread(target=worker.end, daemon=True).start()

    def _next(self) -> None:
        busy = [worker.run.owner for worker in self._workers if worker.run is not None and not worker.run.urgent]
        while self._queue and not self._closed:
            run = min(self._queue, key=lambda each: (not each.urgent, self._turn(busy, each.owner)))
            if not run.urgent and len(busy) >= self.slots:
                return
            self._queue.remove(run)
            worker = self._free(run.owner)
            worker.owner, worker.run, run.begun = run.owner, run, time.monotonic()
            self._served[run.owner] = run.begun
            if not run.urgent:
                busy.append(run.owner)
            run.hear("running", {})
            worker.say(do="run", **run.told)

    def _turn(self, busy: list[str], owner: str) -> tuple[int, float]:
        """Whose turn it is: of those with the fewest jobs at work, who was served longest ago."""
        return busy.count(owner), self._served.get(owner, 0.0)

    def _free(self, owner: str) -> _Worker:
        idle = [worker for worker in self._workers if worker.run is None and worker.process.poll() is None]
        for wanted in (owner, None):
            for worker in idle:
                if worker.owner == wanted:
                    return worker
        worker = _Worker(self)
        self._workers.append(worker)
        return worker

    def _watch(self) -> None:
        while not self._closed:
            time.sleep(_LOOK)
            now = time.monotonic()
            with self._lock:
                for worker in list(self._workers):
                    run = worker.run
                    if run is None:
                        if worker.owner is not None and now - worker.idle_since > _SPARE_FOR:
                            self._drop(worker)
                        continue
                    why = self._reason(worker, run, now)
                    if why is not None:
                        worker.run = None
                        self._drop(worker)
                        self._over(run, *why)
                        self._next()

    def _reason(self, worker: _Worker, run: Run, now: float) -> tuple[str, Mapping[str, Any]] | None:
        """Why a process must end now."""
        if run.stop_by is not None and now > run.stop_by:
            return "stopped", {}
        if now - run.begun > run.seconds:
            return "failed", {
                "error": f"It took longer than the {run.seconds:g} seconds that one job may. "
                "Use fewer rows or columns, or a quicker method."
            }
        if worker.memory() > run.memory:
            return "failed", {"error": OUT_OF_MEMORY}
        return None


_GONE = "The process that did the work has ended. Start it again."
