"""Preferences as a document keeps them ("security : quality" = 3) and as pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paravent.guide import Goals

Pair = tuple[str, str]
Pairs = Mapping[Pair, float]


def said_of(context: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    """The preferences of a context's document as pairs.

    >>> said_of({"preferences": {"security : quality": 3.0}})
    {('security', 'quality'): 3.0}
    """
    found: dict[tuple[str, str], float] = {}
    for name, said in (context.get("preferences") or {}).items():
        first, second = (part.strip() for part in str(name).split(":"))
        found[first, second] = float(said)
    return found


def told_of(preferences: Pairs) -> dict[str, float]:
    """Pairs as a document keeps them.

    >>> told_of({("security", "quality"): 3.0})
    {'security : quality': 3.0}
    """
    return {f"{first} : {second}": said for (first, second), said in preferences.items()}


def suited(use: str, preferences: Pairs) -> dict[Pair, float]:
    """The preferences that can be said of a use: those about the usage are left out where there is none.

    >>> suited("any", {("precision", "usage"): 2.0, ("security", "quality"): 1.0})
    {('security', 'quality'): 1.0}
    """
    has_usage = len(Goals.of(use, {}).children["quality"]) > 2
    return {pair: said for pair, said in preferences.items() if has_usage or "usage" not in pair}


def judged(preferences: Pairs, first: str, second: str, said: float) -> dict[Pair, float]:
    """The preferences with one judgement said anew, where the pair stood or at the end.

    >>> judged({("a", "b"): 3.0}, "b", "a", 1.0)
    {('a', 'b'): 1.0}
    """
    found = dict(preferences)
    if (second, first) in found:
        found[second, first] = 1 / said
    else:
        found[first, second] = said
    return found
