"""Methods and inputs chosen by hand: the way of working in modes that propose nothing."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from paravent.guide import Guidance, Signature
from paravent.knowledge import load
from paravent.web.guiding.context import FIRST, context_of, risk_for, settled, suppression_for
from paravent.web.guiding.scripts import guide_script
from paravent.web.page import Page
from paravent.web.parts.fields import choice, number
from paravent.web.parts.guided import guided, targets
from paravent.web.parts.running import RunSelected
from paravent.web.parts.text import box, labelled, library, text
from paravent.web.screens import Screen
from paravent.web.screens.filters import method_name

AFTER = ('found.select("Datafly (k=5)").run()', "print(found)")


async def build(page: Page) -> None:
    page.heading("choose.title", "choose.lead")
    page.script(*guide_script(page.document, AFTER))
    rows = len(await page.table())
    with box("pv-halves pv-halves--third"):
        with box("pv-card pv-sticky", "section"):
            text(page.say("choose.inputs"), "h2")
            _inputs(page, rows)
        with box("pv-stack") as right:
            pass
    with right:
        found = await guided(page)
        if found is not None:
            Choice(page, found, rows)


def _inputs(page: Page, rows: int) -> None:
    say, told = page.say, {**FIRST, **page.document.context}
    context = context_of(told)

    def change(**fields: Any) -> None:
        # all methods are to be had: whether one is advised for a table of this size is not said in these modes
        page.change(say("choose.changed"), context=settled({**told, "size": "small", **fields}), selected=[])

    number(
        page, say("choose.k"), context.k, lambda k: change(risk=risk_for(int(k or 2))), low=2, high=max(2, rows),
        entry="k", keep="k", whole=True,
    )  # fmt: skip
    number(
        page, say("choose.max_sup"), context.max_sup(rows),
        lambda most: change(suppression=suppression_for(rows, int(most or 0))), low=0, high=rows - 1,
        entry="max-sup", keep="max-sup", whole=True,
    )  # fmt: skip
    choice(
        page, say("choose.target"), {"": say("choose.no_target"), **{name: name for name in targets(page.document)}},
        told.get("target") or "",
        lambda name: change(use="classification" if name else None, target=name or None), entry="class-attribute",
        keep="target",
    )  # fmt: skip


class Choice:
    """The methods that can run with these inputs, each once."""

    def __init__(self, page: Page, found: Guidance, rows: int):
        self.page, self.say, self.found = page, page.say, found
        self.offered = offered(found, rows)
        names = {each.name for each in self.offered}
        self.selected = [name for name in page.document.selected if name in names]
        known = load(language=page.say.language)
        with box("pv-card", "section"):
            text(self.say("choose.methods"), "h2")
            with box("pv-methods", "ul"):
                for each in self.offered:
                    self._method(each, known.entry(each.key).label, known.entry(each.key).definition)
            with box("pv-row pv-actions"):
                self.run = RunSelected(page, "choose", self.selected)
        if found.dropped and page.shows("definitions"):
            with box("pv-card pv-card--flat", "section"):
                text(self.say("choose.refused"), "h2")
                with box("pv-methods", "ul"):
                    for key, reasons in sorted(found.dropped.items()):
                        with box("pv-method pv-method--dropped", "li"):
                            method_name(page, key, known.entry(key).label)
                            library(page, reasons[0].sentence, "p", "pv-small")

    def _method(self, each: Signature, label: str, definition: str) -> None:
        with box("pv-method", "li"):
            with box("pv-row pv-row--between"):
                with box("pv-option", "label"):
                    field = box("pv-tick", "input").props('type="checkbox"')
                    field.props["checked"] = each.name in self.selected
                    field.props["data-keep"] = f"method-{each.key}"
                    field.on("change", lambda: self._tick(each.name), args=[])
                    text(label)
                if self.page.shows("descriptions"):
                    link = ui.link(self.say("signatures.page"), self.page.link(f"method/{each.key}"))
                    labelled(link.classes("pv-link"), self.say("choose.about", label=label))
            if self.page.shows("descriptions"):
                text(definition, "p", "pv-small")

    def _tick(self, name: str) -> None:
        self.selected = [each for each in self.selected if each != name] + [name] * (name not in self.selected)
        self.page.change(self.say("signatures.selected"), refresh=False, selected=self.selected)
        self.run.show(self.selected)


def offered(found: Guidance, rows: int) -> list[Signature]:
    """Of each method the candidate with exactly the inputs that were given."""
    k, most = found.context.k, found.context.max_sup(rows)
    return [each for each in found.signatures if each.k == k and each.max_sup in (None, most)]


SCREEN = Screen(
    "choose",
    "choose.title",
    build,
    group="guide",
    place=10,
    modes=frozenset({"predefined", "informative"}),
    done=lambda document: bool(document.selected),
)
