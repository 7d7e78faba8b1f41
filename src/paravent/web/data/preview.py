"""Rows of the table, a page at a time."""

from __future__ import annotations

import paravent as pv
from paravent.web.looks import cells
from paravent.web.page import Page
from paravent.web.parts.grid import grid
from paravent.web.parts.text import box, button, text

_ROWS = 50
_COLUMNS = 60


def preview(page: Page, table: pv.Table) -> None:
    """Rows in the order of the file; numbers stand on the right."""
    say, at = page.say, {"first": 0}
    names = table.names[:_COLUMNS]
    right = frozenset(i for i, name in enumerate(names) if table.columns[name].kind.is_numeric)
    if len(table.names) > _COLUMNS:
        text(say("data.preview.columns", shown=_COLUMNS, all=len(table.names)), "p", "pv-small")
    holder = box("pv-stack")

    def draw() -> None:
        first = at["first"]
        last = min(first + _ROWS, len(table))
        said = say("data.preview.said", first=first + 1, last=last, all=len(table))
        holder.clear()
        with holder:
            grid(names, cells(table.frame, names, first, _ROWS), said, right=right)
            with box("pv-row pv-row--between"):
                text(said, "p", "pv-small").props('role="status"')
                with box("pv-row pv-row--end"):
                    back = button(say("data.preview.earlier"), lambda: go(-_ROWS), icon="chevron_left", keep="earlier")
                    on = button(say("data.preview.later"), lambda: go(_ROWS), icon="chevron_right", keep="later")
            back.set_enabled(first > 0)
            on.set_enabled(last < len(table))

    def go(by: int) -> None:
        at["first"] = max(0, min(at["first"] + by, len(table) - 1))
        draw()

    draw()
