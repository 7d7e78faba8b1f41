"""Jobs: long work that is started, asked about, stopped and started again."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import FileResponse

from paravent.web.api.asked import Asked
from paravent.web.api.words import NewJob, Work, work
from paravent.web.jobs.kinds import kinds

router = APIRouter(tags=["jobs"])

Id = Annotated[str, Path(max_length=64)]

SANDBOX = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
)
"""For pages with scripts of their own, such as reports: they run as a site of their own, which can reach nothing."""


@router.get("/kinds", summary="The kinds of jobs")
def all_kinds() -> list[str]:
    return list(kinds())


@router.get("/projects/{project}/jobs", summary="All jobs, the latest first, without their results")
def jobs(project: Asked) -> list[Work]:
    return [work(job.with_(result=None)) for job in project.jobs.list()]


@router.post("/projects/{project}/jobs", status_code=202, summary="Start a job")
def start(project: Asked, told: NewJob) -> Work:
    return work(project.jobs.start(told.kind, **told.arguments))


@router.get("/projects/{project}/jobs/{job}", summary="How far a job is, and what came of it")
async def show(project: Asked, job: Id, wait: Annotated[float, Query(ge=0, le=60)] = 0.0) -> Work:
    """`wait` are the seconds to wait for it to be over."""
    end = asyncio.get_running_loop().time() + wait
    while not (found := project.jobs.get(job)).over and asyncio.get_running_loop().time() < end:
        await asyncio.sleep(0.05)
    return work(found)


@router.post("/projects/{project}/jobs/{job}/stop", status_code=202, summary="Stop a job")
def stop(project: Asked, job: Id) -> Work:
    project.jobs.stop(job)
    return work(project.jobs.get(job))


@router.post("/projects/{project}/jobs/{job}/restart", status_code=202, summary="Do a job again that is over")
def restart(project: Asked, job: Id) -> Work:
    return work(project.jobs.restart(job))


@router.delete("/projects/{project}/jobs/{job}", status_code=204, summary="Stop a job, and delete what it left")
def delete(project: Asked, job: Id) -> None:
    project.jobs.delete(job)


@router.get(
    "/projects/{project}/jobs/{job}/files/{name}", summary="A file that a job left", response_class=FileResponse
)
def file(project: Asked, job: Id, name: Annotated[str, Path(max_length=200)]) -> FileResponse:
    path = project.jobs.get(job).file(name)
    return FileResponse(path, headers={"Content-Security-Policy": SANDBOX})
