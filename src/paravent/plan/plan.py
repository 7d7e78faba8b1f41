"""Plan: what is wanted, as data. A plan file, `repr(plan)` and the object say the same."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from enum import Enum
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from paravent.arguments import check_call, fits, shown
from paravent.errors import PlanError, either
from paravent.methods.method import Method, RoleName
from paravent.plan.about import About
from paravent.plan.roles import (
    DROP_ROWS,
    MEANINGS,
    OWN_VALUE,
    Drop,
    Identifier,
    Insensitive,
    Quasi,
    Role,
    Sensitive,
    check_choice,
)
from paravent.privacy.model import Model
from paravent.privacy.promise import Promise
from paravent.treatments.pseudonymize import Pseudonymize
from paravent.treatments.treatment import Treatment

if TYPE_CHECKING:
    from paravent.table.table import Table


class Person(Enum):
    """What a plan says of whose the rows are, where it names no column."""

    UNSAID = "unsaid"

    def __repr__(self) -> str:
        return "…"


UNSAID = Person.UNSAID

ORDERS = ("shuffled", "source", "sorted")
"""In which order the rows of a release can stand."""


def _default_method() -> Method:
    from paravent.methods import Mondrian

    return Mondrian()


def _method_for(promises: Iterable[Promise]) -> Method:
    """What is done where the plan names no method: without a model there is nothing to make classes for."""
    from paravent.methods import AsIs

    return _default_method() if any(isinstance(promise, Model) for promise in promises) else AsIs()


@dataclass(frozen=True, repr=False)
class Plan:
    """Which columns are what, what must hold, and how to get there.

    Columns that are not named are Insensitive. `protect` are the promises; an empty list says that nothing is
    guaranteed. Without a `method`, Mondrian serves the models, and where there is none cells are published as they are.
    `suppression` is the share of rows that may be suppressed, `suppressed`
    what becomes of them: `drop` leaves them out, `mark` keeps a blank row in their place. `cell_suppression` is the
    share of the other rows' quasi-identifier cells that may be suppressed, published as `*`. `treat` are steps that
    change values, in their order, before classes are made. `missing` is what missing
    values mean where a column does not say so itself. `person` names the column that says whose each row is: then
    people are counted, not rows; None insists that every row is another person. `order` is that of the released rows:
    `shuffled`, as in the `source`, or `sorted` by their cells. `about` is what the report says of the release: who
    answers for it, and what for. `folder` is where relative paths of trees start (the folder of the plan file; None:
    the working directory).

    >>> from paravent.privacy import KAnonymity
    >>> plan = Plan({"age": Quasi(), "disease": Sensitive()}, protect=[KAnonymity(5)], suppression=0.02)
    >>> plan  # doctest: +ELLIPSIS
    pv.Plan(
        columns={
            'age': pv.Quasi(),
            'disease': pv.Sensitive(),
        },
        protect=[pv.KAnonymity(k=5)],
        method=pv.methods.Mondrian(...),
        suppression=0.02,
    )
    """

    columns: Mapping[str, Role]
    protect: tuple[Promise, ...]
    method: Method = field(default_factory=_default_method)
    suppression: float = 0.0
    suppressed: str = "drop"
    missing: str | None = None
    seed: int = 0
    cell_suppression: float = 1.0
    treat: tuple[Treatment, ...] = field(default=(), kw_only=True)
    order: str = field(default="shuffled", kw_only=True)
    person: str | Person | None = field(default=UNSAID, kw_only=True)
    about: About = field(default_factory=About, kw_only=True)
    folder: Path | None = field(default=None, compare=False, kw_only=True)

    def __init__(
        self,
        columns: Mapping[str, Role],
        protect: Iterable[Promise] | Promise,
        method: Method | None = None,
        suppression: float = 0.0,
        suppressed: str = "drop",
        missing: str | None = None,
        seed: int = 0,
        cell_suppression: float = 1.0,
        *,
        treat: Iterable[Treatment] | Treatment = (),
        order: str = "shuffled",
        about: About | None = None,
        person: str | Person | None = UNSAID,
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        if not fits(folder, str | os.PathLike | None):
            raise PlanError(f"folder: must be a path, not {shown(folder)}.")
        set_ = object.__setattr__
        set_(self, "protect", _checked_promises(protect))
        set_(self, "method", _checked_method(_method_for(self.protect) if method is None else method))
        set_(self, "columns", _checked_columns(columns, needs_quasi=bool(self.models) or self.method.makes_classes))
        set_(self, "suppression", suppression)
        set_(self, "suppressed", suppressed)
        set_(self, "missing", missing)
        set_(self, "seed", seed)
        set_(self, "cell_suppression", cell_suppression)
        set_(self, "treat", _checked_treatments(treat))
        set_(self, "order", order)
        set_(self, "about", _checked_about(about))
        set_(self, "person", person)
        set_(self, "folder", None if folder is None else Path(folder))
        _check_share("suppression", suppression, "rows")
        _check_share("cell_suppression", cell_suppression, "cells")
        check_choice("suppressed:", suppressed, ("drop", "mark"))
        check_choice("order:", order, ORDERS)
        if missing is not None:
            check_choice("missing:", missing, MEANINGS)
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63:
            raise PlanError(f"seed: must be a whole number from 0 to 2^63 - 1, not {seed!r}.")
        _check_person(person, self.columns)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied by its entries: what was worked out from them is worked out again."""
        entries = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return _plan_of, ({**entries, "columns": dict(self.columns)},)

    def __hash__(self) -> int:
        return hash((tuple(self.columns), self.protect, self.suppression, self.seed))

    @cached_property
    def models(self) -> tuple[Model, ...]:
        """The promises that are kept class by class."""
        return tuple(promise for promise in self.protect if isinstance(promise, Model))

    @cached_property
    def quasi(self) -> Mapping[str, Quasi]:
        return MappingProxyType({name: role for name, role in self.columns.items() if isinstance(role, Quasi)})

    @property
    def quasi_names(self) -> list[str]:
        return list(self.quasi)

    @property
    def sensitive(self) -> dict[str, Sensitive]:
        return {name: role for name, role in self.columns.items() if isinstance(role, Sensitive)}

    @property
    def identifiers(self) -> dict[str, Identifier]:
        """The columns that name people; the one that says whose the rows are is one of them, named or not."""
        found = {name: role for name, role in self.columns.items() if isinstance(role, Identifier)}
        if isinstance(self.person, str) and self.person not in self.columns:
            found[self.person] = Identifier()
        return found

    @property
    def linking(self) -> tuple[str, ...]:
        """The released columns that show which rows are one person's: the one that says so, replaced identifiers."""
        shown = [name for name, role in self.identifiers.items() if role.replace != "drop"]
        if isinstance(self.person, str) and not isinstance(self.role(self.person), Identifier | Drop):
            shown.append(self.person)
        return tuple(shown) if isinstance(self.person, str) else ()

    @property
    def left_out(self) -> tuple[str, ...]:
        """The columns that must not be in the release: those to drop, and identifiers that nothing replaces."""
        dropped = [name for name, role in self.columns.items() if isinstance(role, Drop)]
        return (*dropped, *(name for name, role in self.identifiers.items() if role.replace == "drop"))

    @property
    def alike(self) -> tuple[str, ...]:
        """The sensitive columns in which values that look alike count as one."""
        return tuple(name for name, role in self.sensitive.items() if role.alike == "one")

    @property
    def replaced(self) -> dict[str, int | None]:
        """The columns that are replaced: how many digits their pseudonyms have, None where they are numbered."""
        kept = {name: role for name, role in self.identifiers.items() if role.replace != "drop"}
        found = {name: role.length if role.replace == "pseudonym" else None for name, role in kept.items()}
        for treatment in self.treat:
            digits = treatment.length if isinstance(treatment, Pseudonymize) else None
            for name in treatment.columns:  # the last treatment of a column says what it holds
                if digits is not None and name not in self.quasi:
                    found[name] = digits
                else:
                    found.pop(name, None)
        return found

    @property
    def judged(self) -> tuple[str, ...]:
        """The sensitive columns that a model reads."""
        return tuple(dict.fromkeys(name for promise in self.protect for name in promise.needs))

    def role(self, name: str) -> Role:
        check_call(Plan.role, locals())
        default: Role = Identifier() if name == self.person else Insensitive()
        return self.columns.get(name, default)

    def role_names(self, columns: Iterable[str]) -> dict[str, RoleName]:
        """What each of some columns is, in a word: what a method may know of the plan."""
        check_call(Plan.role_names, locals())
        found: dict[str, RoleName] = {}
        for name in columns:
            role = self.role(name)
            found[name] = (
                "quasi" if isinstance(role, Quasi)
                else "sensitive" if isinstance(role, Sensitive)
                else "identifier" if isinstance(role, Identifier)
                else "insensitive"
            )  # fmt: skip
        return found

    def meaning_of_missing(self, name: str) -> str | None:
        """What a missing value of a quasi-identifier or a judged sensitive column means; None: the plan is silent."""
        check_call(Plan.meaning_of_missing, locals())
        role = self.role(name)
        if isinstance(role, Quasi):
            return role.missing or self.missing
        if isinstance(role, Sensitive):
            return role.missing or (self.missing if self.missing in (OWN_VALUE, DROP_ROWS) else None)
        return None

    def allowed(self, rows: int) -> int:
        """How many of `rows` may be suppressed: the share as it is written, rounded down.

        >>> from paravent.privacy import KAnonymity
        >>> Plan({"age": Quasi()}, KAnonymity(2), suppression=0.29).allowed(100)
        29
        """
        check_call(Plan.allowed, locals())
        return int(Decimal(repr(self.suppression)) * rows)

    def check(self, table: Table) -> None:
        """Raise PlanError when this plan does not fit the table."""
        check_call(Plan.check, locals())
        from paravent.plan.check import check

        check(self, table)

    def replace(self, **changes: Any) -> Plan:
        """The same plan with some entries changed."""
        return replace(self, **changes)

    def to_document(self) -> dict[str, Any]:
        """The plan as nested dictionaries and lists, as its TOML file holds it."""
        from paravent.plan.document import to_document

        return to_document(self)

    @classmethod
    def from_document(cls, document: Mapping[str, Any], *, folder: str | os.PathLike[str] | None = None) -> Plan:
        from paravent.plan.document import from_document

        return from_document(document, folder=folder)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plan as TOML. Relative paths of trees are rewritten to start at the file's folder."""
        check_call(Plan.save, locals())
        from paravent.plan.file import save

        save(self, Path(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Plan:
        check_call(Plan.load, locals())
        from paravent.plan.file import load

        return load(Path(path))

    @staticmethod
    def schema() -> dict[str, Any]:
        """The JSON schema of a plan document."""
        from paravent.plan.document import schema

        return schema()

    def _repr_html_(self) -> str:
        from paravent import notebook

        roles = [(name, type(role).__name__, repr(role).removeprefix("pv.")) for name, role in self.columns.items()]
        asked = ", ".join(promise.describe() for promise in self.protect) or "nothing is guaranteed"
        return notebook.shown(
            f"Plan: {asked}, by {type(self.method).__name__}",
            notebook.table(["column", "role", "as"], roles),
            notebook.folded("As Python", notebook.code(repr(self))),
        )

    def __repr__(self) -> str:
        columns = "".join(f"        {name!r}: {role!r},\n" for name, role in self.columns.items())
        lines = [
            f"columns={{\n{columns}    }}",
            f"protect=[{', '.join(map(_runnable_promise, self.protect))}]",
            f"method={_runnable_method(self.method)}",
        ]
        if self.treat:
            lines.append(f"treat=[{', '.join(map(_runnable_treatment, self.treat))}]")
        for name, default in _DEFAULTS.items():
            if getattr(self, name) != default:
                lines.append(f"{name}={getattr(self, name)!r}")
        if self.about:
            lines.append(f"about={self.about!r}")
        if self.folder is not None:
            lines.append(f"folder={os.fspath(self.folder)!r}")
        return "pv.Plan(\n" + "".join(f"    {line},\n" for line in lines) + ")"


_DEFAULTS = {
    "suppression": 0.0,
    "suppressed": "drop",
    "missing": None,
    "seed": 0,
    "cell_suppression": 1.0,
    "order": "shuffled",
    "person": UNSAID,
}


def _plan_of(entries: dict[str, Any]) -> Plan:
    return Plan(**entries)


def _check_person(person: object, columns: Mapping[str, Role]) -> None:
    if person is None or person is UNSAID:
        return
    if not isinstance(person, str) or not person:
        raise PlanError(f"person: must be the name of the column that says whose each row is, or None, not {person!r}.")
    role = columns.get(person)
    if isinstance(role, Quasi | Sensitive):
        raise PlanError(
            f"person: column {person!r} is {'a quasi-identifier' if isinstance(role, Quasi) else 'sensitive'} in this "
            "plan. The column that says whose each row is must be pv.Identifier()."
        )


def _check_share(name: str, share: object, of: str) -> None:
    if not isinstance(share, int | float) or isinstance(share, bool) or not 0 <= share <= 1:
        raise PlanError(f"{name}: must be a share of the {of} from 0 to 1, not {shown(share)}.")


def _checked_columns(columns: Mapping[str, Role], *, needs_quasi: bool) -> Mapping[str, Role]:
    if not isinstance(columns, Mapping):
        raise PlanError("columns: must map names to roles, such as {'age': pv.Quasi()}.")
    for name, role in columns.items():
        if not isinstance(name, str):
            raise PlanError(f"columns: the name {name!r} is not a text. Write it in quotes.")
        if isinstance(role, type) and issubclass(role, Role):
            raise PlanError(
                f"columns: {name!r} has the role {role.__name__} without brackets. Write pv.{role.__name__}()."
            )
        if not isinstance(role, Role):
            raise PlanError(f"columns: {name!r} needs a role such as pv.Quasi() or pv.Sensitive(), not {role!r}.")
    if needs_quasi and not any(isinstance(role, Quasi) for role in columns.values()):
        raise PlanError(
            "columns: no quasi-identifier is named. "
            + either("Give pv.Quasi() to the columns", 'Give role = "quasi" to the columns')
            + " that others may know about people."
        )
    return MappingProxyType(dict(columns))


def _checked_promises(protect: Iterable[Promise] | Promise) -> tuple[Promise, ...]:
    """The promises; none at all only where that is written out, as an empty list."""
    if isinstance(protect, Promise):
        return (protect,)
    promises: list[Promise] = []
    given: Iterable[object] = protect if isinstance(protect, Iterable) else (protect,)
    if isinstance(given, str | Mapping):
        given = (given,)
    for promise in given:
        if not isinstance(promise, Promise):  # the first is enough: what is given may be endless
            example = either("[pv.KAnonymity(5)]", '{ model = "KAnonymity", k = 5 }')
            nothing = either("protect=[]", "protect = [] (--no-promises)")
            raise PlanError(
                f"protect: name at least one promise, such as {example}; {nothing} says that nothing is guaranteed."
            )
        promises.append(promise)
    return tuple(promises)


def _checked_method(method: Method) -> Method:
    if not isinstance(method, Method):
        raise PlanError(f"method: must be a method such as pv.methods.Mondrian(), not {method!r}.")
    return method


def _checked_treatments(treat: Iterable[Treatment] | Treatment) -> tuple[Treatment, ...]:
    given = (treat,) if isinstance(treat, Treatment) else tuple(treat) if isinstance(treat, Sequence) else (treat,)
    for treatment in given:
        if not isinstance(treatment, Treatment):
            raise PlanError(
                f"treat: must be treatments such as [pv.treatments.TopCode('age', above=75)], not {shown(treatment)}."
            )
    return given


def _checked_about(about: About | None) -> About:
    if about is not None and not isinstance(about, About):
        raise PlanError(f"about: must be pv.About(responsible=…, purpose=…), not {about!r}.")
    return about or About()


def _runnable_promise(promise: Promise) -> str:
    from paravent import privacy

    return f"pv.{promise!r}" if getattr(privacy, type(promise).__name__, None) is type(promise) else repr(promise)


def _runnable_method(method: Method) -> str:
    from paravent import methods

    return f"pv.methods.{method!r}" if getattr(methods, type(method).__name__, None) is type(method) else repr(method)


def _runnable_treatment(treatment: Treatment) -> str:
    from paravent import treatments

    known = getattr(treatments, type(treatment).__name__, None) is type(treatment)
    return f"pv.treatments.{treatment!r}" if known else repr(treatment)
