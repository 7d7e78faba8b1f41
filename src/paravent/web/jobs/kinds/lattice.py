"""The lattice of full-domain generalizations: every combination of levels, whether it holds, and what it loses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paravent.methods import Filter
from paravent.methods.full_domain.lattice import Lattice
from paravent.plan.prepare import prepare

if TYPE_CHECKING:
    from paravent.web.jobs.progress import Progress
    from paravent.web.workspace.project import Project

MOST = 3000
"""Combinations up to which all of them are looked at."""
_AT_ONCE = 64


def run(project: Project, arguments: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """`plan`: the document of a plan; its method does not matter. Nodes are `[levels, holds, suppressed, loss]`."""
    plan = project.plan_from(arguments.get("plan"))
    progress("encode", 0.0)
    prepared = prepare(project.table(), replace(plan, method=Filter()))
    lattice = Lattice(prepared.task, "The lattice", most=MOST)
    nodes: list[list[Any]] = []
    heights = sum(lattice.tops)
    for height in range(heights + 1):
        here = lattice.at_height(height)
        for begin in range(0, len(here), _AT_ONCE):
            part = here[begin : begin + _AT_ONCE]
            progress("search", (len(nodes) + begin) / max(lattice.n_nodes, 1))
            holds = lattice.acceptable(part)
            solved = iter(lattice.solutions([node for node, good in zip(part, holds, strict=True) if good]))
            for node, good in zip(part, holds, strict=True):
                found = next(solved) if good else None
                nodes.append([list(node), good, found.suppressed if found else None, found.loss if found else None])
    return {
        "columns": [axis.name for axis in prepared.task.axes],
        "tops": list(lattice.tops),
        "nodes": nodes,
        "rows": prepared.task.n_rows,
    }
