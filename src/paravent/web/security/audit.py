"""The audit log: who did what and when, by ids. No value of a table, no name of a project, no password is in it."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path

MOST = 50 << 20
"""Bytes after which the log is put aside, as `audit.log.1`, and begun anew."""


class Audit:
    """Lines of JSON, each written at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def __call__(self, who: str, what: str, **about: str | int) -> None:
        told = {"when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "who": who, "what": what, **about}
        line = f"{json.dumps(told, ensure_ascii=True)}\n".encode("ascii")
        with self._lock:
            file = os.open(self._path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
            try:
                os.write(file, line)
                full = os.fstat(file).st_size > MOST
            finally:
                os.close(file)
            if full:
                os.replace(self._path, self._path.with_name(f"{self._path.name}.1"))
