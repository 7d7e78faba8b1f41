"""Population uniques by Zayatz (1991): Bayes' rule with the sample's own class sizes as the prior.

A class that shows one row in the sample may have any size F in the population. The probability that just one of F
people is drawn is hypergeometric; the share of population classes of size F is taken to be that of the sample.
"""

from __future__ import annotations

import numpy as np

from paravent.privacy.risk.frequencies import Frequencies
from paravent.privacy.risk.population import Population

ASSUMES = "classes of the population have sizes like those of the sample, and everybody was as likely to be drawn"


def zayatz(sample: Frequencies, population: Population) -> float:
    """The estimated number of people who are alone in the population with their values.

    >>> round(zayatz(Frequencies.of(np.array([1, 1, 2])), Population.of(0.5, rows=4)), 3)
    2.545
    """
    if not sample.uniques:
        return 0.0
    alone = np.array([_one_of(int(size), population) for size in sample.sizes])
    unique_here_and_there = sample.uniques * alone[0] / float((sample.counts * alone).sum())
    return float(sample.uniques * unique_here_and_there / population.fraction)


def _one_of(size: int, population: Population) -> float:
    """The probability that exactly one of `size` people is drawn. A product keeps the digits that log-gammas lose."""
    people, drawn = population.size, population.rows
    others = np.arange(size - 1)
    chance = size * drawn / people * np.prod(np.maximum(people - drawn - others, 0) / (people - 1 - others))
    return float(chance)
