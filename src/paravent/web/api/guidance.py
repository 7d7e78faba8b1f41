"""Guidance: a context goes in, candidates come out, ranked and explained; some are run, and one is chosen."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

import paravent as pv
from paravent.errors import PlanError
from paravent.guide import process_document
from paravent.near import suggest
from paravent.web.api.asked import Asked
from paravent.web.api.words import Choice, NewGuidance, Work, work
from paravent.web.guiding.found import guidance_of
from paravent.web.guiding.runs import run_candidates
from paravent.web.jobs.job import Job
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


@router.get("/projects/{project}/guidance", summary="The whole process as a document: candidates, runs, the choice")
def found(project: Asked) -> dict[str, Any]:
    _process(project)
    guidance = guidance_of(project, _job(project))
    assert guidance is not None
    return process_document(guidance)


@router.post("/projects/{project}/guidance/runs", status_code=202, summary="Run candidates: a job for each")
def run(project: Asked, told: Choice) -> list[Work]:
    plans = {each["name"]: each["plan"] for each in _process(project)["signatures"]}
    for name in told.signatures:
        if name not in plans:
            raise PlanError(f"guidance: there is no candidate {name!r}. {suggest(name, plans)}")
    return [work(job) for job in run_candidates(project, told.signatures, _job(project))]


def _job(project: Project) -> Job:
    if project.document.guidance is None:
        raise PlanError("nobody has asked for candidates yet. POST to guidance first.")
    return project.jobs.get(project.document.guidance)


def _process(project: Project) -> dict[str, Any]:
    job = _job(project)
    if job.result is None:
        raise PlanError(f"the candidates are not there: {job.error or f'the job is {job.state}'}".rstrip(".") + ".")
    return dict(job.result)
