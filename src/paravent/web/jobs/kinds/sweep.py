"""One plan with k (and l) varied: what more protection costs; with a target, how well a classifier still learns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import paravent as pv
from paravent.errors import CancelledError, PlanError
from paravent.utility.family import Study
from paravent.web.jobs.kinds.compare import told_of

if TYPE_CHECKING:
    from paravent.web.jobs.progress import Progress
    from paravent.web.workspace.project import Project

ACCURACY = "utility.learning.logistic"
_MOST = 24


def run(project: Project, arguments: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """`plan`: the document of a plan (without it, that of the project); `over`: values by parameter; `target`: a column
    that a classifier learns from every release."""
    over = {str(name): list(values) for name, values in (arguments.get("over") or {}).items()}
    many = 1
    for values in over.values():
        many *= len(values)
    if not over or many > _MOST:
        raise PlanError(
            f"a sweep has between 1 and {_MOST} steps, and this one has {many if over else 0}. Give other values."
        )
    target = arguments.get("target")
    study = Study(target=target, folds=3, most_rows=10_000) if target else None
    found = pv.sweep(
        project.table(),
        project.plan_from(arguments.get("plan")),
        over,
        one_at_a_time=bool(arguments.get("one_at_a_time")),
        measures=("learning",) if target else (),
        study=study,
        progress=progress,
    )
    if found.stopped:
        raise CancelledError("it was stopped.")
    found.save(progress.folder / "comparison.json")
    return {**told_of(found, (ACCURACY,) if target else ()), "over": over, "target": target}
