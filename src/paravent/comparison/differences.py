"""What differs between plans: the entries in which they are not the same, as people read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any

from paravent.plan.plan import Plan


@dataclass(frozen=True)
class Differences:
    """The entries that are not the same in all plans, and what each plan has in them."""

    entries: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def differences(plans: Sequence[Plan]) -> Differences:
    """
    >>> import paravent as pv
    >>> first = pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(2)])
    >>> found = differences([first, first.replace(protect=[pv.KAnonymity(5)])])
    >>> found.entries, found.rows
    (('asked for',), (('2-anonymity',), ('5-anonymity',)))
    """
    spelled = [_spelled(plan) for plan in plans]
    names = list(dict.fromkeys(name for entries in spelled for name in entries))
    differing = [name for name in names if len({entries.get(name, "–") for entries in spelled}) > 1]
    return Differences(
        tuple(differing), tuple(tuple(entries.get(name, "–") for name in differing) for entries in spelled)
    )


def _spelled(plan: Plan) -> dict[str, str]:
    """A plan as short texts by the names of its entries; what only its report says is left out."""
    document = plan.to_document()
    found = {
        "asked for": ", ".join(model.describe() for model in plan.protect),
        "method": _method(plan),
    }
    for name, value in document.items():
        if name not in ("protect", "method", "columns", "about"):
            found[name] = _text(value)
    for name, role in sorted(plan.columns.items()):
        found[f"column {name}"] = repr(role).removeprefix("pv.").replace("pv.", "")
    return found


def _method(plan: Plan) -> str:
    """The method with the parameters that are not as usual."""
    usual = {field.name: field.default for field in fields(plan.method)}  # type: ignore[arg-type]
    said = [
        f"{name}={getattr(plan.method, name)!r}"
        for name, default in usual.items()
        if default is MISSING or getattr(plan.method, name) != default
    ]
    return f"{type(plan.method).__name__}({', '.join(said)})"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)
