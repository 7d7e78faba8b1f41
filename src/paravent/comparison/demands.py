"""Demands: what the plans ask for, each checked on every release.

Two releases protect equally when they satisfy the same demands. Which ones a release satisfies is found by the
verifier on its finished cells, never by comparing what the plans say: a plan that asks for 5-anonymity may well reach
10, and a plan that asks for 10-anonymity of fewer columns protects less.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from paravent.errors import ParaventError
from paravent.hierarchy.tree import ROOT_LABEL
from paravent.plan.file import relocated, resolved
from paravent.plan.judge import judge, marked_rows
from paravent.plan.persons import links_in, persons_of
from paravent.plan.plan import Plan
from paravent.plan.roles import OWN_VALUE, WILDCARD, Identifier, Insensitive, Quasi, Role, Sensitive
from paravent.plan.verification import wildcards
from paravent.privacy.differential_privacy import DifferentialPrivacy
from paravent.privacy.model import Model
from paravent.privacy.promise import Constructed, Evidence, Limit
from paravent.privacy.promise import Entry as Spent
from paravent.privacy.verdict import Check

TOP = Path(os.sep)

_HIDDEN = {"drop": 3, "random": 2, "pseudonym": 1}
"""How little of an identifier is left. A random number is good within one table, a pseudonym links tables."""

_DONE = {"drop": "removed", "random": "replaced by random numbers", "pseudonym": "replaced by pseudonyms"}

_HIGHER = frozenset({"k", "l", "low"})
_LOWER = frozenset({"t", "c", "alpha", "beta", "delta", "epsilon", "risk", "share", "high"})
"""Which direction of a parameter asks for more. It decides which of two demands is worth naming, and nothing else."""


@dataclass(frozen=True)
class Demand:
    """A model or a measured limit over the quasi-identifiers of its plan, a guarantee by construction, which is about
    all columns, or (`model` is None) a column that must not be there as it is.

    `wildcard` names the columns whose missing cells match anything, `alike` those in which values that look alike are
    one, `person` the column that says whose each row is where people are counted. `folder` is where paths of the model
    start; two demands are the same when their models are and these paths lead to the same files (`located`). A limit
    may also look at the `sensitive` columns of its plan.
    """

    model: Model | Limit | Constructed | None = field(compare=False)
    quasi: tuple[str, ...] = ()
    wildcard: tuple[str, ...] = ()
    column: str = ""
    hidden: str = "drop"
    alike: tuple[str, ...] = ()
    person: str | None = None
    folder: Path | None = field(default=None, repr=False, compare=False)
    located: Model | Limit | Constructed | None = field(default=None, repr=False)
    sensitive: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.located is None:
            object.__setattr__(self, "located", self.model)

    def describe(self, *, among: Iterable[Demand] = ()) -> str:
        """The demand in a few words; its quasi-identifiers are named where they are fewer than those `among` all."""
        if self.model is None:
            return f"{self.column!r} {_DONE[self.hidden]}"
        words = self.model.describe()
        if isinstance(self.model, Constructed):
            return words
        others = [other for other in among if other.model is not None and not isinstance(other.model, Constructed)]
        if {name for other in others for name in other.quasi} - set(self.quasi):
            words += f" over {', '.join(self.quasi)}"
        if self.wildcard and any(other.wildcard != self.wildcard for other in others):
            words += f" (missing {', '.join(self.wildcard)} may be anything)"
        if self.alike and any(other.alike != self.alike for other in others if other.model == self.model):
            words += " (values that look alike are one)"
        if any(other.person != self.person for other in others):
            words += " counting rows" if self.person is None else f" counting people by {self.person}"
        return words

    def asks_no_more_than(self, other: Demand) -> bool:
        """Whether the other is the same demand with a parameter that plainly asks for at least as much."""
        mine, theirs = self.located, other.located
        if mine is None or theirs is None or type(mine) is not type(theirs):
            return False
        if (self.wildcard, self.alike, self.person) != (other.wildcard, other.alike, other.person):
            return False
        if isinstance(theirs, Limit) and (self.quasi, self.sensitive) != (other.quasi, other.sensitive):
            return False
        if (
            isinstance(theirs, Model)
            and self.quasi != other.quasi
            and not (theirs.monotone_under_generalization and set(self.quasi) < set(other.quasi))
        ):  # classes over fewer columns are unions of those over more
            return False
        names = [entry.name for entry in dataclasses.fields(mine)]  # type: ignore[arg-type]
        differing = [name for name in names if getattr(mine, name) != getattr(theirs, name)]
        if not differing:
            return self.quasi != other.quasi
        a, b = getattr(mine, differing[0]), getattr(theirs, differing[0])
        if len(differing) > 1 or not all(isinstance(value, int | float) for value in (a, b)):
            return False
        return (differing[0] in _HIGHER and a < b) or (differing[0] in _LOWER and a > b)


@dataclass(frozen=True)
class Met:
    """Whether a release satisfies a demand, the level that it reaches, and how to say so."""

    holds: bool
    level: float | None = None
    words: str = ""


def demands_of(plan: Plan) -> tuple[Demand, ...]:
    """Everything that a plan promises to the people in the table."""
    quasi, free = tuple(sorted(plan.quasi)), tuple(sorted(wildcards(plan)))
    located = relocated(plan, TOP).models
    person = plan.person if isinstance(plan.person, str) else None
    models = [
        Demand(model, quasi, free, person=person, folder=plan.folder, located=there, alike=_alike(model, plan))
        for model, there in zip(plan.models, located, strict=True)
    ]
    limits = [
        Demand(promise, quasi, person=person, sensitive=tuple(sorted(plan.sensitive)))
        for promise in plan.protect
        if isinstance(promise, Limit)
    ]
    kept = [Demand(promise) for promise in plan.protect if isinstance(promise, Constructed)]
    hidden = [Demand(None, column=name, hidden=role.replace) for name, role in plan.identifiers.items()]
    hidden += [Demand(None, column=name) for name in plan.left_out if name not in plan.identifiers]
    return (*dict.fromkeys([*models, *limits, *kept]), *hidden)


def _alike(model: Model, plan: Plan) -> tuple[str, ...]:
    return tuple(name for name in plan.alike if name in model.needs)


def strongest(demands: Sequence[Demand]) -> list[Demand]:
    """The demands without those that another one plainly includes.

    >>> import paravent as pv
    >>> [d.describe() for d in strongest([Demand(pv.KAnonymity(2)), Demand(pv.KAnonymity(5))])]
    ['5-anonymity']
    """
    return [one for one in demands if not any(one.asks_no_more_than(other) for other in demands)]


def check_demands(
    frame: pl.DataFrame,
    plan: Plan,
    demands: Sequence[Demand],
    *,
    populations: Mapping[str, Any] | None = None,
    source: pl.DataFrame | None = None,
    beside: Mapping[str, pl.DataFrame] | None = None,
    evidence: Evidence | None = None,
    account: Sequence[Spent] = (),
) -> tuple[Met, ...]:
    """Which demands a released frame satisfies, whichever plans they come from. `plan` is the one it was made by,
    `source` the row of the original behind each of its rows, which may say whose they are, and `beside` are the further
    tables of the release. Limits are measured on the `evidence`, over the columns of their own plans; `account` is what
    a mechanism spent."""
    marked = marked_rows(frame, plan)
    rows = frame if marked is None else frame.filter(~marked)
    behind = source if source is None or marked is None else source.filter(~marked)
    found: dict[Demand, Met] = {}
    alike: dict[tuple[tuple[str, ...], tuple[str, ...], str | None, Path | None, tuple[str, ...]], list[Demand]] = {}
    for demand in demands:
        if demand.model is None:
            found[demand] = _hidden(demand, frame, plan)
        elif isinstance(demand.model, Limit):
            found[demand] = _measured(demand.model, demand, evidence)
        elif isinstance(demand.model, Constructed):
            found[demand] = _spent(demand.model, plan, account)
        elif plan.method.draws_rows:
            found[demand] = Met(False, words="its rows are synthetic: there is nobody whom a class of them hides")
        elif _in_groups(demand.model, plan):
            found[demand] = _derived(demand, rows, plan, beside or {}, populations)
        elif (answer := _beforehand(demand.model, frame, plan)) is not None:
            found[demand] = answer
        else:
            same = (demand.quasi, demand.wildcard, demand.person, demand.folder, demand.alike)
            alike.setdefault(same, []).append(demand)
    for (quasi, free, person, folder, _), those in alike.items():
        whose = None
        if person is not None:
            named = next((of for of in (rows, behind) if of is not None and person in of.columns), None)
            if named is None:
                unknown = Met(False, words=f"column {person!r} is not there, so people cannot be counted")
                found.update(dict.fromkeys(those, unknown))
                continue
            whose = persons_of(named, person)
        found.update(_verified(rows, plan, quasi, free, folder, those, populations, whose))
    return tuple(found[demand] for demand in demands)


def _hidden(demand: Demand, frame: pl.DataFrame, plan: Plan) -> Met:
    """An identifier that is generalized like a quasi-identifier names nobody: the models judge it."""
    role = plan.role(demand.column)
    if demand.column not in frame.columns or isinstance(role, Quasi):
        return Met(True)
    done = role.replace if isinstance(role, Identifier) else None
    holds = done is not None and _HIDDEN[done] >= _HIDDEN[demand.hidden]
    return Met(holds, words=f"it is {'released as it is' if done is None else _DONE[done]}")


def _spent(promise: Constructed, plan: Plan, account: Sequence[Spent]) -> Met:
    """What a mechanism spent, as it counts for this promise; noise from a known seed hides nothing."""
    own = [each for each in plan.protect if isinstance(each, Constructed)]
    if not own:
        return Met(False, words="no noise was drawn: it has no epsilon")
    if not account:
        return Met(False, words="nothing says what was spent")
    seeded = any(isinstance(each, DifferentialPrivacy) and each.unsafe_seed is not None for each in own)
    if seeded and promise not in own:
        return Met(False, words="its noise is drawn from a known seed")
    found = promise.judge(account)
    if math.isinf(found.level):
        return Met(False, words=found.words)
    return Met(found.holds, found.level, f"{promise.key} = {found.level:g}")


def _measured(limit: Limit, demand: Demand, evidence: Evidence | None) -> Met:
    if evidence is None:
        return Met(False, words="it cannot be told which row was made from which")
    persons = None if demand.person is None else persons_of(evidence.original, demand.person)
    asked = dataclasses.replace(evidence, quasi=demand.quasi, sensitive=demand.sensitive, persons=persons)
    try:
        found = limit.measure(asked)
    except ParaventError as error:
        return Met(False, words=f"this cannot be measured: {error.redacted.rstrip('.')}")
    if math.isnan(found.level):
        return Met(False, words=found.words)
    return Met(found.holds, found.level, f"{limit.key} = {found.level:g}, measured")


def _in_groups(model: Model, plan: Plan) -> bool:
    """Whether the method hides what a model guards otherwise than by equal cells."""
    return plan.method.derivation is not None and bool(model.guards) and set(model.needs) <= plan.sensitive.keys()


def _derived(
    demand: Demand,
    rows: pl.DataFrame,
    plan: Plan,
    beside: Mapping[str, pl.DataFrame],
    populations: Mapping[str, Any] | None,
) -> Met:
    """The verifier's answer from all tables of a release. Whoever the demand takes to know more than the plan does
    still meets the same groups."""
    assert isinstance(demand.model, Model)
    if demand.person not in (None, plan.person):  # where the plan names the same, every row is another person's
        return Met(False, words="its tables do not tell whose their rows are, so people cannot be counted")
    looks = {
        name: dataclasses.replace(role, alike="one" if name in demand.alike else "apart")
        for name, role in plan.sensitive.items()
    }
    asked = plan.replace(columns={**plan.columns, **looks}, protect=[demand.model], person=None)
    try:
        verdict = judge(rows, asked, populations, beside=beside)
    except ParaventError as error:
        return Met(False, words=f"this cannot be judged: {error.redacted.rstrip('.')}")
    return _met(verdict.checks[0])


def _met(check: Check) -> Met:
    short = "" if check.holds else f", {check.failing} class{'' if check.failing == 1 else 'es'} short of it"
    return Met(check.holds, check.level, f"{check.promise.key} = {check.level:g}{short}")


def _beforehand(model: Model, frame: pl.DataFrame, plan: Plan) -> Met | None:
    """What is decided before any class is looked at: a column that is not released discloses nothing."""
    judged = [name for name in model.needs if name not in model.known]
    if any(name not in frame.columns for name in judged):
        return Met(True, words="the column is not released")
    generalized = [name for name in judged if isinstance(plan.role(name), Quasi)]
    if generalized:
        return Met(False, words=f"{generalized[0]!r} is a quasi-identifier there, so this cannot be judged")
    return None


def _verified(
    rows: pl.DataFrame,
    plan: Plan,
    quasi: tuple[str, ...],
    free: tuple[str, ...],
    folder: Path | None,
    demands: Sequence[Demand],
    populations: Mapping[str, Any] | None,
    persons: np.ndarray | None,
) -> dict[Demand, Met]:
    """The verifier's answer about demands over the same quasi-identifiers. A column that is not released says `*`."""
    models = [demand.model for demand in demands if isinstance(demand.model, Model)]
    needed = dict.fromkeys([*quasi, *(name for model in models for name in model.needs)])
    absent = [name for name in needed if name not in rows.columns]
    rows = rows.with_columns(pl.lit(ROOT_LABEL).alias(name) for name in absent)
    own = resolved(plan).quasi  # labels are those of the trees that they were made by
    columns: dict[str, Role] = {name: Insensitive() for name in needed}
    columns |= {name: Sensitive() for model in models for name in model.needs}
    columns |= {name: Sensitive(alike="one") for demand in demands for name in demand.alike}
    columns |= {
        name: dataclasses.replace(own.get(name) or Quasi(), missing=WILDCARD if name in free else OWN_VALUE)
        for name in quasi
    }
    links = None if persons is None else links_in(rows, plan)
    try:
        verdict = judge(rows, Plan(columns, models, folder=folder), populations, persons, links)
    except ParaventError as error:
        return dict.fromkeys(demands, Met(False, words=f"this cannot be judged: {error.redacted.rstrip('.')}"))
    return {demand: _met(check) for demand, check in zip(demands, verdict.checks, strict=True)}
