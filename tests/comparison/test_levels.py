"""Levels, rankings and the front as laws, against brute force."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from paravent.comparison.levels import levels_of, ranking
from paravent.comparison.pareto import front

NAMES = "abcdefg"
POINTS = st.dictionaries(
    st.sampled_from(NAMES), st.tuples(st.integers(0, 4).map(float), st.integers(0, 4).map(float)), max_size=7
)
DEMANDS = st.frozensets(st.integers(0, 3))


@given(POINTS, st.dictionaries(st.sampled_from(NAMES), DEMANDS), st.booleans(), st.booleans())
def test_the_front_is_what_nobody_dominates(
    points: dict[str, tuple[float, float]], held: dict[str, frozenset[int]], low_risk: bool, low_loss: bool
) -> None:
    def better_or_equal(a: float, b: float, low: bool) -> bool:
        return a <= b if low else a >= b

    expected = []
    for name, (x, y) in points.items():
        beaten = False
        for other, (u, v) in points.items():
            mine, theirs = held.get(name, frozenset()), held.get(other, frozenset())
            no_worse = better_or_equal(u, x, low_risk) and better_or_equal(v, y, low_loss) and mine <= theirs
            beaten = beaten or (no_worse and (u, v, theirs) != (x, y, mine))
        if not beaten:
            expected.append(name)
    assert front(points, held, lower_is_better=(low_risk, low_loss)) == tuple(expected)
    assert bool(expected) == bool(points)


def test_who_protects_less_pushes_nobody_off() -> None:
    points = {"weak": (0.1, 0.1), "strong": (0.2, 0.2)}
    assert front(points) == ("weak",)
    assert front(points, {"weak": [0], "strong": [0, 1]}) == ("weak", "strong")
    assert front(points, {"weak": [0, 1], "strong": [0]}) == ("weak",)


def test_a_number_that_is_none_is_not_on_the_front() -> None:
    assert front({"a": (float("nan"), 0.0), "b": (1.0, 1.0)}) == ("b",)


@given(st.dictionaries(st.sampled_from(NAMES), st.tuples(DEMANDS, DEMANDS), min_size=1))
def test_a_level_holds_exactly_those_that_satisfy_it(found: dict[str, tuple[frozenset[int], frozenset[int]]]) -> None:
    asked = {name: pair[0] for name, pair in found.items()}
    everything = frozenset().union(*asked.values())
    satisfied = {name: pair[1] & everything for name, pair in found.items()}
    levels = levels_of(asked, satisfied)
    for level in levels:
        assert level.asked <= level.demands
        assert set(level.members) == {name for name, held in satisfied.items() if level.demands <= held}
    for one, other in product(levels, levels):
        if one.demands > other.demands:
            assert levels.index(one) < levels.index(other)
            assert set(one.members) < set(other.members)
    for name, wanted in asked.items():  # whoever keeps its promise stands in a list with everybody who keeps it too
        if wanted <= satisfied[name]:
            rivals = {other for other, held in satisfied.items() if wanted <= held}
            assert any(set(level.members) == rivals for level in levels)
    assert sum(level.whole for level in levels) == any(held == everything for held in satisfied.values())


def test_ties_are_stated_and_what_cannot_be_ranked_comes_last() -> None:
    places = ranking({"a": 0.3, "b": None, "c": 0.1, "d": 0.1 + 1e-17, "e": float("nan")}, lower_is_better=True)
    assert [(place.name, place.rank, place.tied) for place in places] == [
        ("c", 1, True),
        ("d", 1, True),
        ("a", 3, False),
        ("b", None, False),
        ("e", None, False),
    ]
    assert [place.name for place in ranking({"a": 1.0, "b": 2.0}, lower_is_better=False)] == ["b", "a"]
