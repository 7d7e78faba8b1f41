"""Boosted trees (Friedman 2001) as data: many small trees whose answers add up.

scikit-learn grows them, on one thread and with a fixed seed; from then on they are arrays of numbers, which JSON holds.
A stored model answers without scikit-learn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from paravent.errors import PlanError

_SHAPE: Mapping[str, Any] = {
    "max_iter": 200,
    "learning_rate": 0.07,
    "max_leaf_nodes": 32,
    "min_samples_leaf": 15,
    "max_features": 0.35,
    "l2_regularization": 1.0,
    "early_stopping": False,
    "random_state": 0,
}


@dataclass(frozen=True, eq=False)
class Boosted:
    """Nodes of all trees as arrays: node i asks whether feature `feature[i]` is at most `cut[i]`, then goes to
    `left[i]` or `right[i]`; a leaf has feature −1 and answers `value[i]`. `roots` are where trees begin, and `base` is
    what their answers are added to."""

    base: float
    roots: np.ndarray
    feature: np.ndarray
    cut: np.ndarray
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray

    @classmethod
    def fit(cls, rows: np.ndarray, target: np.ndarray, weight: np.ndarray | None = None) -> Boosted:
        """The trees of training rows."""
        try:
            from sklearn.ensemble import HistGradientBoostingRegressor
            from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]
        except ImportError:
            raise PlanError(
                "learner: scikit-learn is not installed. Take 'tree', or install it: pip install 'paravent[learn]'."
            ) from None
        with threadpool_limits(1):  # threads that wait for one another take longer than one alone
            grown = HistGradientBoostingRegressor(**_SHAPE).fit(rows, target, sample_weight=weight)
        nodes = [np.asarray(trees[0].nodes) for trees in grown._predictors]
        sizes = np.array([len(each) for each in nodes], dtype=np.int64)
        roots = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        shift, every = np.repeat(roots, sizes), np.concatenate(nodes)
        leaf = every["is_leaf"].astype(bool)
        return cls(
            float(np.ravel(grown._baseline_prediction)[0]),
            roots,
            np.where(leaf, -1, every["feature_idx"]).astype(np.int64),
            np.where(leaf, 0.0, every["num_threshold"]),
            np.where(leaf, 0, every["left"] + shift).astype(np.int64),
            np.where(leaf, 0, every["right"] + shift).astype(np.int64),
            np.where(leaf, every["value"], 0.0),
        )

    def predict(self, rows: np.ndarray) -> np.ndarray:
        at = np.tile(self.roots, (len(rows), 1))
        row = np.arange(len(rows))[:, None]
        while True:
            asked = self.feature[at]
            inner = asked >= 0
            if not inner.any():
                return np.asarray(self.base + self.value[at].sum(axis=1))
            low = rows[row, np.maximum(asked, 0)] <= self.cut[at]
            at = np.where(inner, np.where(low, self.left[at], self.right[at]), at)

    def to_dict(self) -> dict[str, Any]:
        """What JSON holds; cuts and the answers of leaves are in one list, by six digits."""
        return {
            "base": _short(self.base),
            "roots": self.roots.tolist(),
            "feature": self.feature.tolist(),
            "left": self.left.tolist(),
            "right": self.right.tolist(),
            "cut": [_short(number) for number in np.where(self.feature >= 0, self.cut, self.value)],
        }

    @classmethod
    def from_dict(cls, held: Mapping[str, Any]) -> Boosted:
        """The trees of what `to_dict` gives.

        >>> one = {"base": 1.0, "roots": [0], "feature": [0, -1, -1], "left": [1, 0, 0], "right": [2, 0, 0]}
        >>> Boosted.from_dict({**one, "cut": [5.0, -0.5, 0.5]}).predict(np.array([[5.0], [6.0]])).tolist()
        [0.5, 1.5]
        """
        whole = {name: np.array(held[name], dtype=np.int64) for name in ("roots", "feature", "left", "right")}
        number = np.array(held["cut"], dtype=float)
        leaf = whole["feature"] < 0
        return cls(
            float(held["base"]),
            whole["roots"],
            whole["feature"],
            np.where(leaf, 0.0, number),
            whole["left"],
            whole["right"],
            np.where(leaf, number, 0.0),
        )


def _short(number: float) -> float:
    return float(f"{number:.6g}")
