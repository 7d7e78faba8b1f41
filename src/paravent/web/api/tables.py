"""Tables: uploaded, looked at, and really deleted."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from paravent.errors import ParaventError
from paravent.web.api.asked import Asked
from paravent.web.api.words import Database, Sample, Shown, shown
from paravent.web.plain import plain
from paravent.web.workspace.document import Source
from paravent.web.workspace.project import Project
from paravent.web.workspace.sources import SAMPLES

router = APIRouter(tags=["tables"])

ROWS = 1000
"""Rows that are shown at a time."""

_FILE = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
Name = Annotated[str, Query(max_length=500, description="The name of the file; its ending says what it is.")]

Option = Annotated[str | None, Query(max_length=100)]


@router.get("/samples", summary="Tables to try it with")
def samples() -> dict[str, str]:
    return dict(SAMPLES)


@router.put("/projects/{project}/table", summary="Upload the table: the body is the file", openapi_extra=_FILE)
async def upload(
    project: Asked,
    request: Request,
    name: Name,
    delimiter: Option = None,
    encoding: Option = None,
    decimal: Option = None,
    sheet: Option = None,
    na: Annotated[list[str] | None, Query(description="Texts that mean a missing value.")] = None,
) -> Shown:
    source = await _kept(project, request, name)
    said = {"delimiter": delimiter, "encoding": encoding, "decimal": decimal, "sheet": sheet, "na": na}
    options = {option: value for option, value in said.items() if value is not None}
    return await asyncio.to_thread(_taken, project, source.model_copy(update={"options": options}))


@router.post(
    "/projects/{project}/files",
    status_code=201,
    summary="Upload a further file, for a plan to name: a population",
    openapi_extra=_FILE,
)
async def further(project: Asked, request: Request, name: Name) -> dict[str, Any]:
    source = await _kept(project, request, name)
    return {"name": source.name, "path": f"sources/{source.id}", "size": source.size}


@router.post("/projects/{project}/sample", summary="Work on a table that comes with the program")
def sample(project: Asked, told: Sample) -> Shown:
    project.use_sample(told.name)
    return shown(project)


@router.post("/projects/{project}/database", summary="Read a table from a database; its password is kept nowhere")
def database(project: Asked, told: Database) -> Shown:
    project.use_database(told.url, told.query)
    return shown(project)


@router.get("/projects/{project}/table", summary="What the table is: columns, kinds, missing values")
def about(project: Asked) -> dict[str, Any]:
    table = project.table()
    columns = [
        {"name": name, "kind": str(column.kind), "missing": column.missing} for name, column in table.columns.items()
    ]
    cleaning = [str(step) for step in project.cleaning().steps] if project.document.cleaning else []
    return {
        "rows": len(table),
        "columns": columns,
        "notes": [str(note) for note in table.notes],
        "cleaning": cleaning,
        "fingerprint": table.fingerprint,
    }


@router.get("/projects/{project}/table/rows", summary="Some rows of the table")
def rows(
    project: Asked, offset: Annotated[int, Query(ge=0)] = 0, limit: Annotated[int, Query(ge=1, le=ROWS)] = 50
) -> dict[str, Any]:
    table = project.table()
    part = table.frame.slice(offset, limit)
    return {"columns": part.columns, "rows": plain(part.rows())}


@router.delete("/projects/{project}/table", status_code=204, summary="Delete the table, and whatever was made of it")
def forget(project: Asked) -> None:
    project.forget_tables()


async def _kept(project: Project, request: Request, name: str) -> Source:
    """Keep a file while it comes."""
    with project.upload(name) as upload:
        async for chunk in request.stream():
            await asyncio.to_thread(upload.write, chunk)
        return await asyncio.to_thread(upload.keep)


def _taken(project: Project, source: Source) -> Shown:
    """What cannot be read is refused, and what was there before stays."""
    try:
        project.look(source)
    except ParaventError:
        project.discard(source)
        raise
    project.take(source)
    return shown(project)
