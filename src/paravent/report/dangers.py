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
    """One attack: what it is called, what it brings, what stops it, and how its figures differ from like ones."""

    title: str
    brings: str
    stopped_by: str
    note: str = ""


_NOTES = {
    "attack.singling_out.quasi": "Tried with what the plan says outsiders may know: this is what it protects against.",
    "attack.singling_out.all": "Tried with the sensitive and insensitive columns as well, by somebody who knows these "
    "of a person already. No model of quasi-identifiers prevents it; it tells how much rests on outsiders not knowing "
    "them.",
    "attack.linkage": "This average counts every row that may be the person's, those of other groups with wider "
    "labels too. The average risk above counts only the rows that look exactly alike, and so is never the lower one.",
}


def dangers(found: Findings) -> list[Danger]:
    """One line an attack, in the order in which they were tried."""
    return [
        Danger(
            finding.attack.heading,
            finding.sentence,
            f"{finding.attack.stopped_by}.",
            _NOTES.get(finding.key, ""),
        )
        for finding in found.values()
    ]


def untried(found: Findings) -> list[str]:
    """Attacks that could not be tried, and what for."""
    return [f"{title}: needs {lack}" for title, lack in found.skipped.items()]
