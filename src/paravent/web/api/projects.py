"""Projects: made, changed, undone, deleted."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from paravent.errors import PlanError, TableError
from paravent.web.api.asked import Asked, Asker
from paravent.web.api.words import Changes, Listed, NewProject, Shown, listed, shown
from paravent.web.workspace.processes import open_process
from paravent.web.workspace.project import Project
from paravent.web.workspace.sources import OPTIONS

router = APIRouter(tags=["projects"])

_FILE = {"requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}}


@router.get("/projects", summary="All projects, the one changed last first")
def projects(asker: Asker) -> list[Listed]:
    return [listed(each) for each in asker.workspace.projects()]


@router.post("/projects", status_code=201, summary="Make a project")
def create(asker: Asker, told: NewProject) -> Shown:
    return shown(asker.workspace.create(told.name))


@router.post(
    "/projects/process", status_code=201, summary="Open a process file: the body is the file", openapi_extra=_FILE
)
async def reopen(asker: Asker, request: Request) -> Shown:
    try:
        text = (await request.body()).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise PlanError("the file is no text in UTF-8. Send a process file that was downloaded here.") from None
    return shown(open_process(asker.workspace, text))


@router.get("/projects/{project}", summary="What a project holds")
def show(project: Asked) -> Shown:
    return shown(project)


@router.patch("/projects/{project}", summary="Change what was said: one step that can be undone")
def change(project: Asked, told: Changes) -> Shown:
    fields = told.model_dump(exclude_unset=True, exclude={"what", "expect", "reading", "cleaning"})
    if told.cleaning is not None:
        fields["cleaning"] = tuple(told.cleaning)
    if told.reading is not None:
        fields["source"] = _read_by(project, told.reading)
    project.change(told.what, expect=told.expect, **fields)
    return shown(project)


@router.post("/projects/{project}/undo", summary="Take back the last change")
def undo(project: Asked) -> Shown:
    project.undo()
    return shown(project)


@router.post("/projects/{project}/redo", summary="Do again what was taken back")
def redo(project: Asked) -> Shown:
    project.redo()
    return shown(project)


@router.delete("/projects/{project}", status_code=204, summary="Delete a project with everything in it")
def delete(asker: Asker, project: Asked) -> None:
    project.refuse_change()
    asker.workspace.delete(project.id)


def _read_by(project: Project, options: dict[str, Any]) -> Any:
    if project.document.source is None:
        raise TableError("reading: the project has no table yet. Upload one first.")
    for name in options:
        if name not in OPTIONS:
            raise TableError(f"reading: there is no option {name!r}. There is {', '.join(OPTIONS)}.")
    return project.document.source.model_copy(update={"options": options})
