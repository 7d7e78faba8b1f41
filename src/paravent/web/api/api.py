"""The application under `/api/v1`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI

ROOT = "/api/v1"


def make_api(address: Callable[[], str] | None) -> FastAPI:
    """`address` draws an address that opens the page, where one person uses the server."""
    app = FastAPI(title="paravent", docs_url=None, redoc_url=None)
    if address is not None:

        @app.post("/tickets", status_code=201, summary="An address that opens the page once")
        def draw() -> dict[str, Any]:
            return {"url": address()}

    return app
