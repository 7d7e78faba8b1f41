"""anonymize_file: files in, a verified file out, in a given amount of memory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from paravent.arguments import check_call
from paravent.engine.streaming.codes import Encoded, Translation, Tuples
from paravent.engine.streaming.served import check_rows, check_served, check_tuples, memory_of, rows_at_once
from paravent.engine.streaming.source import Files
from paravent.engine.streaming.verifying import verdict_on
from paravent.engine.streaming.writing import Heaps, write_parts
from paravent.errors import InfeasibleError, TableError, UnsafeReleaseError
from paravent.hierarchy.axis import Axis
from paravent.methods.method import Labels, Progress, Recoding, Task, silent
from paravent.plan.check import NO_ROWS, check_missing, check_shape
from paravent.plan.encode import as_judged, axis_of, judged_codes
from paravent.plan.exposed import check_listed, lists_values
from paravent.plan.feasibility import check_model
from paravent.plan.file import resolved
from paravent.plan.order import ascending, drawn_places, in_order
from paravent.plan.plan import Plan
from paravent.plan.provenance import provenance
from paravent.plan.runner import as_plan
from paravent.plan.stages import Stages
from paravent.privacy.verdict import Verdict
from paravent.table.atomic import replacing
from paravent.table.formats import Format
from paravent.table.write import format_of_target


@dataclass(frozen=True)
class Written:
    """A release that lies in a file: what was found about it, and how it came about."""

    path: Path
    verdict: Verdict
    trace: tuple[str, ...]
    provenance: Mapping[str, Any] = field(repr=False)
    timings: Mapping[str, float] = field(repr=False)


def anonymize_file(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    plan: Plan | str | os.PathLike[str],
    *,
    memory: str | int = "4 GiB",
    progress: Progress | None = None,
) -> Written:
    """Anonymize a table that memory does not hold.

    `source` is a Parquet file or a folder of them, `target` the Parquet file that appears once it is verified; the rows
    in it are those that `anonymize` gives, in the same order. `memory` bounds what the whole process holds at a time
    (`"2 GiB"`); what cannot be done with so much, or not part by part, is refused with a sentence before anything is
    written. Served are Mondrian under k-anonymity, and the full-domain methods under every model of classes; every
    column needs a role.

    >>> import paravent as pv, tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> pl.DataFrame({"age": [31, 32, 38, 39]}).write_parquet(folder / "in.parquet")
    >>> plan = pv.Plan({"age": pv.Quasi()}, pv.KAnonymity(2))
    >>> written = pv.anonymize_file(folder / "in.parquet", folder / "out.parquet", plan, memory="1 GiB")
    >>> bool(written.verdict), sorted(pl.read_parquet(folder / "out.parquet")["age"])
    (True, ['[31, 32]', '[31, 32]', '[38, 39]', '[38, 39]'])
    """
    check_call(anonymize_file, locals())
    stages, held = Stages(progress or silent), memory_of(memory)
    plan = as_plan(plan)
    path = Path(target)
    if format_of_target(path) is not Format.PARQUET:
        raise TableError(f"{path}: a table that is not held as a whole is written as Parquet. Name a .parquet file.")
    with stages.stage("read"):
        files = Files.of(source)
        if path.exists() and path.resolve() in {each.resolve() for each in files.paths}:
            raise TableError(f"{path} is the table itself. Name another file.")
    with stages.stage("check"):
        table, located = files.empty, resolved(plan)
        check_shape(plan, table)
        if files.rows == 0:
            raise InfeasibleError(NO_ROWS)
        check_served(plan, table)
        check_rows(held, files.rows)
    at_once = rows_at_once(held, len(files.schema))
    beside = path.parent if path.parent.is_dir() else None
    with tempfile.TemporaryDirectory(prefix=".paravent-", dir=beside) as name:
        folder = Path(name)
        with stages.stage("encode"):
            axes, translations, domains = _coded(files, located)
            encoded = Encoded.of(files, translations, folder, at_once)
            tuples = Tuples.of(encoded, at_once, lambda count: check_tuples(held, count, len(translations)))
        allowed = plan.allowed(files.rows)
        with stages.stage("anonymize"):
            task = _task(files, located, axes, domains, tuples, allowed, stages.progress)
            found = _checked(located.method.run(task), axes)
            del task  # the codes of tuples: what follows asks for their numbers alone
            tuples = tuples.numbered()
        with stages.stage("assemble"):
            classes = _classes_of_rows(encoded, tuples, found, folder, at_once)
            order = [each for each in files.schema if each not in plan.left_out]
            rank = _ranks(classes, files, plan)
            heaps = Heaps.of(files, [each for each in order if each not in plan.quasi], rank, folder, at_once)
            del rank
            parts = write_parts(heaps, plan, order, encoded, axes, found, classes)
        with replacing(path) as staged:
            with stages.stage("write"):
                pl.scan_parquet(parts, glob=False, hive_partitioning=False).sink_parquet(staged, maintain_order=True)
            with stages.stage("verify"):
                verdict = verdict_on(staged, located, files.rows, allowed)
                if not verdict:
                    raise UnsafeReleaseError(
                        f"the finished release does not keep its promise: {verdict.why_not()}. Nothing is released."
                    )
    return Written(path, verdict, found.trace, _record(files, plan, verdict, stages), stages.timings)


def _coded(files: Files, plan: Plan) -> tuple[dict[str, Axis], dict[str, Translation], dict[str, Any]]:
    """The axes of the quasi-identifiers, the codes of all values that methods see, and what sensitive codes mean."""
    axes: dict[str, Axis] = {}
    translations: dict[str, Translation] = {}
    domains = {}
    told = {model.needs[0] for model in plan.models if model.reads_values}
    for name in (*plan.quasi, *plan.judged):
        column = files.columns[name]
        values, coded = files.counted(column)
        check_missing(plan, name, coded.n_missing)
        if name in plan.quasi:
            if lists_values(plan, name, column.kind):
                check_listed(plan, name, len(values), files.rows - coded.n_missing)
            axes[name] = axis_of(coded, column, plan)
            codes, size = axes[name].codes, len(axes[name])
        else:
            seen = as_judged(coded, plan)
            codes, size = judged_codes(seen), len(seen.domain) + 1
            if name in told:
                domains[name] = seen.domain
        missing = int(codes[-1]) if coded.n_missing else 0
        translations[name] = Translation(values, codes[: len(values)].astype(np.int32), missing, size)
    return axes, translations, domains


def _task(
    files: Files,
    plan: Plan,
    axes: Mapping[str, Axis],
    domains: Mapping[str, Any],
    tuples: Tuples,
    allowed: int,
    progress: Progress,
) -> Task:
    """The task over distinct tuples, each of which stands for its rows."""
    folded = tuple(
        replace(axis, codes=np.ascontiguousarray(tuples.codes[name]), times=tuples.weight)
        for name, axis in axes.items()
    )
    sensitive = {name: tuples.codes[name] for name in plan.judged}
    task = Task(
        files.rows,
        folded,
        plan.models,
        sensitive,
        allowed,
        plan.seed,
        progress,
        domains,
        promises=plan.protect,
        times=tuples.weight,
    )
    whole = task.classes(np.zeros(len(tuples), dtype=np.int32), 1)
    for model in plan.models:
        check_model(model, whole, allowed)
    return task


def _checked(found: Recoding, axes: Mapping[str, Axis]) -> Recoding:
    plain = set(found.cells) == set(axes) and not (found.beside or found.added or found.without)
    if not plain or not all(isinstance(cells, Labels) for cells in found.cells.values()):
        raise UnsafeReleaseError("the method gave back cells that are no labels of classes. Nothing is released.")
    return replace(found, steps=())  # steps would be found from all tuples, which are held no longer


def _classes_of_rows(encoded: Encoded, tuples: Tuples, found: Recoding, folder: Path, at_once: int) -> np.ndarray:
    """The class of each row, in a file."""
    classes = np.lib.format.open_memmap(folder / "classes.npy", "w+", np.dtype("i4"), (encoded.rows,))
    for begin in range(0, encoded.rows, at_once):
        here = encoded.slice(begin, at_once)
        classes[begin : begin + at_once] = found.of_row[tuples.of_rows(here)]
    return classes


def _ranks(classes: np.ndarray, files: Files, plan: Plan) -> np.ndarray:
    """Where each row stands in the release; −1: nowhere."""
    rows = None if bool((classes >= 0).all()) else np.flatnonzero(classes >= 0)
    if plan.order != "source":
        order = ascending(drawn_places(files.rows, plan.seed, files.order_key))
        rows = order if rows is None else in_order(rows, order)
        del order
    if rows is None:
        return np.arange(files.rows, dtype=np.int64)
    rank = np.full(files.rows, -1, dtype=np.int32 if files.rows < 2**31 else np.int64)
    rank[rows] = np.arange(len(rows), dtype=rank.dtype)
    return rank


def _record(files: Files, plan: Plan, verdict: Verdict, stages: Stages) -> dict[str, Any]:
    told = replace(files.empty, origin=replace(files.empty.origin, fingerprint=files.fingerprint))
    record = provenance(told, plan, verdict, missing={"dropped_rows": 0, "columns": {}}, timings=stages.timings)
    record["input"]["rows"] = files.rows
    return record
