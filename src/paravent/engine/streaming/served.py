"""Which plans are served some rows at a time, and how much memory they take. What is not says so before it starts."""

from __future__ import annotations

import re

from paravent.errors import PlanError, either
from paravent.methods.method import Method
from paravent.plan.plan import UNSAID, Plan
from paravent.plan.roles import DROP_ROWS, WILDCARD
from paravent.privacy.model import Model
from paravent.table.table import Table

FULL_DOMAIN = ("Datafly", "Samarati", "Incognito", "MinGen", "Optimal")
_BASE = 350 << 20
"""What the interpreter and its libraries take by themselves."""
_OF_A_ROW = 32
"""Bytes for the order of the rows: a drawn number, its rank, and room to sort them."""
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def memory_of(memory: str | int) -> int:
    """A number of bytes, such as `2 GiB`, `500MB` or 2_000_000_000.

    >>> memory_of("2 GiB"), memory_of("1.5g")
    (2147483648, 1610612736)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", str(memory).lower())
    if found is None or isinstance(memory, bool):
        raise PlanError(f"memory: {memory!r} is no amount of memory. Write it like '2 GiB'.")
    return int(float(found[1]) * _UNITS[found[2]])


def check_served(plan: Plan, table: Table) -> None:
    """Raise PlanError where a plan asks for what needs all rows at once."""
    method = plan.method
    silent = [name for name in table.names if name not in plan.columns]
    if silent:
        raise PlanError(
            f"columns: {silent[0]!r} has no role. Where a table is not read whole, every column needs one: "
            "pv.Insensitive() leaves it as it is, pv.Drop() leaves it out."
        )
    if plan.identifiers and plan.person is UNSAID:
        raise PlanError(
            "person: say whether every row is another person, with person=None: where a table is not read whole, "
            "identifiers are not looked at."
        )
    refused = {
        "treat": bool(plan.treat),
        "person": isinstance(plan.person, str),
        "order": plan.order == "sorted",
        "suppressed": plan.suppressed != "drop",
        "cell_suppression": plan.cell_suppression < 1,
        "columns": bool(plan.replaced) or any(plan.meaning_of_missing(n) in (WILDCARD, DROP_ROWS) for n in plan.quasi),
        "protect": not all(isinstance(promise, Model) for promise in plan.protect)
        or any(model.people is not None for model in plan.models)
        or any(model.by_column or model.known for model in plan.models)
        or bool(plan.alike),
    }
    for entry, broken in refused.items():
        if broken:
            raise PlanError(
                f"{entry}: what the plan says there needs all rows at once. Leave it out, or run the plan without "
                + either("memory=….", "--memory.")
            )
    _check_method(method, plan)


def _check_method(method: Method, plan: Plan) -> None:
    name = type(method).__name__
    cuts = name == "Mondrian" and getattr(method, "strict", False) and getattr(method, "target", None) is None
    if cuts and all(model.size_only for model in plan.models):
        return
    if name not in FULL_DOMAIN or method.targets:
        what = "under k-anonymity alone, cut='loss' or 'median' and strict" if name == "Mondrian" else "not"
        raise PlanError(
            f"method: {method!r} is served {what}, where a table is not read whole. Take one of "
            f"{', '.join(FULL_DOMAIN)}, Mondrian() with k-anonymity, or leave "
            + either("memory= out.", "--memory out.")
        )


def rows_at_once(memory: int, width: int) -> int:
    """How many rows of so many columns are held at a time."""
    return max(10_000, min(1 << 20, memory // 24 // (48 * max(1, width))))


def check_rows(memory: int, rows: int) -> None:
    """Raise PlanError where the rows alone are too many."""
    _check(memory, _BASE + rows * _OF_A_ROW, f"{rows} rows")


def check_tuples(memory: int, tuples: int, columns: int) -> None:
    """Raise PlanError where the different tuples of quasi-identifiers are too many: methods work on all of them."""
    needed = _BASE + tuples * (12 * columns + 96)
    _check(memory, needed, f"{tuples} different combinations of values")


def _check(memory: int, needed: int, what: str) -> None:
    if needed > memory:
        raise PlanError(
            f"memory: {what} take about {needed / 2**30:.1f} GiB, and {memory / 2**30:.1f} GiB are allowed. Allow more "
            "memory, take fewer columns, or generalize them first (pv.treatments.Recode)."
        )
