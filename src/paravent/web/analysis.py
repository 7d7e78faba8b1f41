"""What a release looks like beside its original: figures that the page draws, found while the release is at hand.

They hold values of the table and stay in the folder of the job, for the person at work; reports have their own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import paravent as pv
from paravent.report import verdict_words
from paravent.report.dangers import dangers, untried
from paravent.table.text import as_text
from paravent.utility.bins import size_bounds
from paravent.utility.correlations import association
from paravent.utility.loss import label_costs
from paravent.utility.lumping import distribution
from paravent.utility.subject import Subject
from paravent.web.plain import plain

FILE = "analysis.json"
_ROWS = 200
_WORST = 20
_COLUMNS = 40
_CORRELATED = 12
_SAMPLE = 50_000
_ATTEMPTS = 200
_FEWEST = 1


def write_analysis(release: pv.Release, folder: Path) -> None:
    """Leave the figures in the folder of a job."""
    (folder / FILE).write_text(json.dumps(plain(analysis_of(release)), ensure_ascii=False), encoding="utf-8")


def read_analysis(folder: Path) -> dict[str, Any]:
    """The figures that a job has left; empty where it left none."""
    try:
        found: dict[str, Any] = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found


def analysis_of(release: pv.Release) -> dict[str, Any]:
    """Everything that the screen of analysis draws."""
    subject, measures = release.subject, release.measure()
    told: dict[str, Any] = {
        "headline": release.verdict.headline,
        "how": verdict_words.how_known(release.verdict),
        "promises": [
            {
                "demand": check.demand,
                "level": check.level,
                "holds": check.holds,
                "known_by": check.known_by,
                "protects": check.promise.protects,
                "leaves_open": check.promise.leaves_open,
            }
            for check in release.verdict.checks
        ],
        "notes": list(release.verdict.notes),
        "measures": [
            {"name": each.name, "text": each.text, "title": each.title, "meaning": each.meaning, "better": each.better}
            for each in measures.details()
        ],
        "synthetic": subject.synthetic,
        "undetailed": subject.undetailed,
        "astray": subject.astray,
    }
    if subject.synthetic:
        return told
    attacks = release.attack(attempts=_ATTEMPTS, strict=False)
    told |= {
        "sentences": verdict_words.verdict(release.plan, subject, measures, release.verdict),
        "attacks": [
            {"title": each.title, "brings": each.brings, "stopped_by": each.stopped_by} for each in dangers(attacks)
        ],
        "untried": untried(attacks),
        "risk": _risk(measures),
        "sizes": _sizes(subject),
        "correlations": _correlations(release),
    }
    if not subject.undetailed:
        told |= {"losses": _losses(subject, measures), "distributions": _distributions(subject), **_cells(release)}
    return told


def _risk(measures: Any) -> list[dict[str, Any]]:
    pairs = []
    for name in measures.under("risk.before"):
        after = name.replace("risk.before.", "risk.", 1)
        if after in measures:
            about = measures.about(after)
            pairs.append(
                {
                    "title": about.title,
                    "meaning": about.meaning,
                    "before": measures[name],
                    "after": measures[after],
                    "before_text": measures.about(name).text,
                    "after_text": about.text,
                }
            )
    return pairs


def _sizes(subject: Subject) -> dict[str, Any]:
    """Shares of people by the size of their class, before and after."""
    before, after = subject.people_before.sizes, subject.people.sizes
    largest = max((int(sizes.max()) for sizes in (before, after) if len(sizes)), default=1)
    bounds = size_bounds(subject.k, largest)
    labels, shares = [], []
    for low, high in zip(bounds, [*bounds[1:], None], strict=True):
        labels.append(f"{low}+" if high is None else str(low) if high == low + 1 else f"{low}–{high - 1}")
        shares.append(
            [float(s[(s >= low) & (s < (high or np.inf))].sum()) / max(float(s.sum()), 1.0) for s in (before, after)]
        )
    return {"labels": labels, "before": [old for old, _ in shares], "after": [new for _, new in shares], "k": subject.k}


def _losses(subject: Subject, measures: Any) -> list[dict[str, Any]]:
    found = [{"column": axis.name, "loss": measures[f"utility.loss.{axis.name}"]} for axis in subject.axes]
    return sorted(found, key=lambda each: -each["loss"])


def _distributions(subject: Subject) -> list[dict[str, Any]]:
    if not len(subject.classes):
        return []
    found = []
    for reading in subject.readings[:_COLUMNS]:
        name = reading.axis.name
        if name in subject.treated:
            continue
        original = None if subject.original is None else subject.original[name]
        bars = distribution(reading.axis, reading.spread(~subject.placeholder), fewest=_FEWEST, original=original)
        all_before, all_after = (sum(getattr(bar, when) for bar in bars) or 1.0 for when in ("before", "after"))
        found.append(
            {
                "column": name,
                "labels": [bar.label for bar in bars],
                "before": [bar.before / all_before for bar in bars],
                "after": [bar.after / all_after for bar in bars],
                "ordered": reading.axis.line is not None,
            }
        )
    return found


def _correlations(release: pv.Release) -> dict[str, Any]:
    """How strongly columns go together (Cramér's V), in the original and in the release, on at most 50 000 rows."""
    if release.kept is None:
        return {}
    wanted = [*release.plan.quasi, *release.plan.sensitive]
    names = [name for name in wanted if name in release.frame.columns and name in release.table.frame.columns][
        :_CORRELATED
    ]
    step = max(1, -(-release.frame.height // _SAMPLE))
    rows = np.arange(0, release.frame.height, step)
    if len(names) < 2 or not len(rows):
        return {}
    before = {name: _codes(release.table.frame[name].gather(release.kept[rows])) for name in names}
    after = {name: _codes(release.frame[name].gather(rows)) for name in names}
    pairs = []
    for one, other in combinations(names, 2):
        old, new = association(before[one], before[other]), association(after[one], after[other])
        pairs.append([one, other, round(old, 4), round(new, 4)])
    return {"columns": names, "pairs": pairs}


def _codes(cells: pl.Series) -> np.ndarray:
    """Cells as codes, the many values of a number in twenty steps of equal frequency."""
    cells = cells.alias("cells")
    if cells.dtype.is_numeric() and cells.n_unique() > 20:
        cells = (cells.rank("dense") * 20 / max(cells.n_unique(), 1)).floor()
    return np.asarray(as_text(cells).fill_null("").rank("dense").to_numpy()).astype(np.int64) - 1


def _cells(release: pv.Release) -> dict[str, Any]:
    """Rows of the release beside those of the original with the loss of every cell, and the rows that cost most."""
    if release.kept is None:
        return {}
    subject = release.subject
    costs = {reading.axis.name: label_costs(reading)[reading.codes] for reading in subject.readings}
    of_row = np.mean(list(costs.values()), axis=0) if costs else np.zeros(release.frame.height)
    real = np.flatnonzero(~subject.placeholder)
    if not len(real):
        return {}
    worst = real[np.argsort(-of_row[real], kind="stable")[:_WORST]]
    spread = real[np.unique(np.linspace(0, len(real) - 1, min(_ROWS, len(real))).astype(int))]
    names = list(release.frame.columns)[:_COLUMNS]
    return {
        "columns": names,
        "rows": _told(release, names, spread, costs, of_row),
        "worst": _told(release, names, worst, costs, of_row),
        "row_loss": np.histogram(of_row[real], bins=20, range=(0.0, 1.0))[0].tolist(),
    }


def _told(
    release: pv.Release, names: list[str], rows: np.ndarray, costs: Mapping[str, np.ndarray], of_row: np.ndarray
) -> list[dict[str, Any]]:
    assert release.kept is not None
    source = release.kept[rows]
    now = {name: as_text(release.frame[name].gather(rows).alias("cells")).to_list() for name in names}
    then = {
        name: as_text(release.table.frame[name].gather(source).alias("cells")).to_list()
        for name in names
        if name in release.table.frame.columns
    }
    return [
        {
            "row": int(release.table.rows[source[i]]) + 1,
            "loss": float(of_row[rows[i]]),
            "cells": [
                [
                    now[name][i],
                    then[name][i] if name in then else None,
                    float(costs[name][rows[i]]) if name in costs else None,
                ]
                for name in names
            ],
        }
        for i in range(len(rows))
    ]
