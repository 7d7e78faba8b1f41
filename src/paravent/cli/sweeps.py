"""Sweeps as options: `--sweep k=2,5,10,25`, `--sweep suppression=0..0.1:0.02`, `--sweep method.labels=tree,set`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from paravent.errors import PlanError

_MOST = 1000


def read_sweeps(texts: Sequence[str]) -> dict[str, list[Any]]:
    """The parameters with their values.

    >>> read_sweeps(["k=2,5", "suppression=0..0.1:0.05"])
    {'k': [2, 5], 'suppression': [0, 0.05, 0.1]}
    """
    found: dict[str, list[Any]] = {}
    for text in texts:
        name, equals, values = (part.strip() for part in text.partition("="))
        if not (name and equals and values):
            raise PlanError(f"--sweep: {text!r} must be NAME=VALUES, such as k=2,5,10 or suppression=0..0.1:0.02.")
        if name in found:
            raise PlanError(f"--sweep: {name} is named twice. Give all its values at once.")
        found[name] = [value for part in _parts(values) for value in _values(name, text, part)]
    return found


def _parts(text: str) -> list[str]:
    """What stands between commas that are in no bracket and in no quotes.

    >>> _parts("Mondrian(cut='median', labels='set'), Mondrian()")
    ["Mondrian(cut='median', labels='set')", 'Mondrian()']
    """
    parts, depth, quoted = [""], 0, ""
    for sign in text:
        if quoted:
            quoted = "" if sign == quoted else quoted
        elif sign in "'\"":
            quoted = sign
        depth += 0 if quoted else (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


def _values(name: str, text: str, part: str) -> list[Any]:
    if ".." in part:
        return _range(text, part)
    if name == "method":
        from paravent.cli.calls import read_call
        from paravent.cli.plan_options import known

        return [read_call("--sweep", part, known("method"))]
    if "(" in part and name.endswith(".tree"):
        from paravent.cli.plan_options import tree_from_text

        return [tree_from_text("--sweep", part)]
    words = {"true": True, "false": False, "none": None}
    if part.lower() in words:
        return [words[part.lower()]]
    try:
        return [ast.literal_eval(part)]
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return [part]


def _range(text: str, part: str) -> list[float]:
    """LOW..HIGH:STEP, both ends included: steps of 1 without one, factors with `*`.

    >>> _range("", "2..32:*2"), _range("", "3..5"), _range("", "0..0.3:0.1")
    ([2, 4, 8, 16, 32], [3, 4, 5], [0, 0.1, 0.2, 0.3])
    """
    ends, _, step = part.partition(":")
    low, _, high = ends.partition("..")
    factor = step.startswith("*")
    try:
        at, last, by = Decimal(low), Decimal(high), Decimal(step.removeprefix("*") or "1")
    except InvalidOperation:
        raise PlanError(f"--sweep: {text!r} has a range that cannot be read. Write LOW..HIGH:STEP.") from None
    if not all(number.is_finite() for number in (at, last, by)) or last < at or by <= (1 if factor else 0):
        raise PlanError(f"--sweep: the range {part!r} leads nowhere. Write LOW..HIGH:STEP with a step upwards.")
    if factor and at <= 0:
        raise PlanError(f"--sweep: the range {part!r} must begin above 0, because its steps are factors.")
    found: list[float] = []
    while at <= last:
        found.append(int(at) if at == int(at) else float(at))
        at = at * by if factor else at + by
        if len(found) > _MOST:
            raise PlanError(f"--sweep: the range {part!r} has more than {_MOST} values. Take larger steps.")
    return found
