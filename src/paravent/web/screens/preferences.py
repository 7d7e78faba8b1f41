"""Preferences: criteria compared in pairs, with live weights and consistency."""

from __future__ import annotations

from functools import partial
from typing import Any

from paravent.guide import METHODS
from paravent.web.guiding.context import FIRST, context_of
from paravent.web.guiding.preferences import Pair, said_of, told_of
from paravent.web.guiding.scripts import guide_script
from paravent.web.page import Page
from paravent.web.parts.fields import choice, tick
from paravent.web.parts.help import help_button
from paravent.web.parts.judging import Judging
from paravent.web.parts.text import box, text
from paravent.web.screens import Screen

AFTER = (
    "print(context.goals.weights)",
    "for node, judgements in context.goals.nodes:",
    "    print(node, judgements.ratio, judgements.doubt)",
)


def build(page: Page) -> None:
    say = page.say
    page.heading("preferences.title", "preferences.lead")
    page.script(*guide_script(page.document, AFTER))
    told = {**FIRST, **page.document.context}
    use = context_of(told).use

    def changed(preferences: dict[Pair, float]) -> None:
        page.change(
            say("preferences.changed"),
            refresh=False,
            context={**page.document.context, "preferences": told_of(preferences)},
        )

    with box("pv-card", "section"):
        explain = partial(help_button, page, "importance", say("preferences.title"))
        Judging(say, use, said_of(told), changed, explain=explain)
    with box("pv-card pv-card--flat", "section"):
        _more(page, told)


def _more(page: Page, told: dict[str, Any]) -> None:
    say = page.say
    preferences = said_of(told)
    costs = any("cost" in pair or "time" in pair for pair in preferences)

    def cost(on: bool) -> None:
        kept = {pair: said for pair, said in preferences.items() if not {"cost", "time", "memory"} & set(pair)}
        if on:
            kept["quality", "cost"] = 5.0
        page.change(say("preferences.changed"), context={**told, "preferences": told_of(kept)})

    def decide(method: str) -> None:
        after = {name: value for name, value in told.items() if name != "decision"}
        page.change(say("preferences.decided"), context=after if method == "ahp" else {**after, "decision": method})

    tick(page, say("preferences.cost"), costs, cost, entry="performance", keep="cost")
    text(say("preferences.cost.help"), "p", "pv-small")
    labels = {method: say(f"preferences.decision.{method.replace(' ', '-')}") for method in METHODS}
    choice(page, say("preferences.decision"), labels, told.get("decision", "ahp"), decide, keep="decision")
    text(say("preferences.decision.help"), "p", "pv-small")


SCREEN = Screen(
    "preferences",
    "preferences.title",
    build,
    group="guide",
    place=50,
    modes=frozenset({"suggestive", "full"}),
    done=lambda document: bool(document.context.get("preferences")),
)
