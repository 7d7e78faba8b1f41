"""Work on all cores: the same for each of several columns, or something beside."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Each = TypeVar("Each")
Found = TypeVar("Found")


_FEW = 50_000
"""With fewer rows a thread costs more than it helps."""


def side_by_side(work: Callable[[Each], Found], columns: Iterable[Each], *, rows: int) -> list[Found]:
    """What the work gives for each column of so many rows, in their order. Arrays are worked on without the
    interpreter's lock, so that columns that know nothing of one another keep all cores busy; the first error is raised
    as it would be in a loop.

    >>> side_by_side(len, [[1, 2], [3]], rows=2)
    [2, 1]
    """
    asked = list(columns)
    cores = 1 if rows < _FEW else min(len(asked), os.cpu_count() or 1)
    if cores < 2:
        return [work(column) for column in asked]
    with ThreadPoolExecutor(cores) as pool:
        return list(pool.map(work, asked))


def meanwhile(work: Callable[[], Found], *, rows: int) -> Callable[[], Found]:
    """Work on so many rows that another core may do until it is asked for; with few rows it is done when it is asked
    for. Nobody waits for what is not asked for.

    >>> meanwhile(lambda: 1 + 1, rows=2)()
    2
    """
    if rows < _FEW:
        return work
    aside = ThreadPoolExecutor(max_workers=1)
    begun = aside.submit(work)
    aside.shutdown(wait=False)
    return begun.result
