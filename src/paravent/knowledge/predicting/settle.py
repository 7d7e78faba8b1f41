"""Settling: from probes on samples to what the whole table will give.

Alone, probes are put on the scale of the whole table: class sizes grow with k, shares stay. With the cube, the
prediction is that of the cube, moved by how far the cube was wrong about the largest probe: what a model does not know
about this table it shows on a sample of it, too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from paravent.knowledge.cube.criteria import METRICS
from paravent.knowledge.predicting.landmarks import Probe
from paravent.knowledge.predicting.scales import BY_CLASS, BY_ODDS, from_scale, to_scale

_EDGE = 1e-4
_TIMES = 3.0
"""An interval is so many times as wide as the last two probes lie apart."""
HASTE = 0.25
"""How far what a search gives may lie from what it gave in haste, in half-widths of the cube's interval."""
_LEFT = {
    ("LocalRecoding()", "utility.gcp"): 0.965,
    ("LocalRecoding()", "utility.genloss"): 0.965,
    ("LocalRecoding()", "utility.queries.are"): 0.97,
    ("Polish()", "utility.gcp"): 0.985,
    ("Polish()", "utility.genloss"): 0.985,
}
"""What a search with all its work leaves of what is lost in haste: the mean over ten tables, k from 5 to 20 (0.86 to 1
for `LocalRecoding`)."""
_NOISE = {"cost.seconds": 0.35, "cost.megabytes": 0.7}
"""How far two runs of the same plan may lie apart, in logarithms; no other metric differs at all."""


def usable(probes: Sequence[Probe], metric: str) -> list[Probe]:
    """The probes that say something about a metric. Haste says nothing of what a search costs."""
    return [probe for probe in probes if metric in probe.values and not (probe.hasty and metric in _NOISE)]


def exact(probes: Sequence[Probe], metric: str) -> float | None:
    """What was measured on the whole table; None where it was not run, or in haste only."""
    told = (probe for probe in probes if probe.whole and not probe.hasty and metric in probe.values)
    return next((probe.values[metric] for probe in told), None)


def in_haste(probes: Sequence[Probe], metric: str) -> float | None:
    """What a hasty search gave on the whole table; None where there was none, and of what it cost."""
    if metric in _NOISE:
        return None
    told = (probe for probe in probes if probe.whole and probe.hasty and metric in probe.values)
    return next((probe.values[metric] for probe in told), None)


def unhurried(method: str, metric: str, hurried: float) -> float:
    """What a search is expected to give with all its work that gave so much in haste."""
    return hurried * _LEFT.get((method, metric), 1.0)


def alone(probes: Sequence[Probe], metric: str, k: int, rows: int) -> tuple[float, float] | None:
    """The value on the metric's scale that probes lead to, and how far it may be off; None where they say nothing."""
    told = usable(probes, metric)
    if not told:
        return None
    if metric in _NOISE:
        return _grown(told, metric, rows)
    guesses = []
    for size in sorted({probe.rows for probe in told}):
        same = [probe for probe in told if probe.rows == size]
        guesses.append(_at(same, metric, k, rows))
    apart = abs(guesses[-1] - guesses[-2]) if len(guesses) > 1 else abs(guesses[-1]) * 0.5
    return guesses[-1], _TIMES * apart


def _at(probes: Sequence[Probe], metric: str, k: int, rows: int) -> float:
    """What the probes of one sample say: as it is, or drawn on along the logarithm of rows over k."""
    seen = [_as_whole(probe, metric, k, rows) for probe in probes]
    if len(seen) == 1:
        return seen[0]
    places = [math.log2(probe.rows / max(1, probe.k)) for probe in probes]
    goal = math.log2(rows / max(1, k))
    bent = [_bent(metric, value) for value in seen]
    steep = (bent[0] - bent[-1]) / (places[0] - places[-1])
    drawn = _unbent(metric, bent[0] + steep * (goal - places[0]))
    size = np.array([float(rows)])
    return float(to_scale(metric, from_scale(metric, np.array([drawn]), size), size)[0])


def _bent(metric: str, value: float) -> float:
    """A share by its log odds: what is drawn on from it stays a share, and small ones shrink by ratios."""
    if not _is_share(metric):
        return value
    inside = min(max(value, _EDGE), 1 - _EDGE)
    return math.log(inside / (1 - inside))


def _unbent(metric: str, value: float) -> float:
    return 1 / (1 + math.exp(-value)) if _is_share(metric) else value


def _is_share(metric: str) -> bool:
    """Whether a metric is a share on its scale, too: those of `BY_ODDS` are log odds there."""
    return METRICS[metric].unit == "share" and metric not in (*BY_ODDS, "utility.regression")


def _as_whole(probe: Probe, metric: str, k: int, rows: int) -> float:
    """A value of a sample as it would stand on the whole table, on the metric's scale."""
    value = probe.values[metric]
    if not probe.whole and probe.k and k:
        larger = k / probe.k  # classes grow so many times
        if metric in BY_CLASS:
            value = value / larger
        if metric == "utility.dm":
            value = value / probe.rows * larger * rows
            return float(to_scale(metric, np.array([value]), np.array([float(rows)]))[0])
    return float(to_scale(metric, np.array([value]), np.array([float(probe.rows)]))[0])


def _grown(told: Sequence[Probe], metric: str, rows: int) -> tuple[float, float]:
    """Time and memory by the power of the rows with which they grew."""
    last = told[-1]
    value = math.log(max(last.values[metric], 1e-5))
    if last.whole:
        return value, _NOISE[metric]
    power, first = 1.2, told[0]
    if first.rows < last.rows:
        grown = math.log(max(last.values[metric], 1e-5) / max(first.values[metric], 1e-5))
        power = min(2.5, max(0.3, grown / math.log(last.rows / first.rows)))
    return value + power * math.log(rows / last.rows), _NOISE[metric] + 0.3 * math.log(rows / last.rows)


def noise(metric: str) -> float:
    """How far two runs of the same plan may lie apart, on the metric's scale."""
    return _NOISE.get(metric, 0.0)
