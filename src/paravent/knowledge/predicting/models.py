"""Predictors: one model for each method and metric, learnt from the cube when it is first asked for.

A number in the cube is taken apart: what the table costs at that k whatever the method (the *common* part), and what
the method adds. The common part is a model of all methods together. What a method adds is a constant, and a model of
its own beside it where that was the better guess on data sets that it had not seen. Errors that all methods share on a
new kind of table leave their order as it is.

That is how the tree and the other learners go about it, one model a method. Boosting takes all methods of a metric
together instead (`joint`), which ranks much better on data sets that it has not seen, and is what is taken unless
another learner is asked for.

Intervals are conformal, by data sets: each fifth of the data sets is left out in turn, and an interval is as wide as
nine in ten of the errors on what was left out, on the scale of the metric (Vovk et al. 2005; Barber et al. 2021).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
import polars as pl

from paravent.knowledge.cube.criteria import Metric
from paravent.knowledge.cube.criteria import metric as metric_named
from paravent.knowledge.cube.grid import KS
from paravent.knowledge.cube.settings import setting
from paravent.knowledge.cube.store import Cube, evaluations
from paravent.knowledge.descriptors import Descriptors
from paravent.knowledge.predicting.features import (
    NAMES,
    asked_k,
    facts_of,
    features,
    matrix,
    with_facts,
    worded,
)
from paravent.knowledge.predicting.joint import Joint
from paravent.knowledge.predicting.learners import JOINT, Learner, Model, learner
from paravent.knowledge.predicting.scales import BY_ODDS, as_seen, from_shares, promised, share_of, to_scale, to_shares
from paravent.knowledge.predicting.stored import stored
from paravent.knowledge.predicting.tree import RegressionTree

FOLDS = 5
COVERAGE = 0.9
LEAST_RUNS = 12
"""Fewer runs than these are no ground for a model."""
_TURNS = 15
_POOLED = 40
"""With fewer errors than these of its own, a method's interval takes those of all methods into account."""


@dataclass(frozen=True, eq=False)
class Point:
    """What is asked about: a table and the parameters of a method."""

    described: Descriptors
    k: int = 0
    l: int = 0  # noqa: E741 (the name it has in the literature)
    epsilon: float = 0.0
    suppression: float = 0.0

    @cached_property
    def features(self) -> np.ndarray:
        return features(self.described, self.k, self.l, self.epsilon, self.suppression)[None, :]

    def row(self, facts: Sequence[str]) -> np.ndarray:
        """The features, and after them these facts of the table's collapse."""
        return self._beside(self.features, facts)

    def between(self, facts: Sequence[str]) -> tuple[tuple[float, np.ndarray], ...]:
        """The features at the next k of the cube below and above, each with its weight by the logarithm of k. Trees go
        by steps from one k of the cube to the next, and what they model does not. Facts are those at the k itself."""
        below, above = (max((k for k in KS if k <= self.k), default=0), min((k for k in KS if k >= self.k), default=0))
        if not below or not above or below == above:
            return ((1.0, self.row(facts)),)
        share = float(np.log(self.k / below) / np.log(above / below))
        ends = ((1 - share, below), (share, above))
        return tuple((part, self._beside(replace(self, k=k).features, facts)) for part, k in ends)

    def _beside(self, features: np.ndarray, facts: Sequence[str]) -> np.ndarray:
        if not facts:
            return features
        said = self.described.at(asked_k(self.k, self.l), self.suppression, facts)
        return np.append(features, [[said[name] for name in facts]], axis=1)


def half_width(model: Fitted | OfJoint, rows: np.ndarray) -> np.ndarray:
    """How far the interval reaches on either side, on the scale of the metric, for each row of features."""
    return model.width * promised(model.metric, rows)


def middle(model: Fitted | OfJoint, point: Point) -> float:
    """What a model says about a point, on the scale of its metric."""
    between = point.between(model.facts)
    shares = [model.shares(as_seen(model.metric, rows))[0] for _, rows in between]
    mixed = sum(part * share for (part, _), share in zip(between, shares, strict=True))
    return float(from_shares(model.metric, np.array([mixed]), point.features)[0])


@dataclass(frozen=True, eq=False)
class Fitted:
    """A method's model: the common part, the constant that the method adds, its own model where there is one, the
    half-width of the interval, and the training rows."""

    metric: str
    facts: Sequence[str]
    common: Model
    constant: float
    own: Model | None
    width: float
    rows: np.ndarray

    def shares(self, rows: np.ndarray) -> np.ndarray:
        found = self.common.predict(rows) + self.constant
        return np.asarray(found if self.own is None else found + self.own.predict(rows))

    def predict(self, rows: np.ndarray) -> np.ndarray:
        return from_shares(self.metric, self.shares(rows), rows)

    def because(self, row: np.ndarray) -> Iterator[str]:
        """The cuts on the way to the prediction, in words: those of the common part, then of the method's own."""
        for model in (self.common, self.own):
            if isinstance(model, RegressionTree):
                for feature, cut, low in model.path(row):
                    about_odds = feature >= len(NAMES) and self.metric in BY_ODDS
                    said = worded((*NAMES, *self.facts)[feature], float(share_of(np.array(cut))) if about_odds else cut)
                    yield said if low else said.replace("≤", ">")


@dataclass(frozen=True, eq=False)
class OfJoint:
    """What the joint model of a metric says about one method."""

    metric: str
    model: Joint
    method: str
    rows: np.ndarray

    @property
    def facts(self) -> Sequence[str]:
        return self.model.facts

    @property
    def width(self) -> float:
        return self.model.widths[self.method]

    def shares(self, rows: np.ndarray) -> np.ndarray:
        return self.model.predict(self.method, rows)

    def predict(self, rows: np.ndarray) -> np.ndarray:
        return from_shares(self.metric, self.shares(rows), rows)

    def because(self, row: np.ndarray) -> Iterator[str]:  # noqa: ARG002
        """Nothing: hundreds of trees have no way that could be told."""
        return iter(())


@dataclass(frozen=True, eq=False)
class Apart:
    """Numbers taken apart: the common part of each cell (a table with its parameters), one row of each cell, and of
    each method the rows, the constant, and what is left of every row."""

    cells: np.ndarray
    first: np.ndarray
    rows: Mapping[str, np.ndarray]
    constant: Mapping[str, float]
    left: np.ndarray

    @classmethod
    def of(cls, target: np.ndarray, cell: np.ndarray, method: np.ndarray, kept: np.ndarray) -> Apart:
        """By turns: the mean of what methods leave, by cell, and of what cells leave, by method (least squares)."""
        places = np.flatnonzero(kept)
        cells, of_cell = np.unique(cell[places], return_inverse=True)
        methods, of_method = np.unique(method[places], return_inverse=True)
        own, common = target[places], np.zeros(len(cells))
        constant = np.zeros(len(methods))
        for _ in range(_TURNS):
            common = np.bincount(of_cell, own - constant[of_method]) / np.bincount(of_cell)
            constant = np.bincount(of_method, own - common[of_cell]) / np.bincount(of_method)
        first = np.zeros(len(cells), dtype=np.int64)
        first[of_cell[::-1]] = places[::-1]
        left = np.full(len(target), np.nan)
        left[places] = own - common[of_cell] - constant[of_method]
        rows = {str(name): places[of_method == at] for at, name in enumerate(methods.tolist())}
        return cls(common, first, rows, dict(zip(rows, constant.tolist(), strict=True)), left)


@dataclass(eq=False)
class Sheet:
    """Everything that the cube knows about one metric, as arrays, and the models learnt from it."""

    metric: Metric
    facts: Sequence[str]
    rows: np.ndarray
    target: np.ndarray
    method: np.ndarray
    data: np.ndarray
    table: np.ndarray
    cell: np.ndarray
    learner: str
    stored: Joint | None = None
    _apart: dict[int, tuple[Apart, Model]] = field(default_factory=dict)
    _fitted: dict[str, Fitted | OfJoint | None] = field(default_factory=dict)

    @classmethod
    def of(cls, cube: Cube, name: str, learner: str, model: Joint | None = None) -> Sheet:
        """What a cube knows about a metric; `model` is the joint model of it where it need not be learnt."""
        frame = cube.measured.filter(pl.col("metric") == name)
        size = frame["rows"].cast(pl.Float64).to_numpy()
        cell = frame.select(pl.struct("table", "k", "l", "epsilon", "suppression").rank("dense")).to_series().to_numpy()
        facts = facts_of(name) if cube.collapse is not None and model is None else ()
        rows = matrix(frame) if cube.collapse is None else as_seen(name, with_facts(frame, cube.collapse, facts))
        return cls(
            metric_named(name),
            facts,
            rows,
            to_shares(name, to_scale(name, frame["value"].to_numpy(), size), rows),
            frame["method"].to_numpy(),
            frame["data"].to_numpy(),
            frame["table"].to_numpy(),
            cell,
            learner,
            model,
        )

    @cached_property
    def learn(self) -> Learner:
        return learner(self.learner)

    @cached_property
    def joint(self) -> Joint:
        """The model of all methods together."""
        if self.stored is not None:
            return self.stored
        return Joint.fit(self.rows, self.target, self.method, self.table, self.data, self.facts)

    @cached_property
    def fold(self) -> np.ndarray:
        """The part of the data sets in which each row's is: by its place among the names, so that parts are even."""
        _, place = np.unique(self.data, return_inverse=True)
        return np.asarray(place % FOLDS)

    def apart(self, without: int = -1) -> tuple[Apart, Model]:
        """What was taken apart, without a part of the data sets, and the model of the common part."""
        if without not in self._apart:
            parts = Apart.of(self.target, self.cell, self.method, self.fold != without)
            self._apart[without] = parts, self.learn(self.rows[parts.first], parts.cells)
        return self._apart[without]

    def fitted(self, method: str) -> Fitted | OfJoint | None:
        """The model of a method; None where too little is known about it."""
        if method not in self._fitted:
            self._fitted[method] = self._fit(method)
        return self._fitted[method]

    def _fit(self, method: str) -> Fitted | OfJoint | None:
        if int((self.method == method).sum()) < LEAST_RUNS:
            return None
        if self.learner == JOINT:
            return OfJoint(self.metric.name, self.joint, method, self.rows[self.method == method])
        parts, common = self.apart()
        chosen = parts.rows[method]
        plain, better = self._errors(method)
        own = None
        if len(better) and better.mean() < plain.mean():
            own, plain = self.learn(self.rows[chosen], parts.left[chosen]), better
        width = _width(plain, self._all_errors)
        return Fitted(self.metric.name, self.facts, common, parts.constant[method], own, width, self.rows[chosen])

    def _errors(self, method: str) -> tuple[np.ndarray, np.ndarray]:
        """How far predictions are off on data sets that they have not seen: by the constant, and with a model beside
        it; the second is empty where there is too little to learn one from."""
        plain: list[np.ndarray] = []
        better: list[np.ndarray] = []
        for part in range(FOLDS):
            unseen = np.flatnonzero((self.method == method) & (self.fold == part))
            parts, common = self.apart(part)
            seen = parts.rows.get(method)
            if not len(unseen) or seen is None:
                continue
            off = self.target[unseen] - common.predict(self.rows[unseen]) - parts.constant[method]
            plain.append(np.abs(off))
            if len(seen) >= LEAST_RUNS:
                own = self.learn(self.rows[seen], parts.left[seen])
                better.append(np.abs(off - own.predict(self.rows[unseen])))
        whole = sum(map(len, better)) == sum(map(len, plain)) > 0
        return np.concatenate(plain) if plain else np.zeros(0), np.concatenate(better) if whole else np.zeros(0)

    def _all_errors(self) -> np.ndarray:
        """The errors of all methods by their constants: an interval for whom little is known about."""
        found = []
        for part in range(FOLDS):
            parts, common = self.apart(part)
            unseen = np.flatnonzero(self.fold == part)
            constant = np.array([parts.constant.get(str(name), np.nan) for name in self.method[unseen]])
            off = self.target[unseen] - common.predict(self.rows[unseen]) - constant
            found.append(np.abs(off[np.isfinite(off)]))
        return np.concatenate(found)


def _width(errors: np.ndarray, others: Callable[[], np.ndarray]) -> float:
    """As wide as nine in ten of the errors, one more counted than there are; with few of its own, no narrower than
    with all others half and half."""
    if len(errors) >= _POOLED:
        return _quantile(errors)
    pooled = _quantile(others())
    return pooled if not len(errors) else (max(_quantile(errors), pooled) + _quantile(errors)) / 2


def _quantile(errors: np.ndarray) -> float:
    share = min(1.0, COVERAGE * (len(errors) + 1) / len(errors))
    return float(np.quantile(errors, share))


@dataclass(eq=False)
class Predictors:
    """The models of a cube, by one learner. Those of the cube that ships are stored, where the learner is boosting."""

    cube: Cube
    learner: str = JOINT
    _sheets: dict[str, Sheet] = field(default_factory=dict)

    def sheet(self, metric: str) -> Sheet:
        """What is known about a metric."""
        name = metric_named(metric).name
        if name not in self._sheets:
            learner(self.learner)  # a name that does not exist is said before anything is read
            known = stored().get(name) if self.learner == JOINT and self.cube is evaluations() else None
            self._sheets[name] = Sheet.of(self.cube, name, self.learner, known)
        return self._sheets[name]

    def text(self, method: str, metric: str) -> str:
        """The models of a method as indented lines: the common part, what the method adds, and what the numbers are
        where they are not those of the metric."""
        label, fitted = setting(method).label, self.sheet(metric).fitted(setting(method).label)
        if fitted is None:
            return f"too little is known about {label} and {metric}."
        if isinstance(fitted, OfJoint):
            return f"a model of {self.learner} cannot be shown. Take the learner 'tree' to read one."
        lines = ["what all methods share:"]
        for model in (fitted.common, fitted.own):
            if isinstance(model, RegressionTree):
                names = enumerate((*NAMES, *fitted.facts))
                lines += list(model.text({place: partial(worded, name) for place, name in names}, 0, "    "))
            elif model is not None:
                lines.append(f"    (a model of {self.learner}, which cannot be shown)")
            if model is fitted.common:
                lines.append(f"what {label} adds: {fitted.constant:.4g}{'' if fitted.own is None else ', and'}")
        found = self.sheet(metric).metric
        if found.name in BY_ODDS:
            lines.append("(log odds: 0 stands for one half, -2.2 for a tenth)")
        elif found.logarithmic:
            lines.append("(natural logarithms)")
        return "\n".join(lines)
