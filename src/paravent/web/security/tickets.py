"""Tickets: the token in the printed address opens a session once; then a new one is drawn. The key is for programs."""

from __future__ import annotations

import hmac
import secrets
import threading
import time

LASTS = 24 * 3600.0
"""Seconds after which a ticket that nobody has used is worth nothing."""


class Tickets:
    """
    >>> tickets = Tickets()
    >>> drawn = tickets.draw()
    >>> tickets.take(drawn), tickets.take(drawn), tickets.take("guess")
    (True, False, False)
    """

    def __init__(self, lasts: float = LASTS) -> None:
        self._lasts = lasts
        self._lock = threading.Lock()
        self._drawn: dict[str, float] = {}

    def draw(self) -> str:
        ticket = secrets.token_urlsafe(24)
        with self._lock:
            self._drawn[ticket] = time.monotonic() + self._lasts
        return ticket

    def take(self, given: str) -> bool:
        """Whether it was good. It is not, after that."""
        with self._lock:
            for ticket, until in list(self._drawn.items()):
                if same(ticket, given):
                    del self._drawn[ticket]
                    return time.monotonic() < until
        return False


def same(one: str, other: str) -> bool:
    """Whether two secrets are the same, in a time that tells nothing."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))
