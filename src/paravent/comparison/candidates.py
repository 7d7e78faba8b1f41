"""Candidates: what is compared. A plan that will be run, a release, or a released file with the plan it was made by."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paravent.errors import ParaventError, PlanError
from paravent.methods.method import Method
from paravent.plan.plan import Plan
from paravent.plan.release import Release
from paravent.plan.runner import as_plan


@dataclass(frozen=True, eq=False)
class Candidate:
    """A name, a plan, and the finished table where there is one already.

    `settings` are the values of the parameters that a sweep gives it. `problem` is why there is no plan.
    """

    name: str
    plan: Plan | None
    released: Any = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    problem: ParaventError | None = None

    @property
    def made_by(self) -> str:
        """What the figures are about: a run of the plan, a release, or a file."""
        if self.released is None:
            return "plan"
        if isinstance(self.released, str | os.PathLike):
            return os.path.basename(os.fspath(self.released))
        return "release"


def candidates_of(plans: Any) -> list[Candidate]:
    """The candidates in a list, or in a mapping from names. Each is a Plan, the path of one, a Release, or a pair of a
    plan and a released table.

    Without a name, a plan file is called after itself and a plan after what tells it apart from the others.

    >>> import paravent as pv
    >>> plan = pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(5)])
    >>> [c.name for c in candidates_of([plan, plan.replace(protect=[pv.KAnonymity(10)])])]
    ['5-anonymity', '10-anonymity']
    """
    if isinstance(plans, Plan | Release | str | os.PathLike):
        plans = [plans]
    if isinstance(plans, Mapping):
        found = [_candidate(thing, str(name)) for name, thing in plans.items()]
    elif isinstance(plans, Iterable):
        found = _named([_candidate(thing, None) for thing in plans])
    else:
        raise PlanError(f"compare: give a list of plans, or names with plans, not {type(plans).__name__}.")
    if not found:
        raise PlanError("compare: there is nothing to compare. Give at least one plan.")
    return found


def _candidate(thing: Any, name: str | None) -> Candidate:
    released = None
    if isinstance(thing, tuple | list):
        if len(thing) != 2:
            raise PlanError(
                "compare: a pair is a plan and the table that was released by it, such as (plan, 'out.csv')."
            )
        thing, released = thing
    if isinstance(thing, Release):
        return Candidate(name or "", thing.plan, thing if released is None else released)
    if isinstance(thing, str | os.PathLike) and name is None:
        name = Path(released if isinstance(released, str | os.PathLike) else thing).stem
    try:
        return Candidate(name or "", as_plan(thing), released)
    except ParaventError as error:
        if not isinstance(thing, str | os.PathLike):
            raise
        return Candidate(name or "", None, released, problem=error)


def _named(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those without a name get one, and equal names a number."""
    plans = [candidate.plan for candidate in candidates if candidate.plan is not None]
    seen: dict[str, int] = {}
    found = []
    for i, candidate in enumerate(candidates, 1):
        name = candidate.name
        if not name:
            name = (candidate.plan and distinction(candidate.plan, plans)) or f"plan {i}"
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            name = f"{name} ({seen[name]})"
            seen[name] = 1
        found.append(dataclasses.replace(candidate, name=name))
    return found


def distinction(plan: Plan, others: Sequence[Plan]) -> str:
    """What tells a plan apart from the others, in a few words; empty when that is more than a few words can say."""
    parts = []
    if any(other.protect != plan.protect for other in others):
        parts.append(", ".join(model.describe() for model in plan.protect))
    if any(other.method != plan.method for other in others):
        parts.append(method_in_short(plan.method))
    if any(other.suppression != plan.suppression for other in others):
        parts.append(f"suppression {plan.suppression:g}")
    if any(other.seed != plan.seed for other in others):
        parts.append(f"seed {plan.seed}")
    return ", ".join(parts)


def method_in_short(method: Method) -> str:
    """A method with those of its parameters that are not at their defaults.

    >>> from paravent.methods import Mondrian
    >>> method_in_short(Mondrian(cut="median")), method_in_short(Mondrian())
    ("Mondrian(cut='median')", 'Mondrian')
    """
    changed = []
    fields: tuple[dataclasses.Field[Any], ...] = dataclasses.fields(method) if dataclasses.is_dataclass(method) else ()
    for entry in fields:
        default = entry.default if entry.default_factory is dataclasses.MISSING else entry.default_factory()
        value = getattr(method, entry.name)
        if value != default:
            changed.append(f"{entry.name}={value!r}")
    name = type(method).__name__
    return f"{name}({', '.join(changed)})" if changed else name
