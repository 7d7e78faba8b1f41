"""Classes from lists of sensitive values, one list a class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest

from paravent.privacy.classes import Classes, Histogram
from paravent.table.domain import Domain
from paravent.table.kinds import Kind


def _classes_of(lists: Sequence[Sequence[Any]], among: Sequence[Any] | None = None) -> Classes:
    """Classes over the values that occur, in their own order. `among` are all rows of the table, where the lists are
    only some of its classes."""
    rows = [value for held in lists for value in held]
    table = rows if among is None else list(among)
    values = sorted(set(table))
    code = {value: i for i, value in enumerate(values)}
    counts = np.array([table.count(value) for value in values], dtype=np.int64)
    kind = Kind.NOMINAL if values and isinstance(values[0], str) else Kind.INTEGER
    of_row = np.array([c for c, held in enumerate(lists) for _ in held], dtype=np.int64)
    codes = np.array([code[value] for value in rows], dtype=np.int64)
    domain = Domain("s", kind, pl.Series("s", values), counts)
    histogram = Histogram.of(of_row, len(lists), codes, counts, domain)
    return Classes(np.bincount(of_row, minlength=len(lists)), {"s": histogram})


@pytest.fixture(scope="session")
def classes_of() -> Callable[..., Classes]:
    return _classes_of
