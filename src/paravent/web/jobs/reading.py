"""Reading apart from the server: a file that unpacks to more than the memory, or makes a reader crash, takes only that
process down."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from paravent.errors import TableError
from paravent.web.jobs.pool import Pool, Run

if TYPE_CHECKING:
    from paravent.web.workspace.document import Source
    from paravent.web.workspace.project import Project

SECONDS = 600.0


def read_apart(project: Project, source: Source) -> None:
    """Have a process read a table of a project and keep it on disk. It waits; the error is that of the reader."""
    over = threading.Event()
    heard: list[tuple[str, Mapping[str, Any]]] = []

    def hear(say: str, told: Mapping[str, Any]) -> None:
        if say not in ("running", "progress"):
            heard.append((say, told))
            over.set()

    quota = project.quota
    told = {
        "kind": "read",
        "project": str(project.folder),
        "source": source.model_dump(mode="json"),
        "memory": quota.memory,
        "quota": asdict(quota),
    }
    run = Run(str(project.folder.parent), told, quota.memory, min(SECONDS, quota.seconds), hear, urgent=True)
    Pool.shared().submit(run)
    if not over.wait(SECONDS + 60):
        Pool.shared().stop(run)
        raise TableError("the table could not be read in time. Upload fewer rows or columns.")
    say, more = heard[0]
    if say != "done":
        raise TableError(str(more.get("raw") or more.get("error") or "it was stopped."))
