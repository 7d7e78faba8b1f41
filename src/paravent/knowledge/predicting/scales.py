"""Scales: how a metric is seen by a model, and what values it can have on a table at all.

Shares are taken as they are; those of loss and of shifts by their log odds (a method that loses a tenth more than
another does so where little is lost as well). What goes over magnitudes is taken by its logarithm, discernability by
its share of the table's rows: a model of it speaks of class sizes and not of how large the tables of the cube were. Of
the risks of classes a model learns which share they are of the one over k that is promised: the k of a plan need not be
one of the cube's.
Of accuracies it learns what they are above always guessing the most frequent value.
"""

from __future__ import annotations

import numpy as np

from paravent.knowledge.cube.criteria import METRICS
from paravent.knowledge.predicting.features import NAMES

BY_CLASS = ("risk.prosecutor.max", "risk.prosecutor.average")
"""One over the size of classes: the smallest, and the mean of rows."""
BY_ODDS = ("utility.gcp", "utility.genloss", "utility.prec", "utility.shift", "utility.contingency")
_LEAST = 1e-5
_LEAST_ODDS = 1e-3


def log_odds(shares: np.ndarray) -> np.ndarray:
    """The natural logarithm of the odds of shares, which are drawn in a little from both ends first."""
    kept = _LEAST_ODDS + (1 - 2 * _LEAST_ODDS) * np.asarray(shares, dtype=float)
    return np.asarray(np.log(kept / (1 - kept)))


def share_of(odds: np.ndarray) -> np.ndarray:
    """Shares by their log odds.

    >>> share_of(log_odds(np.array([0.0, 0.25, 1.0]))).round(9).tolist()
    [0.0, 0.25, 1.0]
    """
    kept = 1 / (1 + np.exp(-np.asarray(odds, dtype=float)))
    return np.asarray(np.clip((kept - _LEAST_ODDS) / (1 - 2 * _LEAST_ODDS), 0, 1))


def as_seen(metric: str, rows: np.ndarray) -> np.ndarray:
    """Rows of features, the facts about a table on the scale of the metric that they say something about."""
    if metric not in BY_ODDS:
        return rows
    return np.column_stack([rows[:, : len(NAMES)], log_odds(rows[:, len(NAMES) :])])


def to_scale(metric: str, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Values of a metric as a model sees them."""
    if metric == "utility.dm":
        values = values / np.maximum(rows, 1)
    if METRICS[metric].logarithmic:
        return np.asarray(np.log(np.maximum(values, _LEAST)))
    return log_odds(values) if metric in BY_ODDS else np.asarray(values, dtype=float)


def from_scale(metric: str, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """What a model says, as values of the metric that a table with so many rows can have."""
    if METRICS[metric].logarithmic:
        values = np.exp(np.minimum(values, 60.0))
    if metric in BY_ODDS:
        values = share_of(values)
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
