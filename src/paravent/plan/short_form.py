"""The short form of a plan: columns by what they are, and models by their parameter.

`pv.anonymize(table, quasi=["age", "zip"], sensitive=["disease"], k=5, l=2)` and the options of the command line are
both read here, so that they mean the same plan.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict

from paravent.errors import PlanError
from paravent.near import suggest
from paravent.plan.about import About
from paravent.plan.plan import Plan
from paravent.plan.roles import Drop, Identifier, Insensitive, Quasi, Role, Sensitive

if TYPE_CHECKING:
    from paravent.hierarchy.spec import TreeSpec
    from paravent.methods.method import Method
    from paravent.privacy.promise import Promise
    from paravent.treatments.treatment import Treatment


class ShortForm(TypedDict, total=False):
    """What may be said in the place of a plan.

    `quasi`, `sensitive`, `identifiers`, `drop` and `insensitive` name columns; as a dictionary, `quasi` gives each its
    tree (a builder, or the path of a file), and any of them may give roles. `k`, `l` and `t` ask for k-anonymity, and
    for distinct l-diversity and t-closeness of every sensitive column; `protect` adds other models. `alike="one"`
    counts sensitive values that look alike as one. The rest is called as in a Plan.
    """

    quasi: str | Iterable[str] | Mapping[str, TreeSpec | str | Quasi | None]
    sensitive: str | Iterable[str] | Mapping[str, Sensitive]
    identifiers: str | Iterable[str] | Mapping[str, Identifier]
    drop: str | Iterable[str]
    insensitive: str | Iterable[str]
    alike: str
    k: int
    l: float  # noqa: E741 (the name the model has in the literature)
    t: float
    protect: Promise | Iterable[Promise]
    method: Method
    treat: Treatment | Iterable[Treatment]
    suppression: float
    suppressed: str
    cells: float
    missing: str | None
    order: str
    seed: int
    about: About
    person: str | None


Spelling = Callable[[str], str]
_OWN = ("quasi", "sensitive", "identifiers", "drop", "insensitive", "alike", "k", "l", "t", "protect")


def as_keyword(name: str) -> str:
    """How an entry of the short form is spelled in Python."""
    return f"{name}="


def plan_of(wished: Mapping[str, Any], columns: Sequence[str] | None, *, spelled: Spelling = as_keyword) -> Plan:
    """The plan that a short form stands for.

    Its columns have the order of the table, whose `columns` are looked at where they are known. `spelled` is how an
    entry is called in messages.

    >>> plan = plan_of({"quasi": ["zip", "age"], "sensitive": "disease", "k": 5, "l": 2}, ["age", "zip", "disease"])
    >>> list(plan.columns), [model.describe() for model in plan.protect]
    (['age', 'zip', 'disease'], ['5-anonymity', "distinct 2-diversity of 'disease'"])
    """
    settings = [name for name in inspect.signature(Plan).parameters if name not in ("columns", "folder")]
    for name in wished:
        if name not in _OWN and name not in settings:
            raise PlanError(f"there is no {spelled(name)} to say what is wanted. {suggest(name, [*_OWN, *settings])}")
    given = {name: value for name, value in wished.items() if value is not None or name == "person"}
    roles = _roles(given, columns, spelled)
    return Plan(
        columns=roles,
        protect=_models(given, roles, spelled),
        **{name: value for name, value in given.items() if name not in _OWN},
    )


def _roles(given: Mapping[str, Any], columns: Sequence[str] | None, spelled: Spelling) -> dict[str, Role]:
    roles: dict[str, Role] = {}
    roles_of: dict[str, type[Role]] = {
        "quasi": Quasi,
        "sensitive": Sensitive,
        "identifiers": Identifier,
        "drop": Drop,
        "insensitive": Insensitive,
    }
    for entry, role in roles_of.items():
        for name, value in _named(spelled(entry), given.get(entry, ())).items():
            if columns is not None and name not in columns:
                raise PlanError(f"{spelled(entry)}: the table has no column {name!r}. {suggest(name, columns)}")
            if name in roles:
                raise PlanError(f"{spelled(entry)}: column {name!r} has a role already. Give it one.")
            if isinstance(value, role):
                roles[name] = value
            elif value is None or role is Quasi:
                roles[name] = role() if value is None else Quasi(value)
            else:
                raise PlanError(f"{spelled(entry)}: {name!r} must be pv.{role.__name__}(…) or nothing, not {value!r}.")
    for name, said in roles.items():
        if "alike" in given and isinstance(said, Sensitive):
            roles[name] = replace(said, alike=given["alike"])
    if not any(isinstance(role, Quasi) for role in roles.values()):
        raise PlanError(
            f"Nothing says which columns could single somebody out. Name them with {spelled('quasi')}, or give a plan; "
            "pv.draft(table) proposes one."
            if spelled is as_keyword
            else f"Nothing says which columns could single somebody out. Name them with {spelled('quasi')}, or give a "
            "plan with --plan; `paravent plan draft` proposes one."
        )
    order = roles if columns is None else columns
    return {name: roles[name] for name in order if name in roles}


def _named(entry: str, given: Any) -> dict[str, Any]:
    """Column names with what is said of each."""
    if isinstance(given, str):
        return {given: None}
    if isinstance(given, Mapping):
        names: list[Any] = list(given)
    elif isinstance(given, Iterable):
        names = list(given)
    else:
        raise PlanError(f"{entry}: must name columns, such as ['age', 'zip'], not {given!r}.")
    for place, name in enumerate(names):
        if not isinstance(name, str):
            raise PlanError(f"{entry}: must name columns by text, and {name!r} is none.")
        if name in names[:place]:
            raise PlanError(f"{entry}: column {name!r} is named twice. Name it once.")
    return dict(given) if isinstance(given, Mapping) else dict.fromkeys(names)


def _models(given: Mapping[str, Any], roles: Mapping[str, Role], spelled: Spelling) -> list[Promise]:
    from paravent.privacy import KAnonymity, LDiversity, TCloseness
    from paravent.privacy.promise import Promise

    models: list[Promise] = [KAnonymity(given["k"])] if "k" in given else []
    sensitive = [name for name, role in roles.items() if isinstance(role, Sensitive)]
    makers: dict[str, Callable[[Any, str], Promise]] = {"l": LDiversity, "t": TCloseness}
    for entry, model in makers.items():
        if entry not in given:
            continue
        if not sensitive:
            raise PlanError(
                f"{spelled(entry)} speaks of sensitive values, but no column is sensitive. "
                f"Name one with {spelled('sensitive')}."
            )
        models += [model(given[entry], name) for name in sensitive]
    more = given.get("protect", ())
    if not isinstance(more, Promise | Iterable) or isinstance(more, str):
        raise PlanError(f"{spelled('protect')}: must be models such as [pv.KAnonymity(5)], not {more!r}.")
    models += [more] if isinstance(more, Promise) else list(more)
    if not models and "protect" not in given:
        words = ("k=5", "l=3", "protect=[]") if spelled is as_keyword else ("--k 5", "--l 3", "--no-promises")
        in_groups = getattr(given.get("method"), "derivation", None) is not None
        example = words[1] if in_groups and sensitive else words[0]
        raise PlanError(
            f"Nothing says what shall hold. Ask for it, for example with {example}; {words[2]} says that nothing is "
            "guaranteed."
        )
    return models
