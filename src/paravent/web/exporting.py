"""Export: a release that was kept becomes a file of any format, after it was held against what the verifier passed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import paravent as pv
from paravent.errors import TableError
from paravent.near import suggest
from paravent.web.jobs.job import FILES, Job
from paravent.web.jobs.kinds.anonymize import kept_tables
from paravent.web.workspace.files import Missing
from paravent.web.workspace.project import Project

ENDINGS: Mapping[str, str] = {
    "csv": ".csv",
    "tsv": ".tsv",
    "xlsx": ".xlsx",
    "parquet": ".parquet",
    "arrow": ".arrow",
    "jsonl": ".jsonl",
    "sqlite": ".sqlite",
    "sav": ".sav",
    "dta": ".dta",
}
"""Formats of a release, with the end of their files' names."""


def release_job(project: Project, id: str) -> Job:
    """The job that left a release."""
    job = project.jobs.get(id)
    if job.state != "done" or job.result is None or "tables" not in job.result:
        raise Missing("there is no such release. Run a plan first.")
    return job


def export_release(
    project: Project,
    id: str,
    folder: Path,
    *,
    format: str = "csv",
    name: str | None = None,
    formulas: Literal["guard", "keep"] = "guard",
) -> Path:
    """Write a table of a release into a folder. Texts that a spreadsheet would run get an apostrophe in front, unless
    they are to be kept as they are; text files are spelled as the original was."""
    if format not in ENDINGS:
        raise TableError(f"there is no format {format!r}. {suggest(format, ENDINGS)}")
    job = release_job(project, id)
    tables = kept_tables(job.folder / FILES, job.result or {})
    wanted = next(iter(tables)) if name is None else name
    if wanted not in tables:
        raise Missing(f"the release has no table {wanted!r}. It has {', '.join(tables)}.")
    target = folder / f"release{ENDINGS[format]}"
    dialect = project.original().origin.dialect if format == "csv" else None
    project.witness("release exported", job=id, format=format)
    pv.write(tables[wanted], target, dialect=dialect or "plain", formulas=formulas)
    return target
