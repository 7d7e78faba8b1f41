"""Judgements and decision methods, against the published examples and against their definitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

import paravent as pv
from paravent.guide.deciding.judgements import Judgements, consistency, priorities, random_index
from paravent.guide.deciding.methods import METHODS, Column, Decision, decide
from paravent.knowledge import criterion
from tests.drawing import generator, runs

QUALITY = ("precision", "usage", "completeness")


@pytest.mark.parametrize(
    ("said", "weights", "ratio"),
    [
        ((2, 5, 5), (0.5591, 0.3522, 0.0887), 0.0462),
        ((2, 7, 7), (0.5736, 0.3614, 0.0650), 0.0462),
        ((3, 7, 7), (0.6330, 0.3043, 0.0627), 0.1169),
        ((3, 5, 5), (0.6175, 0.2969, 0.0856), 0.1169),
        ((3, 7, 5), (0.6491, 0.2790, 0.0719), 0.0559),
    ],
)
def test_weights_of_the_scenario(said: tuple[int, int, int], weights: tuple[float, ...], ratio: float) -> None:
    """Ben Fredj 2017, ch. 7: quality in the scenario of a table for classification."""
    pairs = dict(zip([(QUALITY[0], QUALITY[1]), (QUALITY[0], QUALITY[2]), (QUALITY[1], QUALITY[2])], said, strict=True))
    found = Judgements.of(QUALITY, pairs)
    assert tuple(round(weight, 4) for weight in found.weights.values()) == weights
    assert round(found.ratio, 4) == ratio
    assert found.consistent == (ratio <= 0.1)
    assert (found.doubt is None) == (ratio <= 0.1)


def test_the_family_that_buys_a_car() -> None:
    """The published example of AHP with four criteria: cost, safety, style, capacity."""
    matrix = np.array([[1, 3, 7, 3], [1 / 3, 1, 9, 1], [1 / 7, 1 / 9, 1, 1 / 7], [1 / 3, 1, 7, 1]])
    assert priorities(matrix).round(4).tolist() == [0.5101, 0.2344, 0.0405, 0.2151]
    assert round(consistency(matrix), 4) == 0.0738


def test_five_signatures_by_classification() -> None:
    """Tables 48 to 50 of Ben Fredj 2017: intensities and priorities."""
    column = Column(
        "classification", 1.0, np.array([0.54, 0.54, 0.61, 0.61, 0.65]), True, criterion("classification").intensities
    )
    printed = [[1, 1, 1 / 3, 1 / 3, 1 / 5]] * 2 + [[3, 3, 1, 1, 1 / 2]] * 2 + [[5, 5, 2, 2, 1]]
    assert column.comparisons().tolist() == printed
    found = decide("ahp", [column])
    assert found.scores.round(4).tolist() == [0.0759, 0.0759, 0.2196, 0.2196, 0.4089]
    assert round(found.consistency["classification"], 4) == 0.0012


def test_the_judgement_to_look_at_is_the_one_that_was_turned_round() -> None:
    """Five things with consistent judgements, but for one."""
    names, worth = "abcde", dict(zip("abcde", (8.0, 4.0, 4.0, 2.0, 1.0), strict=True))
    pairs = {(one, two): worth[one] / worth[two] for i, one in enumerate(names) for two in names[i + 1 :]}
    assert Judgements.of(names, pairs).ratio == pytest.approx(0, abs=1e-12)
    doubt = Judgements.of(names, {**pairs, ("b", "d"): 1 / 7}).doubt
    assert doubt is not None
    assert (doubt.first, doubt.second, doubt.said) == ("b", "d", 1 / 7)
    assert doubt.implied == pytest.approx(2)
    assert str(doubt) == "b : d = 1/7 fits the others least; they imply about 2"


def test_what_nobody_judged_follows_from_the_rest() -> None:
    found = Judgements.of("abc", {("a", "b"): 3, ("b", "c"): 2}).weights
    assert found == pytest.approx({"a": 6 / 9, "b": 2 / 9, "c": 1 / 9})
    alike = Judgements.of("abcd", {("a", "b"): 3, ("c", "d"): 3}).weights
    assert alike == pytest.approx({"a": 3 / 8, "b": 1 / 8, "c": 3 / 8, "d": 1 / 8})
    assert Judgements.of("ab", {}).weights == {"a": 0.5, "b": 0.5}


def test_random_judgements_of_many_things_by_another_simulation() -> None:
    """Above ten things the index is simulated; here once more, by numpy's eigenvalues, on fewer and other matrices."""
    rng, size, found = np.random.default_rng(1), 12, []
    for _ in range(300):
        matrix = np.ones((size, size))
        for i in range(size):
            for j in range(i + 1, size):
                step = rng.integers(-8, 9)
                matrix[i, j] = 1 + step if step >= 0 else 1 / (1 - step)
                matrix[j, i] = 1 / matrix[i, j]
        found.append((np.linalg.eigvals(matrix).real.max() - size) / (size - 1))
    assert random_index(size) == pytest.approx(np.mean(found), abs=0.02)
    assert random_index(10) == 1.49


@pytest.mark.parametrize(
    ("pairs", "sentence"),
    [
        ({("a", "x"): 1}, "there is no 'x' to compare"),
        ({("a", "a"): 1}, "compared with itself"),
        ({("a", "b"): 10}, "must lie between 1/9 and 9"),
        ({("a", "b"): 0}, "must lie between 1/9 and 9"),
        ({("a", "b"): 2, ("b", "a"): 2}, "compared twice"),
    ],
)
def test_judgements_that_cannot_be_get_a_sentence(pairs: dict[tuple[str, str], float], sentence: str) -> None:
    with pytest.raises(pv.PlanError, match=sentence):
        Judgements.of("abc", pairs)


def test_both_ways_round_is_one_judgement() -> None:
    assert Judgements.of("ab", {("a", "b"): 4, ("b", "a"): 1 / 4}).weights == pytest.approx({"a": 0.8, "b": 0.2})


def columns_drawn(rng: np.random.Generator) -> list[Column]:
    size = int(rng.integers(2, 12))
    weights = rng.dirichlet(np.ones(int(rng.integers(1, 5))))
    names = ("security", "completeness", "precision", "queries")
    found = []
    for name, weight in zip(names, weights, strict=False):
        own = criterion(name)
        values = rng.choice(rng.random(6).round(3), size)
        found.append(Column(name, float(weight), values, own.metric.better == "higher", own.intensities))
    return found


@pytest.mark.parametrize("method", METHODS)
def test_contributions_add_up_to_the_score(method: str) -> None:
    for run in runs(40, 2000):
        decision = decide(method, columns_drawn(generator(11, run)))
        assert np.allclose(decision.base + decision.contributions.sum(axis=1), decision.scores, rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_what_is_better_everywhere_is_never_behind(method: str) -> None:
    for run in runs(40, 2000):
        columns = columns_drawn(generator(12, run))
        scores = decide(method, columns).scores
        turned = np.array([column.oriented() for column in columns])
        for i in range(len(scores)):
            for j in range(len(scores)):
                if (turned[:, i] >= turned[:, j]).all():
                    assert scores[i] >= scores[j] - 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_alternatives_does_not_matter(method: str) -> None:
    for run in runs(20, 500):
        rng = generator(13, run)
        columns = columns_drawn(rng)
        order = rng.permutation(len(columns[0].values))
        moved = [Column(c.name, c.weight, c.values[order], c.higher, c.intensity) for c in columns]
        assert np.allclose(decide(method, moved).scores, decide(method, columns).scores[order], atol=1e-9)


def test_ahp_scores_sum_to_one_and_the_ideal_of_the_best_is_one() -> None:
    for run in runs(20, 500):
        decision = decide("ahp", columns_drawn(generator(14, run)))
        assert decision.scores.sum() == pytest.approx(1)
        assert decision.ideal.max() == pytest.approx(1)


def plain(values: Sequence[float], weight: float, higher: bool = True) -> Column:
    def intensity(one: float, two: float) -> int:
        step = min(9, 1 + round(abs(one - two)))
        return step if step == 1 or (one > two) == higher else -step

    return Column("x", weight, np.array(values, dtype=float), higher, np.vectorize(intensity, otypes=[int]))


def test_each_method_by_hand() -> None:
    """Three alternatives on two criteria of equal weight: (0, 8), (8, 0), (4, 4)."""
    columns = [plain([0, 8, 4], 0.5), plain([8, 0, 4], 0.5)]
    sums: Callable[[Decision], list[float]] = lambda found: found.scores.round(6).tolist()  # noqa: E731
    assert sums(decide("weighted sum", columns)) == [0.5, 0.5, 0.5]
    assert sums(decide("topsis", columns)) == [0.5, 0.5, 0.5]
    assert sums(decide("promethee", columns)) == [0.0, 0.0, 0.0]
    assert sums(decide("pareto", columns)) == [1.0, 1.0, 1.0]
    behind = [plain([0, 8, 4], 0.75), plain([8, 0, 4], 0.25)]
    assert sums(decide("weighted sum", behind)) == [0.25, 0.75, 0.5]
    # to the best (0.75, 0.25) and the worst (0, 0): 0.25 of 1, 0.75 of 1, half
    assert sums(decide("topsis", behind)) == [0.25, 0.75, 0.5]
    # by the first: -(8 + 4) / 8 / 2, (8 + 4) / 8 / 2, 0; by the second the reverse
    assert sums(decide("promethee", behind)) == [-0.375, 0.375, 0.0]
    worse = [plain([0, 8, 4, 3], 0.5), plain([8, 0, 4, 3], 0.5)]
    assert sums(decide("pareto", worse)) == [1.0, 1.0, 1.0, 0.5]


def test_an_unknown_method_gets_a_sentence() -> None:
    with pytest.raises(pv.PlanError, match="there is no decision method 'apx'"):
        decide("apx", [])
