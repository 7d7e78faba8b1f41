"""The screens of the page."""

from __future__ import annotations

from nicegui import ui

from paravent.web.visit import visitor


def mount() -> None:
    """Make the screens known to the page."""

    @ui.page("/")
    def projects() -> None:
        ui.label("paravent").classes("text-h4")
        for summary in visitor().workspace.projects():
            ui.label(summary.name)
