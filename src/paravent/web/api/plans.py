"""Plans: what is wanted, as the document that a plan file holds."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body
from fastapi.responses import PlainTextResponse

import paravent as pv
from paravent.plan import dumps, schema, to_document
from paravent.web.api.asked import Asked
from paravent.web.api.words import Draft

router = APIRouter(tags=["plans"])


@router.get("/plans/schema", summary="The JSON schema of a plan")
def plan_schema() -> dict[str, Any]:
    return schema()


@router.get("/projects/{project}/plan", summary="The plan of the project")
def plan(project: Asked) -> dict[str, Any]:
    return project.document.plan


@router.get("/projects/{project}/plan.toml", summary="The plan as a file", response_class=PlainTextResponse)
def plan_file(project: Asked) -> str:
    return dumps(project.plan())


@router.put("/projects/{project}/plan", summary="Say what is wanted")
def put(project: Asked, told: Annotated[dict[str, Any], Body()]) -> dict[str, Any]:
    project.plan_from(told)
    return project.change("Set the plan", plan=told).plan


@router.post("/projects/{project}/plan/draft", summary="Have a plan proposed: roles, trees, models")
def draft(project: Asked, told: Draft) -> dict[str, Any]:
    drafted = pv.draft(project.table(), k=told.k, l=told.l)
    return project.change("Took the proposed plan", plan=to_document(drafted)).plan
