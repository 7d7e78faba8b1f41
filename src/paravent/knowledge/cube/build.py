"""Building the cube: the grid run in processes of its own, every result written down at once.

The journal is a file of JSON lines that only grows, one for each run. A build that
was stopped goes on where it stood; a last line that was cut off is run again. A failed run is a line like any other.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from paravent.arguments import check_call
from paravent.errors import PlanError, TableError
from paravent.knowledge.cube.collapsing import with_collapse
from paravent.knowledge.cube.grid import Chunk, Run, chunks, tables
from paravent.knowledge.cube.settings import setting
from paravent.knowledge.cube.store import Cube
from paravent.knowledge.cube.tables import SENSITIVE, SHAPES, Source, Sub, source_of
from paravent.near import suggest
from paravent.table.atomic import real_path

_TOGETHER = 12
"""Runs that are handed to a process at a time: what is lost at most when a build is stopped."""
_ALONE = {
    **dict.fromkeys(("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1"),
    "_RJEM_MALLOC_CONF": "dirty_decay_ms:0,muzzy_decay_ms:0",
}
"""How a process of runs is set up: one thread, and memory given back as soon as it is free."""
_WARM_ROWS = 60
"""A method runs on so many rows first: what it loads is no memory that its runs take."""
_WARMED: set[str] = set()


@dataclass(frozen=True)
class BuildProgress:
    """Where a build stands: runs done and in all, seconds since it began and those that are left, by the chunks that
    were done in this build."""

    done: int
    total: int
    seconds: float
    left: float | None
    at: str


Tell = Callable[[BuildProgress], None]


def build_cube(
    out: str | os.PathLike[str],
    *,
    data: str | os.PathLike[str] | None = None,
    jobs: int = 2,
    limit: float = 60.0,
    within: float | None = None,
    only: Sequence[str] = (),
    methods: Sequence[str] = (),
    tell: Tell | None = None,
) -> Cube:
    """Run the grid and write the cube of it to a Parquet file, and the collapses of its tables to another beside it. A
    journal, `out` with `.runs`, is taken up.

    `data` is the folder of the real tables that do not ship; those it lacks are left out. `jobs` processes work side by
    side. A run is stopped after `limit` seconds of the processor, where its method looks up; after `within` seconds no
    new work begins. `only` names sources or tables, `methods` methods or settings. Ctrl-C ends the build: what was
    finished is kept.
    """
    check_call(build_cube, locals())
    if jobs < 1:
        raise PlanError(f"jobs: {jobs} processes do no work. Give 1 or more.")
    if limit <= 0:
        raise PlanError(f"limit: a run needs some time, not {limit:g} s. Give more than 0.")
    _check_names(only, methods)
    place, folder = Path(out), None if data is None else Path(data)
    if folder is not None and not folder.is_dir():
        raise TableError(f"data: there is no folder {str(folder)!r}.")
    if not real_path(place).parent.is_dir():
        raise TableError(f"out: there is no folder {str(place.parent)!r}.")
    journal = place.with_name(place.name + ".runs")
    with contextlib.suppress(KeyboardInterrupt):
        build(journal, data=folder, jobs=jobs, limit=limit, within=within, only=only, methods=methods, tell=tell)
    cube = with_collapse(Cube.of(read_journal(journal)), folder)
    cube.save(place)
    return cube


def _check_names(only: Sequence[str], methods: Sequence[str]) -> None:
    known = [*dict.fromkeys(name for table in tables() for name in (table.source, table.name))]
    for name in only:
        if name not in known:
            raise PlanError(f"only: the grid has no table {name!r}. {suggest(name, known)}")
    for name in methods:
        setting(name)


def build(
    journal: Path,
    *,
    data: Path | None = None,
    jobs: int = 2,
    limit: float = 60.0,
    within: float | None = None,
    only: Sequence[str] = (),
    methods: Sequence[str] = (),
    tell: Tell | None = None,
) -> int:
    """Run what is not in the journal yet, and give the number of new runs."""
    known = {str(entry["key"]) for entry in read_journal(journal)}
    asked = [chunk for chunk in chunks(only, methods) if available(chunk.table, data)]
    total = sum(len(chunk.runs) for chunk in asked)
    waiting = [(chunk, tuple(run for run in chunk.runs if run.key not in known)) for chunk in asked]
    waiting = [(chunk, runs[at : at + _TOGETHER]) for chunk, runs in waiting for at in range(0, len(runs), _TOGETHER)]
    todo = sum(len(runs) for _, runs in waiting)
    begun, new = time.monotonic(), 0
    with journal.open("a", encoding="utf-8") as file:
        _mend(journal, file)
        for chunk, lines in _worked(waiting, data, jobs, limit, lambda: _over(begun, within)):
            file.writelines(json.dumps(line) + "\n" for line in lines)
            file.flush()
            new += len(lines)
            if tell is not None:
                spent = time.monotonic() - begun
                tell(BuildProgress(total - todo + new, total, spent, spent / new * (todo - new), chunk.table.name))
    return new


def available(table: Sub, data: Path | None) -> bool:
    """Whether the source of a table is at hand."""
    if table.source in SHAPES:
        return True
    if table.source not in _AT_HAND:
        try:
            source_of(table, data)
            _AT_HAND[table.source] = True
        except TableError:
            _AT_HAND[table.source] = False
    return _AT_HAND[table.source]


_AT_HAND: dict[str, bool] = {}


def _over(begun: float, budget: float | None) -> bool:
    return budget is not None and time.monotonic() - begun > budget


def _worked(
    waiting: Sequence[tuple[Chunk, tuple[Run, ...]]],
    data: Path | None,
    jobs: int,
    seconds: float,
    over: Callable[[], bool],
) -> Iterator[tuple[Chunk, list[dict[str, Any]]]]:
    """Chunks with their results as they come. Processes are spawned with one thread each, so that their time is that
    of the work, and `jobs` of them are busy."""
    os.environ.update(_ALONE)
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(max_workers=max(1, jobs), mp_context=context)
    running: dict[Future[list[dict[str, Any]]], Chunk] = {}
    left = iter(waiting)
    try:
        while True:
            while len(running) < max(1, jobs) and not over():
                item = next(left, None)
                if item is None:
                    break
                running[pool.submit(work, item[0].table, item[1], data, seconds)] = item[0]
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def work(table: Sub, runs: Sequence[Run], data: Path | None, seconds: float) -> list[dict[str, Any]]:
    """Run and measure; one line for each run."""
    from paravent.comparison.encoding import SharedEncoding
    from paravent.errors import ParaventError
    from paravent.knowledge.cube.run import Clock, Outcome, plan_for, released, run
    from paravent.knowledge.descriptors import describe
    from paravent.plan.plan import Plan
    from paravent.table.read import read

    taken, roles = table.take(_source(table, data))
    described = describe(taken, Plan(dict(roles), []), SENSITIVE).to_dict()
    encoder, lines = SharedEncoding(), []
    for each in runs:
        chosen = setting(each.setting)
        value = each.epsilon or each.k or each.l
        try:
            beside = each.l if each.k else 0
            plan = plan_for(chosen, value, taken, roles, l=beside, suppression=each.suppression, seed=table.seed)
            if each.setting not in _WARMED:
                _WARMED.add(each.setting)
                released(read(taken.frame.head(_WARM_ROWS)), plan, Clock(1.0, time.process_time))
            outcome = run(taken, plan, encoder=encoder, seconds=seconds)
        except ParaventError as error:
            outcome = Outcome("refused", {}, str(error))
        lines.append(
            {
                "key": each.key,
                "source": table.source,
                "table": table.name,
                "seed": table.seed,
                "method": each.setting,
                "k": each.k,
                "l": each.l,
                "epsilon": each.epsilon,
                "suppression": each.suppression,
                "status": outcome.status,
                "reason": outcome.reason if table.source in SHAPES else _blind(outcome.reason),
                "values": dict(outcome.values),
                "descriptors": described,
                "version": version("paravent"),
                "machine": machine(),
                "date": datetime.now(UTC).strftime("%Y-%m-%d"),
            }
        )
    return lines


@lru_cache(maxsize=2)
def _source(table: Sub, data: Path | None) -> Source:
    return source_of(table, data)


def _blind(reason: str) -> str:
    """The first part of a reason: what follows may name values of a real table."""
    return reason.split(":", maxsplit=1)[0][:80]


def machine() -> str:
    """The machine in a few words: processor, cores, system."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{name}, {os.cpu_count()} cores, {platform.system()}"


def read_journal(journal: Path) -> Iterator[Mapping[str, Any]]:
    """The runs of a journal, the last of each key; a line that was cut off is passed over."""
    found: dict[str, Mapping[str, Any]] = {}
    if journal.exists():
        for line in journal.read_text(encoding="utf-8").splitlines():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                continue
            if isinstance(entry, dict) and "key" in entry:
                found[entry["key"]] = entry
    return iter(found.values())


def _mend(journal: Path, file: Any) -> None:
    """A line that was cut off ends here, so that the next one begins a line of its own."""
    if journal.stat().st_size and not journal.read_bytes().endswith(b"\n"):
        file.write("\n")
