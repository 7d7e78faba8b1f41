"""A plan becomes a verified release: its tables, its report and what was measured, kept in the folder of the job."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import paravent as pv
from paravent.plan import to_document
from paravent.web.analysis import write_analysis
from paravent.web.workspace.budgets import ledger

if TYPE_CHECKING:
    from paravent.web.jobs.progress import Progress
    from paravent.web.workspace.project import Project


PERSONS = "persons.csv"
"""Whose each row of a release is, by numbers without meaning: a verifier needs it to count people."""


def run(project: Project, arguments: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """`plan`: the document of a plan; without it, that of the project."""
    plan = project.plan_from(arguments.get("plan"))
    table = project.table()
    budget = ledger(project) if plan.method.is_mechanism() else None
    release = pv.anonymize(table, plan, progress=progress.part(0.0, 0.8).stages(), budget=budget)
    progress("measure", 0.8)
    told = kept_release(release, progress.folder)
    progress("report", 0.95)
    release.report(progress.folder / "report.html")
    return told


def kept_release(release: pv.Release, folder: Path) -> dict[str, Any]:
    """Keep a release for later: its tables as Parquet files, the plan, which rows it comes from, and what is known
    about it. The fingerprints say later that these are the tables that were verified."""
    measures = release.measure()
    tables = {}
    for at, (name, frame) in enumerate(release.tables.items()):
        file = f"table-{at}.parquet"
        frame.write_parquet(folder / file)
        tables[name] = {"file": file, "rows": frame.height, "sha256": sha256(folder / file)}
    if release.kept is not None:
        np.save(folder / "kept.npy", release.kept)
    if release.persons is not None and isinstance(release.plan.person, str):
        pv.write(pl.DataFrame({"person": release.persons}), folder / PERSONS)
    release.plan.save(folder / "plan.toml")
    write_analysis(release, folder)
    return {
        "tables": tables,
        "plan": to_document(release.plan),
        "rows": {"original": len(release.table), "released": release.frame.height},
        "classes": len(release.classes),
        "holds": release.verdict.holds,
        "guarantees": release.verdict.guarantees,
        "verdict": release.verdict.to_dict(),
        "measures": measures.to_dict(),
        "cautions": [caution.to_dict() for caution in release.cautions],
        "timings": dict(release.timings),
        "provenance": dict(release.provenance),
    }


def kept_tables(folder: Path, told: Mapping[str, Any]) -> dict[str, pl.DataFrame]:
    """The tables of a release that was kept; refuses any that is not the one that was verified."""
    from paravent.errors import UnsafeReleaseError

    found = {}
    for name, about in told["tables"].items():
        path = folder / about["file"]
        if sha256(path) != about["sha256"]:
            raise UnsafeReleaseError(f"the table {name!r} is not the one that was verified. Run the plan again.")
        found[name] = pl.read_parquet(path)
    return found


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
