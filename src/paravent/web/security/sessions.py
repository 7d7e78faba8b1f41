"""Sessions: who has come in. They live in memory and end with the server, or when nobody has used them for long."""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass, field

IDLE = 12 * 3600.0
"""Seconds after which an unused session ends."""


@dataclass
class Session:
    """`csrf` is what a form must send along, so that no other page can send it."""

    user: str
    id: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    used: float = field(default_factory=time.monotonic)


class Sessions:
    """
    >>> sessions = Sessions()
    >>> own = sessions.open("ann")
    >>> sessions.get(own.id).user, sessions.get("guess")
    ('ann', None)
    """

    def __init__(self, idle: float = IDLE) -> None:
        self._idle = idle
        self._lock = threading.Lock()
        self._open: dict[str, Session] = {}
        self._ended: list[str] = []

    def open(self, user: str) -> Session:
        session = Session(user)
        with self._lock:
            self._sweep()
            self._open[session.id] = session
        return session

    def get(self, id: str) -> Session | None:
        with self._lock:
            self._sweep()
            session = self._open.get(id)
            if session is not None:
                session.used = time.monotonic()
            return session

    def close(self, id: str) -> None:
        with self._lock:
            self._open.pop(id, None)

    def expired(self) -> list[str]:
        """Sessions that have ended since this was asked last."""
        with self._lock:
            self._sweep()
            found, self._ended = self._ended, []
            return found

    def _sweep(self) -> None:
        old = time.monotonic() - self._idle
        self._ended += [id for id, session in self._open.items() if session.used < old]
        self._open = {id: session for id, session in self._open.items() if session.used >= old}
