"""The plan and its outcome in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PureWindowsPath

from paravent.hierarchy.builders.file import TreeFile
from paravent.hierarchy.spec import TreeSpec
from paravent.measures import Measures, as_percent
from paravent.plan.plan import Plan
from paravent.plan.roles import Drop, Identifier, Quasi, Role, Sensitive
from paravent.privacy.verdict import Verdict

_MISSING = {
    "own value": "a missing value counts as a value of its own",
    "wildcard": "a missing value may be anything and stays missing",
    "drop rows": "rows with a missing value were left out",
    "impute": "missing values were filled in",
}
_LONGEST = 90
_REPLACED = {
    "drop": "removed",
    "pseudonym": "replaced by a keyed pseudonym",
    "random": "replaced by random numbers",
}


@dataclass(frozen=True)
class ColumnWords:
    """One line of the table of columns."""

    name: str
    role: str
    treatment: str


def number(count: float) -> str:
    """
    >>> number(30162)
    '30\\u202f162'
    """
    return f"{count:,.0f}".replace(",", "\u202f")


def counted(count: int, noun: str) -> str:
    """
    >>> counted(1, "row"), counted(12, "row")
    ('1 row', '12 rows')
    """
    return f"{number(count)} {noun if count == 1 else f'{noun}s'}"


def listed(items: Sequence[str], most: int = 8) -> str:
    """
    >>> listed(["age"]), listed(["age", "sex", "zip"]), listed(["a", "b", "c"], most=2)
    ('age', 'age, sex and zip', 'a, b and 1 more')
    """
    if len(items) > most:
        return f"{', '.join(items[:most])} and {len(items) - most} more"
    return f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else "".join(items)


def columns(plan: Plan, missing: Mapping[str, int]) -> list[ColumnWords]:
    """What each column of the table is, and what became of it. `missing` counts their missing values."""
    guards: dict[str, list[str]] = {}
    for model in plan.models:
        for name in model.guards:
            guards.setdefault(name, []).append(model.describe())
    return [
        ColumnWords(name, _role(plan.role(name)), "; ".join(_treatment(plan, name, count > 0, guards.get(name, []))))
        for name, count in missing.items()
    ]


def _role(role: Role) -> str:
    if isinstance(role, Quasi):
        return "quasi-identifier"
    if isinstance(role, Drop):
        return "left out"
    return type(role).__name__.lower()


def _treatment(plan: Plan, name: str, has_missing: bool, guards: list[str]) -> Iterator[str]:
    role = plan.role(name)
    if isinstance(role, Identifier):
        yield _REPLACED[role.replace]
        return
    if isinstance(role, Drop):
        yield "removed"
        return
    if isinstance(role, Quasi):
        if plan.method.gives == "averages" and getattr(plan.method, "publish", "average") == "average":
            yield "replaced by the average of its group"
        else:
            yield "generalized by its own order" if role.tree is None else f"generalized along {_tree(role.tree)}"
        if role.weight != 1:
            yield f"weight {role.weight:g}"
    else:
        yield "released as it is"
    if isinstance(role, Sensitive):
        yield f"guarded by {listed(guards)}" if guards else "no model guards it"
    meaning = plan.meaning_of_missing(name)
    if has_missing and meaning is not None:
        yield _MISSING[meaning]


def _tree(tree: TreeSpec | str) -> str:
    if isinstance(tree, str | TreeFile):
        return f"the tree {file_name(tree if isinstance(tree, str) else tree.path)}"
    text = repr(tree).removeprefix("pv.")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def file_name(place: str) -> str:
    """What a file is called, without the folders of this machine; anything else as it is.

    >>> file_name("/home/me/patients.csv"), file_name("trees/a b.csv"), file_name("postgresql://host/db, table t")
    ('patients.csv', 'a b.csv', 'postgresql://host/db, table t')
    """
    return place if "://" in place else PureWindowsPath(place).name or place


def verdict(plan: Plan, measures: Measures, found: Verdict) -> list[str]:
    """What holds, in sentences that somebody without the vocabulary understands."""
    if found.rows == 0:
        return ["Every row was suppressed: the release is empty, and nobody can be found in it."]
    smallest = int(measures["utility.class_size.min"])
    reads = f"Whoever knows a person's {listed(list(plan.quasi), most=5)}"
    promised = int(found.levels.get("privacy.k", smallest))
    then = ""
    if promised > smallest:
        reads += (
            f" finds at least {counted(promised, 'row')} that may be theirs, where a missing value may be anything; "
            f"at least {number(smallest)} when it is known what is missing."
        )
        then = " then"
    else:
        alone = "" if smallest > 1 else ": somebody stands alone"
        reads += (
            f" finds at least {counted(smallest, 'row')} that fit{'s' if smallest == 1 else ''} equally well{alone}."
        )
    return [
        f"{reads} The chance of picking the right one is{then} at most {as_percent(measures['risk.prosecutor.max'])}; "
        f"in the original it was {as_percent(measures['risk.before.prosecutor.max'])}, and "
        f"{as_percent(measures['risk.before.uniques'])} of the rows stood alone.",
        f"The price: {as_percent(measures['utility.gcp'])} of the detail in these columns is gone, "
        f"and {_suppressed(measures)}.",
    ]


def how_known(found: Verdict) -> str:
    """By what whoever reads the verdict can trust it."""
    if not found.guarantees:
        return "The plan says so itself: protect = [] asks for no promise, and none was checked."
    ways = found.by_knowledge
    said = [f"{listed([check.promise.describe() for check in checks])}: {way}" for way, checks in ways.items()]
    how = next(iter(ways)) if len(ways) == 1 else "; ".join(said)
    return f"{how[0].upper()}{how[1:]}. Checked by code that shares nothing with the method that made it."


def _suppressed(measures: Measures) -> str:
    rows = int(measures["rows.suppressed"])
    if rows == 0:
        return "no row was suppressed"
    of_all = f"of {number(measures['rows.original'])} ({as_percent(rows / measures['rows.original'])})"
    return f"{counted(rows, 'row')} {of_all} {'was' if rows == 1 else 'were'} suppressed"
