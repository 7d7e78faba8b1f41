"""Columns that follow from others are found, and nothing is found where it is chance."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from paravent.profiling.redundancy import Redundancy, redundancies

RNG = np.random.default_rng(0)


def test_education_and_its_number_say_the_same() -> None:
    education = RNG.integers(0, 16, 500)
    found = redundancies({"education": education, "education-num": 15 - education, "sex": RNG.integers(0, 2, 500)})
    assert found == (Redundancy("education", "education-num", True),)
    assert "'education' and 'education-num' say the same" in str(found[0])


def test_an_age_group_follows_from_the_age_whichever_comes_first() -> None:
    age = RNG.integers(18, 90, 500)
    assert redundancies({"group": age // 10, "age": age}) == (Redundancy("age", "group", False),)


def test_chance_is_no_redundancy() -> None:
    rows = 300
    columns = {
        "number": np.arange(rows),  # gives everything away, and says nothing about the others
        "rare": (np.arange(rows) == 7).astype(int),  # nearly everybody has the same
        "constant": np.zeros(rows, dtype=int),
        "sex": RNG.integers(0, 2, rows),
    }
    assert redundancies(columns) == ()


def test_one_exception_is_enough() -> None:
    age = RNG.integers(18, 90, 10_000)
    group = age // 10
    group[4_321] += 1
    assert redundancies({"age": age, "group": group}) == ()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=60))
def test_what_is_found_is_a_function(rows: list[tuple[int, int]]) -> None:
    columns = {"a": np.array([a for a, _ in rows], int), "b": np.array([b for _, b in rows], int)}
    for found in redundancies(columns):
        pairs = set(zip(columns[found.given].tolist(), columns[found.follows].tolist(), strict=True))
        assert len(pairs) == len(set(columns[found.given].tolist()))
