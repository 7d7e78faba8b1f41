"""Workspace: the projects of one person, in a folder of their own."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paravent.web.workspace.files import (
    Missing,
    NotAllowed,
    checked_id,
    erase,
    load_json,
    new_id,
    private_folder,
    size_of,
    sweep,
)
from paravent.web.workspace.project import FILE, Project, Witness, unseen
from paravent.web.workspace.quota import Quota


@dataclass(frozen=True)
class Summary:
    """A project in the list; times are seconds since 1970."""

    id: str
    name: str
    created: float
    changed: float
    table: str | None
    """The name of its table, where it has one."""


class Workspace:
    """The folder of one person. One process at a time may work in it, and others may look (`read_only`).

    >>> import tempfile
    >>> workspace = Workspace(tempfile.mkdtemp())
    >>> project = workspace.create("Patients")
    >>> [each.name for each in workspace.projects()], workspace.open(project.id) is project
    (['Patients'], True)
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        quota: Quota | None = None,
        read_only: bool = False,
        witness: Witness = unseen,
    ) -> None:
        self.folder = private_folder(Path(folder).absolute())
        self.quota = quota or Quota()
        self.read_only = read_only
        self._witness = witness
        self._lock = threading.RLock()
        self._open: dict[str, Project] = {}
        self._projects = private_folder(self.folder / "projects")
        if not read_only:
            sweep(self._projects)

    def create(self, name: str) -> Project:
        """A new project."""
        if self.read_only:
            raise NotAllowed("you may look at projects, and not make any.")
        self.quota.refuse_workspace(self.size())
        with self._lock:
            own = new_id()
            self._open[own] = Project.create(self._projects / own, name, **self._given())
            return self._open[own]

    def projects(self) -> list[Summary]:
        """All projects, the one that was changed last first."""
        found = []
        for path in self._projects.iterdir():
            told = load_json(path / FILE) if not path.name.startswith(".") else None
            if told is not None:
                document = told["document"]
                table = document["source"]["name"] if document.get("source") else None
                found.append(Summary(path.name, document["name"], told["created"], told["changed"], table))
        return sorted(found, key=lambda each: (-each.changed, each.id))

    def open(self, id: str) -> Project:
        """A project by its id: the same object for everybody who asks."""
        own = checked_id(id, "project")
        if self.read_only:  # as it is now: it is changed elsewhere
            return Project(self._projects / own, read_only=True, **self._given())
        with self._lock:
            if own not in self._open:
                if not (self._projects / own / FILE).is_file():
                    raise Missing("there is no such project. Go back to the list, and choose one.")
                self._open[own] = Project(self._projects / own, **self._given())
            return self._open[own]

    def delete(self, id: str) -> None:
        """Delete a project with everything in it: table, results, history."""
        project = self.open(id)
        project.forget_tables()
        with self._lock:
            self._open.pop(project.id, None)
            erase(project.folder)
        project.witness("project deleted")
        project.tell("deleted")

    def _given(self) -> dict[str, Any]:
        return {"quota": self.quota, "witness": self._witness, "used": self.size}

    def size(self) -> int:
        """The bytes that the workspace takes."""
        return size_of(self.folder)

    def retire(self, now: float | None = None) -> list[str]:
        """Delete the tables of projects that nobody has changed for as long as they are kept; their names."""
        if self.quota.retention is None:
            return []
        before = (time.time() if now is None else now) - self.quota.retention * 86400
        old = [each for each in self.projects() if each.changed < before and each.table is not None]
        for each in old:
            self.open(each.id).forget_tables()
        return [each.id for each in old]
