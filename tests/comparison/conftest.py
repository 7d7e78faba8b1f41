"""A small table about people and plans for it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import paravent as pv


@pytest.fixture(scope="session")
def people() -> pl.DataFrame:
    """240 people; two of them have a disease that nobody else has, one lives where nobody else does."""
    rng = np.random.default_rng(3)
    n = 240
    return pl.DataFrame(
        {
            "name": [f"Person-{i:04}" for i in range(n)],
            "age": rng.integers(20, 80, n),
            "zip": np.r_[rng.choice(["75001", "75002", "69001", "69002"], n - 1), ["20999"]],
            "sex": rng.choice(["f", "m"], n),
            "disease": np.r_[rng.choice(["flu", "cold", "asthma", "ulcer"], n - 2), ["kuru"] * 2],
        }
    )


@pytest.fixture(scope="session")
def plan() -> pv.Plan:
    return pv.Plan(
        {
            "name": pv.Identifier(),
            "age": pv.Quasi(pv.intervals(5, 10, 20)),
            "zip": pv.Quasi(pv.prefixes()),
            "sex": pv.Quasi(),
            "disease": pv.Sensitive(),
        },
        [pv.KAnonymity(5)],
    )
