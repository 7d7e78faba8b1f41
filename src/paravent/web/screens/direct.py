"""Direct mode: for those who know what they want."""

from __future__ import annotations

from paravent.web.direct.lattice import lattice
from paravent.web.direct.plan import plan
from paravent.web.direct.studies import compare, sweep, workbench
from paravent.web.page import Page
from paravent.web.parts.sections import sections
from paravent.web.screens import Screen
from paravent.web.scripts import direct_script
from paravent.web.workspace import Document

TABS = ("plan", "compare", "lattice", "sweep", "workbench")


async def build(page: Page) -> None:
    page.heading("direct.title", "direct.lead")
    table = await page.table()
    at = sections(page, "direct", TABS, "direct.tab")
    page.script(*direct_script(page.project, at))
    if at == "plan":
        await plan(page, table)
    elif at == "compare":
        compare(page)
    elif at == "lattice":
        lattice(page)
    elif at == "sweep":
        sweep(page)
    else:
        workbench(page, table.names)


def done(document: Document) -> bool:
    return document.release is not None


SCREEN = Screen("direct", "direct.title", build, group="direct", place=10, expert=True, done=done)
