"""What a level of a tree looks like on the data."""

from __future__ import annotations

from nicegui import ui

from paravent.web.looks import Histogram
from paravent.web.page import Page
from paravent.web.parts.grid import grid
from paravent.web.parts.picture import bars, drawn
from paravent.web.parts.text import box, labelled, text
from paravent.web.trees.current import Current

_MOST = 200


def level(page: Page, now: Current) -> None:
    """A slider over the levels, and the labels of the level with their rows."""
    say = page.say
    assert now.tree is not None
    top = len(now.tree.levels) - 1
    text(say("trees.level.title"), "h3")
    slider = ui.slider(min=0, max=top, step=1, value=min(1, top), on_change=lambda event: draw(int(event.value)))
    slider.props("label markers snap").classes("pv-slider")
    labelled(slider, say("trees.level"))
    holder = box("pv-stack").props('aria-live="polite"')

    def draw(at: int) -> None:
        found = now.rows_at(at)
        total = sum(rows for _, rows in found) or 1
        holder.clear()
        with holder:
            text(say("trees.level.is", level=at, top=top, n=len(found)), "p")
            text(say("trees.level.smallest", n=min((rows for _, rows in found), default=0)), "p", "pv-small")
            if len(found) <= 400:
                shape = Histogram(tuple(rows for _, rows in found), tuple(label for label, _ in found))
                drawn(bars(shape, say("trees.level.picture", level=at), width=420, height=72), say)
            rows = [[label, say.number(n), say.percent(n / total)] for label, n in found[:_MOST]]
            heads = [say("trees.level.label"), say("trees.level.rows"), say("trees.level.share")]
            grid(heads, rows, say("trees.level.title"), right=frozenset({1, 2})).classes("pv-scroll--short")

    draw(min(1, top))
