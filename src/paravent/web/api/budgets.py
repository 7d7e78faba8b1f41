"""Budgets: what differential privacy may spend on a table, and what it has spent."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from paravent.web.api.asked import Asked
from paravent.web.api.words import NewGrant
from paravent.web.workspace.budgets import grant, ledger, told
from paravent.web.workspace.files import Missing

router = APIRouter(tags=["budgets"])


@router.get("/projects/{project}/budget", summary="What was granted for the table, what was spent, and what is left")
def show(project: Asked) -> dict[str, Any]:
    found = ledger(project)
    if found is None:
        raise Missing("nothing was granted for this table yet. PUT an epsilon first.")
    return told(found)


@router.put(
    "/projects/{project}/budget", summary="Grant a budget, or raise it: releases are charged to it from then on"
)
def put(project: Asked, asked: NewGrant) -> dict[str, Any]:
    return told(grant(project, asked.epsilon, asked.delta))
