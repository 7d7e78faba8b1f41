"""Runs of candidates: each is a job of its own, so that what is finished is kept whatever becomes of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paravent.web.guiding.found import ORDER, guide_job, process_of
from paravent.web.jobs.job import Job
from paravent.web.workspace.project import Project


def run_jobs(project: Project, process: Mapping[str, Any]) -> dict[str, Job]:
    """The job of each candidate that was started, by name: one that is done, or else the latest. A run counts for a
    later process, too, where its table, its plan and what it is for are the same."""
    wanted = {each["name"]: each["plan"] for each in process.get("signatures", ())}
    own = _about(process) if wanted else {}
    found: dict[str, Job] = {}
    for job in project.jobs.list():
        name = str(job.arguments.get("name"))
        if job.kind != "candidate" or name not in wanted:
            continue
        if job.arguments["plan"] != wanted[name] or job.arguments["about"] != own:
            continue
        if name not in found or (job.state == "done" and found[name].state != "done"):
            found[name] = job
    return found


def run_results(project: Project, process: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What came of the candidates that were run, as a process keeps it."""
    found: dict[str, dict[str, Any]] = {}
    for name, job in run_jobs(project, process).items():
        if job.state == "done" and job.result is not None:
            found[name] = {
                "status": "done",
                "values": dict(job.result["values"]),
                "reason": "",
                "seconds": float(job.result["seconds"]),
            }
        elif job.state == "failed":
            found[name] = {"status": "infeasible", "values": {}, "reason": job.error or "", "seconds": 0.0}
    return found


def run_candidates(project: Project, names: Sequence[str], guide: Job | None = None) -> list[Job]:
    """The jobs of candidates; those are started that are neither run nor running. `guide` is the job that found them:
    without it, the one that belongs to what the document says now."""
    guide = guide or guide_job(project)
    if guide is None or guide.state != "done":
        return []
    process = process_of(guide)
    there = run_jobs(project, process)
    plans = {each["name"]: each["plan"] for each in process["signatures"]}
    context = {key: value for key, value in process["context"].items() if key not in ORDER}

    def job_of(name: str) -> Job:
        if name in there and there[name].state in ("waiting", "running", "done"):
            return there[name]
        return project.jobs.start("candidate", name=name, plan=plans[name], about=_about(process), context=context)

    return [job_of(name) for name in names if name in plans]


def stop_all(project: Project) -> None:
    """Stop every candidate that waits or runs; what is finished is kept."""
    for job in project.jobs.list():
        if job.kind == "candidate" and not job.over:
            project.jobs.stop(job.id)


def release_of(project: Project, name: str) -> Job | None:
    """The job that left the release of a candidate."""
    job = guide_job(project)
    if job is None or job.state != "done":
        return None
    found = run_jobs(project, process_of(job)).get(name)
    return found if found is not None and found.state == "done" else None


def _about(process: Mapping[str, Any]) -> dict[str, Any]:
    """What the values of a run depend on beside its plan. Time and memory are measured in every run."""
    context = process["context"]
    return {
        "table": process["table"]["fingerprint"],
        "use": context.get("use", "any"),
        "target": context.get("target"),
        "time": context.get("time"),
    }
