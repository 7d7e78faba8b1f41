"""Values of inputs, computed from what a person says about risk and loss. The ontology names these functions.

Numbers are taken as they are written: a risk of 0.1 is one tenth, so that k is 10 and not 11.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from paravent.arguments import check_call, shown
from paravent.errors import PlanError

_MOST_RUNS = 1_000_000


def k_from_risk(risk: float) -> int:
    """The smallest k with which no row is found with a greater chance than `risk`, at least 2.

    >>> [k_from_risk(risk) for risk in (0.2, 0.1, 0.05, 0.3, 0.09, 1)]
    [5, 10, 20, 4, 12, 2]
    """
    check_call(k_from_risk, locals())
    return max(2, ceil(1 / _share("risk", risk)))


def max_suppressed(rows: int, rate: float) -> int:
    """How many of some rows may be left out at a rate, rounded down.

    >>> max_suppressed(1000, 0.2), max_suppressed(7, 0.5), max_suppressed(100, 0.29)
    (200, 3, 29)
    """
    check_call(max_suppressed, locals())
    if rows < 0:
        raise PlanError(f"rows must be 0 or more, not {rows}.")
    if not 0 <= rate <= 1:
        raise PlanError(f"rate must lie between 0 and 1, not {rate:g}.")
    return floor(rows * Fraction(str(rate)))


def l_from_belief(belief: float) -> int:
    """The smallest l (by frequency) with which nobody is surer of a sensitive value than `belief`, at least 2.

    >>> [l_from_belief(belief) for belief in (0.5, 0.34, 0.25, 1)]
    [2, 3, 4, 2]
    """
    check_call(l_from_belief, locals())
    return max(2, ceil(1 / _share("belief", belief)))


def t_from_gain(gain: float) -> float:
    """The t (with equal distances) with which no share of a sensitive value grows by more than `gain` in a class.

    The equal distance of two distributions is at least the largest difference of a share.

    >>> t_from_gain(0.2)
    0.2
    """
    check_call(t_from_gain, locals())
    return float(_share("gain", gain))


def delta_for_rows(rows: int) -> float:
    """The largest power of ten that is not above one over a hundred times the rows.

    >>> delta_for_rows(1000), delta_for_rows(30162)
    (1e-05, 1e-07)
    """
    check_call(delta_for_rows, locals())
    if rows < 1:
        raise PlanError(f"rows must be 1 or more, not {rows}.")
    power = 0
    while 10**power < 100 * rows:
        power += 1
    return float(Fraction(1, 10**power))


def seeds(runs: int, first: int = 0) -> tuple[int, ...]:
    """The seeds of repeated runs.

    >>> seeds(3, first=7)
    (7, 8, 9)
    """
    check_call(seeds, locals())
    if runs < 1:
        raise PlanError(f"runs must be 1 or more, not {runs}.")
    if runs > _MOST_RUNS:
        raise PlanError(f"runs must be at most {_MOST_RUNS:,}, not {shown(runs)}.")
    return tuple(range(first, first + runs))


def _share(name: str, share: float) -> Fraction:
    try:
        exact = Fraction(str(share))
    except ValueError:
        raise PlanError(f"{name} must lie above 0 and not above 1, not {share}.") from None
    if not 0 < exact <= 1:
        raise PlanError(f"{name} must lie above 0 and not above 1, not {share:g}: write 20 % as 0.2.")
    return exact
