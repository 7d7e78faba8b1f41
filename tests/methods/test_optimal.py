"""Optimal full-domain search: brute force agrees, and ARX's optima on Adult come out."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.errors import InfeasibleError, PlanError
from paravent.hierarchy.tree import Tree
from paravent.methods import Axis, Optimal, Task
from paravent.methods.full_domain.lattice_search import Found, LatticeSearch
from paravent.methods.full_domain.levels import classes_at
from paravent.methods.full_domain.objectives import OBJECTIVES, SIZE_METRICS, objective_of
from paravent.methods.full_domain.roll_up import RollUp
from paravent.methods.full_domain.wide_search import WideSearch, WideSearches, bound_of_all
from paravent.privacy import AlphaKAnonymity, BetaLikeness, DeltaDisclosure, KAnonymity, LDiversity, TCloseness
from paravent.table.kinds import Kind

from ..generators.tasks import axis_of_eight, random_axis
from ..plain_trees import PlainCosts, PlainTree

ADULT = Path(__file__).parents[3] / "shared" / "data" / "adult"


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = draw(st.integers(2, 40))
    axes = tuple(
        random_axis(rng, f"c{j}", rows, sizes=(2, 8), depth=2, weights=(1, 1, 0.5, 50))
        for j in range(draw(st.integers(1, 3)))
    )
    models: list[Any] = [KAnonymity(draw(st.integers(1, 6)))]
    others = [
        LDiversity(2, "s"),
        LDiversity(1.7, "s", "entropy"),
        LDiversity(2, "s", "recursive", c=2.5),
        LDiversity(2, "s", "frequency"),
        LDiversity(2, "s", "tolerance", epsilon=0.4),
        TCloseness(0.4, "s"),
        TCloseness(0.4, "s", normalised=False),
        TCloseness(0.25, "s", "ordered"),
        TCloseness(0.5, "s", "ordered", normalised=False),
        AlphaKAnonymity(0.7, 2, "s"),
        BetaLikeness(1, "s"),
        BetaLikeness(1.5, "s", "basic"),
        DeltaDisclosure(1.2, "s"),
    ]
    sensitive = {}
    if draw(st.booleans()):
        models += draw(st.lists(st.sampled_from(others), min_size=1, max_size=2))
        sensitive["s"] = rng.integers(0, 3, rows).astype(np.int32)
    limit = draw(st.sampled_from([0, rows // 10, rows // 2]))
    return Task(rows, axes, tuple(models), sensitive, max_suppressed=limit)


def by_cells(task: Task, node: tuple[int, ...], left: np.ndarray, metric: str, mean: str) -> float:
    """The loss of each column summed cell by cell, from the definitions, on the trees as given."""
    paths = [[[level.labels[code] for level in axis.given.levels for code in [level.codes[leaf]]]
              for leaf in range(axis.given.n_leaves)] for axis in task.axes]  # fmt: skip
    trees = [PlainTree(each) for each in paths]
    costs = None if metric in ("loss", "gcp") else PlainCosts(trees, metric)
    columns, most = [], []
    for j, (axis, at, tree) in enumerate(zip(task.axes, node, trees, strict=True)):
        under = {path[0]: frozenset(other[0] for other in paths[j] if other[at] == path[at]) for path in paths[j]}
        lost = worst = Fraction(0)
        cells = Counter((axis.values[code], gone) for code, gone in zip(axis.codes.tolist(), left < 0, strict=True))
        for (value, gone), rows in cells.items():
            covered = tree.root if gone else under[value]
            if costs is not None:
                lost += rows * costs.cell(j, frozenset([value]), tree.lowest(covered))
                worst += rows * costs.cell(j, frozenset([value]), tree.root)
                continue
            domain = tree.root if metric == "loss" else frozenset(axis.values)
            share = Fraction(len(covered & domain) - 1, max(len(domain) - 1, 1))
            lost += rows * (Fraction(1) if gone else share)
            worst += rows
        columns.append(float(lost / worst))
        most.append(float(worst) if costs is not None else 1.0)
    shares = np.array(most) * [axis.weight for axis in task.axes]
    shares = shares / shares.sum()
    by_column = np.array(columns)
    return float(by_column @ shares if mean == "arithmetic" else np.expm1(np.log1p(by_column) @ shares))


def by_classes(task: Task, node: tuple[int, ...], left: np.ndarray, metric: str) -> float:
    """The measures of `utility`, row by row from their definitions."""
    n, kept = task.n_rows, left >= 0
    sizes = np.bincount(left[kept])
    sizes = sizes[sizes > 0]
    if metric == "dm":
        return float((sizes**2).sum() + (n - kept.sum()) * n)
    if metric == "cavg":
        return n / len(sizes) / task.models[0].k
    covered, shares, worst = np.ones(n), 0.0, 0.0
    for axis, at in zip(task.axes, node, strict=True):
        level = axis.tree.levels[at].codes
        of_cell = level[axis.codes]
        covered = covered * np.where(kept, np.bincount(level)[of_cell], len(axis))
        rows = np.where(kept, np.bincount(of_cell)[of_cell], n)
        own = np.bincount(axis.codes)[axis.codes]
        shares += axis.weight * float(np.log2(rows / own).sum())
        worst += axis.weight * float(np.log2(n / own).sum())
    if metric == "ambiguity":
        return float(covered.mean())
    if metric == "entropy":
        return shares / worst if worst else 0.0
    own = np.unique(np.stack([axis.codes for axis in task.axes]), axis=1, return_counts=True)[1]
    mine = np.bincount(left + 1)[left + 1]
    return max(0.0, float((own * np.log(own)).sum() + np.log(covered / mine).sum()) / n)


def brute_force(task: Task, metric: str, mean: str) -> float | None:
    """Every node by itself: classes, suppression, loss."""
    best = None
    for node in product(*(range(len(axis.tree.levels)) for axis in task.axes)):
        of_row, example = classes_at(task.axes, node)
        left = task.suppress_failing(of_row, len(example))
        if left is None or (left < 0).all():
            continue
        sized = metric in SIZE_METRICS
        loss = by_classes(task, node, left, metric) if sized else by_cells(task, node, left, metric, mean)
        best = loss if best is None else min(best, loss)
    return best


@settings(max_examples=400, deadline=None)
@given(tasks(), st.sampled_from(OBJECTIVES), st.sampled_from(["geometric", "arithmetic"]))
def test_brute_force_agrees(task: Task, metric: str, mean: Any) -> None:
    expected = brute_force(task, metric, mean)
    event("found" if expected is not None else "infeasible")
    event(metric)
    method = Optimal(metric=metric, mean=mean)
    if expected is None:
        with pytest.raises(InfeasibleError):
            method.run(task)
        return
    found = method.run(task)
    assert found.trace[-1] == "No other combination loses less."
    said = float(found.trace[1].split("loss ")[1].split(",")[0])
    assert said == pytest.approx(expected, rel=1e-5, abs=1e-5)
    kept = found.of_row >= 0
    assert int((~kept).sum()) <= task.max_suppressed
    assert np.bincount(found.of_row[kept]).min() >= task.models[0].k


def lattice_of(task: Task, metric: str, *, memory_limit: int = 1 << 30) -> LatticeSearch:
    return LatticeSearch(
        task,
        lambda k, weight: objective_of(metric, "geometric", task.axes, k, weight),
        memory_limit=memory_limit,
    )


@settings(max_examples=120, deadline=None)
@given(tasks(), st.sampled_from(OBJECTIVES))
def test_bounds_hold(task: Task, metric: str) -> None:
    """No node loses less than its bound, its floor or the floor of a node below it, whatever is suppressed."""
    search = lattice_of(task, metric)
    nodes = list(product(*map(range, search.shape)))
    array = np.array(nodes)
    losses = np.array([search.by_models(node) for node in nodes])
    slack = 1e-9 + 1e-7 * np.abs(np.where(np.isinf(losses), 0, losses))
    assert (losses + slack >= search.objective.bounds(array)).all()
    assert (losses + slack >= search.least(array)).all()
    assert losses.min() + slack[losses.argmin()] >= bound_of_all(search, math.inf)
    if search.objective.floored:
        floors = search.objective.floors(array, search.count(array, all_outliers=True))
        for node, floor in zip(nodes, floors.tolist(), strict=True):
            above = (array >= np.array(node)).all(axis=1)
            assert (losses[above] + slack[above] >= floor).all()


@settings(max_examples=150, deadline=None)
@given(tasks(), st.sampled_from(OBJECTIVES))
def test_what_the_kernel_says_of_models_is_never_more_than_they_ask(task: Task, metric: str) -> None:
    """It may leave a class in doubt, so its losses bound those by the models; it never rules out what holds."""
    search = lattice_of(task, metric)
    nodes = list(product(*map(range, search.shape)))
    for node, said in zip(nodes, search.judged(np.array(nodes)).tolist(), strict=True):
        loss = search.losses([node])[0] if task.k_alone else search.by_models(node)
        assert said <= loss + 1e-9 * abs(loss)


@pytest.mark.parametrize(
    "model",
    [
        LDiversity(3, "s"),
        LDiversity(2.21, "s", "entropy"),
        LDiversity(2, "s", "recursive", c=1.37),
        LDiversity(2, "s", "tolerance", epsilon=0.437),
        TCloseness(0.1873, "s"),
        TCloseness(0.0871, "s", "ordered"),
        AlphaKAnonymity(0.4871, 7, "s"),
        BetaLikeness(0.8713, "s"),
        BetaLikeness(0.8713, "s", "basic"),
        DeltaDisclosure(0.9137, "s"),
    ],
)
def test_the_kernel_counts_what_models_suppress_round_by_round(model: Any) -> None:
    """With thresholds that no share hits, nothing is in doubt: rows and losses are those of the models."""
    rng = np.random.default_rng(4)
    axes = tuple(axis_of_eight("uvw"[j], rng.integers(0, 8, 400)) for j in range(3))
    skewed = np.minimum(rng.geometric(0.4, 400) - 1, 4).astype(np.int32)
    task = Task(400, axes, (KAnonymity(2), model), {"s": skewed}, max_suppressed=399)
    search = lattice_of(task, "gcp")
    nodes = list(product(*map(range, search.shape)))
    by_models = [search.by_models(node) for node in nodes]
    np.testing.assert_allclose(search.judged(np.array(nodes)), by_models, rtol=1e-12)
    by_k = search.least(np.array(nodes))
    assert (np.array(by_models) > by_k + 1e-9).any(), "the model asks for no more than k does"


@pytest.mark.parametrize("metric", ["gcp", *SIZE_METRICS])
def test_the_loss_is_what_the_measure_says(metric: str) -> None:
    plan = pv.Plan(
        {
            "age": pv.Quasi(pv.intervals(5, 10, 20, 40)),
            "sex": pv.Quasi(pv.flat()),
            "race": pv.Quasi(pv.flat()),
            "fnlwgt": pv.Drop(),
        },
        [pv.KAnonymity(20)],
        Optimal(metric=metric, mean="arithmetic"),
        suppression=0.02,
    )
    release = pv.anonymize(pv.read(pv.data.adult().frame.head(3000)), plan)
    said = float(release.trace[1].split("loss ")[1].split(",")[0])
    assert said == pytest.approx(release.measure()[f"utility.{metric}"], rel=1e-5)


def test_a_time_limit_leaves_a_gap() -> None:
    task = wide_task(9, 400)
    search = lattice_of(task, "loss")
    search.deadline = 0.0
    found = search.walk(Found(tuple(n - 1 for n in search.shape), 1.0, -np.inf))
    assert not found.proven
    assert found.bound <= 1.0
    assert Optimal(time_limit=1e-9).run(task).trace[-1].startswith("Not proven: the time was up. None loses less than")


def test_rolled_up_tables_count_the_same() -> None:
    task = wide_task(4, 20_000, values=16)
    search = lattice_of(task, "ambiguity")
    rng = np.random.default_rng(1)
    small = RollUp(search.tuples, room=200_000)
    large = RollUp(search.tuples, room=1 << 24)
    for free in range(4):
        low = np.where(np.arange(4) == free, 0, 1)
        nodes = np.vstack([low, np.minimum(low + rng.integers(0, 3, (30, 4)), np.array(search.shape) - 1)])
        plain = RollUp(search.tuples, room=0).outliers(nodes, k=3, limit=10**6, sizes=True, areas=True)
        for tables in (small, large):
            found = tables.outliers(nodes, k=3, limit=10**6, sizes=True, areas=True)
            for a, b in zip(found, plain, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-12)
            assert tables.used <= tables.room
    assert large.used > small.used > 0
    assert small.evicted > large.evicted == 0


@pytest.mark.skipif(not ADULT.exists(), reason="the reference data are not here")
@pytest.mark.parametrize(
    ("suppression", "levels", "loss", "classes"),
    [(0.05, [0, 3, 0, 0, 1, 1, 1, 2], 0.25185, 399), (0.0, [0, 4, 0, 2, 3, 2, 2, 1], 0.591585, 30)],
)
def test_arx_optima_on_adult(suppression: float, levels: list[int], loss: float, classes: int) -> None:
    names = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
    table = pv.read(pl.read_csv(ADULT / "adult.csv", separator=";"))
    plan = pv.Plan(
        columns={name: pv.Quasi(str(ADULT / f"hierarchy_{name}.csv")) for name in names},
        protect=[pv.KAnonymity(5)],
        method=pv.methods.Optimal(),
        suppression=suppression,
    )
    release = pv.anonymize(table, plan)
    said = ", ".join(f"{name} {level}" for name, level in zip(names, levels, strict=True))
    assert f"Best: {said};" in release.trace[1]
    assert float(release.trace[1].split("loss ")[1].split(",")[0]) == pytest.approx(loss, abs=5e-6)
    assert len(release.classes) == classes


def wide_task(columns: int, rows: int, *, values: int = 8) -> Task:
    rng = np.random.default_rng(0)
    axes = []
    for j in range(columns):
        paths = [[f"v{i}", f"g{i // 2}", f"h{i // 4}", "*"] for i in range(values)]
        tree = Tree.from_paths(f"c{j}", paths)
        axes.append(Axis(f"c{j}", Kind.NOMINAL, rng.integers(0, values, rows).astype(np.int32), tree.leaves, tree))
    return Task(rows, tuple(axes), (KAnonymity(3),), max_suppressed=rows // 10)


@pytest.mark.parametrize("metric", ["loss", "dm"])
def test_a_lattice_too_large_to_walk_is_searched_and_says_so(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paravent.methods.full_domain.optimal._CHECKS", (500, 1500))
    better: list[Found] = []
    task = wide_task(16, 200)
    found = Optimal(metric=metric).search(task, better.append)
    assert found.trace[-1].startswith("Not proven: the combinations are too many")
    assert np.bincount(found.of_row[found.of_row >= 0]).min() >= 3
    assert [f.loss for f in better] == sorted([f.loss for f in better], reverse=True)
    assert metric == "dm" or better[-1].loss < better[0].loss
    assert (Optimal(metric=metric).run(task).of_row == found.of_row).all()


IN_A_PROCESS_OF_ITS_OWN = """
import sys
sys.path.insert(0, {tests!r})
from tests.methods.test_optimal import wide_task
from paravent.methods import Optimal

def peak(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))

task = wide_task(16, 20_000)
Optimal(time_limit=0.2, memory_limit={limit}).run(wide_task(16, 200))
with open("/proc/self/clear_refs", "w") as reset:
    reset.write("5")
before = peak("VmRSS")
Optimal(time_limit=4, memory_limit={limit}).run(task)
print(peak("VmHWM") - before)
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak of memory is asked of Linux")
@pytest.mark.parametrize("mib", [10, 40])
def test_the_memory_limit_is_kept(mib: int) -> None:
    code = IN_A_PROCESS_OF_ITS_OWN.format(tests=str(Path(__file__).parents[2]), limit=mib << 20)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= mib << 20


def test_what_is_forgotten_is_counted_again() -> None:
    search = lattice_of(wide_task(4, 300), "loss")
    search._most_known = 8
    nodes = list(product(range(4), repeat=4))
    expected = lattice_of(wide_task(4, 300), "loss").losses(nodes)
    found: list[float] = []
    for at in range(0, len(nodes), 3):  # every node twice, so that some are known and some forgotten
        both = search.losses([*nodes[max(0, at - 3) : at], *nodes[at : at + 3]])
        found += both[-len(nodes[at : at + 3]) :]
        assert len(search.known) <= 8
    assert found == expected


def test_a_memory_limit_below_the_table_is_refused() -> None:
    with pytest.raises(PlanError, match="memory_limit"):
        Optimal(memory_limit=100_000).run(wide_task(4, 200))


@pytest.mark.parametrize(
    "option", [{"metric": "dmm"}, {"mean": "max"}, {"time_limit": -1}, {"memory_limit": 0}, {"memory_limit": 1.5}]
)
def test_unknown_options_are_named(option: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match=next(iter(option))):
        Optimal(**option)


@pytest.mark.parametrize("seed", [5, 18])
def test_restarts_find_what_the_first_descent_has_missed(seed: int) -> None:
    """Four columns of eight values: the best of all 256 nodes."""
    rng = np.random.default_rng(seed)
    axes = tuple(axis_of_eight("uvwx"[j], rng.integers(0, 8, 40)) for j in range(4))
    search = lattice_of(Task(40, axes, (KAnonymity(3),)), "gcp")
    least = min(search.losses(list(product(*map(range, search.shape)))))
    wide = WideSearch(search, checks=2000)
    first = wide._plunged(tuple(wide.top.tolist()))
    assert first is not None
    assert wide._improved(first).loss > least
    assert WideSearches(search, checks=2000).run().loss == least


@pytest.mark.parametrize("seed", range(3))
def test_more_suppression_allowed_never_gives_more_loss(seed: int) -> None:
    """At the limits that every search looks at; a short search, so that none finds the best node anyway."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 6, 300)
    values = [np.where(rng.random(300) < 0.6, (group + j) % 8, rng.integers(0, 8, 300)) for j in range(12)]
    axes = tuple(axis_of_eight(f"c{j}", codes) for j, codes in enumerate(values))
    losses = []
    for share in (0.0, 0.01, 0.05, 0.2, 1.0):
        task = Task(300, axes, (KAnonymity(3),), max_suppressed=int(share * 300), seed=seed)
        losses.append(WideSearches(lattice_of(task, "gcp"), checks=250).run().loss)
    assert losses == sorted(losses, reverse=True)


def test_a_search_with_time_left_goes_on() -> None:
    task = Task(4, (axis_of_eight("x", np.array([0, 1, 2, 3])),), (KAnonymity(2),))
    now = time.monotonic()
    for deadline, over in ((None, False), (now + 10_000, False), (now - 10_000, True)):
        search = lattice_of(task, "gcp")
        search.deadline = deadline
        wide = WideSearch(search, checks=10)
        assert wide.over() is over
        assert deadline is None or wide.deadline <= max(deadline, now)


@pytest.mark.parametrize("seed", range(3))
def test_few_columns_are_bounded_by_their_best_node(seed: int) -> None:
    """Where all columns are one group and k alone is asked, the bound is the loss of the best of all nodes."""
    rng = np.random.default_rng(seed)
    axes = tuple(axis_of_eight("uv"[j], rng.integers(0, 8, 30)) for j in range(2))
    search = lattice_of(Task(30, axes, (KAnonymity(3),)), "gcp")
    least = min(search.losses(list(product(*map(range, search.shape)))))
    assert least > 0
    assert bound_of_all(search, math.inf) == pytest.approx(least)


def test_a_descent_proves_nothing() -> None:
    task = Task(4, (axis_of_eight("x", np.array([0, 2, 4, 6])),), (KAnonymity(4),))
    found = lattice_of(task, "gcp").descend((3,))
    assert found is not None
    assert found.node == (3,)
    assert not found.proven


def test_every_node_is_walked_only_where_there_is_room() -> None:
    """4^9 nodes take some 12 MB and half of the room."""
    axes = tuple(axis_of_eight(name, np.arange(8)) for name in "abcdefghi")
    task = Task(8, axes, (KAnonymity(2),))
    assert lattice_of(task, "gcp", memory_limit=1 << 28).can_walk
    assert not lattice_of(task, "gcp", memory_limit=1 << 24).can_walk
