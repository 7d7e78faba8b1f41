"""β, k and δ of sampled releases: against ARX's own tests, against the definition in exact rationals, and one by one
on the unsafe side of each bound."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paravent as pv
from paravent.privacy.sampling_loss import account_of_sampling, delta_of_sampling
from paravent.private.sampling import Sampled, Sampling, highest_beta, least_sampling

ORACLES = Path(__file__).parents[1] / "oracles"
ORACLE = tomllib.loads((ORACLES / "safepub_arx.toml").read_text(encoding="utf-8"))
TREES = tomllib.loads((ORACLES / "safepub_arx_trees.toml").read_text(encoding="utf-8"))


def java_random(seed: int) -> Iterator[float]:
    """`java.util.Random.nextDouble` of an int seed."""
    state = ((seed - 2**32 if seed >= 2**31 else seed) ^ 0x5DEECE66D) % 2**48
    while True:
        bits = []
        for count in (26, 27):
            state = (state * 0x5DEECE66D + 0xB) % 2**48
            bits.append(state >> (48 - count))
        yield ((bits[0] << 27) + bits[1]) * 2.0**-53


@cache
def adult() -> tuple[list[str], list[tuple[str, ...]], dict[str, list[list[int]]]]:
    """The columns, the rows, and for each value of a column (in the order of their places) its group on each level."""
    texts = [pv.data.adult().frame[name].cast(str).to_list() for name in TREES]
    paths = {
        name: [[place, *groups] for place, groups in enumerate(zip(*tree["levels"], strict=True))]
        for name, tree in TREES.items()
    }
    return list(TREES), list(zip(*texts, strict=True)), paths


def arx_classes(case: dict[str, Any]) -> tuple[Counter[tuple[int, ...]], int, int]:
    """The classes of ARX's sample at the case's levels, the rows of the sample, and ARX's k: it counts one further when
    it has found the least k that suffices."""
    names, rows, trees = adult()
    found = least_sampling(Fraction(str(case["epsilon"])), Fraction(case["delta"]), bound="published")
    chance, beta = java_random(0xDEADBEEF), float(found.beta)
    labels = [
        {TREES[name]["values"][path[0]]: path[level] for path in trees[name]}
        for name, level in zip(names, case["levels"], strict=True)
    ]
    sample = [tuple(own[cell] for own, cell in zip(labels, row, strict=True)) for row in rows if next(chance) < beta]
    return Counter(sample), len(sample), found.k + 1


@pytest.mark.parametrize("case", ORACLE["independent"], ids=lambda case: f"{case['epsilon']}-{case['levels']}")
def test_sample_and_k_are_those_of_arx(case: dict[str, Any]) -> None:
    names, _, trees = adult()
    classes, n, k = arx_classes(case)
    product = 1.0
    for at, (name, level) in enumerate(zip(names, case["levels"], strict=True)):
        leaves = Counter(path[level] for path in trees[name])
        size = len(trees[name])
        lost = sum(count * (leaves[key[at]] / size if count >= k else 1) for key, count in classes.items())
        product *= (1 + max(0.0, (lost - n / size) / (n - n / size))) ** (1 / len(names))
    assert product - 1 == pytest.approx(case["loss"], abs=1e-9)


@pytest.mark.parametrize("case", ORACLE["searched"], ids=lambda case: f"{case['score']}-{case['levels']}")
def test_scores_at_our_k_are_those_of_arx(case: dict[str, Any]) -> None:
    names, rows, trees = adult()
    classes, _, k = arx_classes(case)
    kept = sum(count for count in classes.values() if count >= k)
    if case["score"] == "classes":
        assert sum(count >= k for count in classes.values()) + 1 == case["value"]
        return
    lost = sum(
        kept * Fraction(level, len(trees[name][0]) - 1) + len(rows) - kept
        for name, level in zip(names, case["levels"], strict=True)
    )
    assert float(-lost / len(names) / (k - 1)) == pytest.approx(case["value"], abs=1e-9)


def exact_delta(beta: Fraction, k: int, e: Fraction, most: int) -> tuple[Fraction, Fraction]:
    """The hockey-stick divergences of publishing a class of n + 1 rows and one of n, both ways, for an e^ε that is
    rational, over all n up to `most`."""

    def law(n: int) -> list[Fraction]:
        """Probabilities of: left out, k drawn, k + 1 drawn, …"""
        pmf = [comb(n, j) * beta**j * (1 - beta) ** (n - j) if j <= n else Fraction(0) for j in range(most + 2)]
        return [sum(pmf[:k], Fraction(0)), *pmf[k:]]

    ways = [Fraction(0), Fraction(0)]
    for n in range(most + 1):
        pair = law(n), law(n + 1)
        for way, (p, q) in enumerate((pair, pair[::-1])):
            ways[way] = max(
                ways[way], sum((max(Fraction(0), a - e * b) for a, b in zip(p, q, strict=True)), Fraction(0))
            )
    return ways[0], ways[1]


@pytest.mark.parametrize(("epsilon", "delta"), [("0.3", "1/50"), ("1", "1/500"), ("1.6", "1/50")])
def test_k_is_the_least_by_the_definition_itself(epsilon: str, delta: str) -> None:
    found = least_sampling(Fraction(epsilon), Fraction(delta))
    low, high = Fraction(math.exp(float(epsilon))) * (1 - Fraction(1, 10**12)), Fraction(math.exp(float(epsilon)))
    high *= 1 + Fraction(1, 10**12)
    left, joined = exact_delta(found.beta, found.k, low, 30)
    assert max(left, joined) <= Fraction(delta) + Fraction(1, 10**9)
    if found.k > 1:
        assert max(exact_delta(found.beta, found.k - 1, high, 30)) > Fraction(delta)


@pytest.mark.parametrize("epsilon", ["1/10", "1/2", "0.6931471805599453", "1", "9/10", "2", "3"])
def test_beta_is_rounded_down_and_no_further(epsilon: str) -> None:
    beta = highest_beta(Fraction(epsilon))
    # e^−ε between two sums of its series, of which consecutive ones lie on both sides
    terms, term = [Fraction(0)], Fraction(1)
    for i in range(1, 60):
        terms.append(terms[-1] + term)
        term *= -Fraction(epsilon) / i
    upper, lower = max(terms[-1], terms[-2]), min(terms[-1], terms[-2])
    assert beta <= 1 - upper
    assert beta + Fraction(1, 2**64) > 1 - lower - Fraction(1, 2**70)


@pytest.mark.parametrize(("epsilon", "delta"), [("0.1", "1e-6"), ("0.9", "1e-6"), ("1", "1e-5"), ("2", "1e-6")])
def test_a_second_implementation_finds_the_same_k(epsilon: str, delta: str) -> None:
    found = least_sampling(Fraction(epsilon), Fraction(delta))
    assert delta_of_sampling(float(found.beta), found.k, float(epsilon)) <= float(delta)
    assert delta_of_sampling(float(found.beta), found.k - 1, float(epsilon)) > float(delta)


def test_the_published_bound_asks_for_larger_classes() -> None:
    """dp-study's figure for the published bound, and what the definition gives."""
    epsilon, delta = Fraction(9, 10), Fraction(1, 10**6)
    assert least_sampling(epsilon, delta, bound="published").k == 73
    assert least_sampling(epsilon, delta).k == 56


def test_a_sampling_that_loses_more_than_it_claims_is_refused() -> None:
    found = least_sampling(Fraction(1), Fraction(1, 10**6))
    honest = Sampled(found, Fraction(1), Fraction(1, 10**6), Fraction(0), 1, ())
    assert account_of_sampling(honest.to_document())[0].spent["epsilon"] == 1
    short_k = Sampled(Sampling(found.beta, found.k - 1), Fraction(1), Fraction(1, 10**6), Fraction(0), 1, ())
    often = Sampled(Sampling(found.beta + Fraction(1, 1000), 500), Fraction(1), Fraction(1, 10**6), Fraction(0), 1, ())
    for planted in (short_k, often):
        with pytest.raises(pv.UnsafeReleaseError, match="claimed"):
            account_of_sampling(planted.to_document())


@pytest.mark.secure
def test_rows_are_drawn_with_probability_beta() -> None:
    found = least_sampling(Fraction(1), Fraction(1, 10**6))
    drawn = int(found.draw(400_000).sum())
    off = (drawn - 400_000 * float(found.beta)) / math.sqrt(400_000 * float(found.beta * (1 - found.beta)))
    assert abs(off) < 5.5  # p = 4e-8
    assert not np.array_equal(found.draw(1000), found.draw(1000))


def test_a_rate_that_is_too_high_is_refused() -> None:
    with pytest.raises(pv.PlanError, match=r"up to 0\.6321"):
        least_sampling(Fraction(1), Fraction(1, 10**6), Fraction(7, 10))
    with pytest.raises(pv.PlanError, match="delta above 0"):
        least_sampling(Fraction(1), Fraction(0))
    with pytest.raises(pv.PlanError, match="larger than any table"):
        least_sampling(Fraction(12), Fraction(1, 10**6))
