"""A process file opened again: a new project that goes on where the file stopped. The table is brought anew."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from paravent.errors import PlanError
from paravent.guide import Context
from paravent.plan import from_document
from paravent.web.workspace.document import Document

if TYPE_CHECKING:
    from paravent.web.workspace.project import Project
    from paravent.web.workspace.workspace import Workspace

FIELDS = ("language", "mode", "expert", "cleaning", "plan", "trees", "context", "selected", "candidates")
"""What of a document holds without its table and what was made of it."""


def open_process(workspace: Workspace, text: str, name: str = "") -> Project:
    """A project of what a process file says: that of a guidance, or that of a project."""
    document = _document(text)
    fields = _of_guidance(document) if "signatures" in document else _of_project(document)
    called = name.strip() or str(fields.pop("name", "")) or "Process"
    fields.pop("name", None)
    project = workspace.create(called[:200])
    project.change("Opened a process file", **fields)
    return project


def _document(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        raise PlanError("the file is no JSON document. Choose a process file that was downloaded here.") from None
    if not isinstance(found, dict) or not ({"signatures", "document"} & set(found)):
        raise PlanError("the file is no process file. Choose one that was downloaded under Export.")
    return found


def _of_guidance(told: Mapping[str, Any]) -> dict[str, Any]:
    try:
        context = Context.from_dict(told["context"]).to_dict()
        plan = dict(told["plan"])
        from_document(plan)
        names = {each["name"] for each in told["signatures"]}
        selected = tuple(str(name) for name in told["selected"] if name in names)
        found = {"plan": plan, "context": context, "selected": selected}
        return found | {name: told[name] for name in ("mode", "language") if told.get(name)}
    except (KeyError, TypeError, AttributeError):
        raise PlanError("the process file is damaged: parts of it are missing. Download it again.") from None


def _of_project(told: Mapping[str, Any]) -> dict[str, Any]:
    try:
        document = Document.model_validate(told["document"])
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise PlanError(f"the process file is damaged at {where[:100]!r}. Download it again.") from None
    return {"name": document.name, **{name: getattr(document, name) for name in FIELDS}}
