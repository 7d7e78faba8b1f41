"""Targeted record swapping: households exchange where they live, the ones at risk first.

As Eurostat recommends it for the census (Guidelines for statistical disclosure control methods for census hypercubes,
2017 and later; the method of the Office for National Statistics). From the coarsest geography to the finest, every
household with a member whose combination of characteristics fewer than k people of the area share is swapped with one
of another area that is alike; at the finest, further households follow until a share of all is swapped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paravent.kernels.swapping import area_partners

_UNIT = 1 << 20
"""The weight of a household with a member who is alone with their characteristics."""


@dataclass(frozen=True, eq=False)
class Households:
    """What decides about swaps, household by household: the area at each level, coarsest first; the least number of
    people who share a member's characteristics in the area of that level; and, one profile after the other, the code of
    what partners must have in common."""

    areas: Sequence[np.ndarray]
    fewest: Sequence[np.ndarray]
    profiles: Sequence[np.ndarray]

    def __len__(self) -> int:
        return len(self.areas[0])


@dataclass(frozen=True, eq=False)
class Swaps:
    """The household whose place each household gets (its own, where it stays), how many were at risk, and how many of
    these found no partner in another area of the level at which they are."""

    received: np.ndarray
    risky: int
    stranded: int

    @property
    def swapped(self) -> int:
        return int((self.received != np.arange(len(self.received))).sum())


def swap_households(households: Households, least: Sequence[int], rate: float, rng: np.random.Generator) -> Swaps:
    """Swap who is at risk at some level (fewer than `least[level]` people alike), then others, those with rarer
    characteristics more often, until a share `rate` of the households of each finest area is swapped."""
    partner = np.full(len(households), -1, dtype=np.int64)
    risky, stranded = np.zeros((2, len(households)), dtype=bool)
    for area, fewest, k in zip(households.areas, households.fewest, least, strict=True):
        at_risk = fewest < k
        risky |= at_risk
        _match(partner, area, at_risk, _weights(fewest), households.profiles, rng)
        stranded |= at_risk & (partner < 0)
    if rate > 0:
        _fill(partner, households, rate, rng)
    own = np.arange(len(partner))
    return Swaps(np.where(partner < 0, own, partner), int(risky.sum()), int(stranded.sum()))


def _match(
    partner: np.ndarray,
    area: np.ndarray,
    seeking: np.ndarray,
    weights: np.ndarray,
    profiles: Sequence[np.ndarray],
    rng: np.random.Generator,
    most: int | None = None,
) -> int:
    """Give those that seek a partner of another area, by the first profile that has one left; how many pairs."""
    pairs = 0
    for alike in profiles:
        seekers = np.flatnonzero(seeking & (partner < 0))
        if not len(seekers):
            break
        wanted = np.zeros(int(alike.max()) + 1, dtype=bool)
        wanted[alike[seekers]] = True
        free = np.flatnonzero(wanted[alike] & (partner < 0) & (weights > 0))
        order = free[np.lexsort((area[free], alike[free]))]
        place = np.empty(len(partner), dtype=np.int64)
        place[order] = np.arange(len(order))
        seekers = place[rng.permutation(seekers)]
        left = len(seekers) if most is None else most - pairs
        found = area_partners(alike[order], area[order], weights[order], seekers, rng.random(len(seekers)), left)
        paired = found >= 0
        partner[order[paired]] = order[found[paired]]
        pairs += int(paired.sum()) // 2
    return pairs


def _fill(partner: np.ndarray, households: Households, rate: float, rng: np.random.Generator) -> None:
    """Swap further households until each finest area has its share, among those that are chosen as far as they fit."""
    area, weights = households.areas[-1], _weights(households.fewest[-1])
    size = np.bincount(area)
    goal = np.diff(np.floor(rate * np.cumsum(size) + rng.random()), prepend=0.0)  # rounded at random, the total kept
    missing = np.maximum(goal.astype(np.int64) - np.bincount(area[partner >= 0], minlength=len(size)), 0)
    free = np.flatnonzero(partner < 0)
    chance = rng.exponential(size=len(free)) / weights[free]  # the smallest are a sample by weight
    free = free[np.lexsort((chance, area[free]))]
    start = np.searchsorted(area[free], np.arange(len(size)))
    chosen = np.zeros(len(partner), dtype=bool)
    chosen[free[np.arange(len(free)) - start[area[free]] < missing[area[free]]]] = True
    most = int(missing.sum()) // 2
    most -= _match(partner, area, chosen, np.where(chosen, weights, 0), households.profiles, rng, most)
    _match(partner, area, chosen, weights, households.profiles, rng, most)


def _weights(fewest: np.ndarray) -> np.ndarray:
    """Households by risk: one over the number of people like the rarest member."""
    return np.asarray(np.maximum(_UNIT // np.maximum(fewest, 1), 1), dtype=np.int64)
