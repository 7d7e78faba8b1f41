"""The guard: every request and every websocket passes it before anything else sees them.

It asks in this order: by which name was the server called, which page sends this, and who is it. Whoever is let in
finds themselves in the scope as a `Visitor`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode

from paravent.web.security import headers as safe
from paravent.web.security.answers import Answer, refusal
from paravent.web.security.bodies import Body
from paravent.web.security.doors import Doors
from paravent.web.security.pages import own, page_in
from paravent.web.security.sessions import Session
from paravent.web.visit import KEY, Visitor

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_UPLOADS = re.compile(r"^/_nicegui/client/|^/api/v1/projects/[^/]+/(table|files)$")
_FORM = 1 << 20
_BODY = 32 << 20
"""Bytes that a request may hold: that of an upload what its owner may upload (and what a form adds), any other this."""
_READS = ("GET", "HEAD", "OPTIONS")
_FORWARDED = (b"forwarded", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-prefix", b"x-forwarded-proto")


class Guard:
    """An ASGI application around another."""

    def __init__(self, app: App, doors: Doors) -> None:
        self.app = app
        self._doors = doors
        self._sockets: dict[str, set[asyncio.Task[Any]]] = {}
        doors.on_close = self._hang_up

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] not in ("http", "websocket"):
            return
        told = Told(scope, proxied=self._doors.proxied)
        scope["headers"] = [pair for pair in scope["headers"] if pair[0] not in _FORWARDED]
        scope[safe.NONCE] = safe.nonce()
        answer = self._refused(told)
        if answer is None:
            answer = await self._doors.answer(told, receive) if told.kind == "http" else None
        if answer is not None:
            await answer.give(told.kind, send, secure=self._doors.secure)
            return
        visitor, session = self._visitor(told)
        if visitor is None:
            await self._doors.stranger(told).give(told.kind, send, secure=self._doors.secure)
            return
        if told.changes and session is not None and not self._doors.meant(told, session):
            said = "this request did not come from the page. Load the page again, or send the key of the server."
            await refusal(403, said).give(told.kind, send, secure=self._doors.secure)
            return
        scope[KEY] = visitor
        page = page_in(told.path)
        if page is not None and not own(page, scope):
            await refusal(404, "there is no such page. Load it again.").give(told.kind, send, secure=self._doors.secure)
            return
        if told.kind == "websocket":
            await self._talk(visitor, scope, receive, send)
        else:
            await self._listen(told, visitor, scope, receive, send)

    def _refused(self, told: Told) -> Answer | None:
        """Called by a strange name, or by a strange page."""
        names = self._doors.names
        if not names.host(told.one("host")):
            return refusal(421, "this server is not called by that name. Use the address that it was started with.")
        origin = told.one("origin")
        if origin and not names.origin(origin) and (told.changes or told.kind == "websocket"):
            return refusal(403, "another site's page may not talk to this server.")
        if told.one("sec-fetch-site") in ("cross-site", "same-site") and told.changes:
            return refusal(403, "another site's page may not talk to this server.")
        return None

    def _visitor(self, told: Told) -> tuple[Visitor | None, Session | None]:
        bearer = told.one("authorization")
        if bearer:
            return self._doors.by_key(bearer), None
        session = self._doors.sessions.get(told.cookies.get(self._doors.cookie, ""))
        return (None, None) if session is None else (self._doors.visitor(session), session)

    async def _talk(self, visitor: Visitor, scope: Scope, receive: Receive, send: Send) -> None:
        """A websocket lasts as long as its session."""
        task = asyncio.current_task()
        assert task is not None
        mine = self._sockets.setdefault(visitor.session, set())
        mine.add(task)
        try:
            await self.app(scope, receive, send)
        finally:
            mine.discard(task)
            if not mine:
                self._sockets.pop(visitor.session, None)

    async def _listen(self, told: Told, visitor: Visitor, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and stop listening when its body is larger than it may be."""
        most = visitor.workspace.quota.upload + _FORM if _UPLOADS.search(told.path) else _BODY
        body = Body(most, told.has_body, receive, self._with_headers(scope, send))
        if told.size is not None and told.size > most:
            await body.refuse()
            return
        await self.app(scope, body.receive, body.send)

    def _hang_up(self, session: str) -> None:
        for task in self._sockets.pop(session, set()):
            task.cancel()

    def _with_headers(self, scope: Scope, send: Send) -> Send:
        csp = safe.policy(scope[safe.NONCE])

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                added = [
                    (name.lower().encode(), value.encode())
                    for name, value in safe.headers(csp, secure=self._doors.secure).items()
                    if name.lower().encode() not in given
                ]
                if not scope["path"].startswith("/_nicegui/"):
                    message["headers"] = [pair for pair in message["headers"] if pair[0].lower() != b"cache-control"]
                    added.append((b"cache-control", b"no-store"))
                message["headers"] = [*message["headers"], *added]
            await send(message)

        return sending


class Told:
    """What a request says about itself."""

    def __init__(self, scope: Scope, *, proxied: bool = False) -> None:
        self.kind: str = scope["type"]
        self.method: str = scope.get("method", "GET")
        self.path: str = scope["path"]
        self.query = dict(parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True))
        self._headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            self._headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        self.cookies = _cookies(self.one("cookie"))
        hops = self.one("x-forwarded-for").split(",") if proxied else []
        self.client: str = hops[-1].strip() if hops else (scope.get("client") or ("?", 0))[0]

    def one(self, name: str) -> str:
        """The value of a header; nothing where it is given twice, for then nobody knows which is meant."""
        found = self._headers.get(name, [])
        if name == "cookie":
            return "; ".join(found)
        return found[0] if len(found) == 1 else ""

    @property
    def has_body(self) -> bool:
        return bool(self.size) or bool(self.one("transfer-encoding"))

    @property
    def size(self) -> int | None:
        """The size of the body, where it is told."""
        given = self.one("content-length")
        return int(given) if given.isdigit() else None

    @property
    def changes(self) -> bool:
        return self.kind == "http" and self.method not in _READS

    def without(self, name: str) -> str:
        """The path and query without one of its arguments."""
        rest = urlencode([(key, value) for key, value in self.query.items() if key != name])
        path = f"/{self.path.lstrip('/')}"  # `//name` would be another server
        return f"{path}?{rest}" if rest else path


def _cookies(text: str) -> dict[str, str]:
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(text).items()}
    except CookieError:
        return {}
