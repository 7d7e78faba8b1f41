"""sweep: one plan, or several, with some of their parameters varied."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from paravent.arguments import check_call
from paravent.comparison.candidates import Candidate, candidates_of
from paravent.comparison.comparison import Comparison
from paravent.comparison.curves import Sweep, shown
from paravent.comparison.parameters import Parameter
from paravent.comparison.run import Options, run
from paravent.errors import PlanError
from paravent.methods.method import Progress
from paravent.utility.family import Study

PLAN = "plan"
"""The name under which the plans themselves vary, where there are several."""


def sweep(
    source: Any,
    plan: Any,
    over: Mapping[str, Sequence[Any]] | None = None,
    *,
    one_at_a_time: bool = False,
    by: str = Options.by,
    risk: str = Options.risk,
    utility: str = Options.utility,
    measures: Sequence[str] = (),
    study: Study | None = None,
    populations: Mapping[str, Any] | None = None,
    results: str | os.PathLike[str] | None = None,
    releases: str | os.PathLike[str] | None = None,
    suffix: str = Options.suffix,
    keep: bool = False,
    overwrite: bool = True,
    control: Any = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> Comparison:
    """Compare a plan (or a list of plans) with itself while parameters vary, in all combinations.

    A parameter is an entry of the plan (`suppression=[0, 0.05]`), or a field of one of its models or of its method
    (`k=[2, 5, 10]`), by its short name where only one has it. Longer names stand in `over`: `{"method.labels": ["tree",
    "set"], "protect.LDiversity.l": [2, 3], "columns.age.weight": [1, 2], "method": [pv.methods.Mondrian(), …]}`.
    `one_at_a_time` varies each while all others stay as they are in the plan. All other options are those of `compare`.

    >>> import polars as pl, paravent as pv
    >>> plan = pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(2)])
    >>> found = sweep(pl.DataFrame({"age": [20, 22, 38, 40]}), plan, k=[2, 4])
    >>> found.names, found.curves("k")[0].points
    (['k=2', 'k=4'], ((2, 0.1), (4, 1.0)))
    """
    check_call(sweep, locals())
    options = Options(
        by=by,
        risk=risk,
        utility=utility,
        measures=measures,
        study=study,
        populations=populations,
        results=results,
        releases=releases,
        suffix=suffix,
        keep=keep,
        overwrite=overwrite,
        control=control,
        progress=progress,
    )
    candidates, swept = sweep_candidates(plan, {**(over or {}), **parameters}, one_at_a_time=one_at_a_time)
    return run(source, candidates, options, sweep=swept)


def sweep_candidates(
    plans: Any, over: Mapping[str, Sequence[Any]], *, one_at_a_time: bool = False
) -> tuple[list[Candidate], Sweep]:
    """The candidates of a sweep in the order of its parameters, the last varying fastest."""
    bases = candidates_of(plans)
    if not over:
        raise PlanError("sweep: name at least one parameter with its values, such as k=[2, 5, 10].")
    values = {name: _values(name, given) for name, given in over.items()}
    short = _short_names(values)
    found: list[Candidate] = []
    for base in bases:
        if base.plan is None:
            raise base.problem or PlanError(f"sweep: {base.name} is no plan.")
        if base.released is not None:
            raise PlanError(f"sweep: {base.name} is a release. A sweep runs plans; give its plan.")
        prefix = {PLAN: base.name} if len(bases) > 1 else {}
        for settings in _combinations(base, values, one_at_a_time):
            plan = base.plan
            for name, value in settings.items():
                plan = Parameter.of(name, plan).set(plan, value)
            label = ", ".join(f"{short[name]}={shown(value)}" for name, value in settings.items())
            found.append(Candidate(f"{base.name}: {label}" if prefix else label, plan, settings={**prefix, **settings}))
    swept: dict[str, Sequence[Any]] = {PLAN: [base.name for base in bases]} if len(bases) > 1 else {}
    return found, Sweep({**swept, **values}, one_at_a_time)


def _short_names(names: Iterable[str]) -> dict[str, str]:
    """The last part of each dotted name, where no two are the same.

    >>> _short_names(["k", "method.labels"])
    {'k': 'k', 'method.labels': 'labels'}
    """
    last = {name: name.rpartition(".")[2] for name in names}
    return {name: end if list(last.values()).count(end) == 1 else name for name, end in last.items()}


def _combinations(base: Candidate, values: Mapping[str, Sequence[Any]], one_at_a_time: bool) -> list[dict[str, Any]]:
    if not one_at_a_time:
        return [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())]
    assert base.plan is not None
    usual = {name: Parameter.of(name, base.plan).get(base.plan) for name in values}
    found = [{**usual, name: value} for name, given in values.items() for value in given]
    kept: list[dict[str, Any]] = []
    for settings in found:
        if settings not in kept:
            kept.append(settings)
    return kept


def _values(name: str, given: Any) -> list[Any]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        given = ()
    given = list(given)
    if not given:
        raise PlanError(f"sweep: {name} needs a list of values, such as {name}=[2, 5, 10].")
    found: list[Any] = []
    for value in (one.item() if hasattr(one, "item") else one for one in given):  # NumPy's scalars as Python's own
        if value in found:
            raise PlanError(f"sweep: {name} has the value {shown(value)} twice. Name it once.")
        found.append(value)
    return found
