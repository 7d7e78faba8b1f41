"""Signatures: methods with the values of their inputs that conform to a context, and why the others are dropped.

For each method that the rules of the knowledge keep, k is k0 = ⌈1/risk⌉ and its multiples by 2 and 3 (as far as the
table has so many rows). MaxSup is what the context allows where the method can suppress rows, and half of it as well
where it was published as one that does. So nothing that is proposed promises less, or leaves out more, than the context
says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from types import MappingProxyType

from paravent.arguments import Checked
from paravent.errors import InfeasibleError, ParaventError, PlanError
from paravent.guide.as_they_are import RowsAsTheyAre
from paravent.guide.context import Context
from paravent.knowledge.base import Knowledge
from paravent.knowledge.cube.run import domains_of
from paravent.knowledge.cube.settings import Named, setting_of, settings
from paravent.knowledge.entry import Entry
from paravent.methods.method import Method
from paravent.near import suggest
from paravent.plan.plan import Plan
from paravent.privacy import KAnonymity, LDiversity, TCloseness
from paravent.privacy.k_anonymity import k_asked
from paravent.privacy.promise import Promise
from paravent.table.table import Table

TECHNIQUES = (
    "generalization",
    "microaggregation",
    "local-suppression-technique",
    "anatomy-technique",
    "bucketization-technique",
    "slicing-technique",
    "synthetic-data",
    "treatment-only",
)
"""The techniques whose algorithms are methods of their own."""
STEPS = (1, 2, 3)
"""The k that are proposed, as multiples of the smallest that the risk allows."""
SHARES = (1.0, 0.5)
"""The suppression limits that are proposed, as shares of what the context allows."""


@dataclass(frozen=True)
class Reason:
    """Why a method is dropped, and by which rule of the knowledge, if by one."""

    sentence: str
    rule: str = ""


@dataclass(frozen=True, eq=False)
class Signature(Checked):
    """A method with the values of its inputs: `plan` runs it. `key` is its algorithm in the knowledge. A combination
    with a treatment, with other labels or with another objective says `because` of what it is proposed."""

    name: str
    key: str
    method: str
    k: int
    max_sup: int | None
    plan: Plan
    marks: tuple[str, ...] = ()
    because: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False)
class Relevant:
    """The signatures that conform to a context, and the reasons for every method that has none."""

    signatures: tuple[Signature, ...]
    dropped: Mapping[str, tuple[Reason, ...]]


def relevant(
    table: Table, base: Plan, context: Context, known: Knowledge, methods: Sequence[str] | None = None
) -> Relevant:
    """The signatures of every method, or of those named in `methods` (by label, key or name of the method).

    `base` holds the roles and trees of the columns. What it promises is kept: its k where it is larger than that of the
    risk, and every other model.
    """
    check_possible(table, base, context)
    wanted = None if methods is None else _wanted(known, methods)
    said = context_of(table, base, context)
    signatures: list[Signature] = []
    dropped: dict[str, tuple[Reason, ...]] = {}
    seen: set[str] = set()
    runnable = {each.method for each in settings().values()}
    as_they_are, refused = RowsAsTheyAre(table), Counter[str]()
    for technique in TECHNIQUES:
        found = known.suitable(said, technique)
        for key in sorted({*found.kept, *found.dropped}):
            if key in seen or (wanted is not None and key not in wanted):
                continue
            seen.add(key)
            entry = known.entry(key)
            if entry.executable and entry.registered not in runnable:
                continue  # a treatment: it changes values before a method runs
            if key in found.dropped:
                dropped[key] = tuple(Reason(each.sentence, each.rule) for each in found.dropped[key])
                continue
            marks = tuple(each.sentence for each in found.marks.get(key, ()))
            made = _signatures(known, entry, table, base, context, marks, as_they_are, refused)
            if isinstance(made, Reason):
                dropped[key] = (made,)
            else:
                signatures += made
    if not signatures:
        raise _nothing_left(known, context, dropped, refused)
    return Relevant(tuple(signatures), MappingProxyType(dropped))


def check_possible(table: Table, base: Plan, context: Context) -> None:
    """Refuse what no method could do."""
    if not base.quasi:
        raise PlanError("guide: no column is a quasi-identifier, so that there is nothing to protect. Name one.")
    count, words = counted(table, base)
    if context.k > count:
        raise InfeasibleError(
            f"a risk of {context.risk:g} asks for groups of {context.k}, and the table has {count} {words}. "
            "Tolerate a higher risk."
        )
    if (context.l or context.t) and not base.sensitive:
        raise PlanError(
            "guide: the context limits what is learnt about sensitive values, but no column is sensitive. "
            "Name one, or leave belief, gain and such attacks out."
        )
    if context.target is not None and context.target not in table.columns:
        raise PlanError(
            f"guide: the table has no column {context.target!r} to predict. {suggest(context.target, table.names)}"
        )
    if context.target in base.quasi:
        raise PlanError(
            f"guide: {context.target!r} is to be predicted, and is a quasi-identifier that would be generalized. "
            "Give it another role, if nobody can know it, or name another target."
        )
    if context.use == "regression" and not table.columns[str(context.target)].kind.is_numeric:
        raise PlanError(
            f"guide: regression needs a number, and {context.target!r} is {table.columns[str(context.target)].kind}. "
            "Use classification, or name another target."
        )


def counted(table: Table, base: Plan) -> tuple[int, str]:
    """How many people, or rows where each is a person, groups can be made of, and what they are called."""
    if isinstance(base.person, str) and base.person in table.columns:
        return table.frame[base.person].n_unique(), "people"
    return len(table), "rows"


def context_of(table: Table, base: Plan, context: Context) -> dict[str, object]:
    """What the rules of the knowledge are told."""
    numeric = context.target is not None and table.columns[context.target].kind.is_numeric
    return {
        "expected-type": "indifferent" if context.output == "any" else context.output,
        "size-of-data": context.size or len(table),
        "usage-need": context.use,
        "target-column": context.target or "",
        "target-nature": ("number" if numeric else "category") if context.target else "",
        "interaction": context.interactive,
        "suppression-rate": context.suppression,
        "missing-hierarchies": any(role.tree is None for role in base.quasi.values()),
        "truthful": context.truthful,
        "wanted-model": "k-anonymity",
    }


def _wanted(known: Knowledge, methods: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for name in methods:
        of_method = {key for key in known.keys("algorithm") if known.entry(key).registered == name}
        found |= of_method or {known.entry(name).key}
    return found


def _signatures(
    known: Knowledge,
    entry: Entry,
    table: Table,
    base: Plan,
    context: Context,
    marks: tuple[str, ...],
    as_they_are: RowsAsTheyAre,
    refused: Counter[str],
) -> list[Signature] | Reason:
    if not entry.executable or entry.registered is None:
        return Reason(known.say("not-offered", algorithm=entry.label), "F13")
    chosen = setting_of(entry.registered, entry.value("call") or "")
    if chosen.demand != "k":
        return Reason(known.say("no-k", algorithm=entry.label))
    if "{levels}" in (entry.value("call") or ""):
        return Reason(known.say("needs-levels", algorithm=entry.label))
    target = context.target or next(iter(base.sensitive), "")
    number = context.target if context.use == "regression" else None
    ordered = [name for name in base.quasi if table.columns[name].kind.is_ordered]
    people, words = counted(table, base)
    found: list[Signature] = []
    failed = ""
    try:
        method = chosen.make(Named(list(base.quasi), target, number, partial(domains_of, table, table.names), ordered))
        shares = SHARES if "published-rows" in entry.values("owns") and context.suppression > 0 else SHARES[:1]
        for step, share in product(STEPS, shares):
            k = least_k(base, context) * step
            if k > people:
                continue
            rate = rate_of(context, method) * share
            plan = base.replace(protect=promises(base, context, k), method=method, suppression=rate)
            plan.check(table)
            if why := as_they_are.failure(plan):
                failed = failed or why
                continue
            limit, inputs = inputs_of(context, method, k, rate, len(table))
            found.append(Signature(f"{entry.label} ({inputs})", entry.key, chosen.label, k, limit, plan, marks))
    except ParaventError as error:
        refused[error.raw] += 1
        return Reason(known.say("cannot", algorithm=entry.label, why=error.raw))
    few = f"k = {least_k(base, context)} is asked of a table of {people} {words}."
    return found or Reason(known.say("cannot", algorithm=entry.label, why=failed or few))


def rate_of(context: Context, method: Method) -> float:
    """The share of rows that a method may leave out."""
    return context.suppression if method.suppresses == "rows" else 0.0


def inputs_of(context: Context, method: Method, k: int, rate: float, rows: int) -> tuple[int | None, str]:
    """The rows that a method may leave out of a table, and its inputs as the name of a signature has them."""
    limit = context.replace(suppression=rate).max_sup(rows) if method.suppresses == "rows" else None
    return limit, f"k={k}" if limit is None else f"k={k}, MaxSup={limit}"


def promises(base: Plan, context: Context, k: int) -> list[Promise]:
    more: list[Promise] = []
    for name in base.sensitive:
        if context.l is not None:
            more.append(LDiversity(context.l, name))
        if context.t is not None:
            more.append(TCloseness(context.t, name))
    own = [promise for promise in base.protect if not isinstance(promise, KAnonymity)]
    return list(dict.fromkeys([KAnonymity(k), *own, *more]))


def least_k(base: Plan, context: Context) -> int:
    """The smallest k that both the risk and the plan allow."""
    return max(context.k, k_asked(base.models) or 0)


def _nothing_left(
    known: Knowledge, context: Context, dropped: Mapping[str, tuple[Reason, ...]], refused: Counter[str]
) -> ParaventError:
    """What to change where no method is left: what the plan itself is refused for, where that stops most of those that
    could run (the first of several), else the rule that drops most of them."""
    counts: dict[str, int] = {}
    for key, reasons in dropped.items():
        if known.entry(key).executable:
            for rule in {each.rule for each in reasons if each.rule}:
                counts[rule] = counts.get(rule, 0) + 1
    worst = max(counts, key=lambda rule: (counts[rule], rule), default="")
    for why, count in refused.most_common(1):
        if count > counts.get(worst, 0):
            return PlanError(why)
    remedy = known.say(f"remedy-{_REMEDIES.get(worst, 'loosen')}")
    asked = known.say("asked-context") if context.output == "any" else known.say("asked-output", output=context.output)
    use = known.say("for-use", use=context.use) if context.use != "any" else ""
    return InfeasibleError(known.say("nothing-left", asked=asked, use=use, remedy=remedy))


_REMEDIES = {
    "F2": "any-output",
    "F3": "any-output",
    "F4": "any-output-or-target",
    "F6": "any-use",
    "F7": "any-use",
    "F8": "target",
    "F10b": "suppression",
    "P1": "truthful",
}
"""What to change where a rule leaves nothing, by the phrase that says it."""
