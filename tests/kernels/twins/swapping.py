"""Partners for swapping, written to be read."""

from __future__ import annotations

import numpy as np


def rank_partners_twin(start: np.ndarray, window: np.ndarray, draw: np.ndarray) -> np.ndarray:
    received = np.arange(len(draw))
    for low, high, reach in zip(start[:-1].tolist(), start[1:].tolist(), window.tolist(), strict=True):
        free = list(range(low, high))
        while free:
            rank = free.pop(0)
            within = [other for other in free if other <= rank + reach]
            if within:
                partner = within[min(int(draw[rank] * len(within)), len(within) - 1)]
                free.remove(partner)
                received[[rank, partner]] = partner, rank
            else:
                _join(received, rank, low, high, reach)
    return received


def _join(received: np.ndarray, rank: int, low: int, high: int, reach: int) -> None:
    """Make the nearest pair that allows it one of three."""
    for other in sorted(range(low, high), key=lambda other: (abs(other - rank), other)):
        swapped = received[other] != other
        if swapped and abs(other - rank) <= reach and abs(int(received[other]) - rank) <= reach:
            received[rank], received[other] = received[other], rank
            return


def area_partners_twin(
    group: np.ndarray, area: np.ndarray, weight: np.ndarray, seekers: np.ndarray, draw: np.ndarray, most: int
) -> np.ndarray:
    partner = np.full(len(group), -1)
    left = weight.copy()
    for seeker, number in zip(seekers.tolist(), draw.tolist(), strict=True):
        fits = np.flatnonzero((group == group[seeker]) & (area != area[seeker]) & (left > 0))
        total = int(left[fits].sum())
        if partner[seeker] >= 0 or total == 0 or most == 0:
            continue
        mark = min(int(number * total), total - 1)
        found = int(fits[np.searchsorted(np.cumsum(left[fits]), mark, side="right")])
        partner[[seeker, found]] = found, seeker
        left[[seeker, found]] = 0
        most -= 1
    return partner
