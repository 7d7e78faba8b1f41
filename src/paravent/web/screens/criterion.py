"""One criterion: what it means, what it weighs, what it is measured by, and when a difference counts."""

from __future__ import annotations

from nicegui import ui

from paravent.errors import ParaventError
from paravent.knowledge import CRITERIA, Criterion, load
from paravent.knowledge.cube.criteria import OURS
from paravent.web.guiding.context import context_of
from paravent.web.page import Page
from paravent.web.parts.criteria import entry_of, label_of
from paravent.web.parts.fields import figure
from paravent.web.parts.text import box, problem, text
from paravent.web.screens import Screen


def build(page: Page) -> None:
    if page.rest not in CRITERIA:
        _all(page)
        return
    criterion, say = CRITERIA[page.rest], page.say
    entry = entry_of(say.language, page.rest)
    with box("pv-head"):
        ui.link(say("criterion.title"), page.link("criterion")).classes("pv-link")
        text(entry.label, "h1").props("tabindex=-1")
        text(entry.definition, "p", "pv-lead")
    page.script(
        f"import paravent as pv\n\nprint(pv.knowledge.show({criterion.key!r}))\n"
        f"print(pv.knowledge.thresholds({criterion.key!r}))",
        f"paravent know show {criterion.key}",
    )
    if entry.help:
        text(entry.help, "p")
    weight = context_of(page.document.context).goals.weights.get(page.rest)
    if weight is not None and page.shows("ranking"):
        with box("pv-tiles"):
            figure(say("criterion.weight"), say.percent(weight))
    with box("pv-halves"):
        with box("pv-card", "section"):
            text(say("criterion.metrics"), "h2")
            _metrics(page, criterion)
        with box("pv-card", "section"):
            text(say("criterion.thresholds"), "h2")
            text(say("criterion.thresholds.lead"), "p", "pv-muted")
            _thresholds(page, criterion)


def _all(page: Page) -> None:
    page.heading("criterion.title", "criterion.lead")
    page.script("import paravent as pv\n\nprint(pv.knowledge.entries('requirement'))", "paravent know list requirement")
    if page.rest:
        problem(page.say("criterion.none", name=page.rest))
    with box("pv-grid"):
        for name in CRITERIA:
            with box("pv-card pv-card--link", "article"):
                with box("", "h2"):
                    ui.link(label_of(page.say.language, name), page.link(f"criterion/{name}"))
                text(entry_of(page.say.language, name).definition, "p", "pv-small")


def _metrics(page: Page, criterion: Criterion) -> None:
    say, known = page.say, load(language=page.say.language)
    with box("pv-methods", "ul"):
        for metric in criterion.metrics:
            try:
                entry = known.entry(metric.name)
                label, meaning = entry.label, entry.definition
            except ParaventError:  # what a run costs has no entry
                label, meaning = metric.title, ""
            with box("pv-method", "li"):
                with box("pv-row pv-row--between"):
                    text(label, "strong")
                    text(say(f"criterion.better.{metric.better}"), "span", "pv-chip")
                if meaning:
                    text(meaning, "p", "pv-small")
                if metric is criterion.metric:
                    text(say("criterion.stands"), "p", "pv-small")


def _thresholds(page: Page, criterion: Criterion) -> None:
    say = page.say
    bounds = load(language=say.language).thresholds(criterion.key)
    with box("pv-table pv-table--plain", "table"):
        text(say("criterion.thresholds"), "caption", "pv-unseen")
        with box("", "thead"), box("", "tr"):
            text(say("criterion.points" if criterion.gap == "points" else "criterion.ratio"), "th").props('scope="col"')
            text(say("criterion.intensity"), "th").props('scope="col"')
        with box("", "tbody"):
            for place, limit in enumerate((*bounds, None), 1):
                with box("", "tr"):
                    last = say("criterion.beyond", limit=say.number(bounds[-1]))
                    text(last if limit is None else say("criterion.upto", limit=say.number(limit)), "td")
                    text(str(place), "td", "pv-figure")
    text(
        say("criterion.source", source=say("criterion.ours") if criterion.source == OURS else criterion.source),
        "p",
        "pv-small",
    )


SCREEN = Screen("criterion", "criterion.title", build)
