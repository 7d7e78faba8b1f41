"""KACA's stub step in GkAA: a plain version of it, what it promises, and what it saves."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.errors import InfeasibleError, PlanError
from paravent.methods import GAA, GkAA, Task
from paravent.methods.merging.criteria import table_criteria
from paravent.privacy import KAnonymity, LDiversity
from paravent.utility.cost.axes import axis_costs

from ..generators.tasks import axis_of_eight


def lumpy_task(seed: int, rows: int, k: int) -> Task:
    """Few values, so that classes are large enough to give."""
    rng = np.random.default_rng(seed)
    axes = []
    for j in range(int(rng.integers(1, 4))):
        share = rng.dirichlet(np.full(8, 0.4))
        axes.append(axis_of_eight("xyz"[j], rng.choice(8, rows, p=share)))
    return Task(rows, tuple(axes), (KAnonymity(k),))


def plain(task: Task, k: int) -> set[frozenset[int]]:
    """Lists of rows with the nodes they show: the smallest class joins the cheapest, or takes the last rows of it."""
    _, costs = axis_costs(task.axes, "nllm", rows=task.n_rows)

    def meet(a: list[int], b: list[int]) -> list[int]:
        return [
            int(c.tree.ancestor(c.tree.first[[min(x, y, key=lambda v, c=c: c.tree.first[v])]],  # type: ignore[misc]
                                c.tree.last[[max(x, y, key=lambda v, c=c: c.tree.last[v])]])[0])  # type: ignore[misc]
            for c, x, y in zip(costs, a, b, strict=True)
        ]  # fmt: skip

    def climb(shown: list[int], met: list[int]) -> int:
        return sum(int(c.climb[x] - c.climb[y]) for c, x, y in zip(costs, shown, met, strict=True))

    found: dict[tuple[int, ...], list[int]] = {}
    for row in sorted(range(task.n_rows), key=lambda i: tuple(int(axis.codes[i]) for axis in task.axes)):
        found.setdefault(tuple(int(axis.codes[row]) for axis in task.axes), []).append(row)
    classes = [(list(nodes), rows) for nodes, rows in found.items()]
    while len(classes) > 1 and min(len(rows) for _, rows in classes) < k:
        at = min(range(len(classes)), key=lambda c: (len(classes[c][1]), c))
        shown, rows = classes[at]

        def price(c: int) -> int:
            other, theirs = classes[c]  # noqa: B023
            met = meet(shown, other)  # noqa: B023
            many = k - len(rows) if len(theirs) >= 2 * k - len(rows) else len(theirs)  # noqa: B023
            return climb(shown, met) * len(rows) + climb(other, met) * many  # noqa: B023

        partner = min((c for c in range(len(classes)) if c != at), key=lambda c: (price(c), c))
        other, theirs = classes[partner]
        met = meet(shown, other)
        missing = k - len(rows)
        if len(theirs) - missing >= k and met != other:
            classes[partner] = (other, theirs[:-missing])
            made, left = (met, rows + theirs[-missing:]), [c for i, c in enumerate(classes) if i != at]
        else:
            made, left = (met, theirs + rows), [c for i, c in enumerate(classes) if i not in (at, partner)]
        for same in [c for c in left if c[0] == met]:
            left.remove(same)
            made = (met, made[1] + same[1])
        classes = [*left, made]
    shown_by: dict[tuple[int, ...], list[int]] = {}
    for _, rows in classes:
        low = [int(axis.codes[rows].min()) for axis in task.axes]
        high = [int(axis.codes[rows].max()) for axis in task.axes]
        nodes = tuple(
            int(c.tree.ancestor(np.array([a]), np.array([b]))[0]) for c, a, b in zip(costs, low, high, strict=True)
        )
        shown_by.setdefault(nodes, []).extend(rows)
    return {frozenset(rows) for rows in shown_by.values()}


@settings(max_examples=220, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), rows=st.integers(2, 60), k=st.integers(1, 8))
def test_a_plain_version_gives_the_same_classes(seed: int, rows: int, k: int) -> None:
    k = min(k, rows)
    task = lumpy_task(seed, rows, k)
    found = GkAA(stubs=True).run(task)
    classes = {frozenset(np.flatnonzero(found.of_row == c).tolist()) for c in range(found.n_classes)}
    assert classes == plain(task, k)
    assert min(map(len, classes)) >= k


def test_stubs_lower_the_cost_on_adult() -> None:
    frame = pv.data.adult().frame.head(3000)
    columns = {name: pv.Quasi(str(pv.data.adult_tree_path(name))) for name in pv.data.ADULT_TREES}
    lost = {}
    for stubs in (False, True):
        plan = pv.Plan({**columns, "fnlwgt": pv.Insensitive()}, [KAnonymity(5)], GkAA(stubs=stubs), person=None)
        assert pv.Plan.from_document(plan.to_document()).method == plan.method
        release = pv.anonymize(frame, plan)
        assert release.verdict
        lost[stubs] = release.measure()["utility.alteration.nllm"]
    assert lost[True] < lost[False]


def test_the_seed_decides_only_where_ties_are_drawn() -> None:
    task = lumpy_task(3, 50, 4)
    first = GkAA(stubs=True).run(task)
    assert first.of_row.tolist() == GkAA(stubs=True).run(task).of_row.tolist()
    drawn = GkAA(stubs=True, tie_break="random").run(task)
    assert np.bincount(drawn.of_row).min() >= 4
    assert table_criteria(task.axes, drawn.of_row, drawn.n_classes, GkAA()).alteration <= 100


def test_gaa_by_cost_with_stubs_is_gkaa_with_stubs() -> None:
    task = lumpy_task(7, 60, 5)
    assert GAA(stubs=True).run(task).of_row.tolist() == GkAA(stubs=True).run(task).of_row.tolist()


def test_what_stubs_do_not_do_is_said() -> None:
    frame = pl.DataFrame({"a": [1, 2, 3, 4], "s": ["x", "y", "x", "y"]})
    columns: dict[str, Any] = {"a": pv.Quasi(pv.intervals(2)), "s": pv.Sensitive()}
    with pytest.raises(PlanError, match="stubs"):
        pv.anonymize(frame, pv.Plan(columns, [LDiversity(2, "s")], GkAA(stubs=True)))
    with pytest.raises(PlanError, match="shards"):
        GkAA(stubs=True, shards=2)
    with pytest.raises(PlanError, match="one k"):
        pv.k_sweep(frame, {"a": pv.intervals(2)}, GkAA(stubs=True), ks=[2])
    with pytest.raises(InfeasibleError):
        GkAA(stubs=True).run(lumpy_task(1, 3, 4))
