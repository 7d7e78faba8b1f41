"""What the knowledge tells about a part of a plan, for pages that are about something else.

They do without it where the knowledge is not installed.
"""

from __future__ import annotations

from dataclasses import dataclass

from paravent.errors import PlanError


@dataclass(frozen=True)
class Told:
    """How a thing is called, and what it is and what to know about it, as the user's layer has it or as it ships."""

    label: str
    text: str


def told(name: str, *, language: str = "en") -> Told | None:
    """What is told about a registered method, treatment or model; None where nothing is.

    >>> told("Datafly").label
    'Datafly'
    >>> told("no such thing") is None
    True
    """
    try:
        from paravent.knowledge.loading import load

        entry = load(language=language).entry(name)
    except PlanError:  # without rdflib, or without such an entry
        return None
    return Told(entry.label, " ".join(filter(None, [entry.definition, entry.help])))
