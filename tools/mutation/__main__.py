"""Do the tests notice when the code is wrong? Change one place of a module, run its tests, and see whether one fails.

`python -m tools.mutation` draws changes by a seed, evenly over the rooms, and runs for each the tests of its module,
those that name it first. What no test notices is listed at the end, with the line. Nothing on the disk is changed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.mutation.operators import Mutation, mutations

ROOT = Path(__file__).parents[2]
SOURCE, TESTS = ROOT / "src" / "paravent", ROOT / "tests"
ROOMS = ("privacy", "plan", "utility", "methods")
SLOW = ("test_fuzz", "pycanon", "experiments", "test_process", "test_readme")


def drawn(count: int, seed: int, rooms: tuple[str, ...]) -> list[Mutation]:
    """So many changes, the same number in each room as far as they go."""
    dice, chosen = random.Random(seed), []
    for i, room in enumerate(rooms):
        there = [change for path in sorted((SOURCE / room).rglob("*.py")) for change in mutations(path)]
        share = count // len(rooms) + (i < count % len(rooms))
        chosen += dice.sample(there, min(share, len(there)))
    return chosen


def tests_of(path: Path) -> list[list[str]]:
    """The test files for a module, in the order to run them: those named like it, those that import it, the examples,
    then the other tests of its room."""
    relative = path.relative_to(SOURCE)
    module = ".".join(("paravent", *relative.with_suffix("").parts))
    everything = [file for file in sorted(TESTS.rglob("test_*.py")) if not any(slow in str(file) for slow in SLOW)]
    text = {file: file.read_text(encoding="utf-8") for file in everything}
    room = relative.parts[0]
    stem = path.stem.removeprefix("_")
    named = [file for file in everything if stem in file.stem]
    imports = [file for file in everything if re.search(rf"\b{re.escape(module)}\b", text[file])]
    examples = [file for file in everything if file.parent.name == "examples"]
    rest = [file for file in everything if file.relative_to(TESTS).parts[0] in (room, "attack")]
    stages: list[list[str]] = []
    seen: set[Path] = set()
    for stage in (named + imports, examples, rest):
        new = [str(file) for file in dict.fromkeys(stage) if file not in seen]
        seen.update(stage)
        if new:
            stages.append(new)
    return stages


def killed_by(change: Mutation, limit: float) -> str | None:
    """The first test that fails, or why the run ended; None where all pass."""
    environment = os.environ | {"PARAVENT_MUTANT": f"{change.path}:{change.index}", "PYTHONHASHSEED": "0"}
    begun = time.monotonic()
    for stage in tests_of(change.path):
        left = limit - (time.monotonic() - begun)
        if left <= 0:
            return None
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-p",
            "tools.mutation.plugin",
            "-p",
            "no:cacheprovider",
            *stage,
        ]
        try:
            done = subprocess.run(
                command,
                check=False,
                cwd=ROOT,
                env=environment,
                capture_output=True,
                text=True,
                timeout=max(left, 60),
            )
        except subprocess.TimeoutExpired:
            return "it does not end"
        if done.returncode not in (0, 5):
            failed = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
            return failed[1] if failed else "it cannot be imported"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.mutation", description=__doc__)
    parser.add_argument("--count", type=int, default=320, help="how many changes (320)")
    parser.add_argument("--seed", type=int, default=1, help="by which they are drawn (1)")
    parser.add_argument("--rooms", default=",".join(ROOMS), help="where, comma-separated")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at once")
    parser.add_argument("--limit", type=float, default=600, help="seconds for one change (600)")
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "mutation.json", help="where to keep them")
    wanted = parser.parse_args()
    changes = drawn(wanted.count, wanted.seed, tuple(wanted.rooms.split(",")))
    results: dict[str, str | None] = json.loads(wanted.results.read_text()) if wanted.results.exists() else {}
    wanted.results.parent.mkdir(parents=True, exist_ok=True)

    def run(change: Mutation) -> tuple[Mutation, str | None]:
        key = f"{change.path.relative_to(ROOT)}:{change.line} {change.words} #{change.index}"
        if key not in results:
            results[key] = killed_by(change, wanted.limit)
            wanted.results.write_text(json.dumps(results, indent=1, ensure_ascii=False))
        return change, results[key]

    survivors: list[Mutation] = []
    of_room: Counter[tuple[str, bool]] = Counter()
    with ThreadPoolExecutor(wanted.jobs) as pool:
        for number, (change, killer) in enumerate(pool.map(run, changes), 1):
            where = f"{change.path.relative_to(ROOT)}:{change.line}"
            of_room[change.path.relative_to(SOURCE).parts[0], killer is not None] += 1
            print(
                f"[{number}/{len(changes)}] {'noticed' if killer else 'SURVIVES'}  {where}  {change.words}", flush=True
            )
            if killer is None:
                survivors.append(change)
    print("\nroom        noticed  of")
    for room in wanted.rooms.split(","):
        yes, no = of_room[room, True], of_room[room, False]
        print(f"{room:<11} {yes:>7}  {yes + no}")
    print(
        f"\n{1 - len(survivors) / max(len(changes), 1):.1%} of {len(changes)} changes are noticed (seed {wanted.seed})."
    )
    for change in survivors:
        print(f"  {change.path.relative_to(ROOT)}:{change.line}  {change.words}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
