"""The bound of wide lattices is never above what the best of all nodes loses: brute force."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.kernels import PricedLevel, Tuples
from paravent.methods import Task
from paravent.methods.full_domain import wide_bound
from paravent.methods.full_domain.below import Below
from paravent.methods.full_domain.lattice_search import LatticeSearch
from paravent.methods.full_domain.objectives import OBJECTIVES, objective_of
from paravent.methods.full_domain.wide_search import bound_of_all
from paravent.privacy import AlphaKAnonymity, KAnonymity, LDiversity, TCloseness

from ..generators.tasks import random_axis
from ..kernels.twins.lattice import outliers_twin


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    """Up to five columns, any allowance, other models beside or instead of k, rows that stand for several."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = draw(st.integers(3, 40))
    axes = tuple(
        random_axis(rng, f"c{j}", rows, sizes=(2, 8), depth=3, weights=(1, 1, 0.5, 50))
        for j in range(draw(st.integers(1, 5)))
    )
    k = KAnonymity(draw(st.integers(1, 6)))
    others = [LDiversity(2, "s"), LDiversity(1.7, "s", "entropy"), TCloseness(0.4, "s"), AlphaKAnonymity(0.7, 2, "s")]
    other = draw(st.sampled_from(others))
    models: tuple[Any, ...] = draw(st.sampled_from([(k,), (k,), (k, other), (other,)]))
    sensitive = {"s": rng.integers(0, 3, rows).astype(np.int32)} if other in models else {}
    times = rng.integers(1, 4, rows) if not sensitive and draw(st.booleans()) else None
    n_rows = rows if times is None else int(times.sum())
    if times is not None:
        axes = tuple(replace(axis, times=times) for axis in axes)
    limit = draw(st.sampled_from([0, 1, n_rows // 10, n_rows // 2, n_rows]))
    return Task(n_rows, axes, models, sensitive, max_suppressed=limit, times=times)


@settings(max_examples=300, deadline=None)
@given(
    tasks(),
    st.sampled_from(OBJECTIVES),
    st.sampled_from(["geometric", "arithmetic"]),
    st.sampled_from([0, 1, 7, 3000]),
    st.sampled_from([1, 6, 24]),
    st.sampled_from([3, 512]),
    st.sampled_from([(1,), (2, 3), (8, 12)]),
)
def test_never_above_the_best_node(
    task: Task, metric: str, mean: str, boxes: int, combined: int, grid: int, parts: tuple[int, ...]
) -> None:
    def made(k: int, weight: np.ndarray) -> Any:
        return objective_of(metric, mean, task.axes, k, weight)

    search = LatticeSearch(task, made, memory_limit=1 << 30)
    losses = [search.by_models(node) for node in product(*map(range, search.shape))]
    best = min(losses)
    if math.isinf(best):
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wide_bound, "_BOXES", boxes)
        patch.setattr(wide_bound, "_COMBINED", combined)
        patch.setattr(wide_bound, "_GRID", grid)
        patch.setattr(wide_bound, "_PARTS", parts)
        unlimited, limited = bound_of_all(search, math.inf), bound_of_all(search, best)
    event("tight" if limited > 0.99 * best else "loose")
    assert unlimited <= best * (1 + 1e-9) + 1e-9
    assert limited <= best
    worst = max(loss for loss in losses if loss < math.inf)
    assert bound_of_all(search, worst) <= best * (1 + 1e-9) + 1e-9


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(0, 60))
def test_outliers_below_a_node_are_those_of_all_tuples(seed: int, k: int, limit: int) -> None:
    rng = np.random.default_rng(seed)
    leaves = [int(n) for n in rng.integers(1, 9, 4)]
    priced = []
    for n in leaves:
        codes = [np.arange(n) // 2**step for step in range(3)]
        own = [PricedLevel(c.astype(np.int32), int(c.max()) + 1, np.zeros(n, dtype=np.int64)) for c in codes]
        priced.append(own)
    columns = [rng.integers(0, n, 30).astype(np.int32) for n in leaves]
    tuples = Tuples(columns, priced, rng.integers(1, 4, 30).astype(np.int32))
    high = rng.integers(0, 3, 4)
    some = sorted(rng.choice(4, 2, replace=False).tolist())
    levels = np.array(list(product(*(range(high[j] + 1) for j in some))))
    found = Below(tuples, high, k=k).outliers(some, levels, limit=limit)
    nodes = np.repeat(high[None], len(levels), axis=0)
    nodes[:, some] = levels
    expected = outliers_twin(tuples, nodes.astype(np.int32), k=k, limit=limit).rows
    assert ((found == expected) | ((found > limit) & (expected >= found))).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("suppression", [0.0, 0.1, 1.0])
def test_people_with_several_rows(seed: int, suppression: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said where the lattice is too large holds for what is proven where it is walked."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "id": np.repeat(np.arange(30), 2),
            "a": rng.integers(0, 16, 60),
            "b": np.repeat(rng.integers(0, 16, 30), 2),
            "c": rng.integers(0, 3, 60),
        }
    )
    plan = pv.Plan(
        {
            "id": pv.Identifier(),
            "a": pv.Quasi(pv.intervals(2, 4, 8)),
            "b": pv.Quasi(pv.intervals(2, 4, 8)),
            "c": pv.Quasi(pv.flat()),
        },
        [pv.KAnonymity(3)],
        pv.methods.Optimal(),
        suppression=suppression,
        person="id",
    )
    proven = pv.anonymize(pv.read(frame), plan).trace
    assert proven[-1] == "No other combination loses less."
    monkeypatch.setattr("paravent.methods.full_domain.lattice_search._MOST_NODES", 0)
    searched = pv.anonymize(pv.read(frame), plan).trace
    least = loss_of(proven)
    assert loss_of(searched) >= least - 1e-9
    if searched[-1].startswith("Not proven"):
        assert float(searched[-1].split("less than ")[1].split(" ")[0]) <= least * (1 + 1e-5)
    else:
        assert loss_of(searched) == pytest.approx(least)


def loss_of(trace: tuple[str, ...]) -> float:
    return float(trace[1].split("loss ")[1].split(",")[0])
