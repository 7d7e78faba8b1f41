"""Figures on top of a screen."""

from __future__ import annotations

from collections.abc import Sequence

from paravent.web.parts.text import box, text


def tiles(figures: Sequence[tuple[str, str, str]]) -> None:
    """What, how much, and beside what."""
    with box("pv-tiles"):
        for what, value, beside in figures:
            with box("pv-tile"):
                text(what, "p", "pv-tile__what")
                text(value, "p", "pv-tile__value")
                text(beside, "p", "pv-tile__beside")
