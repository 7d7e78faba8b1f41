"""Predictions: from a cube whose law is known, from published numbers, from the table itself."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent import knowledge
from paravent.knowledge.cube.run import _FAMILIES, USAGE, run
from paravent.knowledge.cube.store import SCHEMA
from paravent.knowledge.predicting.models import Point, Predictors
from paravent.knowledge.predicting.outlook import thought
from paravent.knowledge.predicting.predict import predict_one, predictors

KS = (2, 5, 10, 25, 50, 100)
LIKE: dict[str, Any] = {
    "density": 0.1, "uniqueness": 0.8, "entropy": 0.9, "joint": 9.0, "bits": 12.0, "correlation": 0.1, "skew": 0.1,
    "values": 10.0, "most_values": 40, "depth": 3.0, "ordered": 0.5, "classes": 3, "class_entropy": 1.5,
    "majority": 0.5, "class_association": 0.2,
}  # fmt: skip


def described(rows: int = 1000, columns: int = 4, **changes: Any) -> knowledge.Descriptors:
    return knowledge.Descriptors.from_dict({**LIKE, "rows": rows, "columns": columns, "tuples": rows, **changes})


def law(method: str, k: int, columns: int) -> float:
    """The loss grows with the columns, and whenever k is doubled; Datafly loses a tenth more."""
    return 0.05 * columns + 0.02 * math.log2(k) + (0.1 if method == "Datafly()" else 0.0)


@pytest.fixture(scope="module")
def cube() -> knowledge.Cube:
    """Two methods on ten data sets of four widths, by a law that is known, with a little noise."""
    rng = np.random.default_rng(5)
    rows = [
        {
            **dict.fromkeys(SCHEMA), **LIKE, "source": "paravent", "data": f"d{data}", "table": f"d{data}/{columns}",
            "method": method, "criterion": "precision", "metric": "utility.gcp", "status": "done", "shape": "uniform",
            "value": law(method, k, columns) + rng.normal(0, 0.004), "k": k, "suppression": 0.0, "rows": 1000,
            "columns": columns, "tuples": 1000,
        }
        for data in range(10) for columns in (2, 4, 6, 8) for k in KS for method in ("Datafly()", "KMember()")
    ]  # fmt: skip
    published = knowledge.Cube.of([]).frame
    return knowledge.Cube(pl.concat([published, pl.DataFrame(rows, schema=SCHEMA, orient="row")]))


@pytest.mark.parametrize("learner", ["tree", "boosting", "forest", "neighbours", "linear"])
def test_a_law_is_learnt(cube: knowledge.Cube, learner: str) -> None:
    if learner != "tree":
        pytest.importorskip("sklearn")
    models = Predictors(cube, learner)
    for method in ("Datafly()", "KMember()"):
        found = predict_one(models, method, "utility.gcp", Point(described(columns=6), k=25))
        assert found.value == pytest.approx(law(method, 25, 6), abs=0.03)
        assert found.low <= law(method, 25, 6) <= found.high
        assert found.evidence == "cube"
        assert found.support > 10


def test_an_interval_is_as_wide_as_the_noise(cube: knowledge.Cube) -> None:
    """Nine in ten of the errors: about 1.64 standard deviations of 0.004, and a little for what is learnt."""
    found = predict_one(Predictors(cube, "tree"), "KMember()", "utility.gcp", Point(described(), k=10))
    assert 0.005 < (found.high - found.low) / 2 < 0.02


def test_without_support_it_abstains(cube: knowledge.Cube) -> None:
    models = Predictors(cube, "tree")
    wide = predict_one(models, "KMember()", "utility.gcp", Point(described(columns=30), k=10))
    assert not wide
    assert wide.value is None
    assert "no run of KMember() in the cube is like it" in wide.reason
    unknown = predict_one(models, "OKA()", "utility.gcp", Point(described(), k=10))
    assert "too few runs of OKA()" in str(unknown)
    diverse = predict_one(models, "KMember()", "utility.gcp", Point(described(), k=10, l=3))
    assert diverse.value is None  # nobody has asked for l in this cube


def test_a_published_number_is_given_where_it_fits(cube: knowledge.Cube) -> None:
    """Datafly, k = 5, three quasi-identifiers, dense: a discernability of 500 000 000."""
    dense = described(rows=30_000, columns=3, density=0.9)
    models = Predictors(cube, "tree")
    found = predict_one(models, "Datafly()", "utility.dm", Point(dense, k=5))
    assert (found.value, found.low, found.high, found.evidence) == (5e8, 5e8, 5e8, "published")
    assert "Ben Fredj 2017" in str(found)
    for changed in (
        Point(dense, k=6),
        Point(dense, k=5, l=2),
        Point(described(rows=30_000, columns=4, density=0.9), k=5),
        Point(described(rows=30_000, columns=3), k=5),  # uniform
        Point(described(rows=20_000, columns=3, density=0.9), k=5),  # no table of 20 000 rows reaches it
    ):
        assert predict_one(models, "Datafly()", "utility.dm", changed).evidence != "published"


def test_what_a_source_leaves_open_does_not_fit(cube: knowledge.Cube) -> None:
    uniform = Point(described(rows=30_000, columns=3), k=10)
    assert predict_one(Predictors(cube), 'Mondrian(cut="median")', "utility.cavg", uniform).value is None


def test_the_tree_of_a_method_can_be_read(cube: knowledge.Cube) -> None:
    models = Predictors(cube, "tree")
    shown = models.text("Datafly", "precision")
    assert shown.startswith("what all methods share:\n    if ")
    odds = [
        [np.log(x / (1 - x)) for x in (law("Datafly()", k, c), law("KMember()", k, c))]
        for c in (2, 4, 6, 8)
        for k in KS
    ]
    half = np.mean([(first - second) / 2 for first, second in odds])  # the common part is the mean of both methods
    added = re.search(r"what Datafly\(\) adds: ([\d.]+)", shown)
    assert added is not None
    assert float(added[1]) == pytest.approx(half, abs=0.02)
    assert shown.endswith("(log odds: 0 stands for one half, -2.2 for a tenth)")
    assert "too little is known about OKA()" in models.text("OKA()", "precision")
    found = predict_one(models, "Datafly()", "utility.gcp", Point(described(), k=10))
    assert isinstance(found.because, tuple)


def test_learners_that_do_not_exist_get_a_sentence(cube: knowledge.Cube) -> None:
    with pytest.raises(pv.PlanError, match=r"no learner 'boostign'.*boosting"):
        predict_one(Predictors(cube, "boostign"), "Datafly()", "utility.gcp", Point(described(), k=5))


# -- the table itself --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    rng = np.random.default_rng(8)
    age = rng.integers(18, 80, 1200)
    return pl.DataFrame(
        {"age": age, "zip": rng.integers(0, 40, 1200) + 100, "ill": np.where(rng.random(1200) < age / 160, "yes", "no")}
    )


def plan_of(method: Any, k: int = 5) -> pv.Plan:
    roles = {"age": pv.Quasi(pv.intervals(5, 10, 20)), "zip": pv.Quasi(pv.intervals(5, 20)), "ill": pv.Sensitive()}
    return pv.Plan(roles, pv.KAnonymity(k), method)


def test_with_time_enough_the_table_itself_is_the_evidence(cube: knowledge.Cube, people: pl.DataFrame) -> None:
    plan = plan_of(pv.methods.Mondrian())
    asked = ["precision", "utility.dm", "risk.prosecutor.average", "utility.cm"]
    found = knowledge.predict(people, plan, asked, seconds=600, cube=Predictors(cube, "tree"))[0]
    measured = pv.anonymize(people, plan).measure()
    assert found["utility.gcp"].value == pytest.approx(measured["utility.gcp"])
    assert found["utility.dm"].value == measured["utility.dm"]
    assert found["risk.prosecutor.average"].value == pytest.approx(measured["risk.prosecutor.average"])
    assert found["utility.cm"].value == pytest.approx(measured["utility.cm.ill"])
    assert {found[name].evidence for name in asked} == {"landmark"}
    assert [(probe.rows, probe.k) for probe in found.probes] == [(1200, 5)]


def test_without_time_the_cube_speaks(cube: knowledge.Cube, people: pl.DataFrame) -> None:
    found = knowledge.predict(people, [plan_of(pv.methods.KMember())], ["precision"], cube=Predictors(cube, "tree"))[0]
    assert found["precision"].evidence == "cube"
    assert not found.probes


def test_a_plan_that_does_not_work_on_the_table_says_so(cube: knowledge.Cube, people: pl.DataFrame) -> None:
    found = knowledge.predict(
        people, plan_of(pv.methods.AsIs()), ["precision"], seconds=600, cube=Predictors(cube, "tree")
    )[0]
    assert found["precision"].value is None
    assert "it does not work on this table" in found["precision"].reason


def test_small_samples_where_k_cannot_shrink_take_two_and_four(people: pl.DataFrame) -> None:
    from paravent.knowledge.predicting.landmarks import probe
    from paravent.table.read import read

    plans = [plan_of(pv.methods.Mondrian(), k) for k in (3, 5, 24)]
    probes = probe(read(people), plans, 600.0, sizes=(500,))
    assert [(each.rows, each.k) for each in probes[0]] == [(500, 2), (500, 4), (1200, 3)]
    assert [(each.rows, each.k) for each in probes[1]] == [(500, 2), (1200, 5)]  # 5 · 500 / 1200, rounded
    assert [(each.rows, each.k) for each in probes[2]] == [(500, 10), (1200, 24)]
    assert probes[0][0] is probes[1][0]  # the same run serves both


def test_bad_seconds_get_a_sentence(cube: knowledge.Cube, people: pl.DataFrame) -> None:
    with pytest.raises(pv.PlanError, match="seconds=-1"):
        knowledge.predict(people, plan_of(pv.methods.Mondrian()), seconds=-1, cube=Predictors(cube, "tree"))


@pytest.mark.parametrize("seconds", [0.0, 120.0])
def test_the_cube_does_not_speak_of_promises_that_it_never_asked_for(
    cube: knowledge.Cube, people: pl.DataFrame, seconds: float
) -> None:
    """Closeness costs much: what was measured without it says nothing about it. Nor does it about treated columns."""
    plan = plan_of(pv.methods.Mondrian(), 5)
    close = plan.replace(protect=[pv.KAnonymity(5), pv.TCloseness(0.2, plan_sensitive(plan))])
    (found,) = knowledge.predict(people, close, ["precision"], seconds=seconds, cube=knowledge.Predictors(cube, "tree"))
    if seconds:
        assert found["precision"].evidence == "landmark"
    else:
        assert found["precision"].value is None
        assert "the cube has no runs that keep" in found["precision"].reason


def plan_sensitive(plan: pv.Plan) -> str:
    return next(iter(plan.sensitive))


def test_an_experts_evaluation_counts_before_all_others(
    cube: knowledge.Cube, people: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    plan = plan_of(pv.methods.Mondrian(cut="median"), 5)
    described = knowledge.describe(people, plan)
    models = knowledge.Predictors(cube, "tree")
    before = knowledge.predict(people, plan, ["utility.gcp"], cube=models)[0]["utility.gcp"]
    layer = knowledge.Layer()
    given = {"k": 5, "quasi-identifier-count": described.columns, "data-distribution": described.shape}
    layer.evaluate("mondrian-median", "precision", "utility.gcp", 0.4321, source="Ann", given={**given, "k": 6})
    assert knowledge.predict(people, plan, ["utility.gcp"], cube=models)[0]["utility.gcp"] == before
    layer.evaluate("mondrian-median", "precision", "utility.gcp", 0.1234, source="Ann", given=given)
    found = knowledge.predict(people, plan, ["utility.gcp"], cube=models)[0]["utility.gcp"]
    assert (found.value, found.evidence, found.source) == (0.1234, "published", "Ann")
    layer.undo()
    assert knowledge.predict(people, plan, ["utility.gcp"], cube=models)[0]["utility.gcp"] == before


def test_of_tables_beyond_the_cube_the_cheap_methods_are_guessed_first() -> None:
    models = predictors()
    wide = described(rows=3_000_000, columns=30)
    methods = [pv.methods.Mondrian(), pv.methods.KACA(), pv.methods.Polish(), pv.methods.Datafly()]
    roles = {f"q{i}": pv.Quasi(pv.flat()) for i in range(30)}
    plans = [pv.Plan(roles, [pv.KAnonymity(5)], method) for method in methods]
    found = thought(models, [(plan, wide) for plan in plans])
    assert all(math.isfinite(seconds) and seconds > 0 for seconds in found)
    assert found[0] < min(found[1], found[2])
    near = thought(models, [(plan, described(rows=2000, columns=5)) for plan in plans])
    assert all(far > close for far, close in zip(found, near, strict=True))


def test_a_table_that_is_wider_than_all_of_the_cube_is_tried_by_the_guide() -> None:
    rng = np.random.default_rng(7)
    frame = pl.DataFrame({f"q{i}": rng.integers(0, 6, 900).astype(str) for i in range(24)})
    plan = pv.Plan({name: pv.Quasi(pv.flat()) for name in frame.columns}, [pv.KAnonymity(2)])
    found = pv.guide(frame, pv.Context(risk=0.2), plan, methods=["Mondrian", "Datafly"], seconds=60)
    assert len(found.ranking) >= 3
    assert {each.evidence for by in found.predictions.values() for each in by.values()} <= {"landmark", "none"}


def test_only_the_metrics_that_are_asked_for_are_measured(people: pl.DataFrame) -> None:
    table, plan = pv.read(people), plan_of(pv.methods.Mondrian())
    some = run(table, plan, usage=False, metrics=["utility.gcp", "utility.completeness"])
    every = run(table, plan, usage=False)
    assert set(some.values) - {"cost.seconds", "cost.megabytes"} == {"utility.gcp", "utility.completeness"}
    assert set(every.values) > set(some.values)
    assert some.values["utility.gcp"] == every.values["utility.gcp"]


def test_every_quick_metric_belongs_to_a_family() -> None:
    held = {name for own in _FAMILIES.values() for name in own}
    assert held == set(knowledge.METRICS) - set(USAGE) - {"cost.seconds", "cost.megabytes"}


def test_the_class_that_is_described_is_the_one_to_predict() -> None:
    """A table with two sensitive columns: what naive Bayes is thought to tell is about the target, not the first."""
    people = pv.read(pv.data.adult().frame.head(1000))
    quasi = {"age": pv.Quasi(pv.intervals(10, 20)), "sex": pv.Quasi()}
    more = {"capital-gain": pv.Sensitive(), "salary-class": pv.Sensitive()}
    both = pv.Plan({**quasi, **more}, pv.KAnonymity(5), pv.methods.Mondrian())
    alone = pv.Plan({**quasi, "salary-class": pv.Sensitive()}, pv.KAnonymity(5), pv.methods.Mondrian())
    told, wanted = (
        pv.knowledge.predict(people, plan, ["classification"], target="salary-class")[0]["classification"].value
        for plan in (both, alone)
    )
    other = pv.knowledge.predict(people, both, ["classification"])[0]["classification"].value
    assert told == wanted != other
