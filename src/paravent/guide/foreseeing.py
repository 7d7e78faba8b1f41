"""Foreseeing: what is predicted of each candidate, and which to try on the table for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf

from paravent.guide.context import Context
from paravent.guide.hoping import contenders
from paravent.guide.signatures import Reason, Relevant, Signature
from paravent.knowledge.base import Knowledge
from paravent.knowledge.cube.criteria import CRITERIA
from paravent.knowledge.descriptors import Descriptors, describe
from paravent.knowledge.predicting.at_once import Measured, Order
from paravent.knowledge.predicting.models import Predictors
from paravent.knowledge.predicting.outlook import predict, thought
from paravent.knowledge.predicting.predict import predictors
from paravent.knowledge.predicting.prediction import Prediction
from paravent.table.table import Table


def predictions_of(
    table: Table,
    found: Relevant,
    context: Context,
    seconds: float = 0.0,
    cube: Predictors | None = None,
    clock: Callable[[], float] = time.monotonic,
    told: Mapping[str, Mapping[str, Prediction]] | None = None,
    described: dict[tuple[str, ...], Descriptors] | None = None,
) -> dict[str, dict[str, Prediction]]:
    """What is predicted of each candidate, by criterion; `cube` are models of other evaluations than the shipped. With
    seconds, candidates are tried on the table as long as they could be the best, by what is predicted without (as
    `told`, if it is known already) and by what was measured so far. `described` is what is known of the table."""
    first: Order = ()
    described = {} if described is None else described
    if seconds > 0:
        begun = clock()
        told = told or predictions_of(table, found, context, cube=cube, described=described)
        first = _first(found.signatures, context, told)
        seconds = max(0.0, seconds - (clock() - begun))
    criteria = [*context.goals.weights, *(["time"] if context.time is not None else [])]
    criteria = list(dict.fromkeys(criteria))
    outlooks = predict(
        table,
        [each.plan for each in found.signatures],
        criteria,
        seconds=seconds,
        learner=context.learner,
        target=context.target if context.use == "classification" else None,
        number=context.target if context.use == "regression" else None,
        cube=cube,
        first=first,
        clock=clock,
        described=described,
    )
    return {
        each.name: {name: _within_promise(outlook[name], each) for name in criteria}
        for each, outlook in zip(found.signatures, outlooks, strict=True)
    }


def _first(signatures: Sequence[Signature], context: Context, told: Mapping[str, Mapping[str, Prediction]]) -> Order:
    """Which candidates to try next: those of which nothing is predicted, and those that could be the best."""
    names, goals = [each.name for each in signatures], context.goals
    place, methods = {name: at for at, name in enumerate(names)}, {each.name: each.method for each in signatures}
    open_ = [at for at, each in enumerate(signatures) if each.because]

    def whole(measured: Measured) -> dict[str, dict[str, float]]:
        seen = {
            names[at]: {c: values[CRITERIA[c].metric.name] for c in goals.weights if CRITERIA[c].metric.name in values}
            for at, values in measured.items()
        }
        return {name: values for name, values in seen.items() if len(values) == len(goals.weights)}

    def asked(measured: Measured, again: Measured) -> list[int]:
        left = contenders(told, methods, whole(measured), goals, context.decision, again=whole(again))
        return [*(at for at in open_ if at not in measured), *(place[name] for name in left)]

    return asked


def is_whole(told: Mapping[str, Prediction]) -> bool:
    """Whether every criterion has a value."""
    return all(each.value is not None for each in told.values())


def _within_promise(told: Prediction, signature: Signature) -> Prediction:
    """A prediction of the highest risk, which is never above one over k: that much is promised."""
    if told.metric != CRITERIA["security"].metric.name or told.value is None:
        return told
    most = 1 / signature.k
    low, high = (None if end is None else min(end, most) for end in (told.low, told.high))
    return replace(told, value=min(told.value, most), low=low, high=high)


def too_slow(
    signatures: Sequence[Signature],
    predictions: Mapping[str, Mapping[str, Prediction]],
    context: Context,
    known: Knowledge,
) -> dict[str, tuple[Reason, ...]]:
    """Algorithms all of whose candidates are expected to take too long."""
    if context.time is None:
        return {}
    limit = context.time
    found: dict[str, tuple[Reason, ...]] = {}
    for key in dict.fromkeys(each.key for each in signatures):
        told = [predictions[each.name].get("time") for each in signatures if each.key == key]
        seconds = [each.value for each in told if each is not None and each.value is not None]
        if seconds and len(seconds) == len(told) and min(seconds) > limit:
            label, least = known.entry(key).label, f"{min(seconds):.2g}"
            found[key] = (Reason(known.say("slow", algorithm=label, seconds=least, limit=f"{limit:g}")),)
    return found


LONG = 300.0
"""Seconds from which a run is called a long one."""


def long_runs(
    table: Table, signatures: Sequence[Signature], predictions: Mapping[str, Mapping[str, Prediction]], context: Context
) -> dict[str, float]:
    """Which candidates may take long, with the seconds that they are thought to take at most; none that were run on the
    whole table, and none where the context says how long they may take."""
    if context.time is not None:
        return {}
    asked = [each for each in signatures if not any(_is_of_the_whole(own) for own in predictions[each.name].values())]
    if not asked:
        return {}
    plans = [(each.plan, describe(table, each.plan)) for each in asked]
    found = zip(asked, thought(predictors(context.learner), plans), strict=True)
    return {each.name: seconds for each, seconds in found if LONG <= seconds < inf}


def _is_of_the_whole(told: Prediction) -> bool:
    """Whether a run on the whole table gave it, with all its work or in haste; a sample leaves an interval."""
    return told.evidence == "landmark" and (told.low == told.high or bool(told.because))
