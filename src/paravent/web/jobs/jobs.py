"""Jobs of a project: started, watched, stopped, and found again after the server was killed."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paravent.errors import PlanError
from paravent.web.jobs.job import FILE, FILES, RESULT, Job
from paravent.web.jobs.kinds import kind_named
from paravent.web.jobs.pool import Pool, Run
from paravent.web.workspace.files import Missing, checked_id, erase, load_json, new_id, private_folder, save_json, sweep

if TYPE_CHECKING:
    from paravent.web.workspace.project import Project

_KEPT = 100
"""Jobs that are over and kept; older ones go, unless the document speaks of them."""
_SOON = 1.0
"""Seconds before which nothing is said of the time that is left."""


class Jobs:
    """Jobs by their ids. What they leave lies in a folder each; the server may be killed at any time.

    >>> import tempfile
    >>> from paravent.web.workspace.workspace import Workspace
    >>> project = Workspace(tempfile.mkdtemp()).create("Patients")
    >>> project.jobs.start("publish")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    paravent.errors.PlanError: there is no job of the kind 'publish'. There is anonymize, ...
    """

    def __init__(self, project: Project, pool: Pool | None = None) -> None:
        self._project = project
        self._folder = private_folder(project.folder / "jobs")
        self._pool = pool
        self._lock = threading.RLock()
        self._runs: dict[str, Run] = {}
        self._jobs: dict[str, Job] = {}
        if not project.read_only:
            sweep(self._folder)
        for path in sorted(self._folder.iterdir()):
            told = load_json(path / FILE)
            if told is not None:
                self._jobs[path.name] = self._found(path, told)

    def start(self, kind: str, **arguments: Any) -> Job:
        """Start a piece of work; it runs as soon as there is room."""
        self._project.refuse_change()
        kind_named(kind)
        own = new_id()
        job = Job(own, kind, arguments, private_folder(self._folder / own))
        self._begin(job)
        return self.get(own)

    def get(self, id: str) -> Job:
        with self._lock:
            if checked_id(id, "job") not in self._jobs:
                raise Missing("there is no such job. Start it again.")
            return self._jobs[id]

    def list(self) -> list[Job]:
        """All jobs, the latest first."""
        with self._lock:
            return sorted(self._jobs.values(), key=lambda job: (-job.created, job.id))

    def stop(self, id: str) -> None:
        """Stop a job; one that is over stays as it is."""
        self._project.refuse_change()
        self.get(id)
        run = self._runs.get(id)
        if run is not None:
            self._the_pool().stop(run)

    def restart(self, id: str) -> Job:
        """Do a job again that failed, was stopped or interrupted, with the same arguments."""
        self._project.refuse_change()
        job = self.get(id)
        if not job.over:
            raise PlanError("the job is at work. Stop it first, or wait for it.")
        erase(job.folder / FILES)
        erase(job.folder / RESULT)
        self._begin(Job(job.id, job.kind, job.arguments, job.folder))
        return self.get(id)

    def delete(self, id: str) -> None:
        """Stop a job, and delete what it left."""
        self._project.refuse_change()
        self._abandon(self.get(id))
        self._project.tell("jobs")

    def forget(self) -> None:
        """Stop all jobs, and delete whatever they left."""
        for job in self.list():
            self._abandon(job)
        self._project.tell("jobs")

    def wait(self, id: str, seconds: float = 60.0) -> Job:
        """Wait for a job to be over, for at most so many seconds."""
        end = time.monotonic() + seconds
        while not self.get(id).over and time.monotonic() < end:
            time.sleep(0.02)
        return self.get(id)

    def _the_pool(self) -> Pool:
        return self._pool or Pool.shared()

    def _begin(self, job: Job) -> None:
        quota = self._project.quota
        told = {
            "job": str(job.folder),
            "project": str(self._project.folder),
            "kind": job.kind,
            "arguments": dict(job.arguments),
            "memory": quota.memory,
            "quota": asdict(quota),
        }
        owner = str(self._project.folder.parent)
        run = Run(owner, told, quota.memory, quota.seconds, lambda say, more: self._hear(job.id, job.folder, say, more))
        with self._lock:
            self._keep(job)
            self._runs[job.id] = run
            self._tidy()
        self._project.witness("job started", job=job.id, kind=job.kind)
        self._project.tell("jobs")
        self._the_pool().submit(run)

    def _hear(self, id: str, folder: Path, say: str, told: Mapping[str, Any]) -> None:
        with self._lock:
            job = self._jobs.get(id)
            if job is None:  # deleted while it was at work
                if say not in ("running", "progress"):
                    erase(folder)
                return
            if say == "running":
                job = job.with_(state="running", started=time.time())
                self._keep(job)
            elif say == "progress":
                job = job.with_(progress=told["done"], said=told["said"], left=_left(job, told["done"]))
                self._jobs[id] = job
            else:
                self._runs.pop(id, None)
                self._finish(job, say, told)
        self._project.tell("jobs")

    def _finish(self, job: Job, say: str, told: Mapping[str, Any]) -> None:
        now = time.time()
        self._project.witness("job over", job=job.id, kind=job.kind, state=say)
        if say == "done":
            result = load_json(job.folder / RESULT)
            self._keep(job.with_(state="done", progress=1.0, left=None, finished=now, result=result))
        elif say == "stopped":
            erase(job.folder / FILES)
            self._keep(job.with_(state="stopped", left=None, finished=now))
        else:
            erase(job.folder / FILES)
            self._keep(job.with_(state="failed", left=None, finished=now, error=str(told.get("error", ""))))

    def _keep(self, job: Job) -> None:
        save_json(job.folder / FILE, job.saved())
        self._jobs[job.id] = job

    def _found(self, folder: Path, told: dict[str, Any]) -> Job:
        """A job as it was left: one that was at work when the server ended is done if its result is there, and else
        interrupted."""
        result = load_json(folder / RESULT)
        job = Job.loaded(folder, told, result if told["state"] in ("done", "waiting", "running") else None)
        if job.over or self._project.read_only:
            return job
        if result is not None:
            job = job.with_(state="done", progress=1.0, finished=time.time())
        else:
            erase(folder / FILES)
            job = job.with_(state="interrupted", error=INTERRUPTED, finished=time.time())
        save_json(folder / FILE, job.saved())
        return job

    def _abandon(self, job: Job) -> None:
        self.stop(job.id)
        with self._lock:
            self._jobs.pop(job.id, None)
            self._runs.pop(job.id, None)
            erase(job.folder)

    def _tidy(self) -> None:
        document = self._project.document
        spoken = {document.release, document.guidance}
        over = [job for job in self.list() if job.over and job.id not in spoken]
        for job in over[_KEPT:]:
            self._jobs.pop(job.id, None)
            erase(job.folder)


INTERRUPTED = "It was interrupted, because the server stopped. Start it again."


def _left(job: Job, done: float) -> float | None:
    if job.started is None or done <= 0.02:
        return None
    spent = time.time() - job.started
    return None if spent < _SOON else spent * (1 - done) / done
