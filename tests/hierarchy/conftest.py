from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

from paravent.table.domain import Domain
from paravent.table.kinds import Kind


@pytest.fixture(scope="session")
def domain_of() -> Callable[..., Domain]:
    """A domain from values in their order, each held by one row unless said otherwise."""

    def make(
        values: Any, kind: Kind = Kind.NOMINAL, *, name: str = "q", counts: Any = None, dtype: Any = None
    ) -> Domain:
        series = pl.Series("value", list(values), dtype=dtype)
        return Domain(name, kind, series, np.ones(len(series), np.int64) if counts is None else np.array(counts))

    return make
