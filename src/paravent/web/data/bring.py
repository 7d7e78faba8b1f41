"""Bring a table: by upload, from a sample, or out of a database."""

from __future__ import annotations

from typing import Any

from nicegui import events, ui
from nicegui.elements.upload_files import FileUpload

from paravent.errors import ParaventError
from paravent.web.aside import aside
from paravent.web.data.reading import can_be_told, otherwise
from paravent.web.page import Page
from paravent.web.parts.text import box, button, text
from paravent.web.workspace.document import Source
from paravent.web.workspace.files import TooLarge
from paravent.web.workspace.quota import spelled

_WHY = "(files) => emit(files.map(each => each.failedPropValidation))"


def bring(page: Page) -> None:
    """Three ways to a table."""
    say = page.say
    _drop_zone(page)
    with box("pv-halves"):
        with box("pv-card", "section"):
            text(say("data.sample"), "h2")
            text(say("data.sample.text"), "p", "pv-muted")
            with box("pv-row"):
                button(say("data.sample.open"), lambda: _sample(page), icon="science")
        _database(page)


def _drop_zone(page: Page) -> None:
    say = page.say
    with box("pv-drop") as zone:
        ui.icon("upload_file").classes("pv-drop__icon")
        text(say("data.drop"), "h2")
        text(say("data.drop.kinds", size=spelled(page.project.quota.upload)), "p", "pv-small")
        state = text("", "p", "pv-drop__state").props('role="status"')
        most = page.project.quota.upload
        upload = ui.upload(
            auto_upload=True,
            max_files=1,
            max_file_size=most,
            on_upload=lambda event: _taken(page, event, state),
        )
        upload.on("rejected", lambda event: _rejected(page, event.args), js_handler=_WHY)
        upload.on("failed", lambda: page.warn(say("data.drop.failed", size=spelled(most))), args=[])
        upload.classes("pv-drop__upload").props("flat bordered=false")
        button(say("data.drop.or"), lambda: upload.run_method("pickFiles"), icon="folder_open", kind="main")
    zone.props["data-testid"] = "drop"


def _rejected(page: Page, reasons: list[str]) -> None:
    """The browser itself holds back what is too large, or too much at once."""
    large = "max-file-size" in reasons
    page.warn(page.say("data.drop.large" if large else "data.drop.one", size=spelled(page.project.quota.upload)))


async def _taken(page: Page, event: events.UploadEventArguments, state: Any) -> None:
    state.text = page.say("data.uploading", name=event.file.name)
    source: Source | None = None
    try:
        source = await _kept(page, event.file)
        await aside(page.project.look, source)
        page.project.take(source)
    except ParaventError as error:
        state.text = ""
        if source is not None and can_be_told(source) and not isinstance(error, TooLarge):
            otherwise(page, source, error)
            return
        if source is not None:
            page.project.discard(source)
        page.warn(page.refusal(error))
    page.refresh()


async def _kept(page: Page, file: FileUpload) -> Source:
    with page.project.upload(file.name) as upload:
        async for chunk in file.iterate():
            await aside(upload.write, chunk)
        kept: Source = await aside(upload.keep)
    return kept


def _sample(page: Page) -> None:
    with page.mistakes():
        page.project.use_sample("adult")
        page.refresh()


def _database(page: Page) -> None:
    say = page.say
    with box("pv-card", "section"):
        text(say("data.database"), "h2")
        url = ui.input(say("data.database.url"), placeholder=say("data.database.url.hint")).props("outlined dense")
        query = ui.textarea(say("data.database.query"), placeholder=say("data.database.query.hint"))
        query.props("outlined dense rows=2 autogrow").classes("pv-field pv-mono")
        url.classes("pv-field").props('autocomplete="off"')
        text(say("data.database.note"), "p", "pv-small")

        async def read() -> None:
            go.disable()
            try:
                await aside(page.project.use_database, url.value or "", query.value or "")
                page.refresh()
            except ParaventError as error:
                page.warn(page.refusal(error))
            finally:
                url.value = ""  # a password does not stay on the screen
                go.enable()

        with box("pv-row"):
            go = button(say("data.database.open"), read, icon="storage")
