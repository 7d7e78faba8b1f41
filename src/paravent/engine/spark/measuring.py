"""Measures of a release on a cluster, from counts: of labels by column, and of classes by size.

They are the figures that one machine finds on the same release; what needs rows beside their originals is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from paravent.engine.spark.domains import domains_of
from paravent.engine.spark.ready import Ready
from paravent.engine.spark.rows import Rows
from paravent.measures import Absent, Measure, Measures
from paravent.plan.plan import Plan
from paravent.plan.truth import averages, perturbed
from paravent.privacy.k_anonymity import k_asked
from paravent.privacy.risk.attackers import Risk
from paravent.privacy.verdict import Verdict
from paravent.utility.loss import label_costs
from paravent.utility.reading import Reading
from paravent.utility.subject import astray, undetailed

AVERAGED = "values stand for others, and which these were is known in no single place of the cluster"


def measured(
    session: Any,
    rows: Any,
    ready: Ready,
    plan: Plan,
    verdict: Verdict,
    sizes: Mapping[int, int],
    limit: int,
    original: int,
) -> Measures:
    """Loss, rows, class sizes and risk of a release; `rows` are those of it that say something, `sizes` says how many
    classes have so many of them, `original` how many rows there were, sampled or not. The plan is the whole one, with
    the treatments that came before."""
    asked = ready.n_rows + ready.dropped
    gone = asked - verdict.rows
    false = [name for name in plan.quasi if name in perturbed(plan, ready.released)]
    risk = Risk.of_sizes(verdict.classes.sizes).measures("risk")
    return Measures([
        *_loss(session, rows, ready, limit, asked, gone, false),
        *_rows(original, gone, verdict.rows),
        *_class_sizes(verdict.classes.sizes, sizes, k_asked(plan.models), asked, gone),
        *(Absent(each.name, astray(false)) if false and not plan.models else each for each in risk),
    ])  # fmt: skip


def _loss(
    session: Any, rows: Any, ready: Ready, limit: int, asked: int, gone: int, false: Sequence[str]
) -> Iterator[Measure | Absent]:
    if averages(ready.plan):
        yield Absent("utility.gcp", AVERAGED)
        return
    counted = domains_of(session, rows, [axis.name for axis in ready.axes], Rows(), limit).columns
    lost: dict[str, float] = {}
    blank = 0
    for axis in ready.axes:
        own = counted[axis.name]
        reading = Reading.of(axis, pl.DataFrame({axis.name: own.values.cast(pl.String)}))
        counts = np.zeros(len(reading.labels), dtype=np.int64)
        np.add.at(counts, reading.codes, own.counts)
        found = math.fsum((counts * label_costs(reading)).tolist())
        lost[axis.name] = (found + gone) / asked
        blank += int(counts[reading.blank].sum())
    yield Absent("utility.gcp", undetailed(false)) if false else Measure(
        "utility.gcp", float(np.mean(list(lost.values()))), "Loss of detail (GCP)",
        "The mean loss over all quasi-identifier cells: 0 means untouched, 1 means everything is suppressed.",
        unit="share",
    )  # fmt: skip
    for name, share in lost.items():
        yield Measure(
            f"utility.loss.{name}", share, f"Loss in {name}", f"The mean loss of the cells of {name}.", unit="share"
        )
    cells = asked * len(ready.axes)
    yield Measure(
        "utility.cells.suppressed", (blank + gone * len(ready.axes)) / cells, "Cells suppressed",
        "The share of quasi-identifier cells that say nothing any more: starred, emptied, or dropped with their row.",
        unit="share",
    )  # fmt: skip


def _rows(original: int, gone: int, released: int) -> Iterator[Measure]:
    yield Measure(
        "rows.original", original, "Rows before", "Rows of the original table.", better="neither", unit="count"
    )
    yield Measure(
        "rows.suppressed", gone, "Rows suppressed",
        "Rows of the original that are not in the release, or stand there as empty marks.", unit="count",
    )  # fmt: skip
    yield Measure(
        "utility.completeness", 1 - (original - released) / original, "Rows kept",
        "The share of the original's rows that are in the release.", better="higher", unit="share",
    )  # fmt: skip


def _class_sizes(
    sizes: np.ndarray, in_rows: Mapping[int, int], k: int | None, asked: int, gone: int
) -> Iterator[Measure]:
    """`sizes` counts rows, or people where these were counted."""
    yield Measure(
        "utility.classes", len(sizes), "Classes",
        "The number of groups of rows that share all their quasi-identifiers; more groups keep more detail.",
        better="higher", unit="count",
    )  # fmt: skip
    if not len(sizes):
        return
    found: Mapping[str, float] = {
        "min": int(sizes.min()), "median": float(np.median(sizes)), "mean": float(sizes.mean()), "max": int(sizes.max())
    }  # fmt: skip
    for name, value in found.items():
        yield Measure(
            f"utility.class_size.{name}", value, f"Class size, {name}", f"The {name} number of rows in a class.",
            better="neither",
        )  # fmt: skip
    squares = sum(size * size * n for size, n in in_rows.items())
    yield Measure(
        "utility.dm", squares + gone * asked, "Discernability (DM)",
        "Every row is charged the size of its class, every suppressed row the whole table (Bayardo, Agrawal 2005).",
        unit="count",
    )  # fmt: skip
    if k is not None:
        yield Measure(
            "utility.cavg", asked / len(sizes) / k, "Average class size over k (C_AVG)",
            "How much larger than necessary the classes are, counted over the rows of the original; 1 is ideal.",
        )  # fmt: skip
