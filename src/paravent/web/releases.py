"""The releases that jobs of a project have left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from paravent.web.jobs.job import FILES, Job
from paravent.web.page import Page
from paravent.web.parts.text import box, problem, text

if TYPE_CHECKING:
    from paravent.web.workspace import Project


def releases(project: Project) -> list[Job]:
    """Jobs that left a release, the latest first."""
    return [
        job for job in project.jobs.list() if job.state == "done" and job.result is not None and "tables" in job.result
    ]


def looked_at(project: Project) -> Job | None:
    """The release that is being looked at: the one that was chosen, else the latest."""
    found = releases(project)
    return next((job for job in found if job.id == project.document.release), found[0] if found else None)


def folder_of(job: Job) -> Any:
    return job.folder / FILES


def release_name(page: Page, job: Job) -> str:
    told = job.result or {}
    promises = ", ".join(page.say.heard(promise["demand"]) for promise in told["verdict"]["promises"]) or "–"
    method = str((told["plan"].get("method") or {}).get("name", "Mondrian"))
    return page.say("analysis.name", method=method, promises=promises, rows=told["rows"]["released"])


def choose_release(page: Page, job: Job) -> None:
    """A select over all releases; the one that is chosen is exported and looked at."""
    found = releases(page.project)
    names = {each.id: release_name(page, each) for each in found}

    def choose(event: Any) -> None:
        if event.value != page.document.release:
            page.change(page.say("analysis.chosen"), release=event.value)

    if len(found) > 1:
        select = ui.select(names, value=job.id, label=page.say("analysis.which"), on_change=choose)
        select.props("outlined").classes("pv-field").props["data-keep"] = "release"
    else:
        text(names[job.id], "p", "pv-muted pv-break")


def no_release(page: Page) -> None:
    """What to do where there is no release yet."""
    problem(page.say("analysis.none"))
    with box("pv-row"), ui.link(target=page.link("direct")).classes("pv-button pv-button--main"):
        text(page.say("direct.title"))
