"""Nearest rows, correlations and membership of synthetic rows, by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.privacy.risk.nearest_rows import nearest_distances
from paravent.utility.correlations import association, correlations
from paravent.utility.family import Study
from paravent.utility.nearest import nearest
from paravent.utility.subject import Subject

DOMAINS = {"age": range(20, 80), "sex": ["f", "m"], "ill": ["no", "yes"]}
PLAN = pv.Plan({"ill": pv.Sensitive()}, [pv.DifferentialPrivacy(epsilon=1)], pv.methods.MST(domains=DOMAINS))


def people(rows: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, rows)
    ill = np.where(rng.random(rows) < 1 / (1 + np.exp(-(age - 50) / 5)), "yes", "no")
    return pl.DataFrame({"age": age, "sex": rng.choice(["f", "m"], rows), "ill": ill})


def synthetic(original: pl.DataFrame, released: pl.DataFrame) -> Subject:
    return Subject((), released, None, original=original, synthetic=True)


def test_distances_by_hand() -> None:
    """Ages range over 40 years. (30, m) is 10/40 and another sex from (20, f), 10/40 and the same from (40, m)."""
    among = pl.DataFrame({"age": [20, 40, 60], "sex": ["f", "m", "m"]})
    rows = pl.DataFrame({"age": [30, 60, 200, None], "sex": ["m", "m", "m", None]})
    found = nearest_distances(rows, among, ["age", "sex"], among)
    assert found.tolist() == pytest.approx([(10 / 40) / 2, 0, 1 / 2, 1])  # 200 is as far as can be


def test_a_missing_cell_is_like_a_missing_one_alone() -> None:
    among = pl.DataFrame({"age": [None, 40], "sex": [None, "m"]}, schema={"age": pl.Int64, "sex": pl.String})
    rows = pl.DataFrame({"age": [None, None], "sex": [None, "m"]}, schema={"age": pl.Int64, "sex": pl.String})
    assert nearest_distances(rows, among, ["age", "sex"], among).tolist() == [0.0, 0.5]


def test_copies_are_nearer_than_held_out_people_and_other_people_are_not() -> None:
    wide = people(1200, 1).with_columns(pay=np.random.default_rng(5).normal(0, 1, 1200))
    other = people(1200, 2).with_columns(pay=np.random.default_rng(6).normal(0, 1, 1200))
    copied = {m.name: m.value for m in nearest(synthetic(wide, wide), Study()) if hasattr(m, "value")}
    drawn = {m.name: m.value for m in nearest(synthetic(wide, other), Study()) if hasattr(m, "value")}
    assert copied["risk.nearest.equal"] == pytest.approx(0.5)  # half of the copies stand in the half that is looked at
    assert copied["risk.nearest.equal.real"] == drawn["risk.nearest.equal"] == 0
    assert drawn["risk.nearest.median"] == pytest.approx(drawn["risk.nearest.median.real"], rel=0.1)
    assert copied["risk.nearest.low"] == 0 < drawn["risk.nearest.low"]


def test_only_synthetic_rows_have_nearest_rows() -> None:
    release = pv.anonymize(people(100, 1), quasi=["age", "sex"], sensitive=["ill"], k=5)
    assert "relinking" in release.measure("nearest").absent["risk.nearest"]
    made = pv.anonymize(people(300, 1), PLAN).measure("nearest", seed=4)
    assert 0 <= made["risk.nearest.median"] <= 1
    assert made.about("risk.nearest.median").better == "higher"


def test_associations_by_hand() -> None:
    """Cramér's V of 30, 10, 10, 30: χ² = 4 · 10² / 20 = 20, √(20 / 80)."""
    one = np.repeat([0, 0, 1, 1], [30, 10, 10, 30])
    other = np.repeat([0, 1, 0, 1], [30, 10, 10, 30])
    assert association(one, other) == pytest.approx(0.5)
    assert association(np.array([1.0, 2.0, 3.0, np.nan]), np.array([2.0, 4.0, 6.0, 0.0])) == pytest.approx(1)
    assert association(np.zeros(4, dtype=np.int64), np.array([0, 1, 0, 1])) == 0
    assert association(np.full(4, 2.0), np.arange(4.0)) == 0


def test_correlations_are_compared_pair_by_pair() -> None:
    """age and pay: 1 before and −1 after, a change of 2. With sex: the correlation ratio is √.8 before and after
    for age, and for pay likewise, whose values change sides with it."""
    before = pl.DataFrame({"age": [1, 3, 5, 7], "pay": [1, 3, 5, 7], "sex": ["f", "f", "m", "m"]})
    after = before.with_columns(pay=pl.Series([7, 5, 3, 1]))
    found = {m.name: m.value for m in correlations(synthetic(before, after)) if hasattr(m, "value")}
    assert found["utility.correlations.max"] == pytest.approx(2)
    assert found["utility.correlations.mean"] == pytest.approx(2 / 3)
    same = {m.name: m.value for m in correlations(synthetic(before, before)) if hasattr(m, "value")}
    assert same["utility.correlations.max"] == 0


def test_who_was_in_the_table_is_told_by_copies_and_not_by_noise() -> None:
    """With a number that nobody shares, copies name everybody. Rows of other people leave a coin."""
    everybody = people(1600, 1).with_columns(pay=pl.Series(np.random.default_rng(5).integers(0, 10**6, 1600)))
    inside, outside = everybody[:800], everybody[800:]
    domains = {**DOMAINS, "pay": {"from": 0, "to": 10**6, "bins": 10}}
    plan = pv.Plan(
        {"ill": pv.Sensitive(), "pay": pv.Sensitive()},
        [pv.DifferentialPrivacy(epsilon=1, unsafe_seed=3)],
        pv.methods.MST(domains=domains),
    )
    asked = {"attacks": [pv.attacks.MembershipInference(attempts=800)], "control": outside}
    copies = pv.attack(inside, plan, original=inside, **asked).measures
    assert copies["attack.membership_inference.auc"] == 1
    assert copies["attack.membership_inference"] == 1
    release = pv.anonymize(inside, plan)
    found = release.attack(**asked)
    auc = found.measures["attack.membership_inference.auc"]
    assert auc == pytest.approx(0.5, abs=0.08)  # 0.014 is a standard deviation
    assert "coin" in str(found)


def test_without_people_outside_it_is_not_tried() -> None:
    found = pv.anonymize(people(200, 1), PLAN).attack()
    assert "control" in found.skipped["Membership inference"]
