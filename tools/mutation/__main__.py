"""Do the tests notice when the code is wrong? Change one place of a module, run its tests, and see whether one fails.

`python -m tools.mutation` draws changes by a seed, evenly over the rooms, and runs for each the tests that run its line
(reach.py). What no test notices is listed at the end, with the line; so is what could not be decided, and neither
counts as noticed. What does the same as before (equivalent.toml) is not counted. Nothing on the disk is changed. An
interrupted run goes on from its results file.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

from tools.mutation.equivalent import Equivalent
from tools.mutation.judge import ROOT, Judgement, Verdict, judge
from tools.mutation.operators import Mutation, mutations
from tools.mutation.reach import SOURCE, Reach
from tools.mutation.results import Results, digest_of

ROOMS = ("privacy", "plan", "utility", "methods")


def drawn(count: int, seed: int, rooms: tuple[str, ...]) -> list[Mutation]:
    """So many changes, the same number in each room as far as they go: those whose names have the lowest digests. A
    name holds the text of the line, so that the same seed draws the same changes while their lines stand."""
    chosen: list[Mutation] = []
    for i, room in enumerate(rooms):
        ranked = []
        for path in sorted((SOURCE / room).rglob("*.py")):
            lines = path.read_text(encoding="utf-8").splitlines()
            seen: Counter[str] = Counter()
            for change in mutations(path):
                name = f"{seed} {path.relative_to(SOURCE)} {lines[change.line - 1].strip()} {change.words}"
                seen[name] += 1
                ranked.append((sha256(f"{name} {seen[name]}".encode()).digest(), change))
        ranked.sort(key=lambda entry: entry[0])
        chosen += [change for _, change in ranked[: count // len(rooms) + (i < count % len(rooms))]]
    return chosen


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.mutation", description=__doc__)
    parser.add_argument("--count", type=int, default=320, help="how many changes (320)")
    parser.add_argument("--seed", type=int, default=1, help="by which they are drawn (1)")
    parser.add_argument("--rooms", default=",".join(ROOMS), help="where, comma-separated")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at once")
    parser.add_argument("--limit", type=float, default=200, help="processor seconds for a stage of tests (200)")
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "mutation.jsonl", help="where to keep them")
    wanted = parser.parse_args()
    rooms = tuple(wanted.rooms.split(","))
    changes = drawn(wanted.count, wanted.seed, rooms)
    reach = Reach(ROOT / "build" / "mutation", rooms, wanted.jobs)
    results, equivalent = Results(wanted.results), Equivalent()
    same = {change: why for change in changes if (why := equivalent.why(change)) is not None}
    changes = [change for change in changes if change not in same]

    def run(change: Mutation) -> tuple[Mutation, Judgement]:
        key = f"{change.path.relative_to(ROOT)}:{change.line} {change.words} #{change.index}"
        stages = reach.stages(change)
        digest = digest_of([change.path, *sorted({ROOT / test.split("::")[0] for stage in stages for test in stage})])
        found = results.get(key, digest)
        if found is None:
            found = judge(f"{change.path}:{change.index}", stages, wanted.limit)
            results.add(key, digest, found)
        return change, found

    told: dict[Verdict, list[str]] = {"noticed": [], "survives": [], "undecided": []}
    of_room: Counter[tuple[str, Verdict]] = Counter()
    with ThreadPoolExecutor(wanted.jobs) as pool:
        for number, (change, found) in enumerate(pool.map(run, changes), 1):
            where = f"{change.path.relative_to(ROOT)}:{change.line}  {change.words}"
            told[found.verdict].append(where if found.verdict == "survives" else f"{where}  ({found.by})")
            of_room[change.path.relative_to(SOURCE).parts[0], found.verdict] += 1
            shown = found.verdict if found.verdict == "noticed" else found.verdict.upper()
            print(f"[{number}/{len(changes)}] {shown}  {where}", flush=True)
    print("\nroom        noticed  of  undecided")
    for room in rooms:
        yes, no, unknown = (of_room[room, verdict] for verdict in told)
        print(f"{room:<11} {yes:>7}  {yes + no}  {unknown}")
    judged = len(told["noticed"]) + len(told["survives"])
    print(f"\n{len(told['noticed']) / max(judged, 1):.1%} of {judged} changes are noticed (seed {wanted.seed}).")
    if same:
        print(f"{len(same)} more do the same as before and are not counted:")
    for change, why in same.items():
        print(f"  {change.path.relative_to(ROOT)}:{change.line}  {change.words}  ({why})")
    for verdict in ("survives", "undecided"):
        for line in told[verdict]:  # type: ignore[index]
            print(f"  {verdict}  {line}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
