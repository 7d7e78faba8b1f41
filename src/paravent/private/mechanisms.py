"""Mechanisms: whole numbers in, whole numbers with noise out, exactly distributed, from a secure source.

The noise is OpenDP's (discrete Laplace, discrete Gaussian, the exponential mechanism by Gumbel noise), which draws from
the operating system's randomness and computes with rationals: no bit of an answer tells floats apart. It takes its
scales as floats; ours are rounded up to one, never down. Time and memory are side channels that nobody closes here.

A noise that can be drawn again is no noise. `unsafe` serves demonstrations and tests of what comes after the noise: it
takes random numbers of a known seed, and whatever is made with it is not private.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from paravent.errors import PlanError


@cache
def opendp() -> Any:
    """The constructors of OpenDP that are used here, or a sentence on how to get them."""
    try:
        from opendp import domains, measurements, measures, metrics
        from opendp.mod import enable_features
    except ImportError:
        raise PlanError(
            "differential privacy needs OpenDP, which is not installed. Get it with: pip install 'paravent[dp]'."
        ) from None
    enable_features("contrib")
    return SimpleNamespace(
        whole_numbers=domains.vector_domain(domains.atom_domain(T="i64")), measurements=measurements,
        measures=measures, metrics=metrics,
    )  # fmt: skip


def gaussian(counts: np.ndarray, sigma2: Fraction, *, unsafe: np.random.Generator | None = None) -> np.ndarray:
    """Counts with discrete Gaussian noise, P(z) ∝ exp(−z² / 2σ²) (Canonne, Kamath and Steinke 2020).

    Where one person changes the counts by at most Δ in the Euclidean norm, it costs ρ = Δ² / 2σ² of zCDP.
    """
    scale = root_above(_positive("sigma2", sigma2))
    if unsafe is not None:
        return _whole(counts) + np.rint(unsafe.normal(0, scale, np.shape(counts))).astype(np.int64)
    return _with_noise(_gaussian(scale), counts)


def laplace(counts: np.ndarray, scale: Fraction, *, unsafe: np.random.Generator | None = None) -> np.ndarray:
    """Counts with discrete Laplace (two-sided geometric) noise, P(z) ∝ exp(−|z| / scale).

    Where one person changes the counts by at most Δ in all (the sum of absolute changes), it costs ε = Δ / scale.
    """
    width = float_above(_positive("scale", scale))
    if unsafe is not None:
        stop = -math.expm1(-1 / width)
        first, second = (unsafe.geometric(stop, np.shape(counts)) for _ in range(2))
        return _whole(counts) + first - second
    return _with_noise(_laplace(width), counts)


def select(
    scores: np.ndarray, epsilon: Fraction, sensitivity: int, *, unsafe: np.random.Generator | None = None
) -> int:
    """The place of a score, the higher the likelier: P(i) ∝ exp(ε · score / 2Δ), the exponential mechanism.

    Where one person changes every score by at most Δ (the sensitivity), it costs ε, and as zCDP ρ = ε² / 8: the losses
    of two places differ by at most ε (Dong, Durfee and Rogers 2020; Cesar and Rogers 2021). `Cost.selection` says both.
    """
    if sensitivity < 1:
        raise PlanError(f"select: the sensitivity must be at least 1, not {sensitivity}.")
    if len(scores) == 0:
        raise PlanError("select: there is nothing to select from.")
    scale = float_above(2 * sensitivity / _positive("epsilon", epsilon))
    if unsafe is not None:
        return int(np.argmax(_whole(scores) / scale + unsafe.gumbel(size=len(scores))))
    return int(_noisy_max(scale)(_whole(scores)))


@lru_cache
def _gaussian(scale: float) -> Any:
    dp = opendp()
    return dp.measurements.make_gaussian(dp.whole_numbers, dp.metrics.l2_distance(T="f64"), scale)


@lru_cache
def _laplace(scale: float) -> Any:
    dp = opendp()
    return dp.measurements.make_laplace(dp.whole_numbers, dp.metrics.l1_distance(T="i64"), scale)


@lru_cache
def _noisy_max(scale: float) -> Any:
    dp = opendp()
    return dp.measurements.make_noisy_max(
        dp.whole_numbers, dp.metrics.linf_distance(T="i64"), dp.measures.zero_concentrated_divergence(), scale
    )


def _with_noise(mechanism: Any, counts: np.ndarray) -> np.ndarray:
    counts = _whole(counts)
    return np.asarray(mechanism(counts.ravel()), dtype=np.int64).reshape(counts.shape)


def _whole(counts: np.ndarray) -> np.ndarray:
    """Counts as 64-bit integers. Floats are refused, since rounding them is the caller's to bound."""
    counts = np.asarray(counts)
    if counts.dtype.kind not in "iu" and counts.size:
        raise PlanError(f"noise is added to whole numbers, not to {counts.dtype}.")
    return np.array(counts, dtype=np.int64, order="C")  # a copy: OpenDP takes no array that is read-only


def _positive(name: str, number: Fraction) -> Fraction:
    # OpenDP takes a scale of 0 for "no noise", and gives the exact answer.
    if number <= 0:
        raise PlanError(f"{name} must be positive, not {number}.")
    return Fraction(number)


def float_above(number: Fraction) -> float:
    """The lowest float that is not below a positive number.

    >>> Fraction(float_above(Fraction(1, 10))) >= Fraction(1, 10), float_above(Fraction(1, 4))
    (True, 0.25)
    """
    try:
        near = float(number)
    except OverflowError:
        near = math.inf
    if not near < 2**62:
        raise PlanError(
            "the noise would be wider than the numbers that a machine counts with. Spend more on the answer, or "
            "narrow its bounds."
        )
    return near if Fraction(near) >= number else math.nextafter(near, math.inf)


def root_above(square: Fraction) -> float:
    """The lowest float whose square is not below a positive number, or the next one.

    >>> root_above(Fraction(9)), Fraction(root_above(Fraction(2))) ** 2 >= 2
    (3.0, True)
    """
    root = (
        math.sqrt(float_above(square)) if square < 2**62 else float_above(Fraction(math.isqrt(math.ceil(square)) + 1))
    )
    while Fraction(root) ** 2 < square:
        root = math.nextafter(root, math.inf)
    return root
