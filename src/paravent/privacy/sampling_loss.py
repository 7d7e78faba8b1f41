"""What drawing rows and leaving small classes out spends, worked out from how it was done alone. It shares nothing with
the code that chose the parameters: sums of probabilities in floats, class size by class size, where that code has
closed forms in decimals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paravent.errors import UnsafeReleaseError
from paravent.privacy.promise import Entry

_TOLERANCE = 1e-9
"""Floats may be off by this part of a delta."""


def account_of_sampling(document: Mapping[str, Any]) -> tuple[Entry, ...]:
    """The entries of a release that was drawn as the document says; UnsafeReleaseError where it does not give what it
    claims."""
    beta, k = Fraction(document["beta"]), int(document["k"])
    epsilon, delta, choice = (Fraction(document[name]) for name in ("epsilon", "delta", "choice"))
    if not (0 < beta < 1 and k >= 1 and epsilon > 0 and choice >= 0):
        raise UnsafeReleaseError("the sampling of the release has parameters that mean nothing. Nothing is released.")
    loss = delta_of_sampling(float(beta), k, float(epsilon))
    if loss > float(delta) * (1 + _TOLERANCE):
        raise UnsafeReleaseError(
            f"classes of {k} rows in a sample of {float(beta):.4g} lose {loss:.3g}; {float(delta):.3g} was claimed. "
            "Nothing is released."
        )
    what = f"rows drawn with probability {float(beta):.6g}, classes of fewer than {k} left out"
    entries = [Entry(what, {"epsilon": _up(epsilon), "delta": _up(delta)})]
    if choice:
        entries.insert(0, Entry(f"choice of levels among {document['candidates']}", {"epsilon": _up(choice)}))
    return tuple(entries)


def delta_of_sampling(beta: float, k: int, epsilon: float) -> float:
    """The delta for which the publication of classes of at least k drawn rows is (epsilon, delta)-differentially
    private: the largest hockey-stick divergence, both ways, over all numbers of rows that a class can have.

    >>> delta_of_sampling(0.5, 1, 0.5) > 0.5, delta_of_sampling(0.3, 60, 0.5) < 1e-6
    (True, True)
    """
    if beta > -math.expm1(-epsilon) * (1 + 1e-14):
        return 1.0  # leaving a class out tells that somebody may be missing
    gamma, worst, rows = 1 - (1 - beta) * math.exp(-epsilon), 0.0, k
    rate = gamma * math.log(gamma / beta) + (1 - gamma) * math.log((1 - gamma) / (1 - beta))
    while True:
        first = max(k, math.floor(rows * gamma) - 1)
        j = np.arange(first, rows + 1)
        with_one, without = _binomial(j, rows, beta), _binomial(j, rows - 1, beta)
        worst = max(worst, float(np.maximum(with_one - math.exp(epsilon) * without, 0).sum()))
        rows += 1
        if math.exp(-rows * rate) <= max(worst, 1e-300) and rows * gamma > k:
            return worst


def _binomial(j: np.ndarray, rows: int, beta: float) -> np.ndarray:
    """P(j of so many rows are drawn)."""
    factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, rows + 1)))])
    within = np.minimum(j, rows)
    log = factorial[rows] - factorial[within] - factorial[rows - within]
    found = np.exp(log + within * math.log(beta) + (rows - within) * math.log1p(-beta))
    return np.where(j <= rows, found, 0.0)


def _up(cost: Fraction) -> float:
    near = float(cost)
    return near if Fraction(near) >= cost else math.nextafter(near, math.inf)
