"""The guidance of a project: the candidates that were found for what the document says now, ranked by its preferences.

Candidates depend on the table, the roles and the limits, and are looked for in a job. What matters more does not change
them, only their order: that is found here, at once. Jobs are recognised by what they were asked, so that undoing a
change brings back what was found before it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from paravent.guide import Guidance
from paravent.web.guiding.context import FIRST, context_of
from paravent.web.jobs.job import Job
from paravent.web.workspace.document import Document
from paravent.web.workspace.project import Project

ORDER = ("preferences", "decision")
"""What is said of a context that changes the order of candidates alone."""


def asked(document: Document) -> str:
    """What candidates depend on, in short."""
    context = {name: value for name, value in {**FIRST, **document.context}.items() if name not in ORDER}
    told = [
        None if document.source is None else document.source.model_dump(mode="json"),
        [step.model_dump(mode="json") for step in document.cleaning],
        {name: document.plan.get(name) for name in ("columns", "person", "missing", "treat", "seed")},
        document.trees,
        context,
        document.language,
        sorted(context_of(document.context).goals.weights),
    ]
    return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()[:24]


def guide_job(project: Project) -> Job | None:
    """The job that looked for these candidates: one that is done, with the most seconds, or else the latest."""
    key = asked(project.document)
    found = [job for job in project.jobs.list() if job.kind == "guide" and job.arguments.get("asked") == key]
    under_way = [job for job in found if not job.over]
    done = [job for job in found if job.state == "done"]
    if under_way:
        return under_way[0]
    if done:
        return max(done, key=lambda job: (float(job.arguments.get("seconds", 0)), job.created))
    return found[0] if found else None


def look(project: Project, seconds: float = 0.0) -> Job:
    """Have candidates looked for. What to promise is the context's to say: of the plan, the roles and trees count."""
    document = project.document
    plan = {**document.plan, "protect": [{"model": "KAnonymity", "k": 2}], "method": None, "suppression": 0.0}
    context = context_of(document.context).to_dict()
    return project.jobs.start("guide", asked=asked(document), seconds=seconds, context=context, plan=plan)


def process_of(job: Job) -> Mapping[str, Any]:
    """The document of what a job has found."""
    return job.result or {}


def guidance_of(project: Project, job: Job | None = None) -> Guidance | None:
    """What was found, in the order of the document's preferences, with what was run since then."""
    from paravent.guide.running import Result
    from paravent.web.guiding.runs import run_results

    job = job or guide_job(project)
    if job is None or job.state != "done":
        return None
    told = project.document.context
    path = job.file("guidance.json")
    loaded = project.finding(f"guidance {job.id} {path.stat().st_mtime_ns}", lambda _: Guidance.load(path))
    found = loaded.preferring(context_of(told).preferences, str(told.get("decision", "ahp")))
    found.table = project.table()  # so that the rules that leave a candidate in can be told
    found.finished = {
        name: Result(name, each["status"], each["values"], each["reason"], each["seconds"])
        for name, each in run_results(project, process_of(job)).items()
    }
    names = {each.name for each in found.signatures}
    found.selected = tuple(name for name in project.document.selected if name in names)
    chosen = project.document.chosen
    found.chosen = chosen if chosen in found.finished else None
    return found
