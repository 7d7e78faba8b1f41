"""Joint models: the method as a feature, stored as data, and the ones that ship."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.knowledge import evaluations
from paravent.knowledge.descriptors import describe
from paravent.knowledge.predicting import stored as store
from paravent.knowledge.predicting.boosted import Boosted
from paravent.knowledge.predicting.features import NAMES, with_facts
from paravent.knowledge.predicting.joint import Joint, method_codes, method_lines, table_weights
from paravent.knowledge.predicting.models import Point, Predictors, middle
from paravent.knowledge.predicting.predict import predict_one


def test_trees_answer_as_the_library_that_grew_them() -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    from paravent.knowledge.predicting import boosted

    rng = np.random.default_rng(3)
    rows, weight = rng.normal(size=(400, 5)), rng.uniform(0.5, 2.0, 400)
    target = np.sin(rows[:, 0]) + rows[:, 1] * rows[:, 2]
    theirs = ensemble.HistGradientBoostingRegressor(**boosted._SHAPE).fit(rows, target, sample_weight=weight)
    unseen = rng.normal(size=(200, 5))
    ours = Boosted.fit(rows, target, weight)
    assert ours.predict(unseen) == pytest.approx(theirs.predict(unseen), abs=1e-9)
    again = Boosted.from_dict(json.loads(json.dumps(ours.to_dict())))
    assert again.predict(unseen) == pytest.approx(theirs.predict(unseen), abs=1e-3)


def _runs(columns: int, k: int, methods: dict[str, float], table: str) -> list[tuple[np.ndarray, float, str, str]]:
    row = np.zeros(len(NAMES))
    row[NAMES.index("columns")], row[NAMES.index("k")] = columns, np.log2(k)
    return [(row, value, name, table) for name, value in methods.items()]


def test_a_method_is_known_by_how_it_fared_beside_the_others() -> None:
    """Two tables with two methods each, ±1 standard deviation apart; on the wide one they change places."""
    runs = _runs(2, 5, {"a": 0.0, "b": 2.0}, "narrow") + _runs(7, 5, {"a": 30.0, "b": 10.0}, "wide")
    rows, target, method, table = (np.array(part) for part in zip(*runs, strict=True))
    codes = method_codes(rows, target, method, table)
    # narrow: a is −1, b is +1; wide: a is +1, b is −1; two runs of no difference are added to each mean
    assert codes["a"] == pytest.approx((0.0, 1 / 3 - -1 / 3, 0.0 - 0.0))
    assert codes["b"] == pytest.approx((0.0, -2 / 3, 0.0))


def test_a_line_is_that_of_the_fact_that_goes_with_a_method() -> None:
    """Method a gives the second fact as it is but on one run, b a tenth more than the first, c half of it."""
    rng = np.random.default_rng(2)
    rows = np.column_stack([np.zeros((60, len(NAMES))), rng.random((60, 2))])
    one, two = rows[:, -2], rows[:, -1]
    method = np.array(["a", "b", "c"] * 20)
    target = np.select([method == "a", method == "b"], [two, one + 0.1], one / 2)
    target[0] = 7.0
    lines = method_lines(rows, target, method, np.ones(60))
    assert (lines["a"].feature, lines["a"].start, lines["a"].slope) == (len(NAMES) + 1, 0.0, 1.0)
    assert (lines["b"].feature, lines["b"].slope) == (len(NAMES), 1.0)
    assert lines["b"].start == pytest.approx(0.1)
    assert (lines["c"].start, lines["c"].slope) == pytest.approx((0.0, 0.5))


def test_what_a_fact_says_exactly_is_predicted_exactly() -> None:
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(4)
    rows = np.column_stack([np.zeros((400, len(NAMES))), rng.random((400, 2))])
    method = np.array(["a", "b"] * 200)
    target = np.where(method == "a", rows[:, -1], rows[:, -2] + 0.3)
    data = np.repeat(np.arange(10), 40)
    model = Joint.fit(rows, target, method, data, data, ("one", "two"))
    unseen = np.column_stack([np.zeros((5, len(NAMES))), rng.random((5, 2))])
    assert model.predict("a", unseen) == pytest.approx(unseen[:, -1], abs=1e-6)
    assert model.predict("b", unseen) == pytest.approx(unseen[:, -2] + 0.3, abs=1e-6)
    again = Joint.from_dict(json.loads(json.dumps(model.to_dict())))
    assert again.predict("a", unseen) == pytest.approx(unseen[:, -1], abs=1e-5)


def test_little_is_added_to_a_fact_that_says_nearly_all() -> None:
    """b is noise around its fact, a is its fact: what b's noise teaches the trees does not spoil a."""
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(5)
    rows = np.column_stack([rng.random((600, len(NAMES))), rng.random((600, 2))])
    method = np.array(["a", "b"] * 300)
    target = np.where(method == "a", rows[:, -1], rows[:, -2] + rng.normal(0, 0.3, 600))
    target[0] += 0.01
    model = Joint.fit(rows, target, method, np.repeat(np.arange(12), 50), np.repeat(np.arange(12), 50), ("one", "two"))
    unseen = np.column_stack([rng.random((50, len(NAMES))), rng.random((50, 2))])
    assert model.predict("a", unseen) == pytest.approx(unseen[:, -1], abs=2e-3)
    assert np.abs(model.predict("b", unseen) - unseen[:, -2]).max() < 0.5


def test_errors_count_by_how_far_the_runs_of_a_table_lie_apart() -> None:
    """Two runs at 0 and 2, four at ±4, two alike: variances 1, 16 and 0; three tenths of their median are added."""
    target = np.array([0.0, 2.0, -4.0, 4.0, -4.0, 4.0, 5.0, 5.0])
    found = table_weights(target, np.array(list("aabbbbcc")))
    assert found / found[0] == pytest.approx([1, 1, *[1.3 / 2 / 16.3] * 4, 1.3 / 0.3, 1.3 / 0.3])
    assert found.mean() == pytest.approx(1.0)


def test_nine_in_ten_errors_on_data_sets_left_out_lie_in_the_interval() -> None:
    """Ten data sets, each off by an amount of its own, −0.9 to 0.9, which nothing in the features tells."""
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(1)
    offs = np.linspace(-0.9, 0.9, 10)
    rows = np.zeros((1000, len(NAMES)))
    rows[:, NAMES.index("k")] = np.tile(np.log2([2, 5, 10, 25, 50]), 200)
    data = np.repeat(np.arange(10), 100)
    method = np.where(rng.random(1000) < 0.5, "a", "b")
    target = offs[data] + np.where(method == "a", 5.0, 0.0)
    model = Joint.fit(rows, target, method, data, data)
    assert 0.7 < model.widths["a"] < 1.3
    assert model.predict("a", rows[:5]) - model.predict("b", rows[:5]) == pytest.approx(np.full(5, 5.0), abs=0.3)
    again = Joint.from_dict(json.loads(json.dumps(model.to_dict())))
    assert again.predict("a", rows[:5]) == pytest.approx(model.predict("a", rows[:5]), abs=1e-3)


def test_the_stored_models_are_those_of_the_cube_that_ships() -> None:
    assert set(store.stored()) == set(evaluations().measured["metric"].unique())


@pytest.mark.parametrize("metric", ["utility.gcp", "cost.seconds"])
def test_stored_models_know_the_runs_that_they_were_made_of(metric: str) -> None:
    """A model explains most of what it has seen, and the intervals hold nearly all of it, over all methods."""
    from paravent.knowledge.predicting.scales import as_seen, to_scale

    sheet = Predictors(evaluations()).sheet(metric)
    collapse, within = evaluations().collapse, []
    assert collapse is not None
    for (method,), seen in evaluations().measured.filter(pl.col("metric") == metric).group_by("method"):
        truth = to_scale(metric, seen["value"].to_numpy(), seen["rows"].cast(pl.Float64).to_numpy())
        fitted = sheet.fitted(str(method))
        if fitted is None:
            continue
        off = truth - fitted.predict(as_seen(metric, with_facts(seen, collapse, fitted.facts)))
        if method == "Datafly()":
            assert np.mean(off**2) < 0.2 * np.var(truth)
        within.append(np.abs(off) <= fitted.width)
    assert np.mean(np.concatenate(within)) > 0.9


def test_they_answer_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    plan = pv.Plan({"age": pv.Quasi(), "salary-class": pv.Sensitive()}, pv.KAnonymity(5), pv.methods.Mondrian())
    people = pv.data.adult().frame.head(1000)
    assert pv.knowledge.predict(people, plan, ["precision"])[0]["precision"].evidence == "cube"
    other = Predictors(evaluations().without("adult"))
    point = Point(pv.knowledge.describe(people, plan), k=5)
    with pytest.raises(pv.PlanError, match=r"scikit-learn is not installed\. Take 'tree'"):
        predict_one(other, "Datafly()", "precision", point)


def test_a_model_that_cannot_be_read_says_which_can() -> None:
    assert "Take the learner 'tree'" in Predictors(evaluations()).text("Datafly()", "precision")


def test_models_of_another_cube_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "fingerprint", lambda: "of another cube")
    store.stored.cache_clear()
    try:
        assert store.stored() == {}
    finally:
        store.stored.cache_clear()


def test_between_two_k_of_the_cube_predictions_lie_between() -> None:
    """The guide asks for k = 15 and 20, and the cube has 10 and 25: trees alone would take one of these for either."""
    models = Predictors(evaluations())
    table = pv.read(pv.data.adult().frame.head(2000))
    plan = pv.Plan({"age": pv.Quasi(), "sex": pv.Quasi(), "salary-class": pv.Sensitive()}, pv.KAnonymity(5))
    described = describe(table, plan)
    fitted = models.sheet("cost.seconds").fitted("Datafly()")
    assert fitted is not None
    said = {k: middle(fitted, Point(described, k)) for k in (10, 15, 20, 25)}
    ends = sorted((said[10], said[25]))
    assert ends[0] <= said[15] <= ends[1]
    assert said[15] + (said[25] - said[10]) * np.log(20 / 15) / np.log(2.5) == pytest.approx(said[20])
    at_ten = Point(described, 10)
    assert middle(fitted, at_ten) == pytest.approx(float(fitted.predict(at_ten.row(fitted.facts))[0]))


def test_facts_are_those_at_the_k_itself() -> None:
    """The smallest class of Datafly's own chain at k = 20 is known: it is not taken from 10 and 25."""
    table = pv.read(pv.data.adult().frame.head(2000))
    plan = pv.Plan({"age": pv.Quasi(pv.intervals(5, 10, 20)), "sex": pv.Quasi()}, pv.KAnonymity(20))
    described = describe(table, plan)
    facts = ("values.least", "low.loss")
    between = Point(described, 20).between(facts)
    assert [round(part, 3) for part, _ in between] == [0.244, 0.756]
    for _, row in between:
        assert row[0, -2:].tolist() == [described.at(20)[name] for name in facts]
    assert between[0][1][0, 0] == pytest.approx(np.log2(10))
    assert between[1][1][0, 0] == pytest.approx(np.log2(25))
