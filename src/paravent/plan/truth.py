"""What is true of the cells of a release, column by column, as its plan tells: for whoever explains or measures it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from paravent.plan.plan import Plan
from paravent.plan.roles import Identifier


class Truth(Enum):
    """What a cell says of its row, in a few words."""

    AS_IT_IS = "its own value"
    LABEL = "a label that covers its value: true, and less"
    AVERAGE = "an average of its group, which need be nobody's value"
    CODED = "its value, coded: true, and less"
    PERTURBED = "a value that may be false of its row"
    GROUPED = "a value of its group; which is whose is hidden"
    REPLACED = "a code in the place of its value"


def averages(plan: Plan) -> bool:
    """Whether released cells are averages of classes, which cover nothing."""
    return plan.method.gives == "averages" and getattr(plan.method, "publish", "average") == "average"


def truths(plan: Plan, columns: Iterable[str]) -> dict[str, Truth]:
    """What is true of each of some columns that are released. What may be false stays so, whatever label covers it.

    >>> import paravent as pv
    >>> plan = pv.Plan({"age": pv.Quasi(), "job": pv.Quasi(), "pay": pv.Insensitive()}, pv.KAnonymity(2),
    ...     treat=[pv.treatments.Noise("age", scale=0.1), pv.treatments.TopCode("pay", above=9)])
    >>> [truth.name for truth in truths(plan, ["age", "job", "pay", "sex"]).values()]
    ['PERTURBED', 'LABEL', 'CODED', 'AS_IT_IS']
    """
    released = [name for name in columns if name not in plan.left_out]
    method, roles = plan.method, plan.role_names(released)
    changed, false = method.changes(roles), method.may_be_false(roles)
    found = {}
    for name in released:
        treatments = [treatment for treatment in plan.treat if name in treatment.columns]
        if isinstance(plan.role(name), Identifier):
            found[name] = Truth.REPLACED
        elif name in false or not all(treatment.coarsens for treatment in treatments):
            found[name] = Truth.PERTURBED
        elif name in changed and method.derivation is not None:
            found[name] = Truth.GROUPED
        elif name in changed and method.makes_classes:
            found[name] = Truth.AVERAGE if averages(plan) else Truth.LABEL
        else:
            found[name] = Truth.CODED if treatments else Truth.AS_IT_IS
    return found


def attackable(plan: Plan, columns: Iterable[str]) -> tuple[str, ...]:
    """The sensitive columns of which rows that look alike tell something: their cells are true of their rows, and so
    are those by which rows are found, or classes were made of them."""
    columns = list(columns)
    if perturbed(plan, columns).intersection(plan.quasi) and (not plan.models or plan.method.derivation is not None):
        return ()
    true = truths(plan, columns)
    return tuple(name for name in plan.sensitive if true.get(name) in (Truth.AS_IT_IS, Truth.CODED))


def grouped(plan: Plan, columns: Iterable[str]) -> tuple[str, ...]:
    """The sensitive columns that groups of rows tell about, in the first table or beside it; none where somebody's row
    cannot be found, for its quasi-identifiers may be false."""
    true = truths(plan, (*columns, *(name for name in plan.sensitive if name not in columns)))
    if any(true.get(name) is Truth.PERTURBED for name in plan.quasi):
        return ()
    return tuple(name for name in plan.sensitive if true.get(name) is Truth.GROUPED)


def perturbed(plan: Plan, columns: Iterable[str]) -> frozenset[str]:
    """The columns whose cells may be false of their rows: perturbed ones, and quasi-identifiers whose values changed
    places in their group."""
    return frozenset(
        name
        for name, truth in truths(plan, columns).items()
        if truth is Truth.PERTURBED or (truth is Truth.GROUPED and name in plan.quasi)
    )
