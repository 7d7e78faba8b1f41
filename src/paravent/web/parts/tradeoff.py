"""The map of risk and usefulness: every release (or candidate) a point that can be clicked, the best ones joined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nicegui import events, ui

from paravent.knowledge import CRITERIA
from paravent.web.parts.criteria import label_of, metric_label, value_of
from paravent.web.words import Words

FIGURE = {"en": "value.toLocaleString('en-US')", "fr": "value.toLocaleString('fr-FR')"}
"""How a browser writes a figure of an axis, by the language. Code of ours alone: nothing of a table is in it."""
_HALO = {"textBorderColor": "#ffffff", "textBorderWidth": 3}
"""Names stay readable where points lie behind them."""
_PERCENT = " + ' %'"
ACCENT, QUIET, GOOD = "#0b7d82", "#6b7686", "#1b6e3c"


@dataclass(frozen=True)
class Point:
    """A release at its risk and its loss, both the better the lower; `measured` or only predicted."""

    name: str
    risk: float
    value: float
    measured: bool
    chosen: bool = False


def front(points: Sequence[Point], higher: bool) -> list[Point]:
    """The points that none beats on both axes, from the least risk on.

    >>> [p.name for p in front([Point("a", .1, .5, True), Point("b", .2, .3, True), Point("c", .2, .6, True)], False)]
    ['a', 'b']
    """
    found: list[Point] = []
    sign = -1 if higher else 1
    for point in sorted(points, key=lambda each: (each.risk, sign * each.value, each.name)):
        if not found or sign * point.value < sign * found[-1].value:
            found.append(point)
    return found


def tradeoff(
    say: Words, points: Sequence[Point], criterion: str, clicked: Callable[[str], object] | None = None
) -> ui.echart:
    """The map: risk to the right, the value of a criterion upwards. What it shows stands in a table, too."""
    chart = ui.echart(options(say, points, criterion), renderer="svg").classes("pv-tradeoff")
    chart.props["role"] = "img"
    chart.props["aria-label"] = say(
        "results.map.words", n=len(points), y=label_of(say.language, criterion), names=", ".join(p.name for p in points)
    )
    if clicked is not None:

        def on_click(event: events.EChartPointClickEventArguments) -> None:
            clicked(event.name)

        chart.on_point_click(on_click)
    return chart


def redrawn(chart: ui.echart, say: Words, points: Sequence[Point], criterion: str) -> None:
    """Other points on a map that stands already: one that is taken away before it has been drawn is an error."""
    chart.options.clear()
    chart.options.update(options(say, points, criterion))
    chart.update()


def options(say: Words, points: Sequence[Point], criterion: str) -> dict[str, Any]:
    higher = CRITERIA[criterion].metric.better == "higher"
    share = CRITERIA[criterion].metric.unit == "share"
    scale = 100 if share else 1
    measured = [point for point in points if point.measured]
    best = front(measured or points, higher)

    def data(chosen: Sequence[Point]) -> list[dict[str, Any]]:
        return [
            {
                "name": point.name,
                "value": [100 * point.risk, scale * point.value],
                "symbolSize": 20 if point.chosen else 14,
                "label": {"show": point.chosen or len(points) <= 4},
            }
            for point in chosen
        ]

    def axis(name: str, percent: bool, gap: int) -> dict[str, Any]:
        figure = f"value => {FIGURE[say.language]}{_PERCENT if percent else ''}"
        return {
            "type": "value",
            "name": name,
            "nameLocation": "middle",
            "nameGap": gap,
            "scale": True,
            "minInterval": 0.1 if percent else 0,  # finer ticks would read alike
            "axisLabel": {":formatter": figure, "color": "#44546a"},
            "nameTextStyle": {"color": "#1b2a41"},
            "splitLine": {"lineStyle": {"color": "#e3e8ef"}},
        }

    series: list[dict[str, Any]] = [
        {
            "type": "line",
            "data": [[100 * point.risk, scale * point.value] for point in best],
            "symbol": "none",
            "silent": True,
            "lineStyle": {"color": GOOD, "type": "dashed", "width": 1.5},
            "z": 1,
        },
        _scatter(say("results.map.predicted"), data([p for p in points if not p.measured]), QUIET, hollow=True),
        _scatter(say("results.map.measured"), data(measured), ACCENT, hollow=False),
    ]
    return {
        "aria": {"enabled": False},
        "animationDuration": 250,
        "grid": {"left": 64, "right": 28, "top": 40, "bottom": 56},
        "legend": {"data": [each["name"] for each in series[1:] if each["data"]], "top": 0, "icon": "circle"},
        "tooltip": {"trigger": "item", "formatter": "{b}"},
        "xAxis": axis(say("results.map.risk", metric=metric_label(say.language, "security")), True, 34),
        "yAxis": axis(
            say(
                "results.map.up",
                criterion=label_of(say.language, criterion),
                metric=metric_label(say.language, criterion),
            ),
            share,
            46,
        ),
        "series": series,
    }


def _scatter(name: str, data: list[dict[str, Any]], colour: str, *, hollow: bool) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": name,
        "data": data,
        "labelLayout": {"hideOverlap": True},
        "itemStyle": {"color": "#ffffff" if hollow else colour, "borderColor": colour, "borderWidth": 2},
        "label": {"formatter": "{b}", "position": "top", "color": "#1b2a41", "fontSize": 12, **_HALO},
        "emphasis": {"scale": 1.3},
        "z": 3,
    }


def point_value(say: Words, point: Point, criterion: str) -> str:
    return f"{point.name}: {value_of(say, 'security', point.risk)}, {value_of(say, criterion, point.value)}"
