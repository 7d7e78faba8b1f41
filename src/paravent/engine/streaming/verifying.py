"""The verdict on a file that is not there yet: its classes are derived again from its finished cells, by grouping.

Nothing of what made the file is used, but the plan: rows are alike when the texts in their quasi-identifiers are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from paravent.plan.plan import Plan
from paravent.privacy.classes import Classes, Histogram
from paravent.privacy.frame_cells import cell_codes, coded_values
from paravent.privacy.model import Model
from paravent.privacy.verdict import Check, Verdict, counted


def verdict_on(file: Path, plan: Plan, rows: int, allowed: int) -> Verdict:
    """What a written file protects. It is made of `rows` rows, of which `allowed` may be suppressed."""
    names = pl.read_parquet_schema(file)
    quasi, judged = list(plan.quasi), list(dict.fromkeys(name for model in plan.models for name in model.needs))
    faults = [f"column {name!r} must not be in the release" for name in plan.left_out if name in names]
    faults += [f"column {name!r} is not in the release" for name in (*quasi, *judged) if name not in names]
    if faults:
        nothing = Classes(np.zeros(0, dtype=np.int64), {})
        return Verdict((), 0, rows, allowed, 0, tuple(faults), classes=nothing)
    groups = _grouped(file, [*quasi, *judged], list(names))
    classes = _classes(groups, quasi, judged, {model.needs[0] for model in plan.models if model.reads_values})
    released = int(classes.sizes.sum())
    suppressed = rows - released
    if not 0 <= suppressed <= allowed:
        faults.append(
            f"{counted(suppressed, 'row is', 'rows are')} suppressed, {counted(allowed, 'is', 'are')} allowed"
        )
    least = int(classes.sizes.min()) if len(classes) else 0
    checks = tuple(_judged(model, classes) for model in plan.models)
    return Verdict(checks, released, suppressed, allowed, least, tuple(faults), classes=classes)


def _grouped(file: Path, names: Sequence[str], columns: Sequence[str]) -> pl.DataFrame:
    """The distinct combinations of cells and how often each occurs, sorted."""
    cells = [pl.nth(columns.index(name)).alias(f"{i}") for i, name in enumerate(names)]
    as_texts = (pl.selectors.enum() | pl.selectors.categorical()).cast(pl.String)
    scan = pl.scan_parquet(file, glob=False, hive_partitioning=False).select(cells).with_columns(as_texts)
    keys = [f"{i}" for i in range(len(names))]
    return scan.group_by(keys).len("rows").collect(engine="streaming").sort(keys)


def _classes(groups: pl.DataFrame, quasi: Sequence[str], judged: Sequence[str], told: set[str]) -> Classes:
    keys = [f"{i}" for i in range(len(quasi))]
    of_group = groups.select(pl.struct(keys).rle_id()).to_series().to_numpy().astype(np.int64)
    times = groups["rows"].to_numpy().astype(np.int64)
    n_classes = int(of_group.max(initial=-1)) + 1
    sizes = np.bincount(of_group, weights=times, minlength=n_classes).astype(np.int64)
    histograms = {}
    for place, name in enumerate(judged, start=len(quasi)):
        cells = groups[f"{place}"].alias("cells")
        domain = None
        if name in told:
            codes, width, domain = coded_values(cells, name)
        else:
            codes, width = cell_codes(cells)
        table = np.bincount(codes, weights=times, minlength=width).astype(np.int64)
        if domain is not None:
            domain = replace(domain, counts=table[: len(domain)])
        histograms[name] = Histogram.of(of_group, n_classes, codes, table, domain, times)
    return Classes(sizes, histograms)


def _judged(model: Model, classes: Classes) -> Check:
    failing = int((~model.holds(classes)).sum())
    # A file without a single row discloses nothing, but it is no release either.
    return Check(model, model.level(classes), failing == 0 and len(classes) > 0, failing)
