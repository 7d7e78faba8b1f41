"""The same commit gets the same verdict: examples are fixed, and depend on nothing that differs between two runs."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import drawing

ROOT = Path(__file__).parents[1]


def drawn() -> list[int]:
    """The integers that a property gets to see."""
    seen: list[int] = []

    @settings(max_examples=200)
    @given(st.integers())
    def property_of_integers(number: int) -> None:
        seen.append(number)

    property_of_integers()
    return seen


@pytest.mark.skipif(drawing.SEED is not None, reason="an exploration draws fresh examples")
def test_examples_do_not_depend_on_what_is_imported(tmp_path: Path) -> None:
    before = drawn()
    source = tmp_path / "product" / "numbers_of_mine.py"
    source.parent.mkdir()
    source.write_text(f"NUMBERS = {list(range(1_000_003, 1_000_203))}\n")
    spec = importlib.util.spec_from_file_location("numbers_of_mine", source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["numbers_of_mine"] = module
    try:
        spec.loader.exec_module(module)
        assert drawn() == before
    finally:
        del sys.modules["numbers_of_mine"]


@pytest.mark.skipif(drawing.SEED is not None, reason="an exploration draws fresh examples")
def test_no_example_comes_from_a_database_or_a_clock() -> None:
    assert settings.default.derandomize
    assert settings.default.database is None
    assert settings.default.deadline is None


PROPERTY = """
from hypothesis import given, settings, strategies as st

@settings(max_examples=20)
@given(st.integers(0, 10**9))
def test_small(number):
    with open({log!r}, "a") as log:
        print(number, file=log)
    assert number < {bound}
"""


def explored(folder: Path, seed: int, *, bound: int) -> tuple[list[str], str]:
    """What an exploration of one small property draws and prints."""
    folder.mkdir()
    log = folder / "log"
    (folder / "test_small.py").write_text(PROPERTY.format(log=str(log), bound=bound))
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, f"--hypothesis-seed={seed}", "--rootdir", str(folder), "-c", os.devnull, str(folder)],
        env={**os.environ, "PARAVENT_EXPLORE": str(seed), "PARAVENT_TIMES": "3", "PYTHONPATH": str(ROOT)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return log.read_text().split(), done.stdout


def test_an_exploration_draws_more_and_can_be_repeated(tmp_path: Path) -> None:
    first, _ = explored(tmp_path / "first", 11, bound=10**10)
    assert 60 <= len(first) <= 70  # a few are drawn twice
    assert explored(tmp_path / "again", 11, bound=10**10)[0] == first
    assert explored(tmp_path / "other", 12, bound=10**10)[0] != first


def test_an_exploration_says_how_to_repeat_a_failure(tmp_path: Path) -> None:
    _, told = explored(tmp_path / "failing", 11, bound=5)
    assert "make explore SEED=11 TIMES=3 TESTS='test_small.py'" in told
    assert "@reproduce_failure" in told
    assert "@example" in told


def test_seeded_runs_are_fixed() -> None:
    one, other = drawing.generator(1, 5), drawing.generator(1, 5)
    assert one.integers(0, 10**9, 20).tolist() == other.integers(0, 10**9, 20).tolist()
    assert drawing.generator(1, 6).integers(10**9) != drawing.generator(2, 6).integers(10**9)
