"""The command as a process of its own: start-up, streams, exit codes, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

HEAVY = ("polars", "numpy", "altair", "pandas", "pyarrow", "vl_convert", "sqlalchemy", "jinja2", "rich.markdown")


def _paravent(*words: object, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from paravent.cli import main; main()", *map(str, words)],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize(
    "code",
    [
        "import paravent.cli",
        "import paravent.cli.app",
        "import sys; sys.argv[1:] = ['--help']; import paravent.cli as c; c.main()",
    ],
)
def test_start_up_imports_nothing_heavy(code: str, tmp_path: Path) -> None:
    probe = f"import atexit, sys\natexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr))\n{code}"
    done = subprocess.run([sys.executable, "-c", probe], cwd=tmp_path, capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert "paravent.cli" in loaded
    assert not loaded & set(HEAVY)


def test_exit_codes_reach_the_shell(tmp_path: Path, patients: Path) -> None:
    options = ("--quasi", "age", "--k")
    assert (
        _paravent("anonymize", patients, "-i", "name,zip code", *options, 4, "-o", "out.csv", cwd=tmp_path).returncode
        == 0
    )
    assert _paravent("verify", "out.csv", *options, 4, cwd=tmp_path).returncode == 0
    assert _paravent("verify", "out.csv", *options, 40, cwd=tmp_path).returncode == 1
    wrong = _paravent("anonymize", "nowhere.csv", *options, 4, cwd=tmp_path)
    assert wrong.returncode == 2
    assert wrong.stdout == ""
    assert wrong.stderr.startswith("paravent: ")
    assert wrong.stderr.count("\n") == 1


def test_json_is_all_there_is_on_stdout(tmp_path: Path, patients: Path) -> None:
    done = _paravent("anonymize", patients, "-q", "age", "-i", "name,zip code", "-k", 4, "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["holds"] is True


def test_no_progress_bar_in_a_pipe(tmp_path: Path, patients: Path) -> None:
    done = _paravent("anonymize", patients, "-q", "age", "-i", "name,zip code", "-k", 4, cwd=tmp_path)
    assert done.stderr == ""
    assert "\x1b" not in done.stdout


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path, patients: Path) -> None:
    command = f'{sys.executable} -c "from paravent.cli import main; main()" profile {patients} | head -n 1'
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1


SLOW = """
import signal, sys, time
import paravent.plan.runner as runner
from paravent.methods import Mondrian

def run(self, task):
    print("running", flush=True, file=sys.stderr)
    time.sleep(60)

Mondrian.run = run
from paravent.cli import main
main()
"""


def test_ctrl_c_ends_cleanly_and_leaves_nothing(tmp_path: Path, patients: Path) -> None:
    words = (
        "anonymize",
        patients,
        "-q",
        "age",
        "-i",
        "name,zip code",
        "-k",
        4,
        "-o",
        "out.csv",
        "--report",
        "out.html",
        "--save-plan",
        "p.toml",
    )
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, *map(str, words)], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "running\n"
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    assert told == "paravent: Stopped. Nothing was written.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["patients.csv"]
