"""The regression tree, cut by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest

from paravent.knowledge.predicting.tree import RegressionTree

ROWS = np.array([[1.0, 7.0], [2.0, 5.0], [3.0, 7.0], [10.0, 5.0], [11.0, 7.0], [12.0, 5.0]])
TARGET = np.array([1.0, 1.0, 1.0, 5.0, 5.0, 8.0])


def test_the_first_cut_lowers_the_squared_error_most() -> None:
    """Means 1 and 6: the error falls from 43.5 to 6; no other cut does as much."""
    tree = RegressionTree.fit(ROWS, TARGET, least=1, depth=1)
    assert (tree.feature.tolist(), tree.cut[0]) == ([0, -1, -1], 6.5)
    assert tree.mean.tolist() == [3.5, 1.0, 6.0]
    assert tree.count.tolist() == [6, 3, 3]
    assert tree.spread[2] == pytest.approx(np.sqrt(2))


def test_a_leaf_has_enough_rows() -> None:
    tree = RegressionTree.fit(ROWS, TARGET, least=2)
    assert min(tree.count[tree.feature < 0]) >= 2
    assert tree.predict(np.array([[2.0, 6.0], [11.0, 6.0]])).tolist() == [1.0, 6.0]
    assert RegressionTree.fit(ROWS, TARGET, least=4).mean.tolist() == [3.5]


def test_deeper_the_last_row_stands_alone() -> None:
    tree = RegressionTree.fit(ROWS, TARGET, least=1, depth=2)
    assert tree.predict(ROWS).tolist() == TARGET.tolist()


def test_ties_go_to_the_first_feature_and_the_lowest_cut() -> None:
    same = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    tree = RegressionTree.fit(same, np.array([0.0, 1.0, 1.0, 0.0]), least=1, depth=1)
    assert (int(tree.feature[0]), float(tree.cut[0])) == (0, 0.5)


def test_equal_values_are_not_cut_apart() -> None:
    tree = RegressionTree.fit(np.array([[1.0], [1.0], [1.0], [2.0]]), np.array([0.0, 5.0, 0.0, 5.0]), least=1)
    assert tree.cut[0] == 1.5


def test_nothing_to_cut_is_one_leaf() -> None:
    tree = RegressionTree.fit(ROWS, np.full(6, 2.0), least=1)
    assert tree.nodes() == [[-1, 0, -1, -1, 2, 0, 6]]


def test_it_comes_back_from_json() -> None:
    tree = RegressionTree.fit(ROWS, TARGET, least=1)
    again = RegressionTree.from_nodes(json.loads(json.dumps(tree.nodes())))
    assert again.predict(ROWS).tolist() == tree.predict(ROWS).tolist()


def test_it_can_be_read() -> None:
    tree = RegressionTree.fit(ROWS, TARGET, least=2, depth=1)
    lines = list(tree.text({0: lambda cut: f"k ≤ {cut:g}"}))
    assert lines == ["if k ≤ 6.5:", "    1 ± 0 (3 runs)", "else:", "    6 ± 1.4 (3 runs)"]
    assert list(tree.path(np.array([9.0, 0.0]))) == [(0, 6.5, False)]
