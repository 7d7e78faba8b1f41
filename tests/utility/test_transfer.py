"""Training on the release and testing on real rows, and telling released rows from real ones."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.utility.family import Study
from paravent.utility.subject import Subject
from paravent.utility.transfer import _auc, _Features, _not_comparable, transfer


def people(rows: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, rows)
    ill = np.where(rng.random(rows) < 1 / (1 + np.exp(-(age - 50) / 5)), "yes", "no")
    return pl.DataFrame({"age": age, "sex": rng.choice(["f", "m"], rows), "ill": ill})


def measured(original: pl.DataFrame, released: pl.DataFrame) -> dict[str, float]:
    subject = Subject((), released, None, original=original, synthetic=True)
    found = transfer(subject, Study(target="ill"))
    return {each.name: each.value for each in found if hasattr(each, "value")}


def test_a_second_sample_serves_as_the_first_and_cannot_be_told_apart() -> None:
    pytest.importorskip("sklearn")
    found = measured(people(4000, 1), people(4000, 2))
    assert found["utility.transfer.accuracy"] == pytest.approx(found["utility.transfer.accuracy.original"], abs=0.02)
    assert found["utility.transfer.accuracy"] > found["utility.transfer.majority"] + 0.2
    assert found["utility.transfer.auc"] > 0.9
    assert found["utility.pmse.ratio"] < 4


def test_columns_drawn_apart_teach_nothing_and_another_table_is_told_apart() -> None:
    pytest.importorskip("sklearn")
    original, other = people(4000, 1), people(4000, 2)
    apart = other.with_columns(ill=other["ill"].gather(np.random.default_rng(3).permutation(4000)))
    found = measured(original, apart)
    assert found["utility.transfer.accuracy"] < found["utility.transfer.accuracy.original"] - 0.2
    old = measured(original, other.with_columns(age=pl.col("age") + 15))
    assert old["utility.pmse.ratio"] > 100


def test_generalized_rows_are_not_measured_and_the_reason_is_said() -> None:
    release = pv.anonymize(people(300, 1), quasi=["age", "sex"], sensitive=["ill"], k=5)
    absent = release.measure("transfer", target="ill").absent
    assert "labels are no values to learn from" in absent["utility.transfer"]
    assert absent["utility.pmse"] == absent["utility.transfer"]


def test_epsilon_is_measured_of_synthetic_rows_and_lower_is_better() -> None:
    domains = {"age": range(20, 80), "sex": ["f", "m"], "ill": ["no", "yes"]}
    plan = pv.Plan({}, [pv.DifferentialPrivacy(epsilon=2)], pv.methods.MST(domains=domains), person=None)
    measures = pv.anonymize(people(500, 1), plan).measure()
    assert measures["privacy.epsilon"] == pytest.approx(2, abs=1e-6)
    assert measures.about("privacy.epsilon").better == "lower"


class Sure:
    """A classifier that gives the chances that it was told."""

    def __init__(self, classes: list[str], chances: list[list[float]]) -> None:
        self.classes_, self.chances = np.array(classes), np.array(chances)

    def predict_proba(self, rows: np.ndarray) -> np.ndarray:
        assert len(rows) == len(self.chances)
        return self.chances


def test_auc_counts_pairs_and_equals_half() -> None:
    """yes at .9 and .8, no at .8 and .1: of four pairs three are in order and one is equal."""
    sure = Sure(["no", "yes"], [[0.1, 0.9], [0.2, 0.8], [0.2, 0.8], [0.9, 0.1]])
    truth = np.array(["yes", "yes", "no", "no"])
    assert _auc(sure, np.zeros((4, 1)), truth) == pytest.approx(3.5 / 4)


def test_auc_of_three_values_is_the_mean_of_each_against_the_others() -> None:
    """a is before all others (1), b before c but after a (1/2), c before a but after b (1/2); d never occurs."""
    sure = Sure(["a", "b", "c", "d"], [[0.9, 0.5, 0.1, 0], [0.1, 0.4, 0.5, 0], [0.2, 0.3, 0.4, 0]])
    assert _auc(sure, np.zeros((3, 1)), np.array(["a", "b", "c"])) == pytest.approx((1 + 0.5 + 0.5) / 3)


def test_a_column_that_tells_everything_and_one_that_tells_nothing() -> None:
    """The target follows x in all rows: right always. From a release in which it is the other way round: never."""
    pytest.importorskip("sklearn")
    original = pl.DataFrame({"x": ["p", "q"] * 40, "ill": ["yes", "no"] * 40})
    found = measured(original, original)
    assert found["utility.transfer.accuracy"] == found["utility.transfer.auc"] == 1
    turned = measured(original, pl.DataFrame({"x": ["q", "p"] * 40, "ill": ["yes", "no"] * 40}))
    assert turned["utility.transfer.accuracy"] == turned["utility.transfer.auc"] == 0
    assert turned["utility.transfer.accuracy.original"] == 1
    assert turned["utility.pmse.single"] == pytest.approx(0, abs=1e-9)
    assert turned["utility.pmse"] == pytest.approx(0.25, rel=1e-3)  # no pair of the one is in the other


def test_a_text_among_numbers_is_a_cell_that_is_not_known() -> None:
    features = _Features.of(pl.DataFrame({"age": [20, 40]}), ["age"])
    assert features.matrix(pl.DataFrame({"age": ["40", "old"]})).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_texts_that_are_left_as_they_were_can_be_learnt_from() -> None:
    frame = pl.DataFrame({"sex": ["f", "f", "m", "m"], "ill": ["yes", "no", "yes", "no"]})
    plan = pv.Plan({"sex": pv.Quasi(), "ill": pv.Sensitive()}, pv.KAnonymity(2), pv.methods.AsIs())
    assert _not_comparable(pv.anonymize(frame, plan).subject) == ""
