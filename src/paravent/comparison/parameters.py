"""Parameters: any entry of a plan by its name, to be read and to be set.

suppression, missing, seed …    an entry of the plan
k, l, t, labels …               a field of a model or of the method, where only one has it
protect.KAnonymity.k            a field of the model of that kind; protect.1.k of the second model (from 0)
method, method.labels           the method, or a field of it
columns.age.weight              a field of a column's role
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from paravent import registry
from paravent.errors import ParaventError, PlanError
from paravent.near import suggest
from paravent.plan.plan import Plan

_ENTRIES = ("suppression", "suppressed", "missing", "seed")


@dataclass(frozen=True)
class Parameter:
    """The place of one entry: the part of the plan, which one of it, and its field."""

    name: str
    part: str
    which: Any = None
    field: str | None = None

    @classmethod
    def of(cls, name: str, plan: Plan) -> Parameter:
        """The parameter that a name stands for in a plan.

        >>> import paravent as pv
        >>> plan = pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(5)])
        >>> Parameter.of("k", plan).set(plan, 10).protect
        (KAnonymity(k=10),)
        """
        known = {parameter.name: parameter for parameter in _all(plan)}
        if name in known:
            return known[name]
        alike = [full for full, found in known.items() if found.field == name and found.part in ("protect", "method")]
        distinct = {(known[full].part, known[full].which) for full in alike}
        if len(distinct) == 1:
            return dataclasses.replace(known[alike[0]], name=name)
        if alike:
            raise PlanError(f"sweep: {name!r} could be {' or '.join(map(repr, alike))}. Write the longer name.")
        short = {found.field for found in known.values() if found.field and found.part != "columns"}
        raise PlanError(f"sweep: the plan has no parameter {name!r}. {suggest(name, [*_ENTRIES, *short, *known])}")

    def get(self, plan: Plan) -> Any:
        owner = self._owner(plan)
        return owner if self.field is None else getattr(owner, self.field)

    def set(self, plan: Plan, value: Any) -> Plan:
        """The plan with another value here. What the value may be is for the plan and its parts to say."""
        try:
            if self.part in _ENTRIES:
                return plan.replace(**{self.part: value})
            if self.field is None:
                return plan.replace(method=_method(value))
            changed = dataclasses.replace(self._owner(plan), **{self.field: value})
        except (ParaventError, TypeError, ValueError) as error:
            raise PlanError(f"sweep: {self.name}={value!r} cannot be. {error}") from None
        if self.part == "method":
            return plan.replace(method=changed)
        if self.part == "protect":
            return plan.replace(protect=[changed if i == self.which else m for i, m in enumerate(plan.protect)])
        return plan.replace(columns={**plan.columns, self.which: changed})

    def _owner(self, plan: Plan) -> Any:
        match self.part:
            case "method":
                return plan.method
            case "protect":
                return plan.protect[self.which]
            case "columns":
                return plan.columns[self.which]
            case entry:
                return getattr(plan, entry)


def _method(value: Any) -> Any:
    """A method, or the one of that name with its defaults."""
    if not isinstance(value, str):
        return value
    known = registry.classes("method")
    if value not in known:
        raise PlanError(f"There is no method {value!r}. {suggest(value, known)}")
    return known[value]()


def _all(plan: Plan) -> Iterator[Parameter]:
    """Every parameter of a plan under its full names. A kind of model that occurs twice needs the column or place."""
    yield from (Parameter(entry, entry) for entry in _ENTRIES)
    yield Parameter("method", "method")
    yield from (Parameter(f"method.{field}", "method", None, field) for field in _fields(plan.method))
    kinds = [type(model).__name__ for model in plan.protect]
    for i, model in enumerate(plan.protect):
        for field in _fields(model):
            if kinds.count(kinds[i]) == 1:
                yield Parameter(f"protect.{kinds[i]}.{field}", "protect", i, field)
            elif model.needs:
                yield Parameter(f"protect.{kinds[i]}.{model.needs[0]}.{field}", "protect", i, field)
            yield Parameter(f"protect.{i}.{field}", "protect", i, field)
    for name, role in plan.columns.items():
        yield from (Parameter(f"columns.{name}.{field}", "columns", name, field) for field in _fields(role))


def _fields(thing: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(thing) if field.init] if dataclasses.is_dataclass(thing) else []
