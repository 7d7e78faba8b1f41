"""Candidates for the table and the context of the project: filtered, predicted, ranked. The process is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import paravent as pv
from paravent.guide import process_document

if TYPE_CHECKING:
    from paravent.web.jobs.progress import Progress
    from paravent.web.workspace.project import Project

FILE = "guidance.json"


def run(project: Project, arguments: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """`seconds` may be spent on runs on the table, `methods` are those to look at (all). `context` and `plan` are
    documents that count instead of the project's."""
    document = project.document
    told = arguments.get("plan")
    progress("read", 0.0)
    table = project.table()
    progress("candidates", 0.1)
    found = pv.guide(  # type: ignore[operator]  # a room that can be called
        table,
        pv.Context.from_dict(arguments.get("context", document.context)),
        project.plan_from(told) if told or document.plan else None,
        seconds=float(arguments.get("seconds", 0.0)),
        methods=arguments.get("methods"),
        guidance=document.mode,
        language=document.language,
    )
    progress("rank", 0.9)
    found.save(progress.folder / FILE)
    return process_document(found)
