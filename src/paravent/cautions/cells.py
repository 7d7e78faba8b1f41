"""Cautions about cells that may be false of their rows."""

from __future__ import annotations

from collections.abc import Iterator

from paravent.cautions.case import Case, quoted
from paravent.cautions.caution import Caution


def nothing_promised(case: Case) -> Iterator[Caution]:
    if not case.plan.protect:
        yield Caution(
            "no-promise",
            "serious",
            (),
            "Nothing is guaranteed",
            "The plan asks for no promise, so that nothing about this release was checked beyond its form.",
            "Ask for a model such as k-anonymity, or for a limit such as LinkageRisk.",
        )


def false_cells(case: Case) -> Iterator[Caution]:
    false = tuple(name for name in case.frame.columns if name in case.subject.perturbed)
    if false:
        yield Caution(
            "false-cells",
            "note",
            false,
            f"Cells of {quoted(false)} may be false of their rows",
            "What is kept is kept for the column: single rows must not be read as people, and results for few rows are "
            "mostly noise.",
            "Tell whoever gets the release what was done; the plan and the tables beside the release say it.",
        )
