"""Combinations: a treatment before a method, or a method with other labels or another objective, where the table or the
use gives a reason for it.

They are candidates beside those of plain methods, with the same k. The evaluations of other tables say nothing about
them: they have no score until they are tried on the table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import polars as pl

from paravent.errors import ParaventError
from paravent.guide.context import Context
from paravent.guide.signatures import Relevant, Signature, inputs_of, promises, rate_of
from paravent.knowledge.base import Knowledge
from paravent.knowledge.cube.settings import setting_of
from paravent.methods.method import Method
from paravent.plan.plan import Plan
from paravent.table.table import Table
from paravent.treatments import BottomCode, Round, TopCode
from paravent.treatments.treatment import Treatment

LEADING = ("mondrian-infogain", "mondrian-lsd", "mondrian-loss", "k-member")
"""The algorithms whose labels are varied, as far as the context keeps them; those for a use come first."""
OBJECTIVES: Mapping[str, str] = {"counting": "kl", "distributions": "entropy"}
"""What the search over levels minimises for a use, in place of the loss of cells."""
FEWEST = 100
"""Columns with fewer values give no reason."""
TAIL, STRETCH = 0.01, 0.25
"""A limit is proposed where a hundredth of the rows, at one end, takes a quarter of the range."""
MANY, MULTIPLES = 200, 100
"""A column with more values than the first is rounded, so that at most about the second are left."""


@dataclass(frozen=True)
class _Variation:
    """Another way to run an algorithm: what it is called in front of the inputs, how it is made, and why."""

    key: str
    name: str
    method: Method
    because: str
    treat: tuple[Treatment, ...] = ()


def with_combinations(table: Table, base: Plan, context: Context, known: Knowledge, found: Relevant) -> Relevant:
    """The candidates with combinations behind them. What the table or the plan refuses is left out."""
    made: list[Signature] = []
    for each in _variations(table, base, context, known, found):
        for k in sorted({signature.k for signature in found.signatures}):
            rate = rate_of(context, each.method)
            try:
                plan = base.replace(
                    protect=promises(base, context, k),
                    method=each.method,
                    suppression=rate,
                    treat=(*base.treat, *each.treat),
                )
                plan.check(table)
            except ParaventError:
                break
            limit, inputs = inputs_of(context, each.method, k, rate, len(table))
            label = setting_of(type(each.method).__name__, f"cut='{getattr(each.method, 'cut', '')}'").label
            name = f"{each.name} ({inputs})"
            made.append(Signature(name, each.key, label, k, limit, plan, (), (each.because,)))
    return replace(found, signatures=(*found.signatures, *made))


def _variations(table: Table, base: Plan, context: Context, known: Knowledge, found: Relevant) -> Iterator[_Variation]:
    plain = {each.key: each.plan.method for each in reversed(found.signatures)}
    leading = [key for key in LEADING if key in plain]
    ordered = any(table.columns[name].kind.is_ordered for name in base.quasi)
    for key in leading:
        if ordered and _has(plain[key], "labels"):
            yield _Variation(
                key,
                known.say("with-intervals", algorithm=known.entry(key).label),
                replace(plain[key], labels="interval"),  # type: ignore[type-var]
                known.say("because-intervals"),
            )
    if ordered and "mdav" in found.dropped and {each.rule for each in found.dropped["mdav"]} == {"P1"}:
        from paravent.methods import MDAV

        name = known.say("with-intervals", algorithm=known.entry("mdav").label)
        yield _Variation("mdav", name, MDAV(publish="interval"), known.say("because-truthful-intervals"))
    if "optimal" in plain and context.use in OBJECTIVES:
        metric = OBJECTIVES[context.use]
        yield _Variation(
            "optimal",
            known.say("with-objective", algorithm=known.entry("optimal").label, metric=metric),
            replace(plain["optimal"], metric=metric),  # type: ignore[type-var]
            known.say("because-objective", use=context.use, metric=metric),
        )
    lead = next((key for key in (*leading, "optimal", "datafly") if key in plain), None)
    if lead is not None:
        for treatment, words, because in treatments(table, list(base.quasi), known):
            if treatment.coarsens or not context.truthful:
                name = known.say("after-treatment", treatment=words, algorithm=known.entry(lead).label)
                yield _Variation(lead, name, plain[lead], because, (treatment,))


def treatments(table: Table, names: Sequence[str], known: Knowledge) -> Iterator[tuple[Treatment, str, str]]:
    """Treatments that the columns give a reason for, what each is called, and the reason."""
    for name in names:
        column = table.columns[name]
        if not column.kind.is_numeric:
            continue
        line = table.frame[name].drop_nulls().cast(pl.Float64).to_numpy()
        if len(line) < FEWEST or not np.isfinite(line).all():
            continue
        least, most = float(line.min()), float(line.max())
        low, high = (float(end) for end in np.quantile(line, [TAIL, 1 - TAIL], method="nearest"))
        for limit, stretch, make in ((high, most - high, TopCode), (low, low - least, BottomCode)):
            if most > least and stretch >= STRETCH * (most - least) and least < limit < most:
                top = make is TopCode
                shown = _plain(limit)
                beyond = int((line > limit).sum() if top else (line < limit).sum())
                words = known.say("top-coding" if top else "bottom-coding", column=name, limit=f"{shown:g}")
                why = known.say("because-tail", column=name, rows=beyond, share=f"{stretch / (most - least):.0%}")
                yield make(name, shown, replace="limit"), words, why
        distinct = len(np.unique(line))
        if distinct > MANY:
            base = 10.0 ** math.ceil(math.log10((most - least) / MULTIPLES))
            if len(np.unique(np.round(line / base))) < distinct / 2:
                words = known.say("rounding", column=name, base=f"{base:g}")
                why = known.say("because-many", column=name, count=distinct)
                yield Round(name, base=_plain(base)), words, why


def _plain(number: float) -> float:
    return int(number) if number == int(number) else number


def _has(method: Method, name: str) -> bool:
    return any(each.name == name for each in fields(method))  # type: ignore[arg-type]
