"""Parts of a screen, each under an address of its own."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui

from paravent.web.page import Page
from paravent.web.parts.text import box, labelled, text


def sections(page: Page, path: str, names: Sequence[str], words: str) -> str:
    """Links to the parts of a screen; gives the one that the address names, else the first."""
    at = page.rest if page.rest in names else names[0]
    with box("pv-tabs", "nav") as made:
        for name in names:
            link = ui.link(target=page.link(f"{path}/{name}")).classes("pv-tab" + " pv-tab--here" * (name == at))
            if name == at:
                link.props("aria-current=page")
            with link:
                text(page.say(f"{words}.{name}"))
    labelled(made, page.say(page.screen.title))
    return at
