"""Several plans side by side, at equal protection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import paravent as pv
from paravent.errors import CancelledError, PlanError
from paravent.web.plain import plain

if TYPE_CHECKING:
    from paravent.comparison.comparison import Comparison
    from paravent.web.jobs.progress import Progress
    from paravent.web.workspace.project import Project

SHOWN = (
    "privacy.k",
    "risk.prosecutor.max",
    "risk.prosecutor.average",
    "utility.gcp",
    "utility.distortion",
    "rows.suppressed",
    "risk.hidden_failure.rate",
)
"""Measures that every comparison shows."""


def run(project: Project, arguments: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """`plans`: documents of plans by their names."""
    plans = {name: project.plan_from(told) for name, told in (arguments.get("plans") or {}).items()}
    if not plans:
        raise PlanError("there is no plan to compare. Add one first.")
    found = pv.compare(project.table(), plans, progress=progress)
    if found.stopped:
        raise CancelledError("it was stopped.")
    found.save(progress.folder / "comparison.json")
    return told_of(found)


def told_of(found: Comparison, more: tuple[str, ...] = ()) -> dict[str, Any]:
    """A comparison in the words of JSON: each candidate with what was measured, and which of them rank together."""
    entries = []
    for entry in (found[name] for name in found.names):
        entries.append(
            {
                "name": entry.name,
                "status": entry.status,
                "why": None if entry.failure is None else str(entry.failure.message),
                "settings": dict(entry.settings),
                "seconds": entry.seconds,
                "measures": {name: {"value": entry.value(name), "text": entry.text(name)} for name in (*SHOWN, *more)},
            }
        )
    titles = {name: about.title for name in (*SHOWN, *more) if (about := found.about(name)) is not None}
    return dict(
        plain(
            {
                "entries": entries,
                "titles": titles,
                "best": list(found.best),
                "front": list(found.front()) if len(found.done) else [],
                "sentences": [str(sentence) for sentence in found.sentences],
            }
        )
    )
