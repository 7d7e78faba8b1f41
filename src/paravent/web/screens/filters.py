"""Methods that suit: what is asked of them, those that are left, and every other one with the reason."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from paravent.guide import Guidance, questions
from paravent.knowledge import load
from paravent.web.guiding.context import FIRST, PREDICTED, settled
from paravent.web.guiding.scripts import guide_script
from paravent.web.page import Page
from paravent.web.parts.fields import choice, number, tick
from paravent.web.parts.guided import guided, targets
from paravent.web.parts.text import box, of_guide, text
from paravent.web.screens import Screen
from paravent.web.screens.constraints import target

OUTPUTS = ("any", "full-domain", "subtree", "multidimensional")
AFTER = ("for key, reasons in found.dropped.items():", "    print(key, reasons[0].sentence)")


async def build(page: Page) -> None:
    page.heading("filters.title", "filters.lead")
    page.script(*guide_script(page.document, AFTER))
    with box("pv-halves pv-halves--third"):
        with box("pv-card pv-sticky", "section"):
            text(page.say("filters.criteria"), "h2")
            _criteria(page, await _rows(page))
        with box("pv-stack") as right:
            pass
    with right:
        found = await guided(page)
        if found is not None:
            _kept(page, found)
            _dropped(page, found)


async def _rows(page: Page) -> int:
    return len(await page.table())


def _criteria(page: Page, rows: int) -> None:
    say, told = page.say, {**FIRST, **page.document.context}

    def change(**fields: Any) -> None:
        after = settled({**told, **fields})
        if after.get("use") in PREDICTED and "target" not in after and targets(page.document):
            after["target"] = targets(page.document)[0]
        page.change(say("filters.changed"), context=after)

    purposes = questions(language=say.language)["purpose"].choices
    sizes = {
        "": say("filters.size.measured", rows=rows),
        **{each: say(f"filters.size.{each}") for each in ("small", "large")},
    }
    choice(
        page, say("filters.size"), sizes, told.get("size") or "", lambda size: change(size=size or None),
        entry="size-of-data", keep="size",
    )  # fmt: skip
    choice(
        page, say("filters.use"), {use: each.reads for use, each in purposes.items()}, told.get("use", "any"),
        lambda use: change(use=use), entry="usage-need", keep="use",
    )  # fmt: skip
    if told.get("use") in PREDICTED:
        target(page)
    choice(
        page, say("filters.output"), {each: say(f"filters.output.{each}") for each in OUTPUTS},
        told.get("output", "any"),
        lambda output: change(output=None if output == "any" else output), entry="expected-type", keep="output",
    )  # fmt: skip
    tick(
        page, say("filters.interactive"), bool(told.get("interactive")), lambda on: change(interactive=on or None),
        entry="interaction", keep="interactive",
    )  # fmt: skip
    tick(
        page, say("filters.truthful"), bool(told.get("truthful", True)),
        lambda on: change(truthful=None if on else False), entry="truthful", keep="truthful",
    )  # fmt: skip
    number(
        page, say("filters.time"), told.get("time"), lambda time: change(time=time), low=0.01, high=86_400, keep="time",
        empty=say("constraints.none"), entry="execution-time",
    )  # fmt: skip


def _kept(page: Page, found: Guidance) -> None:
    say, known = page.say, load(language=page.say.language)
    slow = set(found.dropped)
    keys = [key for key in dict.fromkeys(each.key for each in found.signatures) if key not in slow]
    with box("pv-card", "section"):
        text(say("filters.kept", n=len(keys)), "h2")
        with box("pv-methods", "ul"):
            for key in keys:
                entry, count = known.entry(key), sum(each.key == key for each in found.signatures)
                with box("pv-method", "li"):
                    with box("pv-row pv-row--between"):
                        method_name(page, key, entry.label)
                        text(say("filters.candidates", n=count), "span", "pv-chip pv-chip--good")
                    if page.shows("descriptions"):
                        text(entry.definition, "p", "pv-small")


def _dropped(page: Page, found: Guidance) -> None:
    say, known = page.say, load(language=page.say.language)
    with box("pv-card", "section"):
        text(say("filters.dropped", n=len(found.dropped)), "h2")
        with box("pv-methods", "ul"):
            for key, reasons in sorted(found.dropped.items(), key=lambda each: known.entry(each[0]).label.casefold()):
                with box("pv-method pv-method--dropped", "li").props(f'data-method="{key}"'):
                    method_name(page, key, known.entry(key).label)
                    for reason in reasons:
                        with box("pv-reason", "p"):
                            of_guide(page, reason.sentence)
                            if reason.rule:
                                text(f"{say('filters.rule')} {reason.rule}", "span", "pv-chip")


def method_name(page: Page, key: str, label: str) -> None:
    """The name of a method; a link to its page where descriptions are shown."""
    if page.shows("descriptions"):
        ui.link(label, page.link(f"method/{key}")).classes("pv-link")
    else:
        text(label, "strong")


SCREEN = Screen(
    "filters",
    "filters.title",
    build,
    group="guide",
    place=30,
    modes=frozenset({"suggestive", "full"}),
    done=lambda document: bool(document.context.get("use")),
)
