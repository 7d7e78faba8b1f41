"""Doors: the ways in. `OnePerson` is for whoever started the server; accounts have a door of their own."""

from __future__ import annotations

import re
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from paravent.web.security.answers import Answer, come_in, page, refusal
from paravent.web.security.names import Names
from paravent.web.security.sessions import Session, Sessions
from paravent.web.security.tickets import Tickets, same
from paravent.web.visit import Visitor
from paravent.web.workspace.workspace import Workspace

if TYPE_CHECKING:
    from paravent.web.security.guard import Receive, Told


class Doors(ABC):
    """Who may come in, and how."""

    def __init__(self, names: Names, *, cookie: str, secure: bool) -> None:
        self.names = names
        self.cookie = cookie
        self.secure = secure
        self.sessions = Sessions()
        self.proxied = False
        """Whether a proxy says from where a request comes."""
        self.on_close: Callable[[str], None] = lambda _: None

    @abstractmethod
    async def answer(self, told: Told, receive: Receive) -> Answer | None:
        """What is answered at the door itself: tickets, forms to log in."""

    @abstractmethod
    def visitor(self, session: Session) -> Visitor | None:
        """The person of a session."""

    @abstractmethod
    def by_key(self, authorization: str) -> Visitor | None:
        """The person whose key a program sends."""

    @abstractmethod
    def workspaces(self) -> list[Workspace]:
        """Everybody's own."""

    @abstractmethod
    def stranger(self, told: Told) -> Answer:
        """What somebody is told who is not known."""

    def meant(self, told: Told, session: Session) -> bool:
        """Whether a request that changes something was sent by the page itself: its origin was the server's (a browser
        always names it), or it holds what only the page knows."""
        return bool(told.one("origin")) or same(told.one("x-csrf-token"), session.csrf)

    def set_cookie(self, session: Session) -> str:
        return f"{self.cookie}={session.id}; Path=/; HttpOnly; SameSite=Strict{'; Secure' if self.secure else ''}"

    def expire(self) -> None:
        """End what was open for sessions that nobody has used for long."""
        for session in self.sessions.expired():
            self.on_close(session)

    def close(self, session: str) -> None:
        """End a session and whatever goes on in it."""
        self.sessions.close(session)
        self.on_close(session)


def bearer(authorization: str) -> str:
    """
    >>> bearer("Bearer abc"), bearer("Basic abc")
    ('abc', '')
    """
    found = re.fullmatch(r"(?i:bearer) +(\S+)", authorization)
    return found[1] if found else ""


class OnePerson(Doors):
    """Whoever has the address that was printed. It opens one session; the next one is printed then."""

    def __init__(self, names: Names, workspace: Workspace, *, cookie: str, secure: bool) -> None:
        super().__init__(names, cookie=cookie, secure=secure)
        self.key = secrets.token_urlsafe(32)
        self.tickets = Tickets()
        self.on_ticket: Callable[[], Any] = lambda: None
        self._workspace = workspace

    def address(self, base: str) -> str:
        """An address that opens the page once."""
        return f"{base}/?token={self.tickets.draw()}"

    async def answer(self, told: Told, receive: Receive) -> Answer | None:  # noqa: ARG002
        if told.method != "GET" or "token" not in told.query or told.path.startswith("/api/"):
            return None
        if self.sessions.get(told.cookies.get(self.cookie, "")) is not None:  # in already: the page was loaded again
            return come_in(told.without("token"))
        if not self.tickets.take(told.query["token"]):
            return self.stranger(told)
        self.on_ticket()
        return come_in(told.without("token"), self.set_cookie(self.sessions.open("")))

    def workspaces(self) -> list[Workspace]:
        return [self._workspace]

    def visitor(self, session: Session) -> Visitor:
        return Visitor("", "expert", self._workspace, session.id)

    def by_key(self, authorization: str) -> Visitor | None:
        given = bearer(authorization)
        return Visitor("", "expert", self._workspace) if given and same(given, self.key) else None

    def stranger(self, told: Told) -> Answer:
        said = "Open the address that paravent serve has printed last: each one opens the page once."
        if told.path.startswith("/api/") or told.kind == "websocket":
            return refusal(401, "this needs the key of the server: send it as Authorization: Bearer KEY.")
        return page(401, "This page is locked", f"<p>{said}</p>")
