"""Whoever leaves the page leaves nothing in the server's memory."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.web.leaving import PEOPLE


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    command = [sys.executable, "-m", "tests.web.leaving", str(tmp_path_factory.mktemp("left"))]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300, check=True)
    assert "Error" not in done.stderr  # nothing was built for those who had left
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_pages_that_nobody_looks_at_are_not_built_again(told: dict[str, object]) -> None:
    assert told["loaded"] == PEOPLE
    assert told["built again"] == 0


def test_of_pages_that_nobody_looks_at_only_the_latest_stay(told: dict[str, object]) -> None:
    assert told["kept"] == 3
    assert told["gone unseen"] is True


def test_whoever_looks_is_shown_what_changes_and_leaves_nothing(told: dict[str, object]) -> None:
    shown = told["shown"]
    assert isinstance(shown, list)
    assert all(updates > 0 for updates in shown)
    assert told["gone"] is True
    assert told["listeners"] == 0
    assert told["outboxes"] == 0
