"""How sure a sampled rate is: Wilson's interval, an exact bound from above, the excess of one rate over another."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log, log1p, sqrt
from statistics import NormalDist

from paravent.arguments import Checked, check_call, shown
from paravent.errors import PlanError

_MOST_ATTEMPTS = 10**15


@dataclass(frozen=True)
class Rate(Checked):
    """So many successes in so many attempts, with the interval that holds the true rate at the given confidence."""

    successes: int
    attempts: int
    low: float
    high: float

    def __post_init__(self) -> None:
        if not 0 <= self.successes <= self.attempts or self.attempts == 0:
            raise PlanError("a rate has at least one attempt, and at most as many successes as attempts.")

    @property
    def value(self) -> float:
        return self.successes / self.attempts

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True)
class Interval(Checked):
    """An estimate and where it may lie."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def wilson(successes: int, attempts: int, confidence: float = 0.95) -> Rate:
    """Wilson's score interval (1927). Unlike the usual ± it stays within 0 and 1 and is honest for rates near them.

    >>> print(wilson(10, 10))
    1.000 [0.722, 1.000]
    """
    check_call(wilson, locals())
    if not 0 < confidence < 1:
        raise PlanError(f"wilson: confidence must lie between 0 and 1, not {confidence!r}.")
    if not 0 <= successes <= max(attempts, 0):
        raise PlanError(f"wilson: of {attempts} attempts, {successes} cannot have succeeded.")
    if attempts <= 0:
        raise PlanError("a rate needs at least one attempt. Ask for more attacks, or give more people.")
    if attempts > _MOST_ATTEMPTS:
        raise PlanError(f"wilson: at most {_MOST_ATTEMPTS} attempts can be counted, not {shown(attempts)}.")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate, weight = successes / attempts, 1 + z * z / attempts
    middle = (rate + z * z / (2 * attempts)) / weight
    margin = z / weight * sqrt(rate * (1 - rate) / attempts + z * z / (4 * attempts**2))
    low, high = max(0.0, middle - margin), min(1.0, middle + margin)
    return Rate(successes, attempts, 0.0 if successes == 0 else low, 1.0 if successes == attempts else high)


def clopper_pearson(successes: int, attempts: int, confidence: float = 0.95) -> float:
    """The highest true rate at which so few successes are not yet too unlikely (Clopper and Pearson 1934): an exact
    bound from above, wherever the rate lies, and never rounded in favour of who is judged.

    >>> round(clopper_pearson(0, 10), 4), round(clopper_pearson(1, 10), 4), clopper_pearson(10, 10)
    (0.2589, 0.3942, 1.0)
    """
    rate = wilson(successes, attempts, confidence)  # checks what is given
    if successes == attempts:
        return 1.0
    ways = [lgamma(attempts + 1) - lgamma(i + 1) - lgamma(attempts - i + 1) for i in range(successes + 1)]
    low, high = rate.value, 1.0
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return high
        hit, miss = log(middle), log1p(-middle)
        as_few = sum(exp(way + i * hit + (attempts - i) * miss) for i, way in enumerate(ways))
        low, high = (middle, high) if as_few > 1 - confidence else (low, middle)


def excess(attack: Rate, control: Rate) -> Interval:
    """What of the attack's success is due to being in the release: (attack − control) / (1 − control).

    It is 1 − θ for the ratio θ of the two rates of failure. The interval of θ comes from the two Wilson intervals by
    the method of variance estimates recovery (Donner and Zou 2012), which does not claim symmetry. A negative excess
    is none. A control that always succeeds leaves nothing to be measured: anything is possible then.

    >>> print(excess(wilson(60, 100), wilson(20, 100)))
    0.500 [0.358, 0.618]
    """
    check_call(excess, locals())
    failed, spared = 1 - attack.value, 1 - control.value
    if spared <= 0:
        return Interval(0.0, 0.0, 1.0)
    low_failed, high_failed = 1 - attack.high, 1 - attack.low
    low_spared, high_spared = 1 - control.high, 1 - control.low
    product = failed * spared
    least, most = high_spared * (2 * spared - high_spared), low_spared * (2 * spared - low_spared)
    smallest = 0.0
    if least > 0:
        smallest = (product - sqrt(max(0.0, product**2 - low_failed * (2 * failed - low_failed) * least))) / least
    largest = float("inf")
    if most > 0:
        largest = (product + sqrt(max(0.0, product**2 - high_failed * (2 * failed - high_failed) * most))) / most
    return Interval(_share(1 - failed / spared), _share(1 - largest), _share(1 - smallest))


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))
