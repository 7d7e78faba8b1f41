"""Scales: how a metric is seen by a model, and what values it can have on a table at all.

Shares are taken as they are, what goes over magnitudes by its logarithm, discernability by its share of the table's
rows: a model of it speaks of class sizes and not of how large the tables of the cube were. Of the risks of classes a
model learns which share they are of the one over k that is promised: the k of a plan need not be one of the cube's.
Of accuracies it learns what they are above always guessing the most frequent value.
"""

from __future__ import annotations

import numpy as np

from paravent.knowledge.cube.criteria import METRICS
from paravent.knowledge.predicting.features import NAMES

BY_CLASS = ("risk.prosecutor.max", "risk.prosecutor.average")
"""One over the size of classes: the smallest, and the mean of rows."""
_LEAST = 1e-5


def to_scale(metric: str, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Values of a metric as a model sees them."""
    if metric == "utility.dm":
        values = values / np.maximum(rows, 1)
    if METRICS[metric].logarithmic:
        return np.asarray(np.log(np.maximum(values, _LEAST)))
    return np.asarray(values, dtype=float)


def from_scale(metric: str, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """What a model says, as values of the metric that a table with so many rows can have."""
    if METRICS[metric].logarithmic:
        values = np.exp(np.minimum(values, 60.0))
    if metric == "utility.dm":
        values = values * rows
    low, high = limits(metric, rows)
    return np.asarray(np.clip(values, low, high))


def promised(metric: str, features: np.ndarray) -> np.ndarray:
    """The most that k lets a metric be, on its scale, where it does: a model learns the share of it."""
    k = features[:, NAMES.index("k")]
    return 2.0**-k if metric in BY_CLASS else np.ones(len(k))


def guessed(metric: str, features: np.ndarray) -> np.ndarray:
    """What a metric is where nothing was learnt: a model learns what lies above."""
    return features[:, NAMES.index("majority")] * (metric == "utility.learning.naive_bayes")


def to_shares(metric: str, values: np.ndarray, features: np.ndarray) -> np.ndarray:
    """Values on the scale of a metric, as what a model learns of them."""
    return np.asarray((values - guessed(metric, features)) / promised(metric, features))


def from_shares(metric: str, shares: np.ndarray, features: np.ndarray) -> np.ndarray:
    """What a model learnt, on the scale of the metric."""
    return np.asarray(shares * promised(metric, features) + guessed(metric, features))


def limits(metric: str, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest value that a metric can have on a table with so many rows.

    >>> [float(end) for end in limits("utility.dm", np.array(1000.0))]
    [1000.0, 1000000.0]
    """
    rows = np.asarray(rows, dtype=float)
    zero, endless = np.zeros_like(rows), np.full_like(rows, np.inf)
    if metric == "utility.dm":
        return rows, rows**2
    if metric == "utility.cavg":
        return zero, rows
    if METRICS[metric].unit == "share" and metric != "utility.regression":
        return zero, zero + 1
    return zero, endless
