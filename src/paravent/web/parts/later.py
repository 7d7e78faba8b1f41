"""What is worth doing once, when somebody has stopped: keys and sliders tell of every step on the way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from nicegui import ui

T = TypeVar("T")


class Later(Generic[T]):
    """`act` is called with what was told last, once nothing has been told for a while."""

    def __init__(self, act: Callable[[T], object], seconds: float = 0.2) -> None:
        self._act, self._seconds = act, seconds
        self._client = ui.context.client
        self._waiting: asyncio.TimerHandle | None = None
        self._told: T | None = None

    def tell(self, told: T) -> None:
        self.forget()
        self._told = told
        self._waiting = asyncio.get_running_loop().call_later(self._seconds, self.now)

    def now(self) -> None:
        """Do at once what is still waiting."""
        told, waiting = self._told, self._waiting
        self.forget()
        if waiting is not None and told is not None and not self._client.is_deleted:
            with self._client:
                self._act(told)

    def forget(self) -> None:
        """Do not do what is still waiting."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting, self._told = None, None
