"""Laws that hold for every table: bounds, monotonicity, reproducibility, and what a control group is for."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.privacy.attacks import (
    ALL,
    Homogeneity,
    Inference,
    Linkability,
    Population,
    RecordLinkage,
    Scene,
    Similarity,
    SinglingOut,
    excess,
    wilson,
)
from paravent.privacy.confidence import clopper_pearson

tables = st.lists(
    st.tuples(st.integers(20, 40), st.sampled_from(["Lyon", "Paris", "Nice"]), st.sampled_from("xyz")),
    min_size=6,
    max_size=40,
)


def frame_of(rows: list[tuple]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["age", "town", "s"], orient="row")


def plan_of(k: int, labels: str = "interval", **more: Any) -> pv.Plan:
    columns = {"age": pv.Quasi(), "town": pv.Quasi(), "s": pv.Sensitive()}
    return pv.Plan(columns, [pv.KAnonymity(k)], method=pv.methods.Mondrian(labels=labels), **more)


@settings(max_examples=40, deadline=None)
@given(tables, st.integers(2, 5), st.sampled_from(["tree", "interval", "set"]))
def test_k_anonymity_stops_linkage_and_singling_out(rows: list[tuple], k: int, labels: str) -> None:
    release = pv.anonymize(frame_of(rows), plan_of(k, labels))
    found = release.attack(attempts=50)
    assert found["attack.linkage"]["max"] <= 1 / k
    assert found["attack.linkage"]["unique"] == 0
    assert found["attack.linkage"]["matched"] == 1  # every person fits their own row
    assert found["attack.linkage"]["average"] > 0
    assert found["attack.singling_out.quasi"]["attack"] == 0
    for measure in found.measures.details():
        if measure.unit == "share":
            assert 0 <= measure.value <= 1, measure.name


@settings(max_examples=40, deadline=None)
@given(tables, st.integers(0, 5))
def test_whoever_is_unique_in_an_untouched_table_is_singled_out(rows: list[tuple], seed: int) -> None:
    frame = frame_of(rows)
    scene = Scene(frame, ("age", "town"), ("s",), people=Population(frame), original=Population(frame))
    found = SinglingOut(known="quasi", seed=seed).run(scene)
    unique = frame.select(pl.struct("age", "town").is_unique()).to_series()
    assert found["attack"] == (1.0 if unique.any() or frame["town"].is_unique().any() else found["attack"])
    linked = RecordLinkage().run(scene)
    assert linked.exposed.tolist() == np.flatnonzero(unique.to_numpy()).tolist()
    sizes = frame.select(pl.len().over("age", "town")).to_series().to_numpy()
    assert linked["average"] == pytest.approx(np.mean(1 / sizes))


@given(
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from("wxyz")), min_size=1, max_size=30),
    st.integers(0, 5),
    st.integers(0, 5),
)
def test_merging_classes_never_gives_more_away(rows: list[tuple], one: int, other: int) -> None:
    before = pl.DataFrame(rows, schema=["q", "s"], orient="row")
    after = before.with_columns(pl.when(pl.col("q") == one).then(other).otherwise(pl.col("q")).alias("q"))
    groups = {"wx": ["w", "x"], "yz": ["y", "z"]}
    for attack in (Homogeneity(column="s"), Similarity(column="s", tree=groups)):
        fine, coarse = (attack.run(Scene(frame, ("q",), ("s",))) for frame in (before, after))
        assert set(coarse.exposed) <= set(fine.exposed)
        assert coarse.value <= fine.value
    ruled_out = [Homogeneity(column="s").run(Scene(frame, ("q",), ("s",)))["absent"] for frame in (before, after)]
    assert ruled_out[1] <= ruled_out[0] + 1e-12


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    """Age and town say something about the disease, so that the disease of strangers can be guessed too."""
    rng = np.random.default_rng(3)
    n = 5000
    age, town = rng.integers(20, 80, n), rng.choice(["Lyon", "Paris", "Nice"], n)
    ill = np.where(rng.random(n) < 0.7, np.where(age > 50, "gout", "flu"), rng.choice(["flu", "gout", "cold"], n))
    return pl.DataFrame({"age": age, "town": town, "shoe": rng.integers(35, 47, n), "s": ill})


def test_the_same_seed_gives_the_same_figures(people: pl.DataFrame) -> None:
    plan = pv.Plan({"age": pv.Quasi(), "town": pv.Quasi(), "shoe": pv.Quasi(), "s": pv.Sensitive()}, [pv.KAnonymity(3)])
    release = pv.anonymize(people[:800], plan)

    def figures(seed: int) -> dict[str, float | None]:
        return release.attack(control=people[800:], attempts=120, seed=seed).measures.to_dict()

    assert figures(1) == figures(1)
    assert figures(1) != figures(2)
    exposed = [release.attack(attempts=120, seed=4)["attack.inference.s"].exposed.tolist() for _ in range(2)]
    assert exposed[0] == exposed[1]


def test_order_of_rows_does_not_matter(people: pl.DataFrame) -> None:
    plan = plan_of(5)
    release = pv.anonymize(people[:400], plan)
    mixed = release.frame.sample(fraction=1.0, shuffle=True, seed=1)
    deterministic = [
        attack for attack in ALL if not issubclass(attack, pv.attacks.SinglingOut | Linkability | Inference)
    ]
    one, other = (pv.attack(f, plan, original=people[:400], attacks=deterministic) for f in (release.frame, mixed))
    assert one.measures.to_dict() == pytest.approx(other.measures.to_dict())


def test_what_holds_for_strangers_too_is_no_breach(people: pl.DataFrame) -> None:
    """Inference from an honest release of other people: the control explains it. From one's own rows: it does not."""
    inside, outside = people[:800], people[800:]
    frame = inside.with_columns(pl.col("age").cast(pl.String))
    scene = Scene(frame, ("age", "town", "shoe"), ("s",), original=Population(inside), control=Population(outside))
    own = Inference(column="s").run(scene).trial
    assert own is not None
    assert own.is_strong
    assert own.control is not None
    assert own.attack.value > own.control.value + 0.1
    assert own.risk.low > 0.1
    strangers = (
        Inference(column="s")
        .run(
            Scene(
                frame,
                ("age", "town", "shoe"),
                ("s",),
                original=Population(outside[:2000]),
                control=Population(outside[2000:]),
            )
        )
        .trial
    )
    assert strangers is not None
    assert strangers.risk.value < 0.05
    coarse = frame.with_columns(
        age=pl.when(inside["age"] > 50).then(pl.lit("> 50")).otherwise(pl.lit("<= 50")),
        town=pl.lit("*"),
        shoe=pl.lit("*"),
    )
    generalized = (
        Inference(column="s")
        .run(Scene(coarse, ("age", "town", "shoe"), ("s",), original=Population(inside), control=Population(outside)))
        .trial
    )
    assert generalized is not None
    assert generalized.is_strong
    assert generalized.risk.value < 0.05


def test_a_release_that_says_nothing_links_nobody(people: pl.DataFrame) -> None:
    blank = people[:800].with_columns(pl.lit("*").alias(name) for name in ("age", "town", "shoe"))
    scene = Scene(blank, ("age", "town", "shoe"), ("s",), original=Population(people[:800]))
    found = Linkability().run(scene).trial
    assert found is not None
    assert found.attack.low <= found.baseline.high
    assert found.attack.value < 0.02
    tells = people[:800].with_columns(height=pl.int_range(800) % 400, weight=pl.int_range(800) % 400)
    raw = Linkability().run(Scene(tells, ("height", "weight"), ("s",), original=Population(tells)))
    assert raw["attack"] == pytest.approx(0.5, abs=0.06)  # two rows fit each half, and one is picked


def test_wilson() -> None:
    """Eight of ten, as in the textbooks; and it stays in its bounds."""
    eight = wilson(8, 10)
    assert (eight.low, eight.high) == pytest.approx((0.4901625, 0.9433178), abs=1e-6)
    assert wilson(0, 50).low == 0
    assert wilson(50, 50).high == 1
    assert wilson(5, 10, 0.5).high < wilson(5, 10, 0.99).high


@given(st.integers(1, 60), st.data())
def test_the_exact_bound_is_the_least_rate_at_which_so_few_are_too_unlikely(n: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, n - 1))
    bound = Fraction(clopper_pearson(hits, n))

    def as_few(rate: Fraction) -> Fraction:
        return sum((comb(n, i) * rate**i * (1 - rate) ** (n - i) for i in range(hits + 1)), Fraction(0))

    assert as_few(bound + Fraction(1, 10**9)) < Fraction(1, 20) < as_few(bound - Fraction(1, 10**9))
    assert clopper_pearson(n, n) == 1


@given(st.integers(1, 400), st.integers(1, 400), st.data())
def test_excess(n: int, m: int, data: st.DataObject) -> None:
    attack, control = wilson(data.draw(st.integers(0, n)), n), wilson(data.draw(st.integers(0, m)), m)
    risk = excess(attack, control)
    assert 0 <= risk.low <= risk.value <= risk.high <= 1
    if control.value < 1:
        assert risk.value == pytest.approx(max(0.0, (attack.value - control.value) / (1 - control.value)))
    if control.successes == 0 and m == 400:
        assert risk.value == pytest.approx(attack.value)


def test_the_interval_of_the_excess_covers_the_truth() -> None:
    rng = np.random.default_rng(2)
    for a, c, n, m in ((0.6, 0.2, 200, 200), (0.1, 0.05, 500, 100), (0.95, 0.5, 100, 100)):
        truth = (a - c) / (1 - c)
        drawn = zip(rng.binomial(n, a, 1500).tolist(), rng.binomial(m, c, 1500).tolist(), strict=True)
        held = [risk.low <= truth <= risk.high for risk in (excess(wilson(x, n), wilson(y, m)) for x, y in drawn)]
        assert np.mean(held) > 0.93


def test_adult_is_linked_in_seconds(people: pl.DataFrame) -> None:  # noqa: ARG001
    """30 162 people and as many rows: raw, the figures are those of the risk room; at k = 5 nobody is above 1/5."""
    folder = Path(__file__).parents[3] / "../shared/data/adult"
    if not folder.exists():
        pytest.skip("the reference data are not here")
    from paravent.data import ADULT_TREES, adult, adult_tree_path

    quasi = ADULT_TREES[:8]
    plan = pv.Plan(
        {
            **{name: pv.Quasi(str(adult_tree_path(name))) for name in quasi},
            "salary-class": pv.Sensitive(),
            "fnlwgt": pv.Drop(),
        },
        [pv.KAnonymity(5)],
    )
    raw = pv.attack(adult(), plan, original=adult(), attacks=[RecordLinkage])["attack.linkage"]
    assert raw["average"] == pytest.approx(0.60039, abs=5e-6)
    assert raw["unique"] == pytest.approx(0.46486, abs=5e-6)
    release = pv.anonymize(adult(), plan)
    assert release.attack(attacks=[RecordLinkage])["attack.linkage"]["max"] <= 0.2
