"""The decision log of a project: which candidates somebody selected, ran and chose, and when, if they want it kept.

It lies in the folder of the project, as lines that `paravent.guide.sessions` reads. It holds names of candidates, times
and figures, and no row of a table.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paravent.errors import ParaventError
from paravent.guide import Log, Session, decision_quality, sessions, strict_quality
from paravent.web.guiding.found import guidance_of
from paravent.web.workspace.files import new_id
from paravent.web.workspace.project import Project

FILE = "decisions.jsonl"


def path_of(project: Project) -> Path:
    return project.folder / FILE


def begin(project: Project, what: str) -> None:
    """Keep a log from now on; `what` names the step for undoing it."""
    session = new_id()
    project.change(what, log=session)
    note(project, "begin", mode=project.document.mode)


def note(project: Project, event: str, **facts: Any) -> None:
    """Write down a step, where a log is kept."""
    if project.document.log is not None and not project.read_only:
        path = path_of(project)
        path.touch(mode=0o600)
        Log(path, session=project.document.log).note(event, **facts)


def note_change(project: Project, fields: Mapping[str, Any]) -> None:
    """Write down what a change of the document decided."""
    if project.document.log is None:
        return
    if "context" in fields:
        note(project, "context")
    if fields.get("selected"):
        note(project, "select", selected=list(fields["selected"]))
    judged = _judged(project, fields["chosen"]) if fields.get("chosen") else None
    if judged is not None:
        note(project, "choose", chosen=fields["chosen"], **judged)


def recorded(project: Project) -> tuple[Session, ...]:
    """The sessions that were recorded, in their order."""
    path = path_of(project)
    return sessions(path) if path.exists() else ()


def steps(project: Project) -> list[Mapping[str, Any]]:
    """Every line of the log."""
    import json

    path = path_of(project)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def delete(project: Project) -> None:
    """Delete everything that was recorded; a session that is being kept begins anew."""
    project.refuse_change()
    path_of(project).unlink(missing_ok=True)
    note(project, "begin", mode=project.document.mode)


def _judged(project: Project, chosen: str) -> dict[str, Any] | None:
    """How good a choice is among what was run; None where that is not known."""
    with contextlib.suppress(ParaventError, KeyError):
        found = guidance_of(project)
        if found is not None:
            ranking = found.results
            return {
                "rank": ranking[chosen].rank,
                "quality": decision_quality(ranking, chosen),
                "strict": strict_quality(ranking, chosen),
            }
    return None
