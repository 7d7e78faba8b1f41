"""A piece of a screen that can be built anew by itself.

NiceGUI's own `refreshable_method` keeps the object whose method was called last in the class, and with it the page of
somebody who has left; here the piece belongs to its object, and goes with it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from types import MethodType
from typing import TypeVar

from nicegui.functions.refreshable import RefreshableContainer

T = TypeVar("T")


class Piece:
    """Call it to build it where elements are made now; `refresh` builds it again in the same place."""

    def __init__(self, build: Callable[[], None]) -> None:
        self._build = build
        self._holder: RefreshableContainer | None = None

    def __call__(self) -> None:
        self._holder = RefreshableContainer()
        with self._holder:
            self._build()

    def refresh(self) -> None:
        if self._holder is not None and not self._holder.is_deleted:
            self._holder.clear()
            with self._holder:
                self._build()


def piece(method: Callable[[T], None]) -> cached_property[Piece]:
    """A method that builds a piece: `self._table()` builds it, `self._table.refresh()` builds it anew."""
    return cached_property(lambda owner: Piece(MethodType(method, owner)))
