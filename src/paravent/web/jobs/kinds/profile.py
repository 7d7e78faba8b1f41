"""What is in the table: kinds, missing values, proposed roles and trees, and who is singled out by what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import paravent as pv
from paravent.errors import ParaventError
from paravent.plan import to_document

if TYPE_CHECKING:
    from paravent.web.jobs.progress import Progress
    from paravent.web.workspace.project import Project

SUBSET = 3
"""Columns that are looked at together: larger sets take seconds, and somebody waits for the page."""


def run(project: Project, arguments: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """`max_subset`: how many columns together are looked at (3). The result is `pv.profile(table).to_dict()` with the
    drafted plan under `plan`."""
    progress("read", 0.0)
    table = project.table()
    progress("profile", 0.3)
    found = pv.profile(table, max_subset=arguments.get("max_subset", SUBSET))
    progress("draft", 0.9)
    plan, why = None, None
    try:
        plan = to_document(pv.draft(found))
    except ParaventError as error:  # a table without quasi-identifiers can be looked at, too
        why = str(error)
    return {**found.to_dict(), "notes": [str(note) for note in table.notes], "plan": plan, "no_plan": why}
