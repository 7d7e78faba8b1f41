"""Bodies of requests: counted while they come, refused in the middle when they are too large."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from paravent.web.workspace.quota import spelled

Message = MutableMapping[str, Any]


class Body:
    """Stands between the server and the application for one request."""

    def __init__(
        self,
        most: int,
        expected: bool,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        self._most = most
        self._more = expected
        self._receive = receive
        self._send = send
        self._came = 0
        self._begun = False
        self._refused = False

    async def receive(self) -> Message:
        if self._refused:
            return {"type": "http.disconnect"}
        message = await self._receive()
        if message["type"] == "http.request":
            self._came += len(message.get("body", b""))
            self._more = bool(message.get("more_body", False))
            if self._came > self._most:
                await self.refuse()
                return {"type": "http.disconnect"}
        return message

    async def send(self, message: Message) -> None:
        if self._refused:
            return
        self._begun = True
        if message["type"] == "http.response.start" and self._more:  # an answer before the end: nobody hears the rest
            message["headers"] = [*message["headers"], (b"connection", b"close")]
        await self._send(message)

    async def refuse(self) -> None:
        """Say that it is too much, and hear no more."""
        if not self._begun:
            said = f"more than {spelled(self._most)} cannot be sent at once. Send fewer rows or columns."
            body = json.dumps({"error": said}).encode()
            pairs = [(b"content-type", b"application/json"), (b"connection", b"close")]
            await self._send({"type": "http.response.start", "status": 413, "headers": pairs})
            await self._send({"type": "http.response.body", "body": body})
        self._refused = True
