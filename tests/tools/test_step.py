"""tools/step: what is being done is said at once, a failure is shown, and two makes of one clone take turns."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"

pytestmark = pytest.mark.skipif(shutil.which("flock") is None, reason="steps take turns only where there is flock")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with the tools and nothing else."""
    (tmp_path / "tools").mkdir()
    for name in ("step", "jobs"):
        shutil.copy(TOOLS / name, tmp_path / "tools")
    return tmp_path


def start(clone: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        ["tools/step", *words],
        cwd=clone,
        env={**os.environ, "STEP_EVERY": "0.2"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_says_what_it_does_before_it_is_done(clone: Path) -> None:
    go = clone / "go"
    wait = f"until [ -e {go} ]; do sleep 0.05; done; echo noise"
    step = start(clone, "stamp", "Building", "bash", "-c", wait)
    assert step.stdout is not None
    assert step.stdout.readline() == "Building\n"
    assert step.stdout.readline().startswith("  … ")
    assert not (clone / "stamp").exists()
    go.touch()
    rest, _ = step.communicate()
    assert "noise" not in rest
    assert step.returncode == 0
    assert (clone / "stamp").exists()


def test_a_failure_is_shown_and_leaves_no_stamp(clone: Path) -> None:
    step = start(clone, "stamp", "Building", "bash", "-c", "echo the reason; exit 3")
    told, _ = step.communicate()
    assert step.returncode == 3
    assert told == "Building\nthe reason\nBuilding: this failed with exit code 3; the lines above say why.\n"
    assert not (clone / "stamp").exists()


def test_a_second_make_waits_says_so_and_does_not_do_it_again(clone: Path) -> None:
    go, log = clone / "go", clone / "log"
    work = f"echo worked >> {log}; until [ -e {go} ]; do sleep 0.05; done"
    first = start(clone, "stamp", "Building", "bash", "-c", work)
    assert first.stdout is not None
    assert first.stdout.readline() == "Building\n"
    second = start(clone, "stamp", "Building", "bash", "-c", work)
    assert second.stdout is not None
    assert "waiting for another make" in second.stdout.readline()
    assert "still waiting" in second.stdout.readline()
    go.touch()
    first.communicate()
    second.communicate()
    assert (first.returncode, second.returncode) == (0, 0)
    assert log.read_text() == "worked\n"


def test_a_step_that_was_killed_does_not_hold_up_the_next(clone: Path) -> None:
    child = "sleep 600 & echo $! > child; wait"
    first = start(clone, "stamp", "Building", "bash", "-c", child)
    assert first.stdout is not None
    assert first.stdout.readline() == "Building\n"
    assert re.fullmatch(r"  … \d+ s\n", first.stdout.readline())
    first.terminate()
    assert first.wait() != 0
    child_status = Path("/proc") / (clone / "child").read_text().strip() / "status"
    for _ in range(100):
        if not child_status.exists() or "State:\tZ" in child_status.read_text():
            break
        time.sleep(0.05)
    else:
        pytest.fail("what the step started went on after it")
    second = start(clone, "stamp", "Building", "true")
    assert second.communicate()[0] == "Building\n"


def test_as_many_compilers_as_memory_holds(clone: Path) -> None:
    jobs = int(subprocess.run(["tools/jobs"], cwd=clone, capture_output=True, text=True, check=True).stdout)
    assert 1 <= jobs <= (os.cpu_count() or 1)


@pytest.mark.skipif(sys.platform != "linux", reason="written for GNU make")
@pytest.mark.parametrize("target", ["run", "test", "explore"])
def test_every_long_step_is_announced(target: str) -> None:
    """Nothing quiet is left: what a recipe runs is echoed by make or told by tools/step."""
    root = TOOLS.parent
    printed = subprocess.run(
        ["make", "--dry-run", "--always-make", target], cwd=root, capture_output=True, text=True, check=True
    ).stdout
    assert "--quiet" not in printed
    assert printed.count("tools/step .venv/") == 3
