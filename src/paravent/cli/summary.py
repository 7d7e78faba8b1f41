"""A release in a dozen lines: what was asked, what holds, what it cost, what is left to find."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paravent.cli.console import Console

if TYPE_CHECKING:
    from paravent import Release
    from paravent.measures import Measures


def tell(console: Console, release: Release, measures: Measures) -> None:
    """Tell a person."""
    quasi = list(release.plan.quasi)
    size = f"{counted(len(release.table), 'row')}, {counted(len(quasi), 'quasi-identifier')}"
    if not release.verdict.guarantees:
        console.heading(release.verdict.headline)
    console.heading("What was done")
    console.pairs(
        {
            "table": f"{size}: {', '.join(quasi)}",
            "asked for": ", ".join(promise.describe() for promise in release.plan.protect) or "no promise",
            "method": repr(release.plan.method),
            **({"treated": ", ".join(map(repr, release.plan.treat))} if release.plan.treat else {}),
            "time": f"{sum(release.timings.values()):.2f} s to anonymize and verify",
        }
    )
    for known, checks in release.verdict.by_knowledge.items():
        console.heading(f"What holds, {known}")
        console.pairs({check.demand: check.found for check in checks})
    console.heading("What it cost")
    console.pairs(costs(measures))
    if risks(measures):
        console.heading("The risk of being found, before and after")
        console.pairs({title: f"{before} → {after}" for title, before, after in risks(measures)})
    if "risk.relinked.distance" in measures:
        console.heading("The risk of being found, measured")
        console.pairs({m.title.lower(): m.text for m in measures.details() if m.name.startswith("risk.relinked")})


def costs(measures: Measures) -> dict[str, str]:
    """What was lost, by what says it of such a release."""
    found = {}
    if "utility.gcp" in measures:
        found["detail lost"] = f"{measures.about('utility.gcp').text} (GCP, 0 % is the original)"
    elif "utility.cells.changed" in measures:
        found["cells changed"] = f"{measures.about('utility.cells.changed').text} of the quasi-identifiers"
    if "rows.suppressed" in measures:
        found["rows suppressed"] = measures.about("rows.suppressed").text
    if "risk.classes" in measures:
        found["classes"] = measures.about("risk.classes").text
    return found


def warn(console: Console, release: Release) -> None:
    """The last lines: what should be known before the release is handed on."""
    from paravent.cautions import counted as how_many

    console.heading(f"Before you hand it on: {how_many(release.cautions)}")
    for caution in release.cautions:
        console.say(
            f"  {caution.severity.upper() if caution.serious else caution.severity}: {caution.title}. {caution.text}"
        )
    if not release.cautions:
        console.say("  Nothing unusual was found.")


def risks(measures: Measures) -> list[tuple[str, str, str]]:
    shown = ("prosecutor.max", "prosecutor.average", "uniques")
    return [
        (
            measures.about(f"risk.{name}").title.lower(),
            measures.about(f"risk.before.{name}").text,
            measures.about(f"risk.{name}").text,
        )
        for name in shown
        if f"risk.{name}" in measures
    ]


def written(console: Console, files: Mapping[str, str]) -> None:
    console.heading("Where it lies")
    console.pairs(dict(files))


def document(release: Release, measures: Measures, files: Mapping[str, str]) -> dict[str, Any]:
    """The same for a machine."""
    return {
        "holds": release.verdict.holds,
        "guarantees": release.verdict.guarantees,
        "cautions": [caution.to_dict() for caution in release.cautions],
        "rows": {"original": len(release.table), "released": release.frame.height},
        "measures": measures.to_dict(),
        "files": dict(files),
        "timings": dict(release.timings),
        "provenance": release.provenance,
    }


def counted(number: int, noun: str) -> str:
    """
    >>> counted(1, "row"), counted(30162, "row")
    ('1 row', '30 162 rows')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}".replace(",", " ")
