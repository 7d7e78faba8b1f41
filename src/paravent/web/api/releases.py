"""Releases: made by a plan, verified, measured, and handed out in any format."""

from __future__ import annotations

import tempfile
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from paravent.web.api.asked import Asked
from paravent.web.api.words import NewRelease, Work, work
from paravent.web.exporting import ENDINGS, export_release, release_job
from paravent.web.jobs.kinds.anonymize import PERSONS
from paravent.web.workspace.files import erase, private_folder

router = APIRouter(tags=["releases"])

Id = Annotated[str, Path(max_length=64)]


@router.post("/projects/{project}/releases", status_code=202, summary="Make a release: the job that does it")
def make(project: Asked, told: NewRelease) -> Work:
    if told.plan is not None:
        project.plan_from(told.plan)
        return work(project.jobs.start("anonymize", plan=told.plan))
    project.plan()
    return work(project.jobs.start("anonymize"))


@router.get("/projects/{project}/releases", summary="All releases of the project: rows, and whether they hold")
def releases(project: Asked) -> list[dict[str, Any]]:
    return [
        {"id": job.id, "kind": job.kind, "rows": job.result["rows"], "holds": job.result["holds"]}
        for job in project.jobs.list()
        if job.state == "done" and job.result is not None and "tables" in job.result
    ]


@router.get("/projects/{project}/releases/{release}", summary="What is known of a release: verdict, measures, cautions")
def show(project: Asked, release: Id) -> dict[str, Any]:
    return dict(release_job(project, release).result or {})


@router.get("/projects/{project}/releases/{release}/table", summary="A table of a release, as a file")
def table(
    project: Asked,
    release: Id,
    format: Annotated[str, Query(description=f"One of {', '.join(ENDINGS)}.")] = "csv",
    name: Annotated[str | None, Query(max_length=200, description="Which table, where there are several.")] = None,
    formulas: Annotated[
        Literal["guard", "keep"], Query(description="Whether texts that a spreadsheet would run get an apostrophe.")
    ] = "guard",
) -> FileResponse:
    folder = FilePath(tempfile.mkdtemp(dir=private_folder(project.folder / "exports")))
    try:
        path = export_release(project, release, folder, format=format, name=name, formulas=formulas)
    except BaseException:
        erase(folder)
        raise
    return FileResponse(path, filename=path.name, background=BackgroundTask(erase, folder))


@router.get("/projects/{project}/releases/{release}/report", summary="The report, one HTML page")
def report(project: Asked, release: Id) -> FileResponse:
    path = release_job(project, release).file("report.html")
    return FileResponse(path, filename="report.html", media_type="text/html")


@router.get(
    "/projects/{project}/releases/{release}/persons",
    summary="Whose each row of a release is, by numbers, where its plan counts people: for a verifier alone",
)
def persons(project: Asked, release: Id) -> FileResponse:
    path = release_job(project, release).file(PERSONS)
    return FileResponse(path, filename=PERSONS, media_type="text/csv")


@router.get("/projects/{project}/releases/{release}/plan", summary="The plan of a release, as a file")
def plan(project: Asked, release: Id) -> FileResponse:
    path = release_job(project, release).file("plan.toml")
    return FileResponse(path, filename="plan.toml", media_type="application/toml")
