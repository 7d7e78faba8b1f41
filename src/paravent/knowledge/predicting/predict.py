"""What a method would give on a table, before it is run: published numbers, the cube, or landmarks.

A number of the literature is given as it is where everything that its source says about table and parameters fits. All
else is predicted from the cube. Where the cube has no run like it, there is no prediction.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl

from paravent.knowledge.cube.criteria import metric as metric_named
from paravent.knowledge.cube.settings import setting
from paravent.knowledge.cube.store import Cube, evaluations
from paravent.knowledge.predicting.features import NAMES
from paravent.knowledge.predicting.layered import of_layer
from paravent.knowledge.predicting.learners import JOINT
from paravent.knowledge.predicting.models import Fitted, OfJoint, Point, Predictors, half_width, middle
from paravent.knowledge.predicting.prediction import Prediction
from paravent.knowledge.predicting.scales import as_seen, from_scale, limits

_ALIKE = {"columns": 2.0, "k": 2.0, "rows_per_k": 2.5, "rows": 4.0}
"""A run is like another if these features lie no further apart: quasi-identifiers, and binary logarithms."""
_OF_SIZE = ("cost.seconds", "cost.megabytes")
"""Metrics that depend on the number of rows itself."""


@cache
def predictors(learner: str = JOINT) -> Predictors:
    """The models of the cube that ships."""
    return Predictors(evaluations(), learner)


def predict_one(models: Predictors, method: str, metric: str, point: Point) -> Prediction:
    """What a method is expected to give on a table, with an interval and what it rests on."""
    label, name = setting(method).label, metric_named(metric).name
    known = of_layer(label, name, point) or published(models.cube, label, name, point)
    if known is not None:
        return known
    fitted = models.sheet(name).fitted(label)
    if fitted is None:
        return Prediction.abstained(label, name, f"the cube has too few runs of {label} with {name}.")
    support = _support(fitted, name, point)
    if not support:
        return Prediction.abstained(label, name, f"no run of {label} in the cube is like it in rows, columns and k.")
    rows = np.array([float(point.described.rows)])
    ends = middle(fitted, point) + half_width(fitted, point.features) * np.array([[0.0], [-1.0], [1.0]])
    value, low, high = (float(from_scale(name, end, rows)[0]) for end in ends)
    because = tuple(fitted.because(as_seen(name, point.row(fitted.facts))[0]))
    return Prediction(label, name, value, low, high, "cube", support, because=because)


def published(cube: Cube, method: str, metric: str, point: Point) -> Prediction | None:
    """The number of the literature that fits: same method and metric, k, quasi-identifiers and shape of the table. What
    a source leaves open cannot fit, and neither can a number that no table of this size can have."""
    if not cube.is_published(method, metric):
        return None
    found = cube.published.filter(
        pl.col("method") == method,
        pl.col("metric") == metric,
        pl.col("k") == point.k,
        pl.col("columns") == point.described.columns,
        pl.col("shape") == point.described.shape,
        pl.col("rows").is_null() | (pl.col("rows") == point.described.rows),
    )
    if point.l or not len(found):
        return None
    row = found.row(0, named=True)
    low, high = limits(metric, np.array(float(point.described.rows)))
    if not float(low) <= row["value"] <= float(high):
        return None
    return Prediction(method, metric, row["value"], row["value"], row["value"], "published", 1, source=row["source"])


def _support(fitted: Fitted | OfJoint, metric: str, point: Point) -> int:
    """The runs that a prediction rests on: those with about as many quasi-identifiers, rows and as large a k."""
    here = point.features[0]
    alike = np.ones(len(fitted.rows), dtype=bool)
    for name, most in _ALIKE.items():
        place = NAMES.index(name)
        reach = most if name != "rows" or metric in _OF_SIZE else np.inf
        alike &= np.abs(fitted.rows[:, place] - here[place]) <= reach + 1e-9
    asked = NAMES.index("l")
    alike &= (fitted.rows[:, asked] > 0) == (here[asked] > 0) if here[asked] > 0 else True
    return int(alike.sum())
