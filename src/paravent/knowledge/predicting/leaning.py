"""Leaning: what runs on the table say about plans that were not run.

Where the cube was wrong about what was run on this table, it is wrong in the same way about the rest: a table has
something that its descriptors do not tell. So what it says of plans that had no run is moved by the errors that were
seen: most by those of the same method, and by the median of all where there are few.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

import numpy as np

from paravent.knowledge.predicting.landmarks import Probe
from paravent.knowledge.predicting.prediction import Prediction
from paravent.knowledge.predicting.scales import from_scale, to_scale
from paravent.knowledge.predicting.settle import exact, noise

LEAST = 5
"""With fewer runs, nothing is moved."""
_SHRINK = 1.0
"""The median of all errors counts as much as so many errors of the method itself."""


def leaned(
    metric: str,
    told: Sequence[Prediction],
    cube: Sequence[Prediction | None],
    probes: Sequence[Sequence[Probe]],
    rows: int,
) -> list[Prediction]:
    """Predictions of one metric, those that rest on the cube alone moved. `cube` are what it says of plans that were
    run on the whole table."""
    if noise(metric):
        return list(told)
    seen: dict[str, list[float]] = {}
    for said, own in zip(cube, probes, strict=True):
        measured = exact(own, metric)
        if measured is not None and said is not None and said.value is not None:
            seen.setdefault(said.method, []).append(_scaled(metric, measured, rows) - _scaled(metric, said.value, rows))
    errors = [each for several in seen.values() for each in several]
    if len(errors) < LEAST:
        return list(told)
    return [_moved(metric, each, seen, median(errors), rows, len(errors)) for each in told]


def _moved(
    metric: str, told: Prediction, seen: Mapping[str, Sequence[float]], common: float, rows: int, count: int
) -> Prediction:
    if told.evidence != "cube" or told.value is None or told.low is None or told.high is None:
        return told
    own = seen.get(told.method, ())
    step = (sum(own) + _SHRINK * common) / (len(own) + _SHRINK)
    ends = np.array([_scaled(metric, end, rows) for end in (told.value, told.low, told.high)]) + step
    value, low, high = (float(end) for end in from_scale(metric, ends, np.full(3, float(rows))))
    return replace(told, value=value, low=low, high=high, evidence="cube and landmark", support=told.support + count)


def _scaled(metric: str, value: float, rows: int) -> float:
    return float(to_scale(metric, np.array([value]), np.array([float(rows)]))[0])
