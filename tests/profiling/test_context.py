"""A column that says nothing of itself is judged by its company, and only then."""

from __future__ import annotations

import polars as pl

from paravent.profiling.detect import Confidence
from paravent.profiling.lexicon import Role
from paravent.profiling.profile import profile

ROWS = 120


def column(name: str, distinct: int) -> pl.Series:
    return pl.Series(name, [i * 7 % distinct for i in range(ROWS)])


def test_among_findings_an_unreadable_column_is_a_finding() -> None:
    trial = pl.DataFrame(
        [column("age", 40), column("glucose", 30), column("dose", 3), column("stage", 4), column("q7", 5)]
    )
    found = profile(trial, max_subset=1)["q7"]
    assert (found.role, found.proposal.confidence) == (Role.SENSITIVE, Confidence.GUESS)
    assert "most other columns are sensitive" in found.proposal.reason


def test_among_what_people_know_it_stays_a_quasi_identifier() -> None:
    people = pl.DataFrame([column("age", 40), column("city", 30), column("job", 9), column("dose", 3), column("q7", 5)])
    assert profile(people, max_subset=1)["q7"].role is Role.QUASI


def test_values_that_nearly_all_differ_could_link_rows() -> None:
    trial = pl.DataFrame([column("glucose", 30), column("dose", 3), column("stage", 4), column("q7", 113)])
    assert profile(trial, max_subset=1)["q7"].role is Role.QUASI


def test_what_the_header_says_is_not_overruled() -> None:
    trial = pl.DataFrame([column("glucose", 30), column("dose", 3), column("stage", 4), column("city", 5)])
    assert profile(trial, max_subset=1)["city"].role is Role.QUASI
