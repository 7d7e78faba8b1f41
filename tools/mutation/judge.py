"""Whether tests notice a change. What the clock says is no judgement: on a loaded machine every test may be late.

A run has a limit of processor time. One that uses it up does not end, and is noticed, only where the same tests take a
tenth of it at most without the change; else nobody knows. A test that fails because something that it waited for was
late is run once more by itself.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parents[2]
Verdict = Literal["noticed", "survives", "undecided"]
_LATE = re.compile(r"TimeoutExpired|TimeoutError|HangError|Timeout >")
_PASSED = (0, 5)
"""What pytest ends with where all tests pass, or there is none."""
_PATIENCE = 20
"""Seconds on the clock for one of the processor, before a run that waits for something is given up."""
_FAR = 10
"""How many times the usual processor time a change must take to be known for one that does not end."""


@dataclass(frozen=True)
class Judgement:
    """What became of a change: `by` names the first test that fails, or says why nobody knows."""

    verdict: Verdict
    by: str = ""


@dataclass(frozen=True)
class Run:
    """How a run of pytest ended."""

    ended: Literal["passed", "failed", "used up", "stuck"]
    failed: str = ""
    late: bool = False
    seconds: float = 0.0


def run_tests(tests: Sequence[str], mutant: str, limit: float, *, root: Path = ROOT) -> Run:
    """Run tests (files, or single ones by their names) in this order until one fails, with a change (`path:index`; ""
    for none), for `limit` seconds of the processor."""
    environment = os.environ | {"PARAVENT_PROCESSOR_SECONDS": str(max(1, round(limit))), "PYTHONHASHSEED": "0"}
    environment |= {"PARAVENT_MUTANT": mutant, "PYTHONPATH": str(ROOT)}
    files = dict.fromkeys(test.split("::")[0] for test in tests)
    options = ["-x", "-q", "-p", "tools.mutation.plugin", "-p", "no:cacheprovider"]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as wanted:
        json.dump(list(tests), wanted)
        wanted.flush()
        environment["PARAVENT_TESTS"] = wanted.name
        with subprocess.Popen(
            [sys.executable, "-m", "pytest", *options, *files],
            cwd=root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as child:
            try:
                said, _ = child.communicate(timeout=_PATIENCE * limit)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.communicate()
                return Run("stuck")
    used = re.search(r"processor seconds: ([\d.]+)", said)
    seconds = float(used[1]) if used else limit
    if child.returncode in _PASSED:
        return Run("passed", seconds=seconds)
    if child.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return Run("used up", seconds=limit)
    found = re.search(r"^(?:FAILED|ERROR) (\S+)", said, re.MULTILINE)
    failed = found[1] if found else "it cannot be imported"
    return Run("failed", failed, late=bool(_LATE.search(said)), seconds=seconds)


def judge(mutant: str, stages: Sequence[Sequence[str]], limit: float, *, root: Path = ROOT) -> Judgement:
    """Run the stages one after the other until a test notices the change; `limit` is for each of them."""
    doubt = ""
    for stage in stages:
        run = run_tests(stage, mutant, limit, root=root)
        if run.ended == "failed" and run.late and "::" in run.failed:
            run = run_tests([run.failed], mutant, limit, root=root)
            if run.ended == "passed" or run.late:
                doubt = doubt or "a test that waits was late"
                continue
        if run.ended == "failed":
            return Judgement("noticed", run.failed)
        if run.ended == "used up":
            plain = run_tests(stage, "", limit, root=root)
            if plain.ended == "passed" and _FAR * plain.seconds <= limit:
                return Judgement("noticed", "it does not end")
            doubt = doubt or "its tests take longer than the limit"
        if run.ended == "stuck":
            doubt = doubt or "it was given up"
    return Judgement("undecided", doubt) if doubt else Judgement("survives")
