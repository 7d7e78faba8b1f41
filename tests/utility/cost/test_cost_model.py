"""The loss model: the thesis' examples to the digit, and its laws on random trees."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent.errors import PlanError
from paravent.hierarchy.tree import Tree
from paravent.utility.cost import (
    METRICS,
    Conventions,
    CostModel,
    alterations,
    edge_weights,
    generalized_share,
    p1,
    p2,
    root_share,
    vmn,
)
from paravent.utility.cost.model import _ROOM

ORACLE: dict[str, Any] = tomllib.loads((Path(__file__).parents[2] / "oracles" / "cost_model.toml").read_text())
TOY = Tree.from_paths("q", ORACLE["toy"]["paths"])
FIG_5_3 = [Tree.from_paths("a", ORACLE["fig_5_3"]["a"]), Tree.from_paths("b", ORACLE["fig_5_3"]["b"])]


def nodes(tree: Tree, labels: list[str]) -> np.ndarray:
    return np.array([tree.node_of[label] for label in labels])


def test_cost_matrix_of_example_3_1_1() -> None:
    model = CostModel.of([TOY], {"q": ORACLE["toy"]["weights"]})
    assert model.matrix(0).tolist() == ORACLE["toy"]["matrix"]


@pytest.mark.parametrize("release", ORACLE["toy"]["releases"])
def test_alteration_of_example_3_1_2(release: dict[str, Any]) -> None:
    model = CostModel.of([TOY], {"q": ORACLE["toy"]["weights"]})
    before, after = [nodes(TOY, ORACLE["toy"]["original"])], [nodes(TOY, release["nodes"])]
    assert model.table(before, after) * model.unit == release["cost"]
    assert model.alteration(before, after) == release["alteration"]


@pytest.mark.parametrize("metric", list(METRICS))
def test_weights_of_the_seven_metrics(metric: str) -> None:
    a, b = edge_weights(FIG_5_3, metric)
    found = [a.of(FIG_5_3[0].node_of[label]) for label in ORACLE["fig_5_3"]["edges"][:3]]
    found.append(b.of(FIG_5_3[1].node_of["b1"]))
    assert found == [Fraction(weight) for weight in ORACLE["fig_5_3"]["weights"][metric]]


def test_column_weights() -> None:
    assert [p1([3, 2], j) for j in range(2)] == [Fraction(x) for x in ORACLE["fig_5_3"]["p1"]]
    assert [p2([3, 2], j) for j in range(2)] == [Fraction(x) for x in ORACLE["fig_5_3"]["p2"]]
    said = ORACLE["column_weights"]
    for j, expected in enumerate(said["adult_p1"]):
        assert float(p1(said["adult_heights"], j)) == pytest.approx(expected, abs=6e-6)
        assert float(p2(said["adult_heights"], j)) == pytest.approx(said["adult_p2"][j], abs=5e-5)
    for j, expected in enumerate(said["florida_p1"]):
        assert float(p1(said["florida_heights"], j)) == pytest.approx(expected, abs=6e-6)
    assert sum((h - 1) ** 9 for h in said["adult_heights"]) == 283_878


def test_a_single_column_is_guarded() -> None:
    assert p1([4], 0) == 1
    with pytest.raises(PlanError, match="p1"):
        CostModel.of([TOY], "wnllm", conventions=Conventions(single="error"))
    assert CostModel.of([TOY], "wnllm").most([np.array([0, 1])]) > 0


def test_leaf_counting_one_as_in_the_definition() -> None:
    weights = edge_weights([TOY], "ncp", Conventions(leaf_count=1))[0]
    assert weights.of(TOY.node_of["q1"]) == Fraction(1, 3)


@pytest.mark.parametrize("place", ["adult", "florida"])
def test_vmn_composes_over_intervals(place: str) -> None:
    """VMN[3, 15000] · 14997 is the sum of the pieces, each by its length, and the last trapezoid."""
    for row in ORACLE["vmn"][place]:
        lengths = [7, 90, 900, 9000]
        area = sum(length * piece for length, piece in zip(lengths, row["pieces"], strict=True)) + 2500 * row["ends"]
        assert area / 14997 == pytest.approx(row["whole"], abs=2e-3), row["name"]


@given(st.lists(st.integers(1, 40), min_size=3, max_size=12, unique=True), st.integers(0, 2**32 - 1))
def test_vmn_of_a_whole_is_made_of_its_parts(ks: list[int], seed: int) -> None:
    ks = sorted(ks)
    curve = dict(zip(ks, np.random.default_rng(seed).random(len(ks)).tolist(), strict=True))
    low, middle, high = ks[0], ks[len(ks) // 2], ks[-1]
    parts = vmn(curve, low, middle) * (middle - low) + vmn(curve, middle, high) * (high - middle)
    assert vmn(curve, low, high) * (high - low) == pytest.approx(parts)
    assert min(curve.values()) <= vmn(curve, low, high) <= max(curve.values())


def test_vmn_needs_its_ends() -> None:
    with pytest.raises(PlanError, match="both ends"):
        vmn({3: 1.0, 10: 2.0}, 3, 20)


@st.composite
def trees(draw: st.DrawFn) -> list[Tree]:
    found = []
    for j in range(draw(st.integers(1, 3))):
        n = draw(st.integers(1, 9))
        cut = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
        group = np.cumsum(cut) // 3
        paths = [[f"v{i}", f"g{g}", f"h{g // 2}", "*"] for i, g in enumerate(group.tolist())]
        found.append(Tree.from_paths(f"t{j}", paths))
    return found


@settings(max_examples=150, deadline=None)
@given(trees(), st.sampled_from(list(METRICS)), st.integers(0, 2**32 - 1))
def test_merge_costs_telescope_to_the_table_cost(some: list[Tree], metric: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = 8
    original = [rng.integers(0, tree.n_leaves, rows) for tree in some]
    model = CostModel.of(some, metric, rows=rows)
    assert model.exact
    classes = [([int(o[i]) for o in original], [i]) for i in range(rows)]
    spent = 0
    last = (0.0, 0.0, 0.0)
    while len(classes) > 1:
        a, b = sorted(rng.choice(len(classes), 2, replace=False).tolist())
        (x, rows_x), (y, rows_y) = classes[a], classes[b]
        spent += model.merge(x, len(rows_x), y, len(rows_y))
        met = [int(t.common(np.array([i]), np.array([j]))[0]) for t, i, j in zip(some, x, y, strict=True)]
        classes = [c for i, c in enumerate(classes) if i not in (a, b)] + [(met, rows_x + rows_y)]
        released = [np.empty(rows, dtype=int) for _ in some]
        for nodes_, members in classes:
            for j, node in enumerate(nodes_):
                released[j][members] = node
        assert model.table(original, released) == spent
        now = (
            float(np.mean(list(alterations(some, original, released).values()))),
            generalized_share(original, released),
            root_share(some, released),
        )
        assert all(after >= before - 1e-9 for before, after in zip(last, now, strict=True))
        last = now


@given(trees(), st.sampled_from(list(METRICS)))
def test_every_leaf_pays_the_same_to_the_root_under_normalised_metrics(some: list[Tree], metric: str) -> None:
    if metric in ("llm", "wllm"):
        return
    model = CostModel.of(some, metric)
    for tree, climb in zip(some, model.climb, strict=True):
        assert len(set(climb[: tree.n_leaves].tolist())) == 1


def test_weights_that_do_not_fit_are_rounded_and_say_so() -> None:
    tiny = {"q1": "1/1000000007", "q2": "1/998244353", "q12": 1, "q3": 1}
    model = CostModel.of([TOY], {"q": tiny}, rows=10**9)
    assert not model.exact
    assert float(model.climb[0][TOY.node_of["q3"]] * model.unit) == pytest.approx(1)
    assert int(model.climb[0].max()) * 10**9 < _ROOM  # the costs of all rows have room


def test_weights_of_columns_are_as_many_as_the_trees() -> None:
    with pytest.raises(ValueError, match="zip"):
        CostModel.of([TOY], "nllm", weights=[Fraction(1), Fraction(2)])


@pytest.mark.parametrize(
    ("weights", "problem"),
    [
        ({"q1": 1, "q2": 1, "q12": 1}, "'q3'"),
        ({"q1": -1, "q2": 1, "q12": 1, "q3": 1}, "negative"),
        ({"q1": "x", "q2": 1, "q12": 1, "q3": 1}, "no number"),
        ({"q1": 1, "q2": 1, "q12": 1, "q3": 1, "z": 1}, "no edge"),
    ],
)
def test_user_weights_are_checked(weights: dict[str, Any], problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        CostModel.of([TOY], {"q": weights})


def test_a_formula_weighs_every_edge() -> None:
    by_formula = CostModel.of(FIG_5_3, lambda tree, node: Fraction(int(tree.leaf_counts[tree.parent[node]]), 3))
    assert by_formula.climb[0][0] * by_formula.unit == Fraction(2, 3) + 1
    with pytest.raises(PlanError, match="negative"):
        CostModel.of(FIG_5_3, lambda _tree, _node: -1)


def test_an_unknown_metric_is_named() -> None:
    with pytest.raises(PlanError, match="Did you mean 'nllm'"):
        CostModel.of([TOY], "nlm")
