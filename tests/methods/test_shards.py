"""GkAA in parts: every class has k rows, no row is lost, and little more is."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.errors import InfeasibleError, PlanError
from paravent.methods import GkAA
from paravent.methods.merging.criteria import table_criteria
from paravent.methods.merging.shards import parts
from paravent.plan.encode import encode

TREES = {"a": pv.Quasi(pv.intervals(3, 6, 12)), "b": pv.Quasi(pv.flat())}


def frame(seed: int, rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame({"a": rng.integers(0, 60, rows), "b": [f"v{i}" for i in rng.integers(0, 5, rows).tolist()]})


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), rows=st.integers(1, 120), k=st.integers(1, 20), shards=st.integers(2, 12))
def test_parts_together_keep_their_promise(seed: int, rows: int, k: int, shards: int) -> None:
    plan = pv.Plan(TREES, [pv.KAnonymity(k)], GkAA(shards=shards))
    if k > rows:
        with pytest.raises(InfeasibleError):
            pv.anonymize(frame(seed, rows), plan)
        return
    release = pv.anonymize(frame(seed, rows), plan)
    assert release.verdict
    assert release.frame.height == rows


@given(st.lists(st.integers(1, 9), min_size=1, max_size=40), st.integers(1, 10), st.integers(1, 12))
def test_parts_are_large_enough_and_miss_nothing(sizes: list[int], count: int, k: int) -> None:
    weights = np.array(sizes, dtype=np.int64)
    found = parts(weights, count, k)
    assert np.concatenate(found).tolist() == list(range(len(sizes)))
    if sum(sizes) >= k:
        assert all(weights[part].sum() >= k for part in found)
    assert len(found) <= count


def test_the_extra_loss_on_adult_is_small() -> None:
    table = pv.data.adult()
    columns = {name: pv.Quasi(str(pv.data.adult_tree_path(name))) for name in pv.data.ADULT_TREES}
    axes = encode(table, pv.Plan(columns, [pv.KAnonymity(10)]))
    task = pv.methods.Task(len(table), axes, (pv.KAnonymity(10),))
    lost = []
    for shards in (1, 8):
        method = GkAA(shards=shards)
        found = method.run(task)
        lost.append(table_criteria(axes, found.of_row, found.n_classes, method).alteration)
    assert lost[1] - lost[0] < 4


def test_what_parts_cannot_do_is_said() -> None:
    with pytest.raises(PlanError, match="shards"):
        GkAA(shards=0)
    with pytest.raises(PlanError, match="no tables on the way"):
        pv.k_sweep(frame(1, 20), TREES, GkAA(shards=2), ks=[2])
    mixed = pv.Plan({**TREES, "b": pv.Sensitive()}, [pv.KAnonymity(2), pv.LDiversity(2, "b")], GkAA(shards=2))
    with pytest.raises(PlanError, match="k-anonymity only"):
        pv.anonymize(frame(1, 20), mixed)
