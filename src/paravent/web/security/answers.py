"""Answers that the guard gives by itself: small pages without scripts, or JSON for programs."""

from __future__ import annotations

import html
import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

from paravent.web.security import headers as safe

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes
    kind: str = "text/html; charset=utf-8"
    headers: Sequence[tuple[str, str]] = ()

    async def give(self, to: str, send: Send, *, secure: bool) -> None:
        if to == "websocket":
            await send({"type": "websocket.close", "code": 4403 if self.status == 403 else 4401})
            return
        told: Mapping[str, str] = safe.headers(safe.PLAIN, secure=secure)
        pairs = [("content-type", self.kind), ("content-length", str(len(self.body))), ("cache-control", "no-store")]
        pairs += [*told.items(), *self.headers]
        encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in pairs]
        await send({"type": "http.response.start", "status": self.status, "headers": encoded})
        await send({"type": "http.response.body", "body": self.body})


def refusal(status: int, sentence: str) -> Answer:
    """No, as JSON: programs and pages of other sites get it."""
    return Answer(status, json.dumps({"error": sentence}).encode(), "application/json")


_STYLE = (
    "body{font:17px/1.55 system-ui,sans-serif;margin:12vh auto;max-width:26rem;padding:0 1.25rem;color:#1c2430;"
    "background:#fbfbfa}h1{font-size:1.5rem}label{display:block;margin:1rem 0 .25rem}"
    "input{font:inherit;width:100%;box-sizing:border-box;padding:.55rem .7rem;border:1px solid #6b7686;"
    "border-radius:8px}"
    "button{font:inherit;margin-top:1.5rem;padding:.6rem 1.4rem;border:0;border-radius:8px;background:#1d5fae;"
    "color:#fff}"
    "button:focus-visible,input:focus-visible{outline:3px solid #1d5fae;outline-offset:2px}"
    "p.wrong{color:#a3201a}@media(prefers-color-scheme:dark){body{background:#14181d;color:#e8ebef}"
    "input{background:#1d232a;color:inherit;border-color:#8b97a6}p.wrong{color:#ff9d94}}"
)


def page(status: int, title: str, inside: str, headers: Sequence[tuple[str, str]] = (), refresh: str = "") -> Answer:
    """A small page; `inside` is HTML of our own."""
    again = f'<meta http-equiv="refresh" content="0;url={html.escape(refresh)}">' if refresh else ""
    text = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>{again}'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>'
        f"<body><main><h1>{html.escape(title)}</h1>{inside}</main></body></html>"
    )
    return Answer(status, text.encode(), headers=headers)


def come_in(where: str, cookie: str = "") -> Answer:
    """Set the cookie, and go on from a page of our own: a browser sends a strict cookie only then."""
    link = f'<p><a href="{html.escape(where)}">Go on</a></p>'
    return page(200, "paravent", link, [("set-cookie", cookie)] if cookie else (), refresh=where)
