"""Data: bring a table, look at it, give its columns their roles, clean it."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from paravent.web.aside import aside
from paravent.web.data.bring import bring
from paravent.web.data.cleaning import cleaning
from paravent.web.data.columns import columns
from paravent.web.data.preview import preview
from paravent.web.data.reading import reading
from paravent.web.data.unique import unique
from paravent.web.looks import look_of
from paravent.web.page import Page
from paravent.web.parts.text import box, button, labelled, notes, text
from paravent.web.roles import fits, named, proposed_plan
from paravent.web.screens import Screen
from paravent.web.scripts import data_script
from paravent.web.workspace import Document

TABS = ("columns", "preview", "cleaning", "unique", "reading")
_NOTES = 12
"""What is said of how the file was read: of a table with thousands of columns, not everything."""


async def build(page: Page) -> None:
    say = page.say
    if page.document.source is None:
        page.heading("data.title", "data.lead")
        if page.visitor.may_change:
            bring(page)
        return
    look = await aside(look_of, page.project)
    if not fits(page.document.plan, look.profile) and page.visitor.may_change:
        page.change(
            say("data.roles.take"), refresh=False, plan=proposed_plan(look.profile), trees={}, selected=(), chosen=None
        )
    table = await page.table()
    page.heading("data.title", "data.lead.there")
    page.script(*data_script(page.project))
    with box("pv-card pv-card--source"), box("pv-row pv-row--between"):
        with box("pv-row"):
            ui.icon("table_chart").classes("pv-big")
            with box("pv-stack pv-stack--tight"):
                text(page.document.source.name, "h2", "pv-break")
                text(say("data.size", rows=len(table), columns=len(table.names)), "p", "pv-small")
        if page.visitor.may_change:
            with box("pv-row pv-row--end"):
                button(say("data.replace"), lambda: _replace(page), icon="swap_horiz")
                button(say("data.forget"), lambda: _forget(page), icon="delete_outline", kind="quiet")
    at = page.rest if page.rest in TABS else "columns"
    with ui.element("nav").classes("pv-tabs") as tabs:
        for tab in TABS:
            if tab == "reading" and page.document.source.kind != "file":
                continue
            link = ui.link(target=page.link(f"data/{tab}")).classes("pv-tab" + " pv-tab--here" * (tab == at))
            if tab == at:
                link.props("aria-current=page")
            with link:
                text(say(f"data.tab.{tab}"))
    labelled(tabs, say("data.title"))
    if at in ("columns", "reading"):
        notes(page, [str(each) for each in table.notes[:_NOTES]])
    if at == "columns":
        columns(page, look)
    elif at == "preview":
        preview(page, table)
    elif at == "cleaning":
        await cleaning(page, await aside(page.project.original))
    elif at == "unique":
        unique(page, table)
    else:
        reading(page)


def _replace(page: Page) -> None:
    """Choose another table; this one stays until there is one."""
    with ui.dialog(value=True) as dialog, ui.card().classes("pv-dialog pv-dialog--wide"):
        with box("pv-dialog__head"):
            text(page.say("data.replace"), "h2")
            button("", dialog.close, icon="close", kind="quiet", label=page.say("shell.close"))
        bring(page)
    labelled(dialog, page.say("data.replace"))


def _forget(page: Page) -> None:
    say = page.say

    async def forget() -> Any:
        dialog.close()
        await aside(page.project.forget_tables)
        page.refresh()

    with ui.dialog(value=True) as dialog, ui.card().classes("pv-dialog"):
        text(say("data.forget.title"), "h2")
        text(say("data.forget.text"), "p")
        with box("pv-dialog__foot"):
            button(say("start.cancel"), dialog.close)
            button(say("start.delete.yes"), forget, kind="danger")
    labelled(dialog, say("data.forget.title"))


def done(document: Document) -> bool:
    return document.source is not None and bool(named(document.plan, "quasi"))


SCREEN = Screen("data", "data.title", build, group="prepare", place=10, done=done, needs_data=False)
