"""k-map: people of the population behind each class."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from paravent.errors import InfeasibleError, PlanError
from paravent.privacy import KMap
from paravent.privacy.classes import Classes
from paravent.privacy.encoded_population import EncodedPopulation


def test_people_count_not_rows() -> None:
    classes = Classes(np.array([1, 9]), {}, {"p": np.array([7, 4])})
    assert KMap(5, "p").holds(classes).tolist() == [True, False]
    assert KMap(5, "p").level(classes) == 4


def test_what_is_reachable_is_named() -> None:
    with pytest.raises(InfeasibleError, match="k of at most 100"):
        KMap(101, "p").check_feasible(Classes(np.array([30]), {}, {"p": np.array([100])}))


def test_a_population_by_brute_force() -> None:
    """People on a line and in a set, some of them at values that the table does not have."""
    rng = np.random.default_rng(1)
    widths, lines = (5, 4), (True, False)
    for _ in range(200):
        places = tuple(rng.integers(0, 2 * width + 1, 40) for width in widths)
        places = (places[0], np.where(places[1] % 2, 2 * widths[1], places[1]))
        people = rng.integers(0, 4, 40)
        population = EncodedPopulation(people, places, widths, lines, np.zeros(0, dtype=np.int64))
        values = [np.flatnonzero(rng.random(width) < 0.5) for width in widths]
        if any(len(found) == 0 for found in values):
            continue
        on_line = (places[0] >= 2 * values[0].min()) & (places[0] <= 2 * values[0].max())
        in_set = np.isin(places[1], 2 * values[1])
        assert population.behind(values) == people[on_line & in_set].sum()


@pytest.mark.parametrize(
    "make",
    [
        lambda: KMap(0, "p"),
        lambda: KMap(2, ""),
        lambda: KMap(2, "p", count=3),
    ],
)
def test_bad_parameters(make: Callable[[], object]) -> None:
    with pytest.raises(PlanError, match=r"must be|above high"):
        make()
