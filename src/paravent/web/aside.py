"""Work beside the page: in a thread, so that nobody else waits for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from nicegui import run

P = ParamSpec("P")
T = TypeVar("T")


async def aside(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `work` gives. Use it for whatever takes more than a blink; for seconds and more there are jobs."""
    found: Any = await run.io_bound(work, *args, **kwargs)
    return cast(T, found)
