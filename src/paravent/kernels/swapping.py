"""Partners for swapping; see cpp/swapping.hpp."""

from __future__ import annotations

import numpy as np

from paravent.kernels import native
from paravent.kernels.native import check_codes


def rank_partners(start: np.ndarray, window: np.ndarray, draw: np.ndarray) -> np.ndarray:
    """The rank whose value each rank receives, at most `window[g]` away; group g is ranks `start[g]` to `start[g + 1]`.
    `draw` has a number from [0, 1) for each rank."""
    whole = start.dtype == window.dtype == np.int64
    if not whole or len(start) != len(window) + 1 or start[0] != 0 or np.any(np.diff(start) < 0):
        raise ValueError("start must ascend from 0, in int64, and every group have a window")
    if start[-1] != len(draw) or window.min(initial=1) < 1:
        raise ValueError("every rank needs a draw, and windows must be positive")
    check_draws(draw)
    return np.asarray(native.module.rank_partners(start, window, len(window), draw))


def area_partners(
    group: np.ndarray, area: np.ndarray, weight: np.ndarray, seekers: np.ndarray, draw: np.ndarray, most: int
) -> np.ndarray:
    """The partner of each place (−1: none), given places sorted by `group` and then by `area`: seekers, one after the
    other, get one of their group and of another area, drawn by `weight`, until there are `most` pairs."""
    sorted_in = np.diff(group) > 0
    if not len(group) == len(area) == len(weight) or np.any((np.diff(group) < 0) | (~sorted_in & (np.diff(area) < 0))):
        raise ValueError("places must be sorted by group and area, with a weight each")
    check_codes(group, 2**31 - 1, "groups")
    check_codes(area, 2**31 - 1, "areas")
    if weight.dtype != np.int64 or weight.min(initial=0) < 0 or weight.sum(dtype=float) >= 2**52:
        raise ValueError("weights must be int64, at least 0, and add up to less than 2^52")
    if seekers.dtype != np.int64 or len(draw) != len(seekers):
        raise ValueError("seekers must be int64, with a draw each")
    if len(seekers) and (seekers.min() < 0 or seekers.max() >= len(group) or weight[seekers].min() < 1):
        raise ValueError("a seeker must be a place that has a weight")
    check_draws(draw)
    other_group = np.diff(group) != 0
    group_start, group_end = _stretches(other_group, len(group))
    area_start, area_end = _stretches(other_group | (np.diff(area) != 0), len(group))
    found = native.module.area_partners(
        group_start=group_start,
        group_end=group_end,
        area_start=area_start,
        area_end=area_end,
        weight=weight,
        seekers=seekers,
        draw=draw,
        count=len(seekers),
        most=int(most),
    )
    return np.asarray(found)


def _stretches(changes: np.ndarray, places: int) -> tuple[np.ndarray, np.ndarray]:
    """Where the stretch of each place begins and ends, given between which places another one begins."""
    ends = np.r_[np.flatnonzero(changes) + 1, np.full(min(places, 1), places)]
    sizes = np.diff(ends, prepend=0)
    return np.repeat(ends - sizes, sizes), np.repeat(ends, sizes)


def check_draws(draw: np.ndarray) -> None:
    if draw.dtype != np.float64 or not np.all((draw >= 0) & (draw < 1)):
        raise ValueError("draws must be floats from [0, 1)")
