"""Modes: which help is shown. They are the four versions that were compared with people (Ben Fredj 2017, ch. 7)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from paravent.arguments import check_call
from paravent.errors import PlanError
from paravent.near import suggest

Mode = Literal["predefined", "informative", "suggestive", "full"]

_INFORMATIVE = frozenset({"definitions", "descriptions", "replay", "profile", "questions"})
_SUGGESTIVE = frozenset({"inputs", "filter", "predictions", "ranking", "explanation"})
_ALWAYS = frozenset({"tutorial", "quiz", "results"})

SHOWN: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "predefined": _ALWAYS,
        "informative": _ALWAYS | _INFORMATIVE,
        "suggestive": _ALWAYS | _SUGGESTIVE,
        "full": _ALWAYS | _INFORMATIVE | _SUGGESTIVE,
    }
)
"""What each mode shows: a tutorial and results always, help beside every choice, or proposals, or both."""


def shows(mode: str, element: str) -> bool:
    """Whether a mode shows an element.

    >>> shows("predefined", "ranking"), shows("suggestive", "ranking"), shows("suggestive", "definitions")
    (False, True, False)
    """
    check_call(shows, locals())
    if mode not in SHOWN:
        raise PlanError(f"guidance: there is no mode {mode!r}. {suggest(mode, SHOWN)}")
    return element in SHOWN[mode]
