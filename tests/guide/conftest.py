"""The table of the scenario: 1000 people, three quasi-identifiers spread evenly, a salary that education tells."""

from __future__ import annotations

import polars as pl
import pytest

import paravent as pv

LEVELS = {
    "secondary": ["9th", "10th", "11th", "12th"],
    "university": ["bachelor", "master", "doctor"],
}


@pytest.fixture(scope="session")
def people() -> pl.DataFrame:
    names = [name for group in LEVELS.values() for name in group]
    rows = range(1000)
    return pl.DataFrame(
        {
            "age": [20 + (i * 7) % 45 for i in rows],
            "education": [names[(i * 3) % 7] for i in rows],
            "sex": ["f" if (i * 5) % 11 < 5 else "m" for i in rows],
            "salary": ["high" if names[(i * 3) % 7] in LEVELS["university"] and i % 5 else "low" for i in rows],
        }
    )


@pytest.fixture(scope="session")
def roles() -> pv.Plan:
    return pv.Plan(
        {
            "age": pv.Quasi(pv.intervals(5, 10, 20)),
            "education": pv.Quasi(pv.groups(LEVELS)),
            "sex": pv.Quasi(pv.flat()),
            "salary": pv.Sensitive(),
        },
        [pv.KAnonymity(2)],
    )


@pytest.fixture(scope="session")
def scenario() -> pv.Context:
    """Ben Fredj 2017, ch. 7: risk and suppression of 20 %, a large table, classification of the salary."""
    return pv.Context(
        risk=0.2,
        suppression=0.2,
        use="classification",
        target="salary",
        size="large",
        preferences={
            ("security", "quality"): 1,
            ("precision", "usage"): 2,
            ("precision", "completeness"): 5,
            ("usage", "completeness"): 5,
        },
    )


THREE = ("datafly", "mondrian-median", "top-down-specialization")
