"""Who stands out: how many people are alone with their combination of what somebody may know."""

from __future__ import annotations

from typing import Any

from nicegui import ui

import paravent as pv
from paravent.web.aside import aside
from paravent.web.page import Page
from paravent.web.parts.grid import grid
from paravent.web.parts.text import box, button, text
from paravent.web.roles import named


def unique(page: Page, table: pv.Table) -> None:
    """Columns to be ticked, and a sentence; on request, all sets of the quasi-identifiers."""
    say = page.say
    text(say("data.unique.lead"), "p", "pv-muted")
    quasi = [name for name in named(page.document.plan, "quasi") if name in table.names]
    chosen = ui.select(
        table.names, value=quasi, multiple=True, label=say("data.unique.columns"), on_change=lambda _: count()
    )
    chosen.props("outlined use-chips").classes("pv-field")
    told = box("pv-card pv-card--flat").props('role="status"')
    sets = box("pv-stack")

    async def count() -> None:
        names = list(chosen.value)
        if not names:
            with told.clear():
                text(say("data.unique.none"), "p")
            return
        found = await aside(_profile, table, names, 1)
        whole = max(found.subsets, key=lambda subset: len(subset.columns))
        share = whole.singled_out / max(len(table), 1)
        told.clear()
        with told:
            text(say.percent(share), "p", "pv-tile__value")
            text(
                say(
                    "data.unique.sentence",
                    n=whole.singled_out,
                    all=len(table),
                    share=say.percent(share),
                    count=len(names),
                ),
                "p",
            )

    async def look() -> None:
        names = list(chosen.value) or quasi
        if not names:
            page.warn(say("data.unique.none"))
            return
        sets.clear()
        with sets:
            box("pv-loading").props('role="status"')
        found = await aside(_profile, table, names, None)
        rows = [
            [say.number(each.singled_out), say.percent(each.singled_out / max(len(table), 1)), " + ".join(each.columns)]
            for each in found.quasi_identifiers()[:40]
        ]
        sets.clear()
        with sets:
            text(say("data.unique.sets"), "h2")
            heads = [say("data.unique.rows"), say("data.unique.share"), say("data.unique.set")]
            grid(heads, rows, say("data.unique.sets"), right=frozenset({0, 1}))

    with box("pv-row"):
        button(say("data.unique.look"), look, icon="manage_search")
    ui.timer(0.01, count, once=True)


def _profile(table: pv.Table, names: list[str], most: int | None) -> Any:
    return pv.profile(table, columns=names, max_subset=most)
