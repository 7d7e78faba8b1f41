"""Perturbed numbers: linkage, intervals and rows left as they were."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.errors import PlanError, TableError
from paravent.privacy.risk.hidden_failure import hidden_failure
from paravent.privacy.risk.interval_disclosure import deviation_disclosure, rank_disclosure
from paravent.privacy.risk.linkage import Linkage, _patterns, _Weights, distance_linkage, probabilistic_linkage
from paravent.privacy.risk.numeric import numeric_risk
from paravent.privacy.risk.perturbed import Perturbed

NUMBERS = ["expend", "income", "savings"]


def microaggregated(values: np.ndarray, k: int) -> np.ndarray:
    """MDAV on standardised values (Domingo-Ferrer and Mateo-Sanz 2002), as short as it goes."""
    z = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    masked = np.empty_like(values)
    left = np.arange(len(values))

    def far(point: np.ndarray) -> int:
        return int(left[((z[left] - point) ** 2).sum(axis=1).argmax()])

    def cluster(point: np.ndarray) -> None:
        nonlocal left
        order = np.argsort(((z[left] - point) ** 2).sum(axis=1), kind="stable")[:k]
        masked[left[order]] = values[left[order]].mean(axis=0)
        left = np.delete(left, order)

    while len(left) >= 3 * k:
        first = far(z[left].mean(axis=0))
        second = far(z[first])
        cluster(z[first])
        cluster(z[second])
    if len(left) >= 2 * k:
        cluster(z[far(z[left].mean(axis=0))])
    masked[left] = values[left].mean(axis=0)
    return masked


def by_rank(values: np.ndarray, k: int) -> np.ndarray:
    """Each column averaged in threes along its own order."""
    order = np.argsort(values, kind="stable")
    group = np.minimum(np.arange(len(values)) // k, len(values) // k - 1)
    masked = np.empty_like(values)
    masked[order] = (np.bincount(group, weights=values[order]) / np.bincount(group))[group]
    return masked


def test_intervals_by_deviation_as_another_tool_counts_them(survey: pl.DataFrame) -> None:
    """Its dRisk of three numbers with k = 3: 0.129476 after MDAV, and 1 after averaging each column by itself."""
    values = survey.select(NUMBERS).to_numpy().astype(float)
    together = deviation_disclosure(Perturbed(tuple(NUMBERS), values, microaggregated(values, 3)))
    assert together.rows == pytest.approx(0.129476, abs=5e-7)
    apart = np.stack([by_rank(column, 3) for column in values.T], axis=1)
    assert deviation_disclosure(Perturbed(tuple(NUMBERS), values, apart)).rows == 1


def plain_distance_linkage(original: np.ndarray, masked: np.ndarray) -> float:
    """Pair by pair; of equally near ones, one is guessed."""
    spread = original.std(axis=0)
    spread[spread == 0] = 1
    right = 0.0
    for i, row in enumerate(masked / spread):
        distance = [float(((row - other) ** 2).sum()) for other in original / spread]
        nearest = [j for j, d in enumerate(distance) if d == min(distance)]
        right += (i in nearest) / len(nearest)
    return right / len(masked)


numbers = st.lists(st.tuples(*[st.integers(-3, 3)] * 4), min_size=1, max_size=20)


@given(numbers)
def test_distance_linkage_pair_by_pair(rows: list[tuple[int, ...]]) -> None:
    cells = np.array(rows, dtype=float)
    pair = Perturbed(("x", "y"), cells[:, :2].copy(), cells[:, 2:].copy())
    assert distance_linkage(pair).rate == pytest.approx(plain_distance_linkage(pair.original, pair.masked), abs=1e-12)


def plain_probabilistic_linkage(original: np.ndarray, masked: np.ndarray, close: float) -> float:
    """Every pair's pattern, its weight, and the best of each row."""
    spread = original.std(axis=0)
    spread[spread == 0] = 1
    agree = np.abs((masked / spread)[:, None, :] - (original / spread)[None, :, :]) <= close + 5e-10
    pattern = (agree << np.arange(original.shape[1])).sum(axis=2)
    counts = np.bincount(pattern.ravel(), minlength=1 << original.shape[1]).astype(float)
    score = _Weights.estimated(counts, matches=1 / len(original)).of[pattern]
    best = score == score.max(axis=1, keepdims=True)
    return float((np.diag(best) / best.sum(axis=1)).mean())


wide_numbers = st.lists(st.tuples(*[st.integers(-3, 3)] * 6), min_size=1, max_size=25)


@given(wide_numbers, st.sampled_from([0.0, 0.3, 1.0, 5.0]))
def test_probabilistic_linkage_pair_by_pair(rows: list[tuple[int, ...]], close: float) -> None:
    cells = np.array(rows, dtype=float)
    pair = Perturbed(("x", "y", "z"), cells[:, :3].copy(), cells[:, 3:].copy())
    plain = plain_probabilistic_linkage(pair.original, pair.masked, close)
    assert probabilistic_linkage(pair, close=close).rate == pytest.approx(plain, abs=1e-12)


@given(wide_numbers, st.lists(st.floats(0.5, 100), min_size=1, max_size=5))
def test_rank_intervals_one_by_one(rows: list[tuple[int, ...]], percents: list[float]) -> None:
    cells = np.array(rows, dtype=float)
    original, masked = cells[:, 0], cells[:, 1]
    ranked, n = sorted(masked.tolist()), len(rows)
    found = rank_disclosure(Perturbed(("x",), original[:, None], masked[:, None]), percents)
    for i in range(n):
        first, last = ranked.index(masked[i]), n - 1 - ranked[::-1].index(masked[i])
        inside = 0
        for percent in percents:
            reach = int(percent * n / 100)
            inside += ranked[max(first - reach, 0)] <= original[i] <= ranked[min(last + reach, n - 1)]
        assert found.inside[i, 0] == pytest.approx(inside / len(percents))


def test_a_sample_of_pairs_estimates_the_same_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    original = rng.standard_normal((4_000, 3))
    pair = Perturbed(("x", "y", "z"), original, original + 0.05 * rng.standard_normal((4_000, 3)))
    whole = probabilistic_linkage(pair, most=400)
    monkeypatch.setattr("paravent.privacy.risk.linkage._MOST_CELLS", 400 * 3 * 1_500)
    assert probabilistic_linkage(pair, most=400).rate == pytest.approx(whole.rate, abs=0.02)


@given(numbers)
def test_rates_are_shares_and_unchanged_numbers_are_found_as_far_as_they_differ(rows: list[tuple[int, ...]]) -> None:
    cells = np.array(rows, dtype=float)
    pair = Perturbed(("x", "y"), cells[:, :2].copy(), cells[:, 2:].copy())
    for linkage in (distance_linkage(pair), probabilistic_linkage(pair)):
        assert 0 <= linkage.rate <= 1
    same = Perturbed(("x", "y"), pair.original, pair.original)
    distinct = len({tuple(row) for row in pair.original.tolist()})
    assert distance_linkage(same).rate == pytest.approx(distinct / len(rows))
    assert rank_disclosure(same).share == deviation_disclosure(same).share == 1


def test_noise_makes_linkage_harder(reference: Callable[..., pl.DataFrame]) -> None:
    original = reference("casc/census.csv").select(pl.all().cast(pl.Float64))
    rng = np.random.default_rng(1)
    values = original.to_numpy()
    rates = []
    for noise in (0.0, 0.1, 0.5, 2.0):
        masked = values + noise * values.std(axis=0) * rng.standard_normal(values.shape)
        found = numeric_risk(original, pl.DataFrame(masked, schema=original.columns))
        rates.append((found.distance.rate, found.probabilistic.rate, found.rank.share, found.disclosure))
    for harder, softer in zip(rates[1:], rates, strict=False):
        assert all(a <= b for a, b in zip(harder, softer, strict=True))
    assert rates[0] == (1, 1, 1, 1)
    assert rates[-1][3] < 0.35


def test_em_finds_which_columns_tell() -> None:
    """One column survives in every match, the other is noise: linkage follows the first."""
    rng = np.random.default_rng(5)
    original = np.stack([rng.permutation(300) * 10.0, rng.random(300)], axis=1)
    masked = np.stack([original[:, 0], rng.random(300)], axis=1)
    assert probabilistic_linkage(Perturbed(("id", "noise"), original, masked), close=0.001).rate > 0.99


def test_a_sample_of_rows_says_how_sure_it_is() -> None:
    rng = np.random.default_rng(2)
    original = rng.standard_normal((3_000, 2))
    pair = Perturbed(("x", "y"), original, original + 0.02 * rng.standard_normal((3_000, 2)))
    whole, part = distance_linkage(pair, most=None), distance_linkage(pair, most=500)
    assert (whole.tried, part.tried) == (3_000, 500)
    assert whole.interval == (whole.rate, whole.rate)
    assert part.interval[0] < whole.rate < part.interval[1]
    assert distance_linkage(pair, most=500) == part
    assert Linkage("distance", 0.0, 0, 0).interval == (0.0, 0.0)
    assert Linkage("distance", 0.0, 0, 4).interval == (0.0, 0.0)
    assert Linkage("distance", 1.0, 1, 4).interval == pytest.approx((0.2065, 1.0), abs=1e-4)


def test_rank_intervals_by_hand() -> None:
    """100 values; an original 3 places away is inside from p = 3 on: 8 of 10 intervals."""
    original = pl.DataFrame({"x": [(i + 3) % 100 for i in range(100)]})
    found = rank_disclosure(Perturbed.of(original, pl.DataFrame({"x": range(100)})))
    assert found.inside[0, 0] == pytest.approx(0.8)
    assert found.inside[98, 0] == 0
    assert found.by_column == {"x": pytest.approx(0.8 * 0.97)}


def test_what_cannot_be_compared() -> None:
    frame = pl.DataFrame({"x": [1.0, None], "y": ["a", "b"], "z": [1, 2]})
    with pytest.raises(TableError, match="2 rows and its perturbed copy 1"):
        Perturbed.of(frame, frame.head(1))
    with pytest.raises(TableError, match=r"column 'x': 1 numbers are missing or infinite \(first: row 2\)"):
        Perturbed.of(frame, frame)
    with pytest.raises(TableError, match="only numbers"):
        Perturbed.of(frame, frame, ["y"])
    with pytest.raises(TableError, match="no column 'w'"):
        Perturbed.of(frame, frame, ["w"])
    pair = Perturbed.of(frame, frame, ["z"])
    with pytest.raises(PlanError, match="deviations"):
        deviation_disclosure(pair, -1)
    with pytest.raises(PlanError, match="percents"):
        rank_disclosure(pair, [0])
    with pytest.raises(PlanError, match="close"):
        probabilistic_linkage(pair, close=-0.1)
    wide = pl.DataFrame({f"c{j}": [1, 2] for j in range(21)})
    with pytest.raises(PlanError, match="at most 20"):
        probabilistic_linkage(Perturbed.of(wide, wide))


def test_one_row_and_no_row() -> None:
    one = pl.DataFrame({"x": [3.0]})
    found = numeric_risk(one, one)
    assert found.disclosure == 1
    none = numeric_risk(one.clear(), one.clear())
    assert none.disclosure == 0
    assert {m.name for m in none.measures()} >= {"risk.numeric", "risk.linkage.distance", "risk.interval.rank"}


def test_hidden_failure_counts_rows_that_are_still_there() -> None:
    original = pl.DataFrame({"age": [20, 30, 40, None], "sex": ["f", "m", "f", "m"]})
    released = pl.DataFrame({"age": ["20", "[30, 39]", "40", None], "sex": ["f", "m", "m", "m"], "new": [1, 2, 3, 4]})
    found = hidden_failure(original, released)
    assert (found.count, found.rate, found.columns) == (2, 0.5, ("age", "sex"))
    assert hidden_failure(original, released, ["sex"]).count == 4
    assert hidden_failure(original, pl.DataFrame({"age": [20.0, 30.5, 41.0, 30.0]})).count == 2
    assert hidden_failure(original, released.select("new")).rate == 0
    assert hidden_failure(original, released.clear()).rate == 0
    with pytest.raises(TableError, match="not in both"):
        hidden_failure(original, released, ["new"])


@pytest.mark.parametrize("cells", [10**9, 1])
def test_patterns_are_of_all_pairs_of_rows_tried_and_originals(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the others are a sample: each of those drawn stands for as many as there are but the row itself."""
    monkeypatch.setattr("paravent.privacy.risk.linkage._MOST_CELLS", cells)
    rng = np.random.default_rng(4)
    original = rng.integers(0, 50, (1500, 2)).astype(float)
    pair = Perturbed(("a", "b"), original, original + rng.normal(0, 1, original.shape))
    found = _patterns(pair.windows, *pair.standardised(), np.arange(0, 1500, 100), 0.05)
    assert found.sum() == pytest.approx(15 * 1500, abs=1e-6)
