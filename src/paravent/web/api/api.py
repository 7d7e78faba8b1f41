"""The application under `/api/v1`: its routes, and one sentence as JSON for whatever goes wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

import paravent
from paravent.errors import ParaventError
from paravent.web.api import budgets, guidance, jobs, plans, projects, releases, tables
from paravent.web.api.words import Error
from paravent.web.logs import note_defect
from paravent.web.sentences import sentence
from paravent.web.workspace.files import Missing, NotAllowed, TooLarge
from paravent.web.workspace.merge import Conflict

ROOT = "/api/v1"
_STATUS = ((Missing, 404), (NotAllowed, 403), (TooLarge, 413), (Conflict, 409), (ParaventError, 400))
_WRONG: dict[int | str, dict[str, Any]] = {
    400: {"model": Error, "description": "What was sent is wrong: a sentence says what"},
    401: {"model": Error, "description": "No key"},
    403: {"model": Error, "description": "Not allowed"},
    404: {"model": Error, "description": "Not there"},
    409: {"model": Error, "description": "Changed elsewhere meanwhile"},
    413: {"model": Error, "description": "Too large"},
    422: {"model": Error, "description": "The form of what was sent is wrong"},
}


def make_api(address: Callable[[], str] | None = None) -> FastAPI:
    """`address` draws an address that opens the page, where one person uses the server."""
    app = FastAPI(
        title="paravent",
        version=paravent.__version__,
        summary="Anonymize a table about people, prove what the result protects against, and measure what it cost.",
        docs_url=None,
        redoc_url=None,
        responses=_WRONG,
    )
    for router in (
        projects.router,
        tables.router,
        plans.router,
        budgets.router,
        jobs.router,
        releases.router,
        guidance.router,
    ):
        app.include_router(router)
    if address is not None:

        @app.post("/tickets", status_code=201, summary="An address that opens the page once", tags=["page"])
        def draw() -> dict[str, str]:
            return {"url": address()}

    app.add_exception_handler(ParaventError, _mistake)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _unknown)
    app.add_exception_handler(Exception, _defect)
    return app


def _told(status: int, text: str) -> JSONResponse:
    return JSONResponse({"error": text}, status)


def _mistake(_: Request, error: Exception) -> JSONResponse:
    return _told(next(status for kind, status in _STATUS if isinstance(error, kind)), str(error))


def _malformed(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body") or "the body"
    said = re.sub(r"\s+", " ", str(first["msg"])).strip().rstrip(".")
    return _told(422, f"{where[:100]}: {said[:1].lower()}{said[1:]}.")


def _unknown(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return _told(404, f"there is no such address. {ROOT}/openapi.json lists all of them.")
    if error.status_code == 405:
        return _told(405, f"{request.method} means nothing here. {ROOT}/openapi.json says what does.")
    if error.status_code == 400:
        return _told(400, 'the body is no JSON in UTF-8. Send a document such as {"name": "Patients"}.')
    return _told(error.status_code, f"{str(error.detail).rstrip('.')}.")


def _defect(_: Request, error: Exception) -> JSONResponse:
    note_defect(error)
    return _told(500, sentence(error))
