"""The privacy budget of the table: what was granted and spent, what is left, and how to grant."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from paravent.web.aside import aside
from paravent.web.page import Page
from paravent.web.parts.help import help_button
from paravent.web.parts.text import box, button, note, text
from paravent.web.parts.tiles import tiles
from paravent.web.workspace.budgets import grant, ledger, told


async def budget(page: Page) -> None:
    """The card, for plans that draw with noise."""
    await _show(page, box("pv-card", "section"))


async def _show(page: Page, card: ui.element) -> None:
    say = page.say
    found = await aside(_told, page)
    card.clear()
    with card:
        with box("pv-row pv-row--between"):
            text(say("budget.title"), "h2")
            help_button(page, "DifferentialPrivacy", say("budget.title"))
        if found is None:
            note(say("budget.none"), "warning_amber")
        else:
            granted = found["granted"]
            tiles(
                [
                    (say("budget.granted"), f"ε = {granted['epsilon']:g}", f"δ = {granted['delta']:g}"),
                    (say("budget.spent"), f"ε = {found['spent']:.6g}", say("budget.entries", n=len(found["entries"]))),
                ]
            )
            text(say("budget.left", left=found["left"]), "p").props('data-name="left"')
            with box("pv-list", "ul"):
                for entry in found["entries"]:
                    text(f"{entry['cost']}: {entry['what']} ({entry['at'][:10]})", "li", "pv-small")
        if page.visitor.may_change:
            _grant(page, found, card)


def _grant(page: Page, found: dict[str, Any] | None, card: ui.element) -> None:
    say = page.say
    with box("pv-row"):
        epsilon = ui.number(say("budget.epsilon"), value=None if found is None else found["granted"]["epsilon"])
        delta = ui.number(say("budget.delta"), value=1e-6 if found is None else found["granted"]["delta"], format="%g")
        for field, name in ((epsilon, "epsilon"), (delta, "delta")):
            field.props("outlined dense").classes("pv-narrow").props["data-keep"] = f"grant-{name}"

        async def give() -> None:
            with page.mistakes():
                if not epsilon.value or epsilon.value <= 0:
                    page.warn(say("budget.needs"))
                    return
                await aside(grant, page.project, float(epsilon.value), float(delta.value or 0))
                await _show(page, card)

        button(say("budget.grant" if found is None else "budget.raise"), give, icon="savings", keep="grant")
    text(say("budget.help"), "p", "pv-small")


def _told(page: Page) -> dict[str, Any] | None:
    found = ledger(page.project)
    return None if found is None else told(found)
