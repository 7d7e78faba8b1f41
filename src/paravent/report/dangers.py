"""What could still go wrong: the attacks that were tried on a release, in sentences without values or persons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paravent.privacy.attacks import Findings

ATTEMPTS = 500
"""Attempts of each sampled attack: enough for ± 4 % at worst, and quick beside drawing the page."""


@dataclass(frozen=True)
class Danger:
    """One attack: what it is called, what it brings, and what stops it."""

    title: str
    brings: str
    stopped_by: str


def dangers(found: Findings) -> list[Danger]:
    """One line an attack, in the order in which they were tried."""
    return [
        Danger(finding.attack.title, finding.sentence, f"{finding.attack.stopped_by}.") for finding in found.values()
    ]


def untried(found: Findings) -> list[str]:
    """Attacks that could not be tried, and what for."""
    return [f"{title}, for want of {lack}" for title, lack in found.skipped.items()]
