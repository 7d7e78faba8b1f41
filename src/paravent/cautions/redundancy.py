"""Columns that say again what another one no longer says: `education-num` beside a generalized `education`.

A column that is released as it is undoes the generalization of a quasi-identifier when its value tells the original
one. Two signs are looked for: the most frequent original value of each of its values is nearly always the right one,
or both run in step (rank correlation). Values of few rows tell by chance and are left out; so are quasi-identifiers
whose labels tell as much anyway. Large tables are sampled.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from paravent.cautions.case import Case
from paravent.cautions.caution import Caution
from paravent.measures import as_percent
from paravent.privacy.grouping import cell_codes, dense_codes
from paravent.table.line import to_line

NEARLY_ALWAYS = 0.9
IN_STEP = 0.95
_LEARNT = 0.1
_FEWEST = 5
_SAMPLE = 50_000


def redundant(case: Case) -> Iterator[Caution]:
    frame = case.frame
    sample = np.arange(frame.height)
    if frame.height > _SAMPLE:
        sample = np.sort(np.random.default_rng(0).choice(frame.height, _SAMPLE, replace=False))
    if len(sample) < 2 * _FEWEST or case.subject.kept is None:
        return
    original = case.original_rows[sample]
    labels = [reading.codes[~case.subject.placeholder][sample] for reading in case.subject.readings]
    for name in case.as_they_are:
        cells = frame[name].gather(sample)
        codes, width = dense_codes(cell_codes(cells))
        if width < 2:
            continue
        same_kind = cells.dtype == case.table.frame.schema[name]  # a coded column may hold texts now
        line = to_line(cells, case.table.columns[name].kind) if same_kind else None
        for reading, shown in zip(case.subject.readings, labels, strict=True):
            values = reading.axis.codes[original]
            told, released = _told(codes, values), _told(shown, values, fewest=1)
            place = None if reading.axis.positions is None else reading.axis.positions[values]
            tells = told >= max(NEARLY_ALWAYS, released + _LEARNT)
            if tells or (released < NEARLY_ALWAYS and _in_step(line, place)):
                yield _caution(name, reading.axis.name, told if tells else None)


def _caution(name: str, quasi: str, told: float | None) -> Caution:
    how = (
        f"“{name}” runs in step with the original “{quasi}”, so that one gives away the other"
        if told is None
        else f"The “{name}” of a row tells its original “{quasi}” in {as_percent(told)} of the rows"
    )
    return Caution(
        "redundant-column",
        "serious",
        (name, quasi),
        f"“{name}” repeats what was taken out of “{quasi}”",
        f"{how}: generalizing “{quasi}” hides little.",
        f"Drop “{name}”, or make it a quasi-identifier too.",
    )


def _told(codes: np.ndarray, values: np.ndarray, fewest: int = _FEWEST) -> float:
    """How often the most frequent value of each code is the right one, over codes of `fewest` rows or more; 0 where
    most rows have rarer ones."""
    width = int(values.max()) + 1
    rows = np.bincount(codes)
    pairs, counts = np.unique(codes.astype(np.int64) * width + values, return_counts=True)
    best = np.zeros(len(rows), dtype=np.int64)
    np.maximum.at(best, pairs // width, counts)
    common = rows >= fewest
    known = int(rows[common].sum())
    return float(best[common].sum() / known) if 2 * known >= len(codes) else 0.0


def _in_step(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    if one is None or other is None:
        return False
    both = np.isfinite(one) & np.isfinite(other)
    if both.sum() < 2 * _FEWEST:
        return False
    ranks = [np.unique(side[both], return_inverse=True)[1].astype(np.float64) for side in (one, other)]
    if any(side.std() == 0 for side in ranks):
        return False
    return abs(float(np.corrcoef(ranks[0], ranks[1])[0, 1])) >= IN_STEP
