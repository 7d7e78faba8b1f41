"""What can be learned from a release: a classifier that has seen nothing else, tested on real people."""

from __future__ import annotations

import numpy as np
import polars as pl

from paravent.errors import PlanError

_VALUES = 50
"""The most frequent values of a column that count one by one."""


def accuracy(released: pl.DataFrame, test: pl.DataFrame, target: str) -> float:
    """The share of real rows whose target a logistic regression tells right that was trained on released ones. Both
    hold cells of one spelling; numbers count by their size, other cells one by one.

    >>> seen = pl.DataFrame({"age": [20, 30, 60, 70] * 5, "ill": ["no", "no", "yes", "yes"] * 5})
    >>> accuracy(seen, pl.DataFrame({"age": [25, 65, 80], "ill": ["no", "yes", "no"]}), "ill")
    0.6666666666666666
    """
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise PlanError("this experiment needs scikit-learn: pip install 'paravent[learn]'.") from None
    classes, truth = _texts(released[target]), _texts(test[target])
    if len(np.unique(classes)) < 2:
        return float(np.mean(truth == classes[0]))
    names = [name for name in released.columns if name != target and name in test.columns]
    seen, asked = [], []
    for name in names:
        one, other = _features(released[name], test[name])
        seen.append(one)
        asked.append(other)
    model = LogisticRegression(max_iter=400, tol=1e-4)
    model.fit(np.column_stack(seen), classes)
    return float(np.mean(model.predict(np.column_stack(asked)) == truth))


def majority(target: pl.Series) -> float:
    """How often the most frequent value is right."""
    _, counts = np.unique(_texts(target), return_counts=True)
    return float(counts.max() / counts.sum())


def _texts(cells: pl.Series) -> np.ndarray:
    return cells.cast(pl.String).fill_null("").to_numpy()


def _features(released: pl.Series, test: pl.Series) -> tuple[np.ndarray, np.ndarray]:
    if released.dtype.is_numeric() and test.dtype.is_numeric():
        mean, spread = float(released.mean() or 0), float(released.std() or 0) or 1.0  # type: ignore[arg-type]
        scaled = [((cells.cast(pl.Float64) - mean) / spread).fill_null(0.0) for cells in (released, test)]
        return scaled[0].to_numpy()[:, None], scaled[1].to_numpy()[:, None]
    texts = [cells.cast(pl.String).fill_null("").alias("cells") for cells in (released, test)]
    counted = texts[0].value_counts(name="n").sort("n", "cells", descending=[True, False])
    known = counted["cells"].head(_VALUES).to_list()
    one, other = (np.column_stack([(cells == value).to_numpy() for value in known]).astype(float) for cells in texts)
    return one, other
