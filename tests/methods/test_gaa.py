"""GAA: examples, its place beside GkAA, and a plain version of it on random tables."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent import kernels
from paravent.data.simulated import effective_values
from paravent.errors import InfeasibleError, PlanError
from paravent.hierarchy.tree import Tree
from paravent.kernels import TreeCosts, Values
from paravent.methods import GAA, GkAA, Target, Task
from paravent.methods.merging.strategy_choice import choose, choose_by_values, index, score
from paravent.privacy import KAnonymity, LDiversity, TCloseness

from ..generators.tasks import axes_of_eight, halved
from ..plain_trees import Node, PlainCosts, PlainTree

STRATEGIES: list[Any] = [1, 2, 3, 4, 5, 6, 7, "l", "t", "size"]


def eight_task(rng: np.random.Generator, rows: int, models: tuple[Any, ...]) -> Task:
    axes = axes_of_eight(rng, rows)
    codes = rng.integers(0, 3, rows).astype(np.int32)
    return Task(rows, axes, models, {"s": codes}, targets={"s": Target(codes, 3)})


@settings(max_examples=120, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), rows=st.integers(2, 40), k=st.integers(1, 12), random=st.booleans())
def test_strategy_1_under_k_anonymity_is_gkaa(seed: int, rows: int, k: int, random: bool) -> None:
    task = eight_task(np.random.default_rng(seed), rows, (KAnonymity(min(k, rows)),))
    tie_break: Any = "random" if random else "first"
    expected = GkAA(tie_break=tie_break).run(task)
    found = GAA(strategy=1, tie_break=tie_break).run(task)
    assert found.of_row.tolist() == expected.of_row.tolist()
    assert found.trace == expected.trace


def entropy(counts: Counter[int]) -> float:
    total = sum(counts.values())
    return -sum(n / total * math.log(n / total) for n in counts.values())


def plain_gaa(task: Task, strategy: Any, scope: str, fails: Any) -> set[frozenset[int]]:
    """GAA as it is printed (Mauger 2021, Alg. 2): lists of rows, costs and measures from their definitions."""
    costs = PlainCosts([PlainTree(halved(8, 2, axis.name)) for axis in task.axes], "nllm")
    cells = list(zip(*([axis.values[c] for c in axis.codes.tolist()] for axis in task.axes), strict=True))
    codes = task.targets["s"].codes.tolist()
    whole = Counter(codes)

    def far(rows: list[int]) -> float:
        counts = Counter(codes[i] for i in rows)
        return sum(abs(counts[v] / len(rows) - n / task.n_rows) for v, n in whole.items())

    def nodes(rows: list[int]) -> list[Node]:
        return costs.label([cells[i] for i in rows])

    @cache
    def lost(rows: tuple[int, ...]) -> int:
        return int(8 * costs.classes([[cells[i] for i in rows]]))  # eighths are whole: the trees have eight leaves

    def price(a: list[int], b: list[int]) -> int:
        return lost(tuple(a + b)) - lost(tuple(a)) - lost(tuple(b))

    def key(at: int, other: int) -> tuple[float, ...]:
        a, b = classes[at], classes[other]
        others = [c for i, c in enumerate(classes) if i not in (at, other)] if scope == "table" else []
        joined = a + b
        for same in [rows for rows in others if nodes(rows) == nodes(a + b)]:  # one class of the table with them
            joined = joined + same
            others.remove(same)
        spread = round(min(entropy(Counter(codes[i] for i in rows)) for rows in [joined, *others]), 8)
        away = round(max(far(rows) for rows in [joined, *others]), 8)
        cost = price(a, b)
        return {
            1: (cost,),
            2: (cost, -spread),
            3: (-spread, cost),
            4: (float(f"{cost / math.exp(spread):.6g}"), cost),
            5: (cost, away),
            6: (away, cost),
            7: (float(f"{cost * away:.6g}"), cost),
            "l": (-spread,),
            "t": (away,),
            "size": (len(a) + len(b), cost),
        }[strategy]

    tuples: dict[tuple[int, ...], list[int]] = {}
    for row in sorted(range(task.n_rows), key=lambda i: tuple(int(axis.codes[i]) for axis in task.axes)):
        tuples.setdefault(tuple(int(axis.codes[row]) for axis in task.axes), []).append(row)
    classes = list(tuples.values())
    while len(classes) > 1 and any(fails(rows) for rows in classes):
        at = min((c for c in range(len(classes)) if fails(classes[c])), key=lambda c: (len(classes[c]), c))
        partner = min((c for c in range(len(classes)) if c != at), key=lambda c: (key(at, c), c))
        joined = classes[at] + classes[partner]
        left = [rows for i, rows in enumerate(classes) if i not in (at, partner)]
        for same in [rows for rows in left if nodes(rows) == nodes(joined)]:
            joined = joined + same
            left.remove(same)
        classes = [*left, joined]
    return {frozenset(rows) for rows in classes}


@settings(max_examples=220, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(2, 16),
    strategy=st.sampled_from(STRATEGIES),
    scope=st.sampled_from(["table", "class"]),
    model=st.sampled_from(["k", "l", "k and t"]),
)
def test_the_printed_algorithm_gives_the_same_classes(
    seed: int, rows: int, strategy: Any, scope: Any, model: str
) -> None:
    rng = np.random.default_rng(seed)
    k = min(3, rows)
    models: dict[str, tuple[Any, ...]] = {
        "k": (KAnonymity(k),),
        "l": (LDiversity(2, "s"),),
        "k and t": (KAnonymity(2), TCloseness(0.4, "s")),
    }
    task = eight_task(rng, rows, models[model])
    codes = task.targets["s"].codes
    whole = np.bincount(codes, minlength=3)

    def fails(members: list[int]) -> bool:
        counts = np.bincount(codes[members], minlength=3)
        if model == "k":
            return len(members) < k
        if model == "l":
            return int((counts > 0).sum()) < 2
        away = sum(abs(int(c) * rows - int(w) * len(members)) for c, w in zip(counts, whole, strict=True))
        return len(members) < 2 or 5 * away > 2 * 2 * rows * len(members)  # half of L1 above 2/5

    method = GAA(strategy=strategy, scope=scope, column="s")
    expected = plain_gaa(task, strategy, scope, fails)
    if any(fails(list(members)) for members in expected):
        with pytest.raises(InfeasibleError):
            method.published(task)
        return
    found = method.published(task)
    assert {frozenset(np.flatnonzero(found.of_row == c).tolist()) for c in range(found.n_classes)} == expected


def test_example_4_1_1() -> None:
    """C1: s1 s1 s2 s2 s3, C2: s1 s2 s3; diversity 2.872 and 3, distances 1/20 and 1/12."""
    assert effective_values(np.array([2, 2, 1])) == pytest.approx(2.872, abs=5e-4)
    assert effective_values(np.array([1, 1, 1])) == pytest.approx(3)
    frame = pl.DataFrame({"q": ["c1"] * 5 + ["c2"] * 3, "s": ["s1", "s1", "s2", "s2", "s3", "s1", "s2", "s3"]})

    def holds(model: Any) -> bool:
        return bool(pv.verify(frame, pv.Plan({"q": pv.Quasi(), "s": pv.Sensitive()}, [model])))

    assert holds(LDiversity(2.871, "s", kind="entropy"))
    assert not holds(LDiversity(2.873, "s", kind="entropy"))
    assert holds(LDiversity(3, "s", kind="tolerance", epsilon=0.2))
    assert not holds(LDiversity(3, "s", kind="tolerance", epsilon=0.19))
    assert holds(LDiversity(2, "s", kind="tolerance", epsilon=0.0))
    assert holds(TCloseness(0.0834, "s"))
    assert not holds(TCloseness(0.0833, "s"))


def two_offers(small: int, large: int, sizes: list[int], values: list[list[int]], rule: str) -> int:
    """Class 0 may join class 1 or class 2, at the costs given; which one it joins."""
    tree = Tree.from_paths("q", [["a", "*"], ["b", "*"], ["c", "*"]])
    climb = np.array([0, small // sizes[1], large // sizes[2], 0], dtype=np.int64)
    start = np.cumsum([0, *map(len, values)])
    flat = np.array([v for part in values for v in part], dtype=np.int32)
    counts = np.ones(len(flat), dtype=np.int64)
    known = Values(start, flat, counts, np.bincount(flat).astype(np.int64))
    nodes = np.array([[0], [1], [2]], dtype=np.int32)
    costs = TreeCosts(tree.parent, tree.first, tree.last, climb)
    merges = kernels.merge_guided(nodes, np.array(sizes, dtype=np.int64), [costs], known, rule=rule, k=2)
    return int(merges.right[0])


def test_examples_4_3_1() -> None:
    """Cost 3 at l = 2 and cost 12 at l = 8 tie at 1.5: the cheaper one is taken, and a little less decides."""
    sizes, values = [1, 1, 7], [[0], [1], [1, 2, 3, 4, 5, 6, 7]]
    assert two_offers(21, 84, sizes, values, "cost/l") == 1  # in sevenths
    assert two_offers(21, 77, sizes, values, "cost/l") == 2


def test_examples_4_3_2() -> None:
    """Cost 3 at t and cost 12 at t / 4 tie: the cheaper one is taken, and a little less decides."""
    sizes, values = [1, 1, 3], [[0], [0], [1, 2, 3]]  # t = 6/5 and 3/10 in L1
    assert two_offers(3, 12, sizes, values, "cost*t") == 1
    assert two_offers(3, 9, sizes, values, "cost*t") == 2


def test_a_candidate_that_is_as_close_as_can_be_wins_by_its_cost() -> None:
    """With t = 0 the product is 0 whatever a merge costs: the cheaper one is taken, not the first."""
    sizes, values = [1, 1, 1], [[0], [0], [0]]
    assert two_offers(9, 5, sizes, values, "cost*t") == 2


def test_the_choice_of_8_strategies_in_the_source() -> None:
    """Adult with five equally frequent values: indices of alteration, l and t; S6 is chosen."""
    given_indices = {
        1: ([0, 208, 251], 153, 109, 262),
        2: ([22, 255, 255], 177, 109, 286),
        3: ([194, 76, 77], 115, 55, 170),
        4: ([13, 191, 230], 144, 94, 238),
        5: ([255, 0, 0], 85, 120, 205),
        6: ([158, 76, 94], 109, 35, 144),
        7: ([236, 70, 44], 116, 85, 201),
    }
    for strategy, (indices, mean, deviation, total) in given_indices.items():
        found = score(indices)
        assert (int(found.mean), int(found.deviation)) == (mean, deviation), strategy
        assert int(found.mean) + int(found.deviation) == total
    assert choose({strategy: indices for strategy, (indices, *_) in given_indices.items()}) == 6


def test_indices_run_from_best_to_worst() -> None:
    assert index({"a": 5.0, "b": 5.0}) == {"a": 0.0, "b": 0.0}
    assert index({"a": 1.0, "b": 2.0, "c": 3.0}, more_is_better=True) == {"a": 255.0, "b": 127.5, "c": 0.0}
    assert choose_by_values({1: 10.0, 2: 50.0, 3: 12.0}, {1: 1.0, 2: 3.0, 3: 2.9}, {1: 0.9, 2: 0.1, 3: 0.15}) == 3


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_plans_releases_and_sweeps(strategy: Any) -> None:
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"a": rng.integers(0, 40, 60), "s": [f"s{i}" for i in rng.integers(0, 4, 60).tolist()]})
    method = GAA(strategy=strategy, column="s", scope="class")
    columns = {"a": pv.Quasi(pv.intervals(5, 10, 20)), "s": pv.Sensitive()}
    plan = pv.Plan(columns, [KAnonymity(3), LDiversity(3, "s")], method)
    assert pv.Plan.from_document(plan.to_document()).method == method
    assert pv.anonymize(frame, plan).verdict
    found = pv.k_sweep(frame, pv.Plan(columns, [KAnonymity(2)], method), ks=[2, 6, 20])
    for k in found.ks:
        alone = pv.anonymize(frame, pv.Plan(columns, [KAnonymity(k)], method))
        assert found.release(k).frame.equals(alone.frame)
        assert np.bincount(found.classes(k)).min() >= k
        assert len(np.unique(found.classes(k))) == len(alone.classes)
    with pytest.raises(PlanError, match="k-anonymity only"):
        pv.k_sweep(frame, plan, ks=[2])


def test_the_smallest_merges_say_which_k_comes_with_a_demand() -> None:
    rng = np.random.default_rng(9)
    task = eight_task(rng, 60, (LDiversity(3, "s"),))
    found = GAA(strategy="size").published(task)
    k = int(np.bincount(found.of_row).min())
    assert found.trace[-1].endswith(f"so k is {k}.")
    assert k >= 3


def test_what_cannot_hold_is_said() -> None:
    task = eight_task(np.random.default_rng(1), 20, (LDiversity(4, "s"),))
    with pytest.raises(InfeasibleError, match="as a whole"):
        GAA().run(task)


@pytest.mark.parametrize(
    "option", [{"strategy": 8}, {"strategy": True}, {"scope": "row"}, {"metric": "dm"}, {"tie_break": "last"}]
)
def test_unknown_options_are_named(option: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match=next(iter(option))):
        GAA(**option)


def test_a_strategy_without_its_column_is_refused() -> None:
    with pytest.raises(PlanError, match="column="):
        GAA(strategy=3)
