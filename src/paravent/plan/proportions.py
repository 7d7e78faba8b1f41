"""Proportional representation (Mauger 2021, conclusion): a class shows the shares of its values in place of one label.

For somebody who trains on the release, a vector of shares says more than a label: `age` becomes `age=31`, `age=32`, …,
and each row holds how often its class has the value. All rows of a class hold the same vector, so the classes are those
of the release, or several of them at once; but the values inside a class are disclosed, which a label does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from paravent.errors import PlanError, UnsafeReleaseError
from paravent.plan.file import resolved
from paravent.privacy.verify import blank_rows, verify_frame

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
    for model in plan.protect:
        if model.people is not None:
            raise PlanError(
                f"proportions: {model.describe()} counts the people whom labels cover, and shares of values show which "
                "of them are behind a class. Leave the model out."
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
    for name in frame.columns:
        if name not in chosen:
            parts.append(frame[name])
            known += [name] if name in quasi else []
            continue
        axis = axis_of[name]
        shares = _shares(axis.codes[release.kept[shown]], of_row, len(axis))
        if len(parts) + len(axis) > _MOST_COLUMNS:
            raise PlanError(
                f"proportions: column {name!r} has {len(axis)} values, and {_MOST_COLUMNS} columns are the most. "
                "Name fewer columns."
            )
        for value, column in zip(axis.values, shares.T, strict=True):
            parts.append(pl.Series(f"{name}={value}", column))
            known.append(f"{name}={value}")
    if len({part.name for part in parts}) < len(parts):
        raise PlanError("proportions: two columns would have one name. Rename a column of the table.")
    found = pl.DataFrame(parts)
    persons = None if release.persons is None else release.persons[shown]
    verdict = verify_frame(found, known, resolved(plan).protect, alike=plan.alike, persons=persons)
    if not verdict:
        raise UnsafeReleaseError(f"the shares of values do not keep the promise: {verdict.why_not()}. Take the labels.")
    return found


def _shares(codes: np.ndarray, of_row: np.ndarray, width: int) -> np.ndarray:
    """How often each value occurs in the class of each row."""
    n_classes = int(of_row.max(initial=-1)) + 1
    counts = np.zeros((n_classes, width))
    np.add.at(counts, (of_row, codes), 1.0)
    return np.asarray((counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))[of_row])


def _escaped(name: str) -> str:
    return "".join(f"\\{sign}" if not sign.isalnum() and sign != "_" else sign for sign in name)
