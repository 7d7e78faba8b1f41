"""The door of accounts: a form for people, keys for programs, and a workspace for each."""

from __future__ import annotations

import asyncio
import html
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from paravent.web.security.answers import Answer, come_in, page, refusal
from paravent.web.security.audit import Audit
from paravent.web.security.doors import Doors, bearer
from paravent.web.security.limiter import Limiter
from paravent.web.security.names import Names
from paravent.web.security.sessions import Session
from paravent.web.security.users import User, Users
from paravent.web.visit import Visitor
from paravent.web.workspace.quota import Quota
from paravent.web.workspace.workspace import Workspace

if TYPE_CHECKING:
    from paravent.web.security.guard import Receive, Told

_FORM = 10_000
"""Bytes that the form may hold."""
_AT_ONCE = 2
"""Passwords that are checked at the same time: each takes 64 MB."""


class Accounts(Doors):
    """Whoever has an account."""

    def __init__(
        self, names: Names, users: Users, folder: Path, quota: Quota, audit: Audit, *, cookie: str, secure: bool
    ) -> None:
        super().__init__(names, cookie=cookie, secure=secure)
        self._users = users
        self._folder = folder
        self._quota = quota
        self._audit = audit
        self._limiter = Limiter()
        self._checking = asyncio.Semaphore(_AT_ONCE)
        self._workspaces: dict[tuple[str, bool], Workspace] = {}

    async def answer(self, told: Told, receive: Receive) -> Answer | None:
        if told.path == "/login" and told.method == "GET":
            return _form("", told.query.get("next", "/"))
        if told.path == "/login" and told.method == "POST":
            return await self._log_in(told, receive)
        if told.path == "/logout" and told.method == "GET":
            return page(200, "Log out?", '<form method="post" action="/logout"><button>Log out</button></form>')
        if told.path == "/logout" and told.method == "POST":
            return self._log_out(told)
        return None

    def visitor(self, session: Session) -> Visitor | None:
        user = self._users.get(session.user)
        if user is None:
            self.close(session.id)
            return None
        return Visitor(user.name, user.role, self._workspace(user), session.id)

    def by_key(self, authorization: str) -> Visitor | None:
        given = bearer(authorization)
        user = self._users.by_key(given) if given else None
        return None if user is None else Visitor(user.name, user.role, self._workspace(user))

    def stranger(self, told: Told) -> Answer:
        if told.path.startswith(("/api/", "/_nicegui")) or told.kind == "websocket" or told.method != "GET":
            return refusal(401, "this needs an account: log in, or send your key as Authorization: Bearer KEY.")
        where = told.without("")
        return page(401, "Please log in", _inside("", where if where != "/login" else "/"))

    def workspaces(self) -> list[Workspace]:
        """Everybody's own."""
        return [self._workspace(user) for user in self._users.all().values() if user.role != "viewer"]

    def _workspace(self, user: User) -> Workspace:
        viewer = user.role == "viewer"
        owner = self._users.get(user.views) if viewer else user
        whose = user if owner is None else owner
        if (whose.name, viewer) not in self._workspaces:
            self._workspaces[whose.name, viewer] = Workspace(
                self._folder / whose.folder,
                quota=self._quota,
                read_only=viewer,
                witness=lambda what, about: self._audit(whose.name, what, **about),
            )
        return self._workspaces[whose.name, viewer]

    async def _log_in(self, told: Told, receive: Receive) -> Answer:
        said = await _said(receive)
        name, where = said.get("name", "").strip().lower()[:60], said.get("next", "/")
        waiting = self._limiter.wait(f"name {name}", f"address {told.client}")
        if waiting > 0:
            self._audit(name, "log in refused for a while", address=told.client)
            wrong = f"Too many wrong passwords. Try again in {waiting:.0f} seconds."
            answer = _form(wrong, where, status=429)
            return Answer(429, answer.body, answer.kind, [("retry-after", f"{int(waiting) + 1}")])
        async with self._checking:
            user = await asyncio.to_thread(self._users.check, name, said.get("password", ""))
        if user is None:
            self._limiter.failed(f"name {name}", f"address {told.client}")
            self._audit(name, "log in failed", address=told.client)
            return _form("The name or the password is wrong.", where, status=401)
        self._limiter.passed(f"name {name}")
        old = told.cookies.get(self.cookie, "")
        self.close(old)  # whoever planted a session in this browser does not share the new one
        self._audit(name, "logged in", address=told.client)
        return come_in(_inward(where), self.set_cookie(self.sessions.open(user.name)))

    def _log_out(self, told: Told) -> Answer:
        session = self.sessions.get(told.cookies.get(self.cookie, ""))
        if session is not None and not self.meant(told, session):
            return refusal(403, "this request did not come from the page. Load the page again.")
        if session is not None:
            self._audit(session.user, "logged out")
            self.close(session.id)
        return page(
            200, "You are logged out", '<p><a href="/login">Log in again</a></p>', [("set-cookie", self._gone())]
        )

    def _gone(self) -> str:
        return f"{self.cookie}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict{'; Secure' if self.secure else ''}"


async def _said(receive: Receive) -> dict[str, str]:
    """The fields of a form; one that is too large has none."""
    body = b""
    while True:
        message: Any = await receive()
        body += message.get("body", b"")
        if len(body) > _FORM or message["type"] == "http.disconnect":
            return {}
        if not message.get("more_body"):
            break
    try:
        fields = parse_qs(body.decode("utf-8"), keep_blank_values=True, max_num_fields=10)
    except ValueError:
        return {}
    return {name: values[-1] for name, values in fields.items()}


def _inward(where: str) -> str:
    """A place on this server, whatever was asked for."""
    return where if where.startswith("/") and not where.startswith(("//", "/\\")) and where.isprintable() else "/"


def _form(wrong: str, where: str, status: int = 200) -> Answer:
    return page(status, "Log in", _inside(wrong, where))


def _inside(wrong: str, where: str) -> str:
    said = f'<p class="wrong" role="alert">{html.escape(wrong)}</p>' if wrong else ""
    return (
        f'{said}<form method="post" action="/login">'
        f'<input type="hidden" name="next" value="{html.escape(_inward(where))}">'
        '<label for="name">Name</label><input id="name" name="name" autocomplete="username" required autofocus>'
        '<label for="password">Password</label>'
        '<input id="password" name="password" type="password" autocomplete="current-password" required>'
        "<button>Log in</button></form>"
    )
