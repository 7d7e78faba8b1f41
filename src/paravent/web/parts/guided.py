"""What screens of the guide need before they can show anything: roles of columns, a target, candidates."""

from __future__ import annotations

from nicegui import ui

from paravent.guide import Guidance
from paravent.web.aside import aside
from paravent.web.guiding.context import PREDICTED
from paravent.web.guiding.found import guidance_of, guide_job, look
from paravent.web.page import Page
from paravent.web.parts.progress import UNDER_WAY, progress
from paravent.web.parts.text import box, button, note, problem
from paravent.web.workspace.document import Document

ROLES = "data"
"""The screen on which columns get their roles."""


def columns_with(document: Document, *roles: str) -> list[str]:
    """The columns of the plan that have one of these roles."""
    columns = document.plan.get("columns") or {}
    return [name for name, role in columns.items() if isinstance(role, dict) and role.get("role") in roles]


def has_sensitive(document: Document) -> bool:
    return bool(columns_with(document, "sensitive"))


def targets(document: Document) -> list[str]:
    """The columns that can be predicted: those that are published as they are, sensitive ones first."""
    return columns_with(document, "sensitive") + columns_with(document, "insensitive")


def with_roles(page: Page) -> bool:
    """Whether some column is to be protected; says what to do where none is."""
    if columns_with(page.document, "quasi"):
        return True
    note(page.say("guide.roles"))
    with box("pv-row"):
        ui.link(page.say("guide.roles.go"), page.link(ROLES)).classes("pv-button pv-button--main")
    return False


def with_target(page: Page) -> bool:
    """Whether the use has its target; says what to do where it has none."""
    told = page.document.context
    if told.get("use") not in PREDICTED or told.get("target"):
        return True
    note(page.say("filters.needs_target"), "warning_amber")
    with box("pv-row"):
        ui.link(page.say("guide.constraints.go"), page.link("constraints")).classes("pv-button")
    return False


async def guided(page: Page) -> Guidance | None:
    """The candidates for what the document says now. Where they have not been looked for, that is begun, and shown."""
    if not with_roles(page) or not with_target(page):
        return None
    job = guide_job(page.project)
    if job is None:
        if not page.visitor.may_change:
            note(page.say("shell.viewer"))
            return None
        job = await aside(look, page.project)
    if job.state in UNDER_WAY:
        progress(page, job, page.say("guide.looking"))
        return None
    if job.state != "done":
        problem(page.say.said(job.error or "") or job.error or page.say(f"job.{job.state}"))

        async def again() -> None:
            await aside(look, page.project)
            page.refresh()

        with box("pv-row"):
            button(page.say("guide.again"), again, icon="refresh", kind="main", keep="again")
        return None
    return await aside(guidance_of, page.project, job)
