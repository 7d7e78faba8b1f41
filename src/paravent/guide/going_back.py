"""Going back: guidance for another context or other preferences, with what is still valid of what was found."""

from __future__ import annotations

from dataclasses import replace

from paravent.errors import PlanError
from paravent.guide.candidates import candidates_of
from paravent.guide.context import Context
from paravent.guide.foreseeing import predictions_of
from paravent.guide.guidance import Guidance


def with_context(before: Guidance, said: Context, seconds: float) -> Guidance:
    """The guidance for another context."""
    if before.table is None:
        raise PlanError("guidance: this process was loaded without its table. Load it with table=.")
    found = candidates_of(before.table, before.plan, said, before.known, before.methods)
    same_use = (said.use, said.target, said.learner) == (
        before.context.use,
        before.context.target,
        before.context.learner,
    )
    plans = {each.name: each.plan for each in before.signatures}
    kept = {each.name for each in found.signatures if each.name in plans and plans[each.name] == each.plan}
    predictions = {name: told for name, told in before.predictions.items() if name in kept} if same_use else {}
    missing = replace(found, signatures=tuple(each for each in found.signatures if each.name not in predictions))
    criteria = set(said.goals.weights) - {name for told in predictions.values() for name in told}
    if criteria:
        predictions, missing = {}, found
    if missing.signatures:
        predictions = {**predictions, **predictions_of(before.table, missing, said, seconds)}
    other = Guidance(
        said,
        before.plan,
        found,
        predictions,
        table=before.table,
        known=before.known,
        mode=before.mode,
        methods=before.methods,
    )
    other.log = before.log
    other.note("context", candidates=len(found.signatures))
    names = {each.name for each in found.signatures}
    other.selected = tuple(name for name in before.selected if name in names)
    other.finished = {
        name: result
        for name, result in before.finished.items()
        if name in kept and set(said.goals.weights) <= set(result.values)
    }
    return other


def preferring(before: Guidance, said: Context) -> Guidance:
    """The same candidates and results in the order of other preferences."""
    other = Guidance(
        said,
        before.plan,
        before.found,
        before.predictions,
        table=before.table,
        known=before.known,
        mode=before.mode,
        methods=before.methods,
        fingerprint=before.fingerprint,
        rows=before.rows,
    )
    other.log = before.log
    other.selected, other.finished, other.chosen = before.selected, dict(before.finished), before.chosen
    return other
