"""predict: what plans would give on a table, by every metric that is asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from paravent.arguments import Checked, check_call
from paravent.errors import PlanError
from paravent.knowledge.cube.criteria import CRITERIA
from paravent.knowledge.cube.criteria import metric as metric_named
from paravent.knowledge.cube.run import USAGE
from paravent.knowledge.cube.settings import label_of
from paravent.knowledge.descriptors import Descriptors, describe
from paravent.knowledge.predicting.features import NAMES
from paravent.knowledge.predicting.landmarks import Order, Probe, probe
from paravent.knowledge.predicting.leaning import leaned
from paravent.knowledge.predicting.learners import JOINT
from paravent.knowledge.predicting.models import Point, Predictors, half_width, middle
from paravent.knowledge.predicting.predict import predict_one, predictors
from paravent.knowledge.predicting.prediction import Prediction
from paravent.knowledge.predicting.scales import from_scale, to_scale
from paravent.knowledge.predicting.settle import HASTE, alone, exact, in_haste, noise, unhurried, usable
from paravent.plan.plan import Plan
from paravent.plan.runner import as_table
from paravent.privacy import ColumnAnonymity, DifferentialPrivacy, KAnonymity, LDiversity
from paravent.privacy.k_anonymity import k_asked


@dataclass(frozen=True, eq=False)
class Outlook(Checked):
    """What a plan is expected to give: predictions by metric, and the probes that were made for it."""

    plan: Plan
    method: str
    predictions: Mapping[str, Prediction]
    probes: tuple[Probe, ...] = ()

    def __getitem__(self, metric: str) -> Prediction:
        """The prediction of a metric, or of the metric that stands for a criterion."""
        return self.predictions[metric_named(metric).name]

    def __str__(self) -> str:
        return "\n".join([self.method, *(f"  {name}: {each}" for name, each in self.predictions.items())])


def predict(
    source: Any,
    plans: Plan | Sequence[Plan],
    metrics: Sequence[str] = (),
    *,
    seconds: float = 0.0,
    learner: str = JOINT,
    target: str | None = None,
    number: str | None = None,
    cube: Predictors | None = None,
    first: Order = (),
    clock: Callable[[], float] = time.monotonic,
    described: dict[tuple[str, ...], Descriptors] | None = None,
) -> list[Outlook]:
    """What plans would give on a table, before they are run.

    `metrics` are names of metrics or of criteria (the first metric of each criterion where none is named). `seconds`
    may be spent on runs on the table itself: small samples first, the whole where it fits. `learner` makes the models:
    `boosting`, which ranks best, `tree`, which can be read, or `forest`, `neighbours`, `linear`. `target` is the
    column to classify (the first sensitive one where none is named) and `number` the one to predict. `cube` gives
    models of another cube. `first` are the places of plans to try before others, or tells them from what was measured,
    and `clock` is what seconds are read from. `described` takes what the table is found to be like, for another call
    about the same table, target and number.

    >>> import paravent as pv
    >>> plan = pv.Plan({"age": pv.Quasi(), "salary-class": pv.Sensitive()}, pv.KAnonymity(5), pv.methods.Mondrian())
    >>> outlook = predict(pv.data.adult().frame.head(1000), plan, ["precision"])[0]
    >>> outlook["precision"].evidence
    'cube'
    """
    check_call(predict, locals())
    if not 0 <= seconds < float("inf"):
        raise PlanError(f"predict: seconds={seconds!r} must be a number from 0.")
    table, models = as_table(source), cube or predictors(learner)
    plans = [plans] if isinstance(plans, Plan) else list(plans)
    names = [metric_named(name).name for name in metrics] or [each.metric.name for each in CRITERIA.values()]
    described = {} if described is None else described
    for plan in plans:
        key = (*plan.quasi, *plan.sensitive)
        if key not in described:
            described[key] = describe(table, plan, target, number=number)
    probes: list[list[Probe]] = [[] for _ in plans]
    if seconds > 0:
        asked = target or next((name for plan in plans for name in plan.sensitive), None)
        usage = [name for name in names if name in USAGE]
        begun = clock()
        prior = thought(models, [(plan, described[(*plan.quasi, *plan.sensitive)]) for plan in plans])
        left = max(0.0, seconds - (clock() - begun))
        options: dict[str, Any] = {"usage": usage, "target": asked, "number": number, "metrics": names}
        probes = probe(table, plans, left, **options, prior=prior, first=first, clock=clock)
    found: list[Outlook] = []
    for plan, seen in zip(plans, probes, strict=True):
        point = point_of(plan, described[(*plan.quasi, *plan.sensitive)])
        label = label_of(plan.method)
        strange = unlike(plan)
        predictions = {name: settled(None if strange else models, label, name, point, seen) for name in names}
        if strange and not seen:
            predictions = {name: Prediction.abstained(label, name, strange) for name in names}
        found.append(Outlook(plan, label, MappingProxyType(predictions), tuple(seen)))
    if any(not outlook.probes for outlook in found) and any(outlook.probes for outlook in found):
        points = [point_of(plan, described[(*plan.quasi, *plan.sensitive)]) for plan in plans]
        return _leaned(found, models, points, names, len(table))
    return found


def _leaned(
    found: Sequence[Outlook], models: Predictors, points: Sequence[Point], names: Sequence[str], rows: int
) -> list[Outlook]:
    """What was not run, moved by how far the cube was wrong about what was."""
    made: list[dict[str, Prediction]] = [dict(each.predictions) for each in found]
    for name in names:
        cube = [
            predict_one(models, each.method, name, point)
            if exact(each.probes, name) is not None and not unlike(each.plan)
            else None
            for each, point in zip(found, points, strict=True)
        ]
        told = leaned(name, [each.predictions[name] for each in found], cube, [each.probes for each in found], rows)
        for own, prediction in zip(made, told, strict=True):
            own[name] = prediction
    return [replace(each, predictions=MappingProxyType(own)) for each, own in zip(found, made, strict=True)]


def unlike(plan: Plan) -> str:
    """Why the cube has no runs like a plan, whatever the table: a treatment, or a promise that it never asked for."""
    if plan.treat:
        return f"the cube has no runs in which {type(plan.treat[0]).__name__} changed values before the method."
    varied = [each for each in _VARIED if getattr(plan.method, each, None) != _usual(type(plan.method), each)]
    if varied:
        told = f"{varied[0]}={getattr(plan.method, varied[0])!r}"
        return f"the cube has no runs of {type(plan.method).__name__} with {told}."
    for promise in plan.protect:
        if not isinstance(promise, KAnonymity | LDiversity | DifferentialPrivacy | ColumnAnonymity):
            return f"the cube has no runs that keep {promise.describe()}."
    return ""


_VARIED = ("labels", "metric", "publish", "mean", "stubs", "shards")
"""Parameters of methods that the cube left at their defaults."""


def _usual(method: type, name: str) -> Any:
    return next((each.default for each in fields(method) if each.name == name), None)


def thought(models: Predictors, plans: Sequence[tuple[Plan, Descriptors]]) -> list[float]:
    """The seconds that the cube thinks each plan's method will need at most. About larger and wider tables than it has
    it guesses, so that what is cheap is tried first; endless where it does not know the method."""
    found = []
    for plan, described in plans:
        label, point = label_of(plan.method), point_of(plan, described)
        said = predict_one(models, label, "cost.seconds", point)
        found.append(_guessed(models, label, point) if said.high is None else said.high)
    return found


def _guessed(models: Predictors, label: str, point: Point) -> float:
    """Three times what the nearest runs took, and more by how far the table is beyond them."""
    fitted = models.sheet("cost.seconds").fitted(label)
    if fitted is None:
        return float("inf")
    rows, columns = (fitted.rows[:, NAMES.index(name)].max() for name in ("rows", "columns"))
    further = max(1.0, point.described.rows / 2.0**rows) * max(1.0, point.described.columns / columns)
    near = from_scale("cost.seconds", np.array([middle(fitted, point)]), np.array([1.0]))
    return float(3 * near[0] * further**1.5)


def point_of(plan: Plan, described: Descriptors) -> Point:
    """What the cube is asked about a plan."""
    diverse = max((promise.l for promise in plan.protect if isinstance(promise, LDiversity)), default=0)
    epsilon = next((promise.epsilon for promise in plan.protect if isinstance(promise, DifferentialPrivacy)), 0.0)
    suppression = plan.suppression if plan.method.suppresses == "rows" else 0.0
    return Point(described, k_asked(plan.models) or 0, int(diverse), epsilon, suppression)


def settled(models: Predictors | None, method: str, metric: str, point: Point, probes: Sequence[Probe]) -> Prediction:
    """The prediction of a metric from all evidence; without `models`, from probes alone."""
    measured = exact(probes, metric)
    rows = float(point.described.rows)
    if measured is not None:
        off, low, high = noise(metric), measured, measured
        if off:
            scaled = to_scale(metric, np.array([measured]), np.array([rows]))
            low, high = (float(from_scale(metric, scaled + step, np.array([rows]))[0]) for step in (-off, off))
        return Prediction(method, metric, measured, low, high, "landmark", 1)
    hurried = in_haste(probes, metric)
    if hurried is not None:
        return _near(models, method, metric, point, hurried)
    failed = next((p for p in probes if p.whole and not p.values and p.status != "stopped"), None)
    if failed is not None:
        return Prediction.abstained(method, metric, f"it does not work on this table: {failed.reason or failed.status}")
    told = usable(probes, metric)
    by_cube = None if models is None else predict_one(models, method, metric, point)
    if by_cube is not None and (by_cube.evidence == "published" or not told):
        return by_cube
    found = alone(probes, metric, point.k, point.described.rows)
    if found is None:
        return Prediction.abstained(method, metric, "no run on a sample gave it.")
    centre, width = found
    evidence, support = "landmark", len(told)
    if by_cube and models is not None and noise(metric) == 0:
        moved = _moved(models, method, metric, point, told)
        if moved is not None:
            centre, width, support = *moved, support + by_cube.support
            evidence = "cube and landmark"
    ends = (centre, centre - width, centre + width)
    value, low, high = (float(from_scale(metric, np.array([end]), np.array([rows]))[0]) for end in ends)
    return Prediction(method, metric, value, low, high, evidence, support)  # type: ignore[arg-type]


def _near(models: Predictors | None, method: str, metric: str, point: Point, hurried: float) -> Prediction:
    """What a search will give that was made in haste: about the same, or a little less loss."""
    fitted = None if models is None else models.sheet(metric).fitted(method)
    rows = np.array([float(point.described.rows)])
    hurried = unhurried(method, metric, hurried)
    scaled = to_scale(metric, np.array([hurried]), rows)
    width = abs(float(scaled[0])) if fitted is None else float(half_width(fitted, point.features)[0])
    low, high = (float(from_scale(metric, scaled + step, rows)[0]) for step in (-HASTE * width, HASTE * width))
    return Prediction(method, metric, hurried, low, high, "landmark", 1, because=("It was tried with less work.",))


def _moved(
    models: Predictors, method: str, metric: str, point: Point, told: Sequence[Probe]
) -> tuple[float, float] | None:
    """The cube's prediction, moved by its errors on the probes of the largest sample, and the width of its interval."""
    fitted = models.sheet(metric).fitted(method)
    if fitted is None:
        return None
    said = middle(fitted, point)
    errors = []
    for size in sorted({each.rows for each in told}):
        off = []
        for each in (each for each in told if each.rows == size):
            there = Point(each.described, each.k, point.l, point.epsilon, point.suppression)
            value = to_scale(metric, np.array([each.values[metric]]), np.array([float(each.rows)]))
            off.append(float(value[0]) - middle(fitted, there))
        errors.append(float(np.mean(off)))
    share = 0.5 if len(errors) < 2 else float(np.clip(3 * abs(errors[-1] - errors[-2]), 0.1, 0.6))
    return said + errors[-1], share * float(half_width(fitted, point.features)[0])
