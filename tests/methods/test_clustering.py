"""Clusterings: the same clusters as plain Python makes, and what every one of them owes."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent import kernels
from paravent.hierarchy.cells import CellReader
from paravent.kernels import Grouped
from paravent.methods import Task
from paravent.methods.clustering.cluster_space import ClusterSpace, _scale
from paravent.methods.clustering.gccg import _met, grades
from paravent.privacy.k_anonymity import KAnonymity
from tests.kernels.twins import clustering as twin

from ..generators.tasks import halved, random_task, tree_axis
from .conftest import labels_of
from .plain_clustering import METHODS as PLAIN
from .plain_clustering import Plain

M = pv.methods
CLUSTERINGS: list[Any] = [M.KMember(), M.NearestNeighbour(), M.GCCG(), M.OKA(), M.KACA(), M.KACA(divide=False)]
SETTINGS: list[Any] = [
    *CLUSTERINGS,
    M.KMember(metric="nllm"),
    M.KMember(labels="interval"),
    M.GCCG(labels="set"),
    M.OKA(labels="set", block=8),
    M.KACA(metric="distortion", block=10),
    M.NearestNeighbour(metric="total"),
]
REFERENCE = Path(__file__).parents[3] / "shared" / "data" / "adult"


@pytest.mark.parametrize("name", PLAIN)
@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_same_clusters_as_plain_python(name: str, seed: int) -> None:
    task = random_task(seed)
    k = min(task.models[0].k + 1, task.n_rows)  # type: ignore[attr-defined]
    task = replace(task, models=(KAnonymity(k),), max_suppressed=0, seed=seed % 100)
    method = eval(name if "(" in name else f"{name}()", {}, {n: getattr(M, n) for n in M.__all__})
    recoding = method.run(task)
    plain = Plain(task.axes, k, task.seed)
    shown = [labels_of(recoding, axis.name) for axis in task.axes]
    codes = [axis.codes.tolist() for axis in task.axes]
    found = sorted(zip(zip(*codes, strict=True), zip(*shown, strict=True), strict=True))
    assert found == plain.released(PLAIN[name](plain))


@st.composite
def cases(draw: st.DrawFn, method: Any) -> tuple[pl.DataFrame, pv.Plan]:
    n = draw(st.integers(2, 40))
    rng = random.Random(draw(st.integers(0, 2**32)))
    gaps = draw(st.booleans())
    frame = pl.DataFrame(
        {
            "age": [None if i and gaps and rng.random() < 0.1 else rng.randint(18, 40) for i in range(n)],
            "town": [rng.choice(["aa", "ab", "ba", "bb", "bc", "ca"]) for _ in range(n)],
            "pay": [rng.choice([1.25, 2.5, 7.75, 8.0, 12.125]) for _ in range(n)],
            "sick": [rng.choice(["yes", "no"] if not gaps else ["yes", "no", None]) for _ in range(n)],
            "note": [rng.randint(1, 8) for _ in range(n)],
        }
    )
    bare = method.metric == "gcp" and draw(st.booleans())
    trees: dict[str, Any] = {
        "age": [pv.intervals(5, 10), pv.balanced(), pv.quantiles(4, 2)],
        "town": [pv.prefixes(), pv.flat(), pv.by_frequency()],
        "pay": [pv.balanced(), pv.flat()],
    }
    quasi = draw(st.lists(st.sampled_from(["age", "town", "pay"]), min_size=1, max_size=3, unique=True))
    roles: dict[str, Any] = {
        name: pv.Quasi(
            None if bare else draw(st.sampled_from(trees[name])),
            weight=draw(st.sampled_from([1.0, 3.0])),
            missing=draw(st.sampled_from(["own value", "impute", "drop rows"])) if name == "age" else None,
        )
        for name in quasi
    }
    roles["sick"] = pv.Sensitive(missing="own value")
    models: list[Any] = [pv.KAnonymity(draw(st.integers(1, 5)))]
    beside = draw(st.sampled_from(["", "distinct", "entropy", "t", "average"]))
    if beside in ("distinct", "entropy"):
        models.append(pv.LDiversity(2, "sick", kind=beside))
    elif beside == "t":
        models.append(pv.TCloseness(0.4, "sick"))
    elif beside == "average":
        models.append(pv.AverageRisk(0.3))
    return frame, pv.Plan(
        roles,
        models,
        method,
        suppression=draw(st.sampled_from([0.0, 0.2, 0.6])),
        suppressed=draw(st.sampled_from(["drop", "mark"])),
        seed=draw(st.integers(0, 3)),
    )


def holds_in_one_class(frame: pl.DataFrame, plan: pv.Plan) -> bool:
    """Whether the plan is satisfied by one class of all rows that are left, counted plainly and in whole numbers."""
    dropped = "age" in plan.quasi and plan.meaning_of_missing("age") == "drop rows"
    left = frame.filter(pl.col("age").is_not_null()) if dropped else frame
    n, counts = left.height, list(Counter(left["sick"].to_list()).values())
    for model in plan.protect:
        match model:
            case pv.KAnonymity(k=k):
                held = n >= k
            case pv.LDiversity(kind="distinct"):
                held = len(counts) >= 2
            case pv.LDiversity(kind="entropy"):  # n^n ≥ 2^n · Π c^c, that is: exp(entropy) ≥ 2
                held = n**n >= 2**n * math.prod(c**c for c in counts)
            case pv.TCloseness():
                held = True
            case pv.AverageRisk():
                held = 3 * n >= 10
            case _:
                raise AssertionError(model)
        if not held:
            return False
    return n > 0


@pytest.mark.parametrize("method", SETTINGS, ids=str)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_the_contract(method: Any, data: st.DataObject) -> None:
    frame, plan = data.draw(cases(method))
    try:
        release = pv.anonymize(frame, plan)  # verifies every model on the finished cells
    except pv.InfeasibleError:
        assert not holds_in_one_class(frame, plan), "everybody in one class would have been a release"
        return
    kept, real = release.kept.tolist(), release.frame
    blank = real["note"].is_null().to_list() if plan.suppressed == "mark" else [False] * real.height
    rows = [i for i in range(real.height) if not blank[i]]
    cells = {q: real[q].cast(pl.String).to_list() for q in plan.quasi}
    k = plan.protect[0].k  # type: ignore[attr-defined]
    assert min(Counter(tuple(cells[q][i] for q in plan.quasi) for i in rows).values()) >= k
    dropped = frame["age"].null_count() if plan.meaning_of_missing("age") == "drop rows" else 0
    assert len(frame) - dropped - len(rows) <= plan.allowed(len(frame) - dropped)
    for axis in release.axes:
        reader = CellReader(axis.values, axis.tree, axis.positions)
        for i in rows:
            covered = reader.covers(cells[axis.name][i])
            assert covered is not None
            assert axis.codes[kept[i]] in covered
    again = pv.anonymize(frame, plan)
    assert again.frame.equals(real)
    assert again.trace == release.trace


@pytest.mark.parametrize("method", CLUSTERINGS, ids=str)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_more_rows_to_spare_never_make_it_worse(method: Any, seed: int) -> None:
    task = random_task(seed)
    space = ClusterSpace.of(task, "gcp", "tree")

    def lost(limit: int) -> int | None:
        try:
            recoding = method.run(replace(task, max_suppressed=limit))
        except pv.InfeasibleError:
            return None
        assert int((recoding.of_row < 0).sum()) <= limit
        return space.cost(Grouped(space.unit_of_row, recoding.of_row), recoding.n_classes)

    without, spared = lost(0), lost(task.n_rows // 3)
    if without is not None:
        assert spared is not None
        assert spared <= without


def test_leftovers_join_the_cluster_they_add_least_to() -> None:
    """Two far apart pairs and one row beside the first: it must not go to the cluster that came last."""
    ages = [20, 21, 80, 81, 22]
    for method in CLUSTERINGS:
        if isinstance(method, M.OKA):
            continue  # both of its clusters may begin among the young
        for seed in range(5):
            plan = pv.Plan({"age": pv.Quasi()}, pv.KAnonymity(2), method, seed=seed, order="source")
            shown = pv.anonymize(pl.DataFrame({"age": ages}), plan).frame["age"].to_list()
            assert shown == ["[20, 22]", "[20, 22]", "[80, 81]", "[80, 81]", "[20, 22]"], (method, seed)


def test_the_health_table() -> None:
    """Mauger 2021, Fig. 1.1: no class crosses the genders, and at k = 4 the two that remain are found."""
    genders = ["F"] * 4 + ["M"] * 4
    codes = ["53713", "53712", "53713", "53712", "53701", "53700", "53701", "53700"]
    ages = [21, 29, 32, 36, 25, 39, 42, 50]
    frame = pl.DataFrame({"gender": genders, "zip": codes, "age": ages})
    roles = {"gender": pv.Quasi(pv.flat()), "zip": pv.Quasi(pv.prefixes()), "age": pv.Quasi(pv.intervals(10))}
    for method in (M.KMember(), M.KACA(), M.KACA(divide=False), M.GCCG()):
        for k in (2, 4):
            shown = pv.anonymize(frame, pv.Plan(roles, pv.KAnonymity(k), method, order="source")).frame
            assert shown["gender"].to_list() == genders, (method, k)
        assert shown["zip"].to_list() == ["5371*"] * 4 + ["5370*"] * 4, method


def test_seeds_are_heard_and_blocks_hold() -> None:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"age": rng.integers(18, 80, 300), "town": rng.choice(list("abcdefgh"), 300)})
    roles = {"age": pv.Quasi(), "town": pv.Quasi()}
    for method in (M.KMember(), M.NearestNeighbour(), M.OKA(), M.KACA()):
        plans = [pv.Plan(roles, pv.KAnonymity(4), method, seed=seed) for seed in (1, 2)]
        first, second = (pv.anonymize(frame, plan).frame for plan in plans)
        assert not first.equals(second), method
        blocks = pv.anonymize(frame, pv.Plan(roles, pv.KAnonymity(4), replace(method, block=60)))
        assert any("blocks" in line for line in blocks.trace)
        assert blocks.verdict


def test_the_number_of_threads_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"age": rng.integers(18, 80, 400), "sick": rng.choice(["yes", "no"], 400)})
    roles: dict[str, Any] = {"age": pv.Quasi(), "sick": pv.Sensitive()}
    for method in CLUSTERINGS:
        plan = pv.Plan(roles, [pv.KAnonymity(3), pv.LDiversity(2, "sick")], replace(method, block=50))
        found = []
        for threads in ("1", "3"):
            monkeypatch.setenv("PARAVENT_THREADS", threads)
            found.append(pv.anonymize(frame, plan).frame)
        assert found[0].equals(found[1]), method


_DEFAULTS: dict[str, Any] = {
    "centred": False, "seeds": np.zeros(0, dtype=np.int32), "start": 0, "judge": None, "watch": None,
    "below": 0, "spare": 0, "tries": 64, "divide": False,
}  # fmt: skip


def _plainly(plain: Any, *given: Any, **named: Any) -> Any:
    """A kernel's twin, called as the kernel is."""
    asked = list(signature(plain).parameters)[len(given) :]
    found = plain(*given, **{name: {**_DEFAULTS, **named}[name] for name in asked})
    return Grouped(*found) if isinstance(found, tuple) else found


@pytest.mark.parametrize("method", CLUSTERINGS, ids=str)
def test_with_plain_kernels_the_release_is_the_same(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    frame = pl.DataFrame({"age": rng.integers(18, 50, 40), "town": rng.choice(["aa", "ab", "b"], 40)})
    frame = frame.with_columns(sick=pl.Series(rng.choice(["yes", "no"], 40)))
    roles: dict[str, Any] = {"age": pv.Quasi(pv.intervals(5, 10)), "town": pv.Quasi(), "sick": pv.Sensitive()}
    plans = [
        pv.Plan(roles, [pv.KAnonymity(3), *beside], method, suppression=share)
        for beside in ([], [pv.LDiversity(2, "sick")])
        for share in (0.0, 0.2)
    ]
    compiled = [pv.anonymize(frame, plan).frame for plan in plans]
    for name in ("grow", "join", "shed", "absorb"):
        monkeypatch.setattr(kernels, name, partial(_plainly, getattr(twin, f"{name}_twin")))
    assert all(pv.anonymize(frame, plan).frame.equals(f) for plan, f in zip(plans, compiled, strict=True))


def test_progress_is_told_and_may_stop_the_run() -> None:
    frame = pl.DataFrame({"age": np.random.default_rng(5).integers(18, 80, 300)})
    for method in CLUSTERINGS:
        for block in (0, 50):
            plan = pv.Plan({"age": pv.Quasi()}, pv.KAnonymity(3), replace(method, block=block))
            told: list[float] = []

            def watch(stage: str, done: float, told: list[float] = told, most: int = 2 if block else 99) -> None:
                if stage == "clustering":
                    told.append(done)
                    if len(told) == most:
                        raise KeyboardInterrupt

            if block:
                with pytest.raises(KeyboardInterrupt):
                    pv.anonymize(frame, plan, progress=watch)
            else:
                pv.anonymize(frame, plan, progress=watch)
            assert told
            assert told == sorted(told)


def test_wrong_options_are_refused() -> None:
    with pytest.raises(pv.PlanError, match="labels must be 'tree' or 'interval' or 'set', not 'box'"):
        M.KMember(labels="box")  # type: ignore[arg-type]
    with pytest.raises(pv.PlanError, match="one of gcp, distortion"):
        M.OKA(metric="area")
    with pytest.raises(pv.PlanError, match="steps up trees"):
        M.GCCG(metric="ncp", labels="interval")
    with pytest.raises(pv.PlanError, match="block"):
        M.KACA(block=-1)
    frame = pl.DataFrame({"age": [1, 2, 3, 4]})
    with pytest.raises(pv.PlanError, match="has no tree"):
        pv.anonymize(frame, pv.Plan({"age": pv.Quasi()}, pv.KAnonymity(2), M.KMember(metric="ncp")))


def test_too_few_rows() -> None:
    axis = tree_axis("t", ["a", "b"], [["a", "*"], ["b", "*"]])
    for method in CLUSTERINGS:
        with pytest.raises(pv.InfeasibleError, match="fewer rows"):
            method.run(Task(2, (axis,), (KAnonymity(3),)))


@pytest.mark.parametrize("method", SETTINGS, ids=str)
def test_a_plan_file_says_the_same(method: Any) -> None:
    plan = pv.Plan({"age": pv.Quasi(pv.balanced())}, pv.KAnonymity(2), method)
    assert pv.Plan.from_document(plan.to_document()) == plan
    assert eval(repr(plan), {"pv": pv}) == plan


@pytest.mark.skipif(not REFERENCE.exists(), reason="the reference data are not beside the project")
def test_k_member_on_adult_loses_no_more_than_its_peer() -> None:
    frame = pl.read_csv(REFERENCE / "adult.csv", separator=";", schema_overrides={"age": pl.Int64})
    names = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
    roles: dict[str, Any] = {name: pv.Quasi(str(REFERENCE / f"hierarchy_{name}.csv")) for name in names}
    release = pv.anonymize(frame, pv.Plan(roles, pv.KAnonymity(5), M.KMember()))
    assert float(release.measure()["utility.gcp"]) <= 0.0715


def test_what_a_point_costs_beside_every_row() -> None:
    """Values at 0, 10 and 30 of 1, 2 and 1 rows, and a row whose value is missing, which costs 30 beside any other."""
    axis = kernels.CutAxis(kernels.Style.SPAN, np.array([0, 10, 30, 61]))
    found = _met(kernels.PricedAxis(axis, 30), np.array([1, 2, 1, 1]))
    assert found.tolist() == [2 * 10 + 30 + 30, 10 + 20 + 30, 30 + 2 * 20 + 30, 4 * 30]


@pytest.mark.parametrize(("metric", "labels"), [("gcp", "tree"), ("gcp", "interval"), ("gcp", "set"), ("ncp", "tree")])
def test_a_grade_is_what_all_pairs_with_a_point_cost(metric: Any, labels: Any) -> None:
    for seed in range(4):
        space = ClusterSpace.of(random_task(seed), metric, labels)
        counts, base = space.points.counts, space.points.base
        for point, grade in enumerate(grades(space.points).tolist()):
            pairs = [Grouped(np.array([point, other]), np.zeros(2, dtype=np.int32)) for other in range(len(counts))]
            every = sum(int(count) * space.cost(pair, 1) for count, pair in zip(counts, pairs, strict=True))
            assert grade == every - (0 if base is None else int(counts.sum()) * int(base[point]))


def test_a_step_costs_a_whole_number() -> None:
    """As large as 2^24 allows; where a line has more steps than that, one for each."""
    assert _scale([Fraction(1)], [np.array([0.0, 3.0, 10.0])], 5) == 10 * (2**24 // 10)
    assert _scale([Fraction(1)], [np.array([0.0, 33_554_467.0])], 5) == 33_554_467
    assert _scale([Fraction(1)], [np.array([0.0, 2.0**52 + 1])], 10**6) == 2**32  # the sum over all rows has 64 bits


def test_the_trace_tells_who_was_left_out_and_what_was_mended() -> None:
    values = [6, 2, 5, 2, 1, 1, 1, 5, 3, 1, 6, 2, 5]
    axis = tree_axis("x", [f"v{i}" for i in values], halved(8, 2))
    sick = {"s": np.array([1, 1, 2, 1, 0, 2, 1, 0, 1, 1, 2, 2, 2], dtype=np.int32)}
    even = pv.LDiversity(2, "s", kind="tolerance", epsilon=0.2)
    joined = pv.methods.KMember().run(Task(13, (axis,), (KAnonymity(2), even), sick))
    # Two clusters that both hold show the same labels and do not hold together: one is joined to another.
    assert [said for said in joined.trace if "did not hold" in said] == ["1 clusters did not hold and joined others."]
    assert not [said for said in joined.trace if said.startswith("Left out")]
    one = tree_axis("x", ["v0"] * 8 + ["v7"], halved(8, 2))
    alone = pv.methods.KACA().run(Task(9, (one,), (KAnonymity(4),), max_suppressed=1))
    assert (alone.of_row < 0).sum() == 1
    assert [said.split(":")[0] for said in alone.trace if said.startswith("Left out")] == ["Left out 1 rows"]
