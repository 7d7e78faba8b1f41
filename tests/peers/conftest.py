"""Other tools, asked in an environment of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
Ask = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


@pytest.fixture(scope="session")
def pycanon() -> Ask:
    """pyCANON's answers to tasks; the environment is made on first use."""
    # With all that says how a registry is reached, and without the environment that we are in ourselves.
    around = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    made = subprocess.run(
        [ROOT / "tools/peers-environment"],
        capture_output=True,
        text=True,
        check=False,
        env={**around, "PYTHON": sys.executable},
    )
    if made.returncode == 75:
        pytest.skip(f"the packages of the peers cannot be fetched: {made.stderr.strip()[-300:]}")
    assert made.returncode == 0, made.stderr
    python = made.stdout.strip()

    def ask(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
        done = subprocess.run(
            [python, Path(__file__).with_name("pycanon_worker.py")],
            input=json.dumps(tasks),
            capture_output=True,
            text=True,
            check=True,
        )
        answers: list[dict[str, Any]] = json.loads(done.stdout)
        return answers

    return ask
