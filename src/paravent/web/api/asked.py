"""Who asks, and for which project."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path, Request

from paravent.web.visit import Visitor, visitor_in
from paravent.web.workspace.project import Project


def _visitor(request: Request) -> Visitor:
    return visitor_in(request.scope)


def _project(project: Annotated[str, Path(max_length=64)], request: Request) -> Project:
    return visitor_in(request.scope).workspace.open(project)


Asker = Annotated[Visitor, Depends(_visitor)]
Asked = Annotated[Project, Depends(_project)]
