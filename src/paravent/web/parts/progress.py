"""A job under way: how far it is, how long it will take, and how to stop it. It is asked, so a page that is opened
later shows the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nicegui import ui

from paravent.errors import ParaventError
from paravent.web.page import Page
from paravent.web.parts.text import box, button, text

if TYPE_CHECKING:
    from paravent.web.jobs.job import Job

UNDER_WAY = frozenset({"waiting", "running"})


def progress(page: Page, job: Job, title: str, on_end: Callable[[Job], Any] | None = None) -> None:
    """Show a job until it ends; then call `on_end` with it, or show the screen anew."""
    holder = box(f"pv-job pv-job--{job.state}", "section").props('aria-live="polite"')
    shown: dict[str, Any] = {}

    def draw(now: Job) -> None:
        """Built anew only when it goes from one state to the next: whoever is about to press stop finds it there."""
        if shown.get("state") != now.state:
            shown["state"] = now.state
            holder.classes(replace=f"pv-job pv-job--{now.state}")
            holder.clear()
            with holder:
                build(now)
        shown["sentence"].text = _sentence(page, now)
        if "bar" in shown:
            shown["bar"].props["aria-valuenow"] = f"{100 * now.progress:.0f}"
            shown["done"].style(replace=f"width: {100 * max(now.progress, 0.02):.1f}%")

    def build(now: Job) -> None:
        shown.pop("bar", None)
        with box("pv-row pv-row--between"):
            with box("pv-stack pv-stack--tight"):
                text(title, "h3")
                shown["sentence"] = text("", "p", "pv-small")
            if now.state in UNDER_WAY:
                button(page.say("job.stop"), lambda: _stop(page, now.id), icon="stop", keep=f"stop {now.id}")
            elif now.state in ("failed", "stopped", "interrupted"):
                button(page.say("job.restart"), lambda: _restart(page, now.id), icon="refresh", keep=f"again {now.id}")
        if now.state in UNDER_WAY:
            shown["bar"] = box("pv-job__bar").props('role="progressbar" aria-valuemin=0 aria-valuemax=100')
            shown["bar"].props["aria-label"] = title
            with shown["bar"]:
                shown["done"] = box("pv-job__done")
            text(page.say("job.goes.on"), "p", "pv-small")

    def look() -> None:
        try:
            now = page.project.jobs.get(job.id)
        except ParaventError:  # its project was deleted
            timer.deactivate()
            return
        draw(now)
        if now.state not in UNDER_WAY:
            timer.deactivate()
            if job.state in UNDER_WAY:
                if on_end is not None:
                    on_end(now)
                else:
                    page.refresh()

    draw(job)
    timer = ui.timer(0.4, look, active=job.state in UNDER_WAY, immediate=False)


def _sentence(page: Page, job: Job) -> str:
    said = (
        [_refusal(page, job.error) if job.error else page.say(f"job.{job.state}")]
        if job.state not in UNDER_WAY
        else [job.said or page.say(f"job.{job.state}")]
    )
    if job.state == "running" and job.left:
        key, n = ("job.minutes", round(job.left / 60)) if job.left >= 90 else ("job.seconds", max(1, round(job.left)))
        said.append(page.say("job.left", time=page.say(key, n=n)))
    return " · ".join(said)


def _refusal(page: Page, error: str) -> str:
    """Why it did not work; in another language, at least that it did not, before the words of the library."""
    said = page.say.said(error)
    return f"{page.say('job.failed')} : {error}" if said is None else said


def _stop(page: Page, job: str) -> None:
    with page.mistakes():
        page.project.jobs.stop(job)


def _restart(page: Page, job: str) -> None:
    with page.mistakes():
        page.project.jobs.restart(job)
        page.refresh()
