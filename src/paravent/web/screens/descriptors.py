"""What the table is like to a method: measured figures and pictures; predictions rest on them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from nicegui import ui

from paravent.knowledge import Descriptors, describe
from paravent.web.aside import aside
from paravent.web.guiding.scripts import name_of
from paravent.web.looks import Histogram, look_of
from paravent.web.page import Page
from paravent.web.parts.fields import figure
from paravent.web.parts.guided import columns_with, with_roles
from paravent.web.parts.help import help_button
from paravent.web.parts.picture import bars, drawn
from paravent.web.parts.text import box, text
from paravent.web.parts.tradeoff import FIGURE
from paravent.web.screens import Screen

if TYPE_CHECKING:
    import paravent as pv

SIZES = (1, 2, 3, 5, 10, 20, 50, 100)
"""Where one bar of the picture of class sizes ends and the next begins."""


async def build(page: Page) -> None:
    page.heading("descriptors.title", "descriptors.lead")
    if not with_roles(page):
        return
    _script(page)
    table = await page.table()
    plan = page.project.plan()
    found = await aside(describe, table, plan)
    _figures(page, found)
    if page.shows("profile"):
        look = await aside(look_of, page.project)
        sizes = await aside(class_sizes, table, list(plan.quasi))
        with box("pv-card", "section"):
            text(page.say("descriptors.columns"), "h2")
            with box("pv-grid"):
                for name in (*columns_with(page.document, "quasi"), *columns_with(page.document, "sensitive")):
                    if name in look.histograms:
                        _column(page, name, look.histograms[name], len(table))
        with box("pv-card", "section"):
            text(page.say("descriptors.sizes"), "h2")
            _sizes(page, sizes)


def _script(page: Page) -> None:
    names = columns_with(page.document, "quasi")
    page.script(
        f"import paravent as pv\n\ntable = pv.read({name_of(page.document)!r})\n"
        f"found = pv.knowledge.describe(table, {names!r})\nprint(found.shape, found.to_dict())",
        f"paravent profile {name_of(page.document)!r}",
    )


def _figures(page: Page, found: Descriptors) -> None:
    say = page.say
    with box("pv-card", "section"), box("pv-row pv-row--between"):
        with box("pv-stack pv-stack--tight"):
            text(say("descriptors.shape"), "span", "pv-tile__what")
            text(say(f"descriptors.shape.{found.shape}"), "strong", "pv-big").props('data-name="shape"')
            text(say(f"descriptors.shape.{found.shape}.why"), "p", "pv-muted")
        help_button(page, "distribution", say("descriptors.shape"))
    with box("pv-tiles"):
        figure(say("descriptors.quasi"), str(found.columns))
        figure(say("descriptors.rows"), say.number(found.rows))
        figure(say("descriptors.tuples"), say.number(found.tuples))
        figure(say("descriptors.uniqueness"), say.percent(found.uniqueness))
        figure(say("descriptors.entropy"), say.number(found.entropy, 3), say("descriptors.entropy.note"))
        figure(say("descriptors.correlation"), say.number(found.correlation, 3), say("descriptors.correlation.note"))
        figure(say("descriptors.skew"), say.percent(found.skew))
        figure(say("descriptors.values"), say.number(found.values, 3))
        figure(say("descriptors.depth"), say.number(found.depth, 3))
        if found.classes:
            figure(say("descriptors.classes"), say.number(found.classes))
            figure(say("descriptors.majority"), say.percent(found.majority))


def _column(page: Page, name: str, found: Histogram, rows: int) -> None:
    top = max(range(len(found.counts)), key=lambda at: found.counts[at], default=0)
    said = page.say(
        "descriptors.chart",
        column=name,
        n=len(found.counts),
        top=page.say.written(found.labels[top]) if found.labels else "",
        share=page.say.percent(found.counts[top] / max(1, rows)) if found.counts else "",
    )
    with box("pv-stack pv-stack--tight"):
        text(name, "h3", "pv-break")
        drawn(bars(found, said, width=280, height=90), page.say)


def class_sizes(table: pv.Table, quasi: list[str]) -> Histogram:
    """Rows by how many rows share their quasi-identifiers.

    >>> import polars as pl, paravent as pv
    >>> class_sizes(pv.read(pl.DataFrame({"sex": ["f", "f", "m"]})), ["sex"]).counts
    (1, 2)
    """
    import polars as pl

    counts = table.frame.group_by(quasi).len()["len"]
    ends: tuple[int | None, ...] = (*SIZES, None)
    found, labels = [], []
    for low, high in pairwise(ends):
        assert low is not None
        inside = (counts >= low) if high is None else (counts >= low) & (counts < high)
        found.append(int(counts.filter(inside).cast(pl.Int64).sum() or 0))
        labels.append(f"{low}+" if high is None else str(low) if high == low + 1 else f"{low}–{high - 1}")
    last = max((place for place, count in enumerate(found) if count), default=0) + 1
    return Histogram(tuple(found[:last]), tuple(labels[:last]))


def _sizes(page: Page, found: Histogram) -> None:
    told = ", ".join(f"{label}: {count}" for label, count in zip(found.labels, found.counts, strict=True))
    chart = ui.echart(
        {
            "grid": {"left": 56, "right": 12, "top": 16, "bottom": 28},
            "xAxis": {"type": "category", "data": list(found.labels), "axisTick": {"show": False}},
            "yAxis": {
                "type": "value",
                "splitLine": {"lineStyle": {"color": "#8a97a533"}},
                "axisLabel": {":formatter": f"value => {FIGURE[page.say.language]}"},
            },
            "tooltip": {"trigger": "axis"},
            "series": [
                {"type": "bar", "data": list(found.counts), "itemStyle": {"color": "#0b7d82", "borderRadius": 4}}
            ],
        },
        renderer="svg",
    ).classes("pv-chart")
    chart.props["role"] = "img"
    chart.props["aria-label"] = page.say("descriptors.sizes.words", told=told)


SCREEN = Screen(
    "descriptors",
    "descriptors.title",
    build,
    group="guide",
    place=40,
    modes=frozenset({"suggestive", "full"}),
    done=lambda document: bool(columns_with(document, "quasi")),
)
