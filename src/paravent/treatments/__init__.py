"""Treatments: steps that change values before classes are made, or instead; each is loaded when it is first used."""

from __future__ import annotations

from collections.abc import Mapping

from paravent.registry import entries, lazily

_SHARED = ("OnColumns", "Treated", "Treatment", "Work")
"""What a treatment takes and gives."""


def homes() -> Mapping[str, str]:
    """The module of each name."""
    shared = dict.fromkeys(_SHARED, "paravent.treatments.treatment")
    return {**entries("treatment"), **shared, "true_counts": "paravent.treatments.pram.correction"}


__getattr__, __dir__ = lazily(__name__, homes)
