"""Learners: ways to make a model of numbers. The tree is our own and can be read; the others are scikit-learn's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from paravent.errors import PlanError
from paravent.knowledge.predicting.boosted import Boosted
from paravent.knowledge.predicting.tree import RegressionTree
from paravent.near import suggest


class Model(Protocol):
    """What a learner gives."""

    def predict(self, rows: np.ndarray) -> np.ndarray: ...


Learner = Callable[[np.ndarray, np.ndarray], Model]
JOINT = "boosting"
"""The learner that takes all methods of a metric together."""


def _tree(rows: np.ndarray, target: np.ndarray) -> Model:
    return RegressionTree.fit(rows, target, gain=0.002)


def _of_sklearn(make: Callable[[Any], Any]) -> Learner:
    def learn(rows: np.ndarray, target: np.ndarray) -> Model:
        try:
            import sklearn
        except ImportError:
            raise PlanError(
                "learner: scikit-learn is not installed. Take 'tree', or install it: pip install 'paravent[learn]'."
            ) from None
        model: Model = make(sklearn).fit(rows, target)
        return model

    return learn


def _forest(sklearn: Any) -> Any:  # noqa: ARG001
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(n_estimators=100, min_samples_leaf=2, max_features=0.5, random_state=0)


def _neighbours(sklearn: Any) -> Any:  # noqa: ARG001
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), KNeighborsRegressor(n_neighbors=5, weights="distance"))


def _linear(sklearn: Any) -> Any:  # noqa: ARG001
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), Ridge(alpha=1.0))


LEARNERS: Mapping[str, Learner] = {
    "tree": _tree,
    JOINT: Boosted.fit,
    "forest": _of_sklearn(_forest),
    "neighbours": _of_sklearn(_neighbours),
    "linear": _of_sklearn(_linear),
}
"""By name: our regression tree, gradient boosting, random forest, nearest neighbours, linear regression."""


def learner(name: str) -> Learner:
    """A learner by its name."""
    if name not in LEARNERS:
        raise PlanError(f"there is no learner {name!r}. {suggest(name, LEARNERS)}")
    return LEARNERS[name]
