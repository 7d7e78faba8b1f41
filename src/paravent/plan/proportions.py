"""Proportional representation (Mauger 2021, conclusion): a class shows the shares of its values in place of one label.

For somebody who trains on the release, a vector of shares says more than a label: `age` becomes `age=31`, `age=32`, …,
and each row holds how often its class has the value. All rows of a class hold the same vector, so the classes are those
of the release, or several of them at once; but the values inside a class are disclosed, which a label does not.

The name of a column names a value, so a value has a column of its own only where as many released people hold it as a
bar of the report must be about. The others share one (`job=3 others`); where that would be most people of a column on a
line, its values are binned between round bounds (`pay=below 20`, `pay=20–24`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from paravent.errors import PlanError, UnsafeReleaseError
from paravent.hierarchy.axis import MISSING_LABEL, Axis
from paravent.plan.file import resolved
from paravent.privacy.verify import blank_rows, verify_frame
from paravent.utility.lumping import Bar, binned, held_by, lump, smallest_group

if TYPE_CHECKING:
    from paravent.plan.release import Release

_MOST_COLUMNS = 10_000


def proportions(release: Release, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """The release with the shares of values in place of the labels of some quasi-identifiers (all, where none is
    named). Rows that stand for suppressed ones are left out. It is verified like a release: what does not hold is not
    returned."""
    plan, quasi = release.plan, list(release.plan.quasi)
    chosen = quasi if columns is None else list(columns)
    for name in chosen:
        if name not in quasi:
            raise PlanError(f"proportions: {name!r} is no quasi-identifier. Choose among {', '.join(quasi)}.")
    for model in plan.models:
        if model.people is not None:
            raise PlanError(
                f"proportions: {model.describe()} counts the people whom labels cover, and shares of values show which "
                "of them are behind a class. Leave the model out."
            )
    if plan.method.derivation is not None:
        raise PlanError(
            f"proportions: {type(plan.method).__name__} makes no labels, so there are no values behind them. Use the "
            "release as it is."
        )
    if plan.method.wildcards:
        raise PlanError("proportions: classes overlap where blanked cells are wildcards. Say counting='strict'.")
    shown = np.ones(release.frame.height, dtype=bool)
    if plan.suppressed == "mark" and release.verdict.suppressed:
        shown = ~blank_rows(release.frame, quasi)
    frame = release.labelled.filter(shown)
    classes = frame.select(pl.struct(*(pl.col(f"^{_escaped(name)}$") for name in quasi)).rank("dense")).to_series()
    of_row = classes.to_numpy().astype(np.int64) - 1
    parts: list[pl.Series] = []
    known: list[str] = []
    axis_of = {axis.name: axis for axis in release.axes}
    if release.kept is None:
        raise PlanError("proportions: synthetic rows have no original values. Use the release as it is.")
    rows = release.kept[shown]
    persons = None if release.persons is None else release.persons[shown]
    fewest = smallest_group(plan.models, int(release.subject.people.sizes.min(initial=len(rows))))
    for name in frame.columns:
        if name not in chosen:
            parts.append(frame[name])
            known += [name] if name in quasi else []
            continue
        axis = axis_of[name]
        bars = _bars(axis, axis.codes[rows], release.base.table.frame[name].gather(rows), persons, fewest)
        if len(parts) + len(bars) > _MOST_COLUMNS:
            raise PlanError(
                f"proportions: column {name!r} has {len(bars)} values, and {_MOST_COLUMNS} columns are the most. "
                "Name fewer columns."
            )
        bar_of = np.full(len(axis), -1)
        for i, bar in enumerate(bars):
            bar_of[list(bar.values)] = i
        shares = _shares(bar_of[axis.codes[rows]], of_row, len(bars))
        for bar, column in zip(bars, shares.T, strict=True):
            parts.append(pl.Series(f"{name}={bar.label}", column))
            known.append(f"{name}={bar.label}")
    if len({part.name for part in parts}) < len(parts):
        raise PlanError("proportions: two columns would have one name. Rename a column of the table.")
    found = pl.DataFrame(parts)
    verdict = verify_frame(found, known, resolved(plan).models, alike=plan.alike, persons=persons)
    if not verdict:
        raise UnsafeReleaseError(f"the shares of values do not keep the promise: {verdict.why_not()}. Take the labels.")
    return found


def _bars(axis: Axis, codes: np.ndarray, original: pl.Series, persons: np.ndarray | None, fewest: int) -> list[Bar]:
    """The columns in place of one: each stands for values that `fewest` people of these rows hold, or for all of them.
    A value that only stands in for a missing one is held by nobody."""
    there = original.is_not_null().to_numpy() | (np.array(axis.values)[codes] == MISSING_LABEL)
    holders = None if persons is None else persons[there]
    held = held_by(codes[there], len(axis), holders)
    rows = np.bincount(codes[there], minlength=len(axis))
    shown = np.bincount(codes, minlength=len(axis))
    bars = [Bar(axis.values[i], float(rows[i]), 0.0, held[i], (i,)) for i in np.flatnonzero(shown).tolist()]
    found = lump(bars, fewest=fewest, most=len(bars), keep_order=True)
    line = axis.line
    lumped = sum(bar.before for bar in found if len(bar.values) > 1)
    if line is None or 2 * lumped <= rows.sum() or not rows[np.isfinite(line)].any():
        return found
    return binned(replace(axis, codes=codes[there], unknown=None), line, rows, shown, fewest, holders)


def _shares(codes: np.ndarray, of_row: np.ndarray, width: int) -> np.ndarray:
    """How often each value occurs in the class of each row."""
    n_classes = int(of_row.max(initial=-1)) + 1
    counts = np.zeros((n_classes, width))
    np.add.at(counts, (of_row, codes), 1.0)
    return np.asarray((counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))[of_row])


def _escaped(name: str) -> str:
    return "".join(f"\\{sign}" if not sign.isalnum() and sign != "_" else sign for sign in name)
