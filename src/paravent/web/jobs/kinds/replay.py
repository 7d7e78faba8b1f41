"""A method's steps on the table, with some rows as they stood after each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import paravent as pv
from paravent.knowledge import load

if TYPE_CHECKING:
    from paravent.web.jobs.progress import Progress
    from paravent.web.workspace.project import Project

TARGETED = {"class-attribute", "numeric-target"}


def run(project: Project, arguments: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """`method` is its key in the knowledge, `k` what is promised where the method can, `target` a column for methods
    that need one, `rows` how many are shown. The result is what `Walk.to_dict` tells."""
    progress("read", 0.0)
    known = load(language=project.document.language)
    key, table = str(arguments["method"]), project.table()
    needs = set(known.entry(key).values("requires"))
    plan = project.plan().replace(protect=[pv.KAnonymity(int(arguments["k"]))], suppression=0.05, treat=[])
    more: dict[str, Any] = {}
    if needs & TARGETED:
        more["target"] = str(arguments.get("target", ""))
    if "l" in needs and plan.sensitive:
        more["l"] = 2
        plan = plan.replace(protect=[pv.LDiversity(2, next(iter(plan.sensitive)))])
    if "seed" in needs:
        more["seed"] = 0
    progress("replay", 0.2)
    return known.how(key, table, plan, rows=int(arguments.get("rows", 6)), **more).to_dict()
