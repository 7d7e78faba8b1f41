"""Which tests run a line: found by running the tests once, kept until a source or a test changes."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import coverage

from tools.mutation.judge import ROOT
from tools.mutation.operators import NEVER_TAKEN, Mutation
from tools.mutation.results import digest_of

SOURCE = ROOT / "src" / "paravent"
SLOW = (
    *("test_fuzz", "pycanon", "experiments", "test_process", "test_readme", "test_mutation"),
    *("tests/web", "tests/engine", "tests/guide", "tests/knowledge", "tests/private"),
)
"""Tests that are not asked: they take long, and look at the rooms from far away."""
FEW_FILES = 6
MOST_FAILED = 20
"""Tests that may fail before anything is changed, and are left out; with more of them a run says nothing."""
STAGES = (8.0, 40.0)
"""Processor seconds of tests, the nearest first, after which a change that nobody noticed survives."""


class Reach:
    """The tests that run each line of some rooms, and how long each of them takes."""

    def __init__(self, folder: Path, rooms: Sequence[str], jobs: int) -> None:
        files = [*SOURCE.rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
        digest = digest_of(sorted(files))
        stamp = folder / "digest"
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != digest:
            print("Finding out which tests run which lines …", flush=True)
            _trace(folder, rooms, jobs)
            stamp.write_text(digest, encoding="utf-8")
        self._lines = coverage.CoverageData(str(folder / "lines"))
        self._lines.read()
        self._seconds: Mapping[str, float] = json.loads((folder / "seconds.json").read_text(encoding="utf-8"))
        self._failed = set(json.loads((folder / "failed.json").read_text(encoding="utf-8")))

    @cache  # noqa: B019 -- one object a run
    def _tests_by_line(self, path: Path) -> Mapping[int, Sequence[str]]:
        return self._lines.contexts_by_lineno(str(path))

    def stages(self, change: Mutation) -> list[list[str]]:
        """The tests to run for a change, in the order to run them. None: no test runs the place."""
        by_line = self._tests_by_line(change.path)
        found = {test for line in statement_of(change) for test in by_line.get(line, ())}
        if found == {""}:  # run when the module is imported: it may matter to whatever uses the module
            found = {test for tests in by_line.values() for test in tests}
        found -= {"", *self._failed}
        near = nearest(found, change.path, self._seconds)
        others = found.difference(near)
        return [stage for stage in (near, *in_stages(mixed(others, self._seconds), self._seconds)) if stage]


def nearest(tests: Iterable[str], path: Path, seconds: Mapping[str, float]) -> list[str]:
    """The quick tests of a few files that are likely to notice a change in a module: those named like it, those of its
    room, those that run it most. (To collect the tests of many files takes longer than to run them.)"""
    room, stem = path.relative_to(SOURCE).parts[0], path.stem.removeprefix("_")
    of_file: dict[str, list[str]] = {}
    for test in tests:
        of_file.setdefault(test.split("::")[0], []).append(test)

    def far(file: str) -> tuple[bool, bool, int, str]:
        return stem not in Path(file).stem, room not in Path(file).parts, -len(of_file[file]), file

    near = [test for file in sorted(of_file, key=far)[:FEW_FILES] for test in of_file[file]]
    return next(iter(in_stages(mixed(near, seconds), seconds)), [])


def mixed(tests: Iterable[str], seconds: Mapping[str, float]) -> list[str]:
    """Quick ones first, the quickest of every file before the second of any."""
    turn: dict[str, int] = {}
    ranked = []
    for test in sorted(tests, key=lambda test: (seconds.get(test, 0.0), test)):
        file = test.split("::")[0]
        turn[file] = turn.get(file, -1) + 1
        ranked.append((turn[file], seconds.get(test, 0.0), test))
    return [test for *_, test in sorted(ranked)]


def statement_of(change: Mutation) -> range:
    """The lines of the innermost statement around a change; of one that holds others, its head alone. That a branch is
    never taken matters to those who take it: its first statement."""
    best = range(change.line, change.line + 1)
    size = sys.maxsize
    for node in ast.walk(ast.parse(change.path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.stmt) or node.end_lineno is None:
            continue
        if isinstance(node, ast.If) and node.lineno == change.line and change.words == NEVER_TAKEN:
            return range(node.body[0].lineno, (node.body[0].end_lineno or node.body[0].lineno) + 1)
        body = getattr(node, "body", None)
        end = body[0].lineno - 1 if body else node.end_lineno
        if node.lineno <= change.line <= max(end, node.lineno) and node.end_lineno - node.lineno < size:
            best, size = range(node.lineno, max(end, node.lineno) + 1), node.end_lineno - node.lineno
    return best


def in_stages(tests: Sequence[str], seconds: Mapping[str, float]) -> list[list[str]]:
    """Tests cut where so many seconds have passed; those beyond the last of STAGES are left out."""
    stages: list[list[str]] = [[]]
    used = 0.0
    limits = iter(STAGES)
    limit = next(limits)
    for test in tests:
        if used > limit:
            following = next(limits, None)
            if following is None:
                break
            limit = following
            stages.append([])
        stages[-1].append(test)
        used += seconds.get(test, 0.0)
    return [stage for stage in stages if stage]


def _trace(folder: Path, rooms: Sequence[str], jobs: int) -> None:
    """Run the tests once, with an eye on the lines of the rooms."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    traced = os.pathsep.join(str(SOURCE / room / "*") for room in rooms)
    environment = os.environ | {"PARAVENT_TRACES": str(folder), "PARAVENT_TRACED": traced, "PYTHONHASHSEED": "0"}
    environment |= {"PYTHONPATH": str(ROOT)}
    options = ["-q", "-p", "tools.mutation.tracing", "-p", "no:cacheprovider", "-n", str(jobs), "--dist", "loadfile"]
    skipped = [f"--ignore-glob=*{slow}*" for slow in SLOW]
    command = [sys.executable, "-m", "pytest", *options, *skipped, "tests", "src"]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    failed = _parts(folder, "failed")
    if done.returncode not in (0, 1) or len(failed) > MOST_FAILED:
        raise SystemExit(f"The tests fail before anything is changed:\n{done.stdout[-2000:]}")
    for test in failed:
        print(f"Left out, because it fails before anything is changed: {test}", flush=True)
    data = coverage.CoverageData(str(folder / "lines"))
    for part in sorted(folder.glob("lines.*")):
        other = coverage.CoverageData(str(part))
        other.read()
        data.update(other)
        part.unlink()
    data.write()
    (folder / "seconds.json").write_text(json.dumps(_parts(folder, "seconds")), encoding="utf-8")
    (folder / "failed.json").write_text(json.dumps(sorted(failed)), encoding="utf-8")


def _parts(folder: Path, name: str) -> dict[str, float]:
    """What the processes of a run have noted, together."""
    found: dict[str, float] = {}
    for part in sorted(folder.glob(f"{name}.*.json")):
        found |= json.loads(part.read_text(encoding="utf-8"))
    return found
