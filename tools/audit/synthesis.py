"""Trials of what synthetic tables are made from: the curator's answers one by one, and all answers of a method."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np

import paravent as pv
from paravent.methods.synthetic.synthesis import Synthesis
from paravent.private import mechanisms
from paravent.private.accounting import epsilon_of
from paravent.private.curator import Curator, Purse, quantile_starts
from paravent.private.transcript import Measured
from tools.audit.trials import Trial

_HUNDREDTH = Fraction(1, 100)
_SIZES = (2, 2, 2)
_PERSON = (1, 1, 1)


def _purse(*, pure: bool) -> Purse:
    return Purse(Fraction(1) if pure else Fraction(1, 2), mechanisms, pure)


def _measured(inside: bool, runs: int, *, pure: bool) -> np.ndarray:
    """Counts of a column with a cell for each run."""
    codes = np.arange(runs) if inside else np.zeros(0, dtype=np.int64)
    purse = _purse(pure=pure)
    return Curator([codes], (runs,), purse).measure((0,), purse.allowed).counts


def _gaussian(inside: bool, runs: int) -> np.ndarray:
    return _measured(inside, runs, pure=False)


def _laplace(inside: bool, runs: int) -> np.ndarray:
    return _measured(inside, runs, pure=True)


def _selected(inside: bool, runs: int) -> np.ndarray:
    """Which of three pairs is chosen: expected counts are such that the person brings one nearer, others further."""
    codes = [np.array([0, 0, *([1] if inside else [])]) for _ in range(3)]
    near, far = np.array([[2.0, 0], [0, 1]]), np.array([[2.0, 0], [0, 0]])
    expected = {(0, 1): far, (0, 2): near, (1, 2): near}
    found = np.zeros(runs)
    for run in range(runs):
        purse = _purse(pure=True)
        found[run] = Curator(codes, _SIZES, purse).select(expected, purse.allowed) == (0, 1)
    return found


def _cut(inside: bool, runs: int) -> np.ndarray:
    """Where a grid of eight points is halved: two rows at its start, and the person at its end."""
    points = np.array([0, 0, *([7] if inside else [])])
    found = np.zeros(runs)
    for run in range(runs):
        purse = _purse(pure=True)
        found[run] = quantile_starts("pay", points, 8, 2, purse.allowed, purse)[1]
    return found


def _whole(method: Synthesis, inside: bool, runs: int) -> np.ndarray:
    """All noisy counts of a method on three columns of two values, each weighed by how likely it is with the person:
    the logarithm of the likelihood ratio of all that was measured. Choices depend on these and are not weighed."""
    others = [np.array(column) for column in zip(*product(range(2), repeat=3), strict=True)]
    codes = [np.append(column, own) if inside else column for column, own in zip(others, _PERSON, strict=True)]
    found = np.zeros(runs)
    for run in range(runs):
        purse = _purse(pure=method.pure)
        method.learn(Curator(codes, _SIZES, purse, ("a", "b", "c")), {})
        for step in purse.steps:
            if isinstance(step, Measured) and step.counts is not None:
                size = len(step.columns)
                own = step.counts.reshape((2,) * size)[_PERSON[:size]]
                usual = 2 ** (3 - size)
                away, near = own - usual, own - usual - 1
                scale = float(step.scale)
                found[run] += (abs(away) - abs(near)) / scale if step.pure else (away**2 - near**2) / (2 * scale)
    return found


def _naive_bayes(inside: bool, runs: int) -> np.ndarray:
    return _whole(pv.methods.NaiveBayes(target="a"), inside, runs)


def _priv_bayes(inside: bool, runs: int) -> np.ndarray:
    return _whole(pv.methods.PrivBayes(), inside, runs)


def _mst(inside: bool, runs: int) -> np.ndarray:
    return _whole(pv.methods.MST(), inside, runs)


def _aim(inside: bool, runs: int) -> np.ndarray:
    return _whole(pv.methods.AIM(), inside, runs)


def trials() -> list[Trial]:
    """The steps of a synthesis, and all steps of a method together."""
    of_rho, delta = float(epsilon_of(Fraction(1, 2), _HUNDREDTH)), float(_HUNDREDTH)
    return [
        Trial("synthesis: measured counts, Gaussian, rho = 1/2", of_rho, delta, _gaussian),
        Trial("synthesis: measured counts, geometric", 1, 0, _laplace),
        Trial("synthesis: columns selected by their distance", 1, 0, _selected),
        Trial("synthesis: cuts at private medians", 1, 0, _cut),
        Trial("NaiveBayes: all that it measures", 1, 0, _naive_bayes),
        Trial("PrivBayes: all that it measures", 1, 0, _priv_bayes),
        Trial("MST: all that it measures, rho = 1/2", of_rho, delta, _mst),
        Trial("AIM: all that it measures, rho = 1/2", of_rho, delta, _aim),
    ]
