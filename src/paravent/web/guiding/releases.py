"""A glance at a release that a run has left: its first rows, and how many rows look alike."""

from __future__ import annotations

from dataclasses import dataclass

from paravent.web.jobs.job import Job
from paravent.web.jobs.kinds.anonymize import kept_tables
from paravent.web.looks import cells

ROWS = 8


@dataclass(frozen=True)
class Glance:
    """The first rows of a release as texts, its classes, the size of the smallest, and the rows that are left out."""

    names: list[str]
    rows: list[list[str | None]]
    classes: int
    least: int
    left_out: int


def glance(job: Job, rows: int = ROWS) -> Glance:
    """Look at what a job has left; tables that are not the verified ones are refused."""
    told = job.result or {}
    frame = next(iter(kept_tables(job.folder / "files", told).values()))
    names = list(frame.columns)
    return Glance(
        names,
        cells(frame, names, 0, rows),
        int(told["classes"]),
        _least(told),
        int(told["rows"]["original"]) - int(told["rows"]["released"]),
    )


def _least(told: object) -> int:
    measures = told.get("measures", {}) if isinstance(told, dict) else {}
    found = measures.get("risk.prosecutor.max", {})
    value = found.get("value") if isinstance(found, dict) else found
    return round(1 / float(value)) if value else 0
