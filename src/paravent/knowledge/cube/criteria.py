"""Criteria: what a choice among methods is judged by, the metrics of each, and when a difference counts.

`better` says which way a metric points. `gap` says how two values are compared: by percentage points, or by the ratio
of the greater to the smaller. `thresholds` are the eight limits of the differences that count as intensities 1 to 8;
what lies above the last is a 9. Those of classification are published (Ben Fredj 2017, table 49), all others are ours,
and a user layer may change any of them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Literal

import numpy as np

from paravent.arguments import check_call
from paravent.errors import PlanError
from paravent.near import suggest

Better = Literal["lower", "higher"]
Gap = Literal["points", "ratio"]

PUBLISHED = "Ben Fredj 2017, table 49"
OURS = "our default"


@dataclass(frozen=True)
class Metric:
    """A number that a criterion is measured by. `measure` is its name among the measures of a release, without the
    column where it is about one; `logarithmic` where ratios of it mean more than differences."""

    name: str
    criterion: str
    better: Better
    title: str
    measure: str = ""
    logarithmic: bool = False
    unit: str = "share"

    @property
    def key(self) -> str:
        return self.measure or self.name


@dataclass(frozen=True)
class Criterion:
    """What somebody may care about. The first metric is the one that stands for it where nothing else is said."""

    name: str
    group: Literal["security", "quality", "cost"]
    title: str
    meaning: str
    gap: Gap
    thresholds: tuple[float, ...]
    source: str
    metrics: tuple[Metric, ...]
    requirement: str = ""

    @cached_property
    def metric(self) -> Metric:
        return self.metrics[0]

    @property
    def key(self) -> str:
        """The requirement of the knowledge that this is."""
        return self.requirement or self.name

    def intensity(
        self, first: float, second: float, metric: Metric | None = None, thresholds: Sequence[float] | None = None
    ) -> int:
        """How much better one value is than another on the scale of AHP: 1 (equal) to 9, negative where it is worse.
        Limits are those of the user's layer where it has some, else those that ship; `thresholds` are others.

        >>> criterion("classification").intensity(0.61, 0.54), criterion("classification").intensity(0.54, 0.65)
        (3, -5)
        """
        return int(self.intensities(np.array(first), np.array(second), metric, thresholds))

    def intensities(
        self,
        first: np.ndarray,
        second: np.ndarray,
        metric: Metric | None = None,
        thresholds: Sequence[float] | None = None,
    ) -> np.ndarray:
        """The same of many values beside others."""
        step = _apart(first, second, self.gap)
        limits = np.array(thresholds or self._in_use()) * (1 + 1e-9)
        place = 1 + (step[..., None] > limits).sum(axis=-1)
        ahead = (first > second) == ((metric or self.metric).better == "higher")
        return np.asarray(np.where(ahead | (place == 1), place, -place))

    def _in_use(self) -> Sequence[float]:
        """The limits of the user's layer, or our own where there is no layer or the knowledge is not installed."""
        from paravent.knowledge.layer.place import usual_path

        if not os.path.isfile(usual_path()):
            return self.thresholds
        try:
            from paravent.knowledge.loading import load

            return load().thresholds(self.key)
        except PlanError:
            return self.thresholds


def _apart(first: np.ndarray, second: np.ndarray, gap: Gap) -> np.ndarray:
    """Percentage points, or by how many percent the greater exceeds the smaller."""
    if gap == "points":
        return np.asarray(100 * np.abs(first - second))
    low, high = np.minimum(np.abs(first), np.abs(second)), np.maximum(np.abs(first), np.abs(second))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(low > 0, 100 * (high - low) / low, np.where(high == 0, 0.0, np.inf)))


_TABLE_49 = (2.0, 5.0, 8.0, 10.0, 12.0, 14.0, 16.0, 19.0)
_POINTS = (1.0, 3.0, 6.0, 10.0, 15.0, 20.0, 30.0, 40.0)
_FEW_POINTS = (0.5, 1.0, 2.0, 4.0, 6.0, 9.0, 12.0, 16.0)
_RATIO = (5.0, 15.0, 30.0, 50.0, 75.0, 100.0, 200.0, 400.0)
_TIMES = (25.0, 100.0, 200.0, 400.0, 900.0, 1900.0, 4900.0, 9900.0)

CRITERIA = MappingProxyType(
    {
        each.name: each
        for each in (
            Criterion(
                "security", "security", "Security", "Nobody is found in the release, and nothing is told about them.",
                "points", _POINTS, OURS,
                (
                    Metric("risk.prosecutor.max", "security", "lower", "Highest chance of being found"),
                    Metric("risk.prosecutor.average", "security", "lower", "Mean chance of being found"),
                    Metric("risk.attribute.disclosed", "security", "lower", "Rows whose sensitive value is given away"),
                    Metric("risk.attribute.belief", "security", "lower", "Strongest belief in a sensitive value"),
                ),
            ),
            Criterion(
                "completeness", "quality", "Completeness", "Every row of the table is in the release.",
                "points", _FEW_POINTS, OURS,
                (Metric("utility.completeness", "completeness", "higher", "Rows that are kept"),),
            ),
            Criterion(
                "precision", "quality", "Precision", "Cells still say what they said.",
                "points", _FEW_POINTS, OURS,
                (
                    Metric("utility.gcp", "precision", "lower", "Loss of the cells (GCP)"),
                    Metric("utility.prec", "precision", "higher", "Precision by tree levels (PREC)"),
                    Metric("utility.genloss", "precision", "lower", "Reach of the cells (GenILoss)"),
                    Metric("utility.dm", "precision", "lower", "Discernability (DM)", "", True, "rows"),
                    Metric("utility.cavg", "precision", "lower", "Mean class size over k (C_AVG)", "", True, "ratio"),
                ),
            ),
            Criterion(
                "classification", "quality", "Classification", "A class can still be predicted from the release.",
                "points", _TABLE_49, PUBLISHED,
                (
                    Metric("utility.learning.naive_bayes", "classification", "higher", "Accuracy of naive Bayes"),
                    Metric("utility.cm", "classification", "lower", "Rows that disagree with their class (CM)"),
                ),
            ),
            Criterion(
                "regression", "quality", "Regression", "A number can still be predicted from the release.",
                "points", _TABLE_49, OURS,
                (Metric("utility.regression", "regression", "lower", "Variance that classes do not tell"),),
            ),
            Criterion(
                "queries", "quality", "Counting", "Counts asked of the release are near those of the table.",
                "ratio", _RATIO, OURS,
                (Metric("utility.queries.are", "queries", "lower", "Mean error of counts", "", True, "ratio"),),
            ),
            Criterion(
                "distributions", "quality", "Distributions", "Columns and pairs of columns keep their shares.",
                "points", _FEW_POINTS, OURS,
                (
                    Metric("utility.shift", "distributions", "lower", "Rows to move to restore a column"),
                    Metric("utility.contingency", "distributions", "lower", "Rows to move to restore two columns"),
                    Metric("utility.marginals.1.mean", "distributions", "lower", "Distance of synthetic columns"),
                    Metric("utility.marginals.2.mean", "distributions", "lower", "Distance of synthetic pairs"),
                ),
                "distribution-preservation",
            ),
            Criterion(
                "time", "cost", "Time", "How long the method takes.",
                "ratio", _TIMES, OURS,
                (Metric("cost.seconds", "time", "lower", "Processor seconds of the method", "", True, "seconds"),),
                "execution-time",
            ),
            Criterion(
                "memory", "cost", "Memory", "How much memory the run takes beside the table.",
                "ratio", _TIMES, OURS,
                (Metric("cost.megabytes", "memory", "lower", "Memory taken by the run", "", True, "megabytes"),),
            ),
        )
    }
)  # fmt: skip

METRICS = MappingProxyType({metric.name: metric for each in CRITERIA.values() for metric in each.metrics})


def criterion(name: str) -> Criterion:
    """A criterion by its name."""
    check_call(criterion, locals())
    if name not in CRITERIA:
        raise PlanError(f"there is no criterion {name!r}. {suggest(name, CRITERIA)}")
    return CRITERIA[name]


def metric(name: str) -> Metric:
    """A metric by its name, or the one that stands for a criterion."""
    check_call(metric, locals())
    if name in CRITERIA:
        return CRITERIA[name].metric
    if name not in METRICS:
        raise PlanError(f"there is no metric {name!r}. {suggest(name, [*METRICS, *CRITERIA])}")
    return METRICS[name]
