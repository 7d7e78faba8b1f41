"""The plan and its outcome in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PureWindowsPath

from paravent.hierarchy.builders.file import TreeFile
from paravent.hierarchy.spec import TreeSpec
from paravent.plan.plan import Plan
from paravent.plan.roles import Drop, Identifier, Quasi, Role, Sensitive
from paravent.plan.truth import Truth, averages, truths

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
    """One line of the table of columns: what it is, what was done to it, and what its cells say of their rows."""

    name: str
    role: str
    treatment: str
    says: str


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
    true = truths(plan, missing)
    return [
        ColumnWords(
            name,
            _role(plan.role(name)),
            "; ".join(_treatment(plan, name, true.get(name), count > 0, guards.get(name, []))),
            true[name].value if name in true else "",
        )
        for name, count in missing.items()
    ]


def _role(role: Role) -> str:
    if isinstance(role, Quasi):
        return "quasi-identifier"
    if isinstance(role, Drop):
        return "left out"
    return type(role).__name__.lower()


def _treatment(plan: Plan, name: str, true: Truth | None, has_missing: bool, guards: list[str]) -> Iterator[str]:
    role = plan.role(name)
    if true is None or isinstance(role, Identifier):
        yield _REPLACED[role.replace] if isinstance(role, Identifier) else "removed"
        return
    treatments = [treatment for treatment in plan.treat if name in treatment.columns]
    yield from (f"{treatment.title.lower()} ({_shortened(repr(treatment))})" for treatment in treatments)
    done = _done(plan, role, true)
    if done or not treatments:
        yield done or "released as it is"
    if isinstance(role, Quasi) and role.weight != 1:
        yield f"weight {role.weight:g}"
    if isinstance(role, Sensitive):
        yield f"guarded by {listed(guards)}" if guards else "no model guards it"
    meaning = plan.meaning_of_missing(name)
    if has_missing and meaning is not None:
        yield _MISSING[meaning]


def _done(plan: Plan, role: Role, true: Truth) -> str:
    """What the method does to a column; nothing where it is left as it is."""
    if true is Truth.GROUPED:
        return "released by groups of rows"
    if not isinstance(role, Quasi) or not plan.method.makes_classes or plan.method.derivation is not None:
        return ""
    if averages(plan):
        return "replaced by the average of its group"
    return "generalized by its own order" if role.tree is None else f"generalized along {_tree(role.tree)}"


def _tree(tree: TreeSpec | str) -> str:
    if isinstance(tree, str | TreeFile):
        return f"the tree {file_name(tree if isinstance(tree, str) else tree.path)}"
    return _shortened(repr(tree).removeprefix("pv."))


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def file_name(place: str) -> str:
    """What a file is called, without the folders of this machine; anything else as it is.

    >>> file_name("/home/me/patients.csv"), file_name("trees/a b.csv"), file_name("postgresql://host/db, table t")
    ('patients.csv', 'a b.csv', 'postgresql://host/db, table t')
    """
    return place if "://" in place else PureWindowsPath(place).name or place
