"""Columns that could name people and that a plan says nothing about: they need a role before anything is released."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import polars as pl

from paravent.errors import PlanError, RoleError, either
from paravent.plan.plan import Plan
from paravent.table.kinds import Kind
from paravent.table.table import Table

if TYPE_CHECKING:
    from paravent.profiling.column import ColumnProfile

_SHOWN = 8
_LOOKED_AT: WeakKeyDictionary[Table, dict[str, tuple[str, bool]]] = WeakKeyDictionary()
"""What was found about the columns of a table, for who anonymizes it many times."""


def exposed(table: Table, names: Sequence[str]) -> dict[str, str]:
    """Those of the columns that could name people by themselves, each with the reason.

    They are what the profile calls an identifier, and what has a value of its own in nearly every row.

    >>> import paravent as pv, polars as pl
    >>> exposed(pv.read(pl.DataFrame({"name": ["Ann", "Bob", "Cy"], "sex": ["f", "m", "m"]})), ["name", "sex"])
    {'name': "the header names a person's name"}
    """
    return {name: reason for name, (reason, _) in _looked_at(table, names).items() if reason}


def naming(table: Table, names: Sequence[str]) -> list[str]:
    """Those of the columns that the profile calls an identifier, and not as a mere guess."""
    return [name for name, (_, sure) in _looked_at(table, names).items() if sure]


def _looked_at(table: Table, names: Sequence[str]) -> dict[str, tuple[str, bool]]:
    """For each column why it could name people, and whether it plainly does."""
    known = _LOOKED_AT.setdefault(table, {})
    new = [name for name in names if name not in known]
    if new:
        from paravent.profiling.profile import profile

        frame = pl.DataFrame([table.frame[name] for name in new])
        part = replace(table, frame=frame, columns={name: table.columns[name] for name in new})
        known.update(
            (column.name, (_reason(column), _sure(column))) for column in profile(part, columns=(), max_subset=1)
        )
    return {name: known[name] for name in names}


def _sure(column: ColumnProfile) -> bool:
    from paravent.profiling.detect import Confidence
    from paravent.profiling.lexicon import Role

    return column.role is Role.IDENTIFIER and column.proposal.confidence is not Confidence.GUESS


def _reason(column: ColumnProfile) -> str:
    """Why a column could name people; empty where it could not."""
    from paravent.profiling.detect import ENOUGH_ROWS, NEAR_UNIQUE
    from paravent.profiling.lexicon import Role

    present = column.rows - column.missing
    if column.role is Role.IDENTIFIER:
        return column.proposal.reason.partition(": ")[0]
    near_unique = present >= ENOUGH_ROWS and column.distinct >= NEAR_UNIQUE * present
    return "nearly every row has a value of its own" if near_unique else ""


def check_roles(plan: Plan, table: Table) -> None:
    """Raise RoleError when a column that could name people has no role in the plan; the one that says whose rows are
    whose is an identifier without being named."""
    found = exposed(table, [name for name in table.names if name not in plan.columns and name not in plan.identifiers])
    if found:
        raise RoleError(silence(found))


def check_labels(plan: Plan, table: Table) -> None:
    """Raise PlanError when the labels of a column would list the values of single people: one of words whose labels
    come from no tree, most of which occur once."""
    for name in plan.quasi:
        if lists_values(plan, name, table.columns[name].kind):
            cells = table.frame[name].alias("cells").drop_nulls()
            check_listed(plan, name, cells.n_unique(), len(cells))


def lists_values(plan: Plan, name: str, kind: Kind) -> bool:
    """Whether labels of a quasi-identifier list its values, which are words."""
    method = plan.method
    by_tree = getattr(method, "labels", "tree") == "tree" and getattr(method, "publish", "ancestor") == "ancestor"
    return not (plan.quasi[name].tree is not None and by_tree) and kind in (Kind.NOMINAL, Kind.TEXT)


def check_listed(plan: Plan, name: str, distinct: int, rows: int) -> None:
    """Raise PlanError when most of the values that labels would list occur once."""
    from paravent.profiling.detect import ENOUGH_ROWS

    if rows < ENOUGH_ROWS or 2 * distinct <= rows:
        return
    if plan.quasi[name].tree is not None:
        raise PlanError(
            f"columns.{name}: it has {distinct} different values in {rows} rows, and {plan.method!r} would publish "
            "them, not its tree. Publish the nodes of trees, with another method or other labels."
        )
    option = shlex.quote(f"{name}=prefixes()"), shlex.quote(f"{name}=by_frequency()")
    raise PlanError(
        f"columns.{name}: it has {distinct} different values in {rows} rows and no tree, so its labels would list "
        "values of single people: "
        + either(
            "leave it out with pv.Drop(), or give it a tree such as pv.prefixes() for codes, or pv.by_frequency(), "
            "whose labels name nobody.",
            f"leave it out with --drop {_joined([name])}, or give it a tree such as --tree {option[0]} for codes, or "
            f"--tree {option[1]}, whose labels name nobody.",
        )
    )


def silence(found: Mapping[str, str]) -> str:
    """What is wrong with a plan that is silent about these columns, and what to write."""
    names = list(found)
    one = len(names) == 1
    shown = [f"{name!r} ({reason})" for name, reason in list(found.items())[:_SHOWN]]
    if len(names) > _SHOWN:
        shown.append(f"{len(names) - _SHOWN} more")
    listed = shown[0] if one else f"{', '.join(shown[:-1])} and {shown[-1]}"
    entry = names[0]
    return (
        f"{'column' if one else 'columns'} {listed} could name people, and the plan gives "
        f"{'it' if one else 'them'} no role, so {'it' if one else 'they'} would be released as "
        f"{'it is' if one else 'they are'}: "
        + either(
            f"drop {'it' if one else 'them'} with {{{entry!r}: pv.Identifier()}}, generalize with pv.Quasi(), protect "
            "with pv.Sensitive(), or insist with pv.Insensitive().",
            f"drop {'it' if one else 'them'} with --identifier {_joined(names)}, generalize with --quasi, protect with "
            '--sensitive, or insist with --insensitive (in a plan: role = "identifier", "quasi", "sensitive" or '
            '"insensitive").',
        )
    )


def _joined(names: Sequence[str]) -> str:
    """Names as an option takes them, ready for a shell."""
    quoted = ['"' + name.replace('"', '""') + '"' if "," in name or '"' in name else name for name in names]
    return shlex.quote(",".join(quoted))
