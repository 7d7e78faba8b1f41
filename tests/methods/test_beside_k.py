"""Models beside k-anonymity: no method that gives multidimensional classes loses more than Mondrian."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent import methods
from paravent.kernels.clustering import Grouped
from paravent.methods.beside_k import completions, least_loss, mondrians
from paravent.methods.clustering.cluster_space import ClusterSpace
from paravent.methods.complements import completed
from paravent.methods.method import Method, Recoding, Task

ZIPS = [f"{a}{b}{c}" for a in "12" for b in "123" for c in "1234"]
MODELS: dict[str, list[Any]] = {
    "3-diversity": [pv.KAnonymity(3), pv.LDiversity(3, "disease")],
    "entropy 2-diversity": [pv.KAnonymity(3), pv.LDiversity(2, "disease", kind="entropy")],
    "0.3-closeness": [pv.KAnonymity(3), pv.TCloseness(0.3, "disease")],
    "0.5-likeness and risk": [pv.BetaLikeness(0.5, "disease"), pv.MaximumRisk(0.34)],
}
MULTIDIMENSIONAL = sorted(
    name
    for name in methods.__all__
    if isinstance(found := getattr(methods, name), type)
    and issubclass(found, Method)
    and found is not Method
    and found.gives == "multidimensional"
    and name not in ("Mondrian", "LocalSuppression", "AsIs")
)


def skewed(rows: int, seed: int) -> pl.DataFrame:
    """Neighbours tend to share a disease, and one disease is as frequent as all others together."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, rows)
    chance = 1 / np.arange(1, 7) ** 1.8
    disease = rng.choice(6, rows, p=chance / chance.sum())
    disease = np.where(rng.random(rows) < 0.3, (age - 18) // 12, disease)
    return pl.DataFrame(
        {
            "age": age,
            "zip": [ZIPS[i] for i in rng.integers(0, 24, rows)],
            "sex": ["fm"[i] for i in rng.integers(0, 2, rows)],
        }
    ).with_columns(disease=pl.Series([f"d{i}" for i in disease.tolist()]))


def plan(models: list[Any], method: Method, **options: Any) -> pv.Plan:
    columns: dict[str, Any] = {
        "age": pv.Quasi(pv.intervals(5, 10, 20)), "zip": pv.Quasi(pv.prefixes()), "sex": pv.Quasi(pv.flat()),
        "disease": pv.Sensitive(),
    }  # fmt: skip
    return pv.Plan(columns, models, method, **options)


def lost(release: pv.Release) -> float:
    return release.summary()["utility.gcp"]


@pytest.mark.parametrize("asked", MODELS)
@pytest.mark.parametrize("name", MULTIDIMENSIONAL)
def test_no_method_returns_worse_than_mondrian_under_the_same_models(name: str, asked: str) -> None:
    table = skewed(160, seed=3)
    most = lost(pv.anonymize(table, plan(MODELS[asked], methods.Mondrian())))
    release = pv.anonymize(table, plan(MODELS[asked], getattr(methods, name)()))
    assert release.verdict
    assert lost(release) <= most + 1e-9


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 2**16), asked=st.sampled_from(list(MODELS)), name=st.sampled_from(["GkAA", "KMember", "OKA"])
)
def test_the_rule_holds_on_any_table_and_for_every_style_of_labels(seed: int, asked: str, name: str) -> None:
    table = skewed(60, seed)
    styles = ({"labels": "interval"}, {"labels": "set"}) if name != "GkAA" else ({"metric": "total"},)
    for options in ({}, *styles):
        labels = options.get("labels", "tree")
        try:
            most = lost(pv.anonymize(table, plan(MODELS[asked], methods.Mondrian(labels=labels))))  # type: ignore[arg-type]
        except pv.InfeasibleError:
            return
        assert lost(pv.anonymize(table, plan(MODELS[asked], getattr(methods, name)(**options)))) <= most + 1e-9


def task_of(table: pl.DataFrame, models: list[Any], **options: Any) -> Task:
    seen: list[Task] = []

    class Spy(methods.Mondrian):
        def run(self, task: Task) -> Recoding:
            seen.append(task)
            return super().run(task)

    pv.anonymize(table, plan(models, Spy(), **options))
    return seen[0]


def test_a_class_joins_the_one_that_has_what_it_lacks() -> None:
    """Three classes of one disease each: the nearest to the first has the same disease, the one after another."""
    frame = pl.DataFrame(
        {"age": [20, 20, 21, 21, 30, 30], "zip": ["111"] * 6, "sex": ["f"] * 6, "disease": ["flu"] * 4 + ["cold"] * 2}
    )
    task = task_of(frame, [pv.KAnonymity(2), pv.LDiversity(2, "disease")])
    space = ClusterSpace.of(task, "gcp", "tree")
    of_row = np.array([0, 0, 1, 1, 2, 2], dtype=np.int32)
    nearest = space.cost(Grouped(space.unit_of_row, np.array([0, 0, 0, 0, 1, 1])), 2)
    farther = space.cost(Grouped(space.unit_of_row, np.array([0, 0, 1, 1, 0, 0])), 2)
    assert nearest < farther
    found = space.of_row(completed(space, Grouped(space.unit_of_row.astype(np.int32), of_row), 3))
    assert found[0] == found[4]  # then the class left over joins them: all are one
    (table,) = completions(task, of_row, 3, "gcp", ())
    assert task.holds(task.classes(table.of_row, table.n_classes)).all()


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**16), asked=st.sampled_from(list(MODELS)), spare=st.integers(0, 6))
def test_completed_classes_hold_and_no_row_is_lost(seed: int, asked: str, spare: int) -> None:
    task = task_of(skewed(80, seed), [pv.KAnonymity(1)])
    rng = np.random.default_rng(seed)
    task = Task(
        task.n_rows, task.axes, tuple(MODELS[asked]),
        {"disease": np.unique(skewed(80, seed)["disease"].to_numpy(), return_inverse=True)[1].astype(np.int32)}, spare,
    )  # fmt: skip
    of_row = np.unique(rng.integers(0, 20, 80), return_inverse=True)[1].astype(np.int32)
    space = ClusterSpace.of(task, "gcp", "tree")
    found = completed(space, Grouped(space.unit_of_row.astype(np.int32), of_row), int(of_row.max()) + 1, spare=spare)
    assert np.array_equal(np.bincount(found.unit), np.bincount(space.unit_of_row))
    assert (found.group < 0).sum() <= spare
    n_groups = int(found.group.max()) + 1
    assert n_groups == 1 or space.holding(found, n_groups).all()


@pytest.mark.parametrize("seed", range(6))
def test_many_groups_are_completed_block_by_block(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paravent.methods.complements._MANY", 8)
    frame = skewed(160, seed)
    codes = np.unique(frame["disease"].to_numpy(), return_inverse=True)[1].astype(np.int32)
    task = replace(
        task_of(frame, [pv.KAnonymity(1)]), models=tuple(MODELS["3-diversity"]), sensitive={"disease": codes}
    )
    of_row = (np.arange(160) // 4).astype(np.int32)
    space = ClusterSpace.of(task, "gcp", "tree")
    found = completed(space, Grouped(space.unit_of_row.astype(np.int32), of_row), 40)
    assert np.array_equal(np.bincount(found.unit), np.bincount(space.unit_of_row))
    assert sorted(set(found.group.tolist())) == list(range(int(found.group.max()) + 1))
    assert space.holding(found, int(found.group.max()) + 1).all()


def test_least_loss_is_no_worse_than_mondrian_by_both_measures() -> None:
    task = task_of(skewed(120, 5), MODELS["3-diversity"])
    everybody = Recoding(np.zeros(120, dtype=np.int32), 1, {})
    best = least_loss(task, [everybody], "nllm")
    assert "Mondrian" in best.trace[-1]
    for metric in ("gcp", "nllm"):
        space = ClusterSpace.of(task, metric, "tree")
        costs = [space.cost(Grouped(space.unit_of_row, t.of_row), t.n_classes) for t in (best, mondrians(task)[0])]
        assert costs[0] <= costs[1]
