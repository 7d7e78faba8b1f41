"""What the server says of its own defects: their kind and their place in the program, never their words, which may hold
values of people."""

from __future__ import annotations

import logging
import os
import sys
import traceback

_log = logging.getLogger("paravent.web")


def note_defect(error: BaseException) -> None:
    """Say where something went wrong that should not have."""
    _log.error("a defect", exc_info=error)


class Quiet(logging.Formatter):
    """
    >>> try:
    ...     int("Ann Miller")
    ... except ValueError as error:
    ...     found = sys.exc_info()
    >>> record = logging.LogRecord("x", logging.ERROR, "x.py", 7, "Ann Miller failed", None, found)
    >>> Quiet().format(record).split(" at ")[0]
    'paravent: ValueError'
    """

    def format(self, record: logging.LogRecord) -> str:
        if record.exc_info and record.exc_info[0] is not None:
            frames = traceback.extract_tb(record.exc_info[2])[-3:]
            places = " < ".join(f"{os.path.basename(each.filename)}:{each.lineno}" for each in reversed(frames))
            return f"paravent: {record.exc_info[0].__name__} at {places}"
        return f"paravent: something went wrong at {record.name} {os.path.basename(record.pathname)}:{record.lineno}"


def quieten() -> None:
    """Let nothing but kinds and places be logged, unless somebody looks for a defect."""
    if os.environ.get("PARAVENT_DEBUG") == "1":
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Quiet())
    for name in ("nicegui", "paravent.web", "uvicorn", "uvicorn.error", "asyncio", "socketio", "engineio", "multipart"):
        log = logging.getLogger(name)
        log.handlers = [handler]
        log.setLevel(logging.ERROR)
        log.propagate = False
