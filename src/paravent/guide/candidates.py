"""Candidates: what a guide looks at, of the methods there are or of those that are named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from paravent.guide.combining import with_combinations
from paravent.guide.context import Context
from paravent.guide.signatures import Relevant, relevant
from paravent.knowledge.base import Knowledge
from paravent.plan.draft import draft
from paravent.plan.plan import Plan
from paravent.plan.roles import Quasi
from paravent.privacy.k_anonymity import KAnonymity
from paravent.profiling.profile import profile
from paravent.table.table import Table


def candidates_of(
    table: Table, base: Plan, context: Context, known: Knowledge, methods: Sequence[str] | None = None
) -> Relevant:
    """The signatures of every method and combinations of them; of methods that are named, these alone."""
    found = relevant(table, base, context, known, methods)
    return found if methods is not None else with_combinations(table, base, context, known, found)


def drafted(table: Table) -> Plan:
    """The roles and trees that are proposed for a table. What to promise is the context's to say."""
    return draft(table, k=2).replace(protect=[KAnonymity(2)])


def with_trees(table: Table, plan: Plan) -> Plan:
    """The plan with the trees that the profile proposes where it has none."""
    lacking = [name for name, role in plan.quasi.items() if role.tree is None]
    if not lacking:
        return plan
    proposed = {column.name: column.tree for column in profile(table, max_subset=1).columns if column.name in lacking}
    columns = dict(plan.columns)
    for name in lacking:
        role = columns[name]
        if proposed.get(name) is not None and isinstance(role, Quasi):
            columns[name] = replace(role, tree=proposed[name])
    return plan.replace(columns=columns)
