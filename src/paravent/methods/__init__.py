"""The algorithms, named as in the literature; each is loaded when it is first used."""

from __future__ import annotations

from collections.abc import Mapping

from paravent.registry import entries, lazily

_SHARED = ("Averages", "Axis", "Labels", "Method", "Recoding", "Representatives", "Target", "Task")
"""What a method takes and gives."""


def homes() -> Mapping[str, str]:
    """The module of each name."""
    return {**entries("method"), **dict.fromkeys(_SHARED, "paravent.methods.method")}


__getattr__, __dir__ = lazily(__name__, homes)
