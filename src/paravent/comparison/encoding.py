"""One encoding for many runs: a column that several plans treat alike is turned into codes once."""

from __future__ import annotations

from dataclasses import dataclass, field

from paravent.methods.method import Axis
from paravent.plan.encode import encode
from paravent.plan.file import resolved
from paravent.plan.plan import Plan
from paravent.plan.roles import DROP_ROWS
from paravent.table.table import Table

Key = tuple[str, str, str | None, frozenset[str], str]


@dataclass
class SharedEncoding:
    """Encodes one table for plan after plan. Call it with that table, or with the rows of it that a plan keeps.

    A column's codes depend on its role, on what its missing values mean, on which rows are left out, and on treatments.
    """

    known: dict[Key, Axis] = field(default_factory=dict)

    def __call__(self, table: Table, plan: Plan) -> tuple[Axis, ...]:
        keys = {name: self._key(plan, name) for name in plan.quasi}
        new = {name: plan.columns[name] for name, key in keys.items() if key not in self.known}
        if new:
            for axis in encode(table, plan.replace(columns=new)):
                self.known[keys[axis.name]] = axis
        return tuple(self.known[key] for key in keys.values())

    def _key(self, plan: Plan, name: str) -> Key:
        left_out = {other for other in (*plan.quasi, *plan.judged) if plan.meaning_of_missing(other) == DROP_ROWS}
        treated = repr(plan) if plan.treat else ""  # what is drawn depends on all of it
        return name, repr(resolved(plan).quasi[name]), plan.meaning_of_missing(name), frozenset(left_out), treated
