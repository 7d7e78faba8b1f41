"""Releases to report on, made by the real runner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv

NASTY = "<script>alert('x')</script>"
RARE = "sleeping sickness"


@pytest.fixture(scope="session")
def people() -> pl.DataFrame:
    rng = np.random.default_rng(7)
    n = 400
    return pl.DataFrame(
        {
            "name": [f"Person-{i:04}" for i in range(n)],
            "age": np.r_[rng.integers(20, 80, n - 1), 113],
            NASTY: rng.choice(["a", 'b"><img src=x>', "c & d"], n),
            "town": np.r_[np.repeat(["Lyon", "Paris", "Nice"], 132), ["Ouessant"] * 4],
            "illness": np.r_[rng.choice(["flu", "cold", "asthma"], n - 2), [RARE] * 2],
            "note": [f"secret-{i}" for i in range(n)],
        }
    )


@pytest.fixture(scope="session")
def anonymized(people: pl.DataFrame) -> Callable[..., pv.Release]:
    def run(frame: pl.DataFrame | None = None, **options: Any) -> pv.Release:
        columns = {
            "name": pv.Identifier(),
            "age": pv.Quasi(),
            NASTY: pv.Quasi(),
            "town": pv.Quasi(),
            "illness": pv.Sensitive(),
            "note": pv.Insensitive(),
        }
        if frame is not None:
            columns = {name: role for name, role in columns.items() if name in frame.columns}
        chosen = {"columns": columns, "protect": [pv.KAnonymity(5)], **options}
        return pv.anonymize(people if frame is None else frame, pv.Plan(**chosen))

    return run


@pytest.fixture(scope="session")
def release(anonymized: Callable[..., pv.Release]) -> pv.Release:
    return anonymized()


@pytest.fixture(scope="session")
def page(release: pv.Release) -> str:
    from paravent.report.page import render

    return render(release)
