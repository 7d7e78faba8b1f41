"""Guidance: a context goes in, candidates come out, ranked and explained; some are run, and one is chosen."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

import paravent as pv
from paravent.errors import PlanError
from paravent.near import suggest
from paravent.web.api.asked import Asked
from paravent.web.api.words import Choice, NewGuidance, Work, work
from paravent.web.workspace.project import Project

router = APIRouter(tags=["guidance"])


@router.post("/projects/{project}/guidance", status_code=202, summary="Find candidates: the job that does it")
def find(project: Asked, told: NewGuidance) -> Work:
    if told.context is not None:
        context = pv.Context.from_dict(told.context).to_dict()
        project.change("Said what it is for", context=context)
    job = project.jobs.start("guide", seconds=told.seconds, methods=told.methods)
    project.change("Asked for candidates", guidance=job.id)
    return work(job)


@router.get("/projects/{project}/guidance", summary="What was found last: the whole process as a document")
def found(project: Asked) -> dict[str, Any]:
    return _process(project)


@router.post("/projects/{project}/guidance/runs", status_code=202, summary="Run candidates: a job for each")
def run(project: Asked, told: Choice) -> list[Work]:
    plans = {each["name"]: each["plan"] for each in _process(project)["signatures"]}
    for name in told.signatures:
        if name not in plans:
            raise PlanError(f"guidance: there is no candidate {name!r}. {suggest(name, plans)}")
    return [work(project.jobs.start("anonymize", plan=plans[name])) for name in told.signatures]


def _process(project: Project) -> dict[str, Any]:
    if project.document.guidance is None:
        raise PlanError("nobody has asked for candidates yet. POST to guidance first.")
    job = project.jobs.get(project.document.guidance)
    if job.result is None:
        raise PlanError(f"the candidates are not there: {job.error or f'the job is {job.state}'}".rstrip(".") + ".")
    return dict(job.result)
