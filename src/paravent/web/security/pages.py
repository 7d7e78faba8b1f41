"""Whose page is whose. NiceGUI hears whoever names the id of a page; here only the session that opened it is heard."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qs

from paravent.web.visit import KEY, Visitor

_PAGE = re.compile(r"^/_nicegui/client/([^/]+)/")
_SPOKEN = ("handshake", "event", "javascript_response", "ack", "log")
"""What a socket says about a page; each message names the page's `client_id`."""


def own(client_id: object, scope: Mapping[str, Any]) -> bool:
    """Whether the visitor in the scope opened the page with this id. A page that is not there is nobody's."""
    from nicegui import Client

    client = Client.instances.get(client_id) if isinstance(client_id, str) else None
    request = None if client is None else client._request
    if request is None:
        return False
    owner, asker = request.scope.get(KEY), scope.get(KEY)
    if not isinstance(owner, Visitor) or not isinstance(asker, Visitor):
        return False
    return (owner.name, owner.session) == (asker.name, asker.session)


def page_in(path: str) -> str | None:
    """The page that an address speaks of: uploads go to one.

    >>> page_in("/_nicegui/client/ab-12/upload/7"), page_in("/p/ab-12/data")
    ('ab-12', None)
    """
    found = _PAGE.match(path)
    return found[1] if found else None


def hold_sockets() -> None:
    """Let a socket speak about pages of its own session alone, and hear nothing about others."""
    from nicegui.nicegui import sio

    handlers: dict[str, Callable[..., Any]] = sio.handlers["/"]
    for name in _SPOKEN:
        handlers[name] = _held(handlers[name], sio)
    handlers["connect"] = _met(handlers["connect"])


def _held(hear: Callable[..., Any], sio: Any) -> Callable[..., Any]:
    async def held(sid: str, told: Any = None) -> Any:
        scope = (sio.get_environ(sid) or {}).get("asgi.scope", {})
        if not isinstance(told, dict) or not own(told.get("client_id"), scope):
            return False
        answer = hear(sid, told)
        return await answer if inspect.isawaitable(answer) else answer

    return held


def _met(meet: Callable[..., Any]) -> Callable[..., Any]:
    from socketio.exceptions import ConnectionRefusedError

    async def met(sid: str, environ: dict[str, Any], told: Any = None) -> Any:
        named = parse_qs(environ.get("QUERY_STRING", "")).get("client_id")
        if named and not own(named[0], environ.get("asgi.scope", {})):
            raise ConnectionRefusedError("Implicit handshake failed")  # on these words a browser loads the page anew
        return await meet(sid, environ, told)

    return met
