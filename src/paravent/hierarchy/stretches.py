"""Stretches: texts that are intervals, such as `(0,15]` and `(15,29]`, have an order, and neighbours can be merged."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from paravent.hierarchy.cells.interval import Interval, read_interval
from paravent.hierarchy.levels import ROOT_LABEL

_SIGN = re.compile(r"\s*(<=|>=|<|>|≤|≥)")
_BRACKETED = re.compile(r"\s*([\[\](]).*?([,;:]\s*)[^,;:]*([\[\])])\s*")


def stretches_in_order(texts: Sequence[str]) -> dict[str, Any] | None:
    """Nested groups of intervals, merged two by two; None where some text is none, or two overlap.

    >>> stretches_in_order(["(15,29]", "(29,44]", "(0,15]"])
    {'*': [{'(0,29]': ['(0,15]', '(15,29]']}, '(29,44]']}
    """
    read = [(read_interval(text), text) for text in texts]
    found = [(interval, text) for interval, text in read if interval is not None]
    if len(found) < max(len(texts), 2):
        return None
    found.sort(key=lambda each: (each[0].low, each[0].high))
    if any(before.meets(after) for (before, _), (after, _) in pairwise(found)):
        return None
    row: list[tuple[Interval, str, Any]] = [(interval, text, text) for interval, text in found]
    while len(row) > 2:
        row = [_merged(row[i : i + 2]) for i in range(0, len(row), 2)]
    return {ROOT_LABEL: [part for *_, part in row]}


def _merged(parts: list[tuple[Interval, str, Any]]) -> tuple[Interval, str, Any]:
    if len(parts) == 1:
        return parts[0]
    (first, left, one), (last, right, other) = parts
    span = Interval(
        first.low, last.high, first.open_low, last.open_high, (first.written[0], last.written[1])
    )  # what lies between them, if anything does, is nobody's
    label = _label(span, left, right)
    return span, label, {label: [one, other]}


def _label(span: Interval, left: str, right: str) -> str:
    """The span as its ends are written; an end that is open to one side by a sign."""
    low, high = span.written
    if not low:
        return f"{'<' if span.open_high else '<='} {high}"
    if not high:
        return f"{'>' if span.open_low else '>='} {low}"
    brackets = [_BRACKETED.fullmatch(text) for text in (left, right)]
    if brackets[0] is not None and brackets[1] is not None:
        return f"{brackets[0][1]}{low}{brackets[0][2]}{high}{brackets[1][3]}"
    if not any(brackets) and not (_SIGN.match(left) or _SIGN.match(right)) and "-" not in low + high:
        return f"{low}-{high}"
    return f"{']' if span.open_low else '['}{low}, {high}{'[' if span.open_high else ']'}"
