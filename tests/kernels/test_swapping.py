"""Partners for swapping: the kernels give what the plain versions give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.kernels.swapping import area_partners, rank_partners
from tests.kernels.twins.swapping import area_partners_twin, rank_partners_twin

SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS, st.lists(st.tuples(st.integers(0, 40), st.integers(1, 50)), max_size=4))
def test_ranks(seed: int, groups: list[tuple[int, int]]) -> None:
    start = np.cumsum([0, *(size for size, _ in groups)])
    window = np.array([reach for _, reach in groups], dtype=np.int64)
    draw = np.random.default_rng(seed).random(int(start[-1]))
    found = rank_partners(start, window, draw)
    assert found.tolist() == rank_partners_twin(start, window, draw).tolist()
    group = np.repeat(np.arange(len(groups)), np.diff(start))
    assert (group[found] == group).all()
    assert (np.abs(found - np.arange(len(found))) <= window[group]).all()
    assert sorted(found.tolist()) == list(range(len(found)))


@given(SEEDS, st.integers(0, 60), st.integers(1, 4), st.integers(1, 5), st.integers(0, 40))
def test_areas(seed: int, places: int, groups: int, areas: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    area, group = rng.integers(0, areas, places).astype(np.int32), rng.integers(0, groups, places).astype(np.int32)
    order = np.lexsort((area, group))
    group, area = group[order], area[order]
    weight = rng.integers(0, 5, places)
    seekers = rng.permutation(np.flatnonzero(weight))[: rng.integers(0, places + 1)]
    draw = rng.random(len(seekers))
    found = area_partners(group, area, weight, seekers, draw, most)
    assert found.tolist() == area_partners_twin(group, area, weight, seekers, draw, most).tolist()
    paired = np.flatnonzero(found >= 0)
    assert (found[found[paired]] == paired).all()
    assert len(paired) <= 2 * most


def test_a_rank_finds_each_of_its_window_equally_often() -> None:
    """The lowest of six ranks, window 5: each of the others in a fifth of 4 000 draws, within four deviations."""
    rng = np.random.default_rng(3)
    draws = [rank_partners(np.array([0, 6]), np.array([5]), rng.random(6)) for _ in range(4000)]
    partner = np.bincount([int(found[0]) for found in draws], minlength=6)
    assert partner[0] == 0
    assert np.all(np.abs(partner[1:] - 800) < 4 * np.sqrt(4000 * 0.2 * 0.8))


@pytest.mark.parametrize(
    ("start", "window", "draws"),
    [([0, 3], [0], 3), ([1, 3], [1], 3), ([0, 3], [1], 2), ([0, 3, 2], [1, 1], 2), ([0, 3], [1, 1], 3)],
)
def test_bad_arrays_never_reach_the_kernel(start: list[int], window: list[int], draws: int) -> None:
    with pytest.raises(ValueError, match=r"start must|every rank"):
        rank_partners(np.array(start), np.array(window), np.zeros(draws))


def test_bad_places_never_reach_the_kernel() -> None:
    codes = np.array([0, 0, 1], dtype=np.int32)
    ones, draw = np.ones(3, dtype=np.int64), np.zeros(1)
    with pytest.raises(ValueError, match="sorted"):
        area_partners(codes[::-1], codes, ones, np.array([0]), draw, 1)
    with pytest.raises(ValueError, match="seeker"):
        area_partners(codes, codes, ones, np.array([3]), draw, 1)
    with pytest.raises(ValueError, match="seeker"):
        area_partners(codes, codes, np.array([0, 1, 1]), np.array([0]), draw, 1)
    with pytest.raises(ValueError, match="draws"):
        area_partners(codes, codes, ones, np.array([0]), np.ones(1), 1)
