"""Columns side by side: the same work for each of several columns, on all cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Each = TypeVar("Each")
Found = TypeVar("Found")


def side_by_side(work: Callable[[Each], Found], columns: Iterable[Each]) -> list[Found]:
    """What the work gives for each column, in their order. Arrays are worked on without the interpreter's lock, so that
    columns that know nothing of one another keep all cores busy; the first error is raised as it would be in a loop.

    >>> side_by_side(len, [[1, 2], [3]])
    [2, 1]
    """
    asked = list(columns)
    cores = min(len(asked), os.cpu_count() or 1)
    if cores < 2:
        return [work(column) for column in asked]
    with ThreadPoolExecutor(cores) as pool:
        return list(pool.map(work, asked))
