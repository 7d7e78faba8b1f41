"""The R-U map (Duncan, Keller-McNulty, Stokes 2001): every candidate at its risk and its utility, and the front.

Where the risk is epsilon, candidates without one (no noise was drawn, or nothing says how much) stand in a band of
their own above all others, with the original: nothing bounds their epsilon. Also the curves of a sweep. Drawn like the
figures of the report of a release.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil, inf, isinf, isnan, log10, sqrt
from typing import Any

import altair as alt

from paravent.comparison.comparison import Comparison
from paravent.comparison.curves import Curve
from paravent.comparison.pareto import front
from paravent.measures import Measure, Measures
from paravent.report import charts
from paravent.utility.protection import EPSILON

WIDTH, HEIGHT = 620, 340
NARROW = 270
MOST_NAMES = 12
"""With more candidates than this the points are numbered."""
_LETTER, _LINE = 6.2, 13.0
_SERIES = ("#1b5e8c", "#c05a00", "#5b4b9a", "#2f7d4f", "#a0306b", "#6b6b6b")
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3])
MOST_CURVES = len(_SERIES)


@dataclass(frozen=True)
class Point:
    """A candidate, or the original, on the map."""

    name: str
    label: str
    risk: float
    utility: float
    kind: str  # front, other, without (an epsilon) or original
    others: tuple[Point, ...] = ()
    is_candidate: bool = True


def points(comparison: Comparison) -> list[Point]:
    """The candidates that have both measures, those on one spot together, and the original where it was measured."""
    wanted = comparison.wanted
    on_front = set(comparison.front())
    numbered = len(comparison.done) > MOST_NAMES
    found = []
    for number, entry in enumerate(comparison.entries, 1):
        risk, utility = entry.value(wanted.risk), entry.value(wanted.utility)
        if wanted.risk == EPSILON and risk is None:
            risk = inf
        if risk is None or utility is None or isnan(risk) or isnan(utility):
            continue
        kind = "without" if isinf(risk) else "front" if entry.name in on_front else "other"
        label = str(number) if numbered else charts.shortened(entry.name)
        found.append(Point(entry.name, label, risk, utility, kind))
    known: Measures | None = comparison.reference
    if known is not None and wanted.utility in known and (wanted.risk in known or wanted.risk == EPSILON):
        risk = inf if wanted.risk == EPSILON else known[wanted.risk]
        found.append(Point("original", "original", risk, known[wanted.utility], "original", is_candidate=False))
    return _together(found)


def _together(found: Sequence[Point]) -> list[Point]:
    """Points that would cover each other share one label."""
    wide = max((point.utility for point in found), default=0.0) or 1.0
    risks = [point.risk for point in found if not isinf(point.risk)]
    high, log = max(risks, default=0.0) or 1.0, _by_factors(risks)

    def covers(one: Point, other: Point) -> bool:
        if abs(one.utility - other.utility) >= 0.004 * wide or isinf(one.risk) != isinf(other.risk):
            return False
        if isinf(one.risk):
            return True
        return abs(log10(one.risk / other.risk)) < 0.01 if log else abs(one.risk - other.risk) < 0.004 * high

    spots: list[list[Point]] = []
    for point in found:
        near = [spot for spot in spots if covers(spot[0], point)]
        if near:
            near[0].append(point)
        else:
            spots.append([point])
    labels = [charts.shortened(", ".join(point.label for point in spot)) for spot in spots]
    order = ("original", "front", "other", "without")
    kinds = [next(kind for kind in order if kind in {p.kind for p in spot}) for spot in spots]
    return [
        replace(spot[0], label=label, kind=kind, others=tuple(spot[1:]))
        for spot, label, kind in zip(spots, labels, kinds, strict=True)
    ]


def ru_map(comparison: Comparison, *, width: int = WIDTH) -> str:
    """The map as an element of a page."""
    wanted = comparison.wanted
    risk, utility = comparison.about(wanted.risk), comparison.about(wanted.utility)
    if risk is None or utility is None:
        return ""
    drawn = points(comparison)
    candidates = [point for point in drawn if point.kind not in ("original", "without")]
    # Next to the original all candidates would lie on one spot: the root draws small numbers apart.
    middle = sorted(point.risk for point in candidates)[len(candidates) // 2] if candidates else 0.0
    rooted = wanted.risk != EPSILON and any(p.kind == "original" and p.risk > 4 * middle for p in drawn)
    x = _scale(utility, [p.utility for p in drawn], rooted=False)
    y = _scale(risk, [p.risk for p in drawn], rooted=rooted) if wanted.risk != EPSILON else _epsilon_scale(drawn)
    said = _said(drawn, risk, utility)
    drawn = [replace(p, risk=y.band) if isinf(p.risk) and y.band is not None else p for p in drawn]
    rows: list[dict[str, Any]] = []
    for point, (dx, dy, align) in zip(drawn, _placed(drawn, x, y, width), strict=True):
        rows.append(
            {"label": point.label, "risk": point.risk, "utility": point.utility, "kind": point.kind, "dx": dx, "dy": dy}
            | {"align": align}
        )
    across = alt.X("utility:Q", scale=x.altair(), axis=_axis(utility), title=_title(utility))
    up = alt.Y(
        "risk:Q",
        scale=y.altair(),
        axis=_axis(risk) if wanted.risk != EPSILON else _epsilon_axis(drawn, y),
        title=_title(risk) + (" (square-root scale)" if rooted else " (logarithmic)" if y.log else ""),
    )
    chart: Any = _front_line(comparison, drawn, across, up)
    if y.band is not None:
        chart = _band(x, y, across, up) + chart
    for kind, look in _LOOKS.items():
        those = [row for row in rows if row["kind"] == kind]
        if those:
            base = charts.chart(those).encode(x=across, y=up)
            chart += base.mark_point(size=70, opacity=1, **look)
        for row in those:
            chart += (
                charts.chart([row])
                .mark_text(align=row["align"], dx=row["dx"], dy=row["dy"], baseline="middle")
                .encode(x=across, y=up, text="label:N")
            )
    return charts.svg(chart, width=width, height=HEIGHT, says=said)


_LOOKS: dict[str, dict[str, Any]] = {
    "other": {"shape": "circle", "filled": False, "stroke": "#6b7684", "strokeWidth": 1.6},
    "front": {"shape": "circle", "filled": True, "fill": charts.AFTER, "stroke": charts.AFTER},
    "without": {"shape": "diamond", "filled": False, "stroke": "#6b7684", "strokeWidth": 1.6},
    "original": {"shape": "cross", "filled": True, "fill": charts.INK, "stroke": charts.INK},
}


def standalone(comparison: Comparison) -> str:
    """The map as a file of its own."""
    drawn = ru_map(comparison)
    return re.sub(r"^<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', drawn, count=1)


def _front_line(comparison: Comparison, drawn: Sequence[Point], across: alt.X, up: alt.Y) -> Any:
    """A line through the points of the front that no other beats in both measures; those that stand on it for what
    they protect beside have none."""
    risk, utility = comparison.about(comparison.wanted.risk), comparison.about(comparison.wanted.utility)
    assert risk is not None
    assert utility is not None
    every = [point for spot in drawn for point in (spot, *spot.others)]
    shown = [point for point in every if point.is_candidate and point.kind != "without"]
    candidates = {point.name: (point.risk, point.utility) for point in shown}
    alone = set(front(candidates, lower_is_better=[risk.better == "lower", utility.better == "lower"]))
    line = sorted((point.utility, point.risk) for point in shown if point.name in alone & set(comparison.front()))
    rows = [{"utility": x, "risk": y, "n": n} for n, (x, y) in enumerate(line)]
    base = charts.chart(rows).encode(x=across, y=up, order="n:Q")
    return base.mark_line(color=charts.AFTER, strokeWidth=1.6, opacity=0.7)


@dataclass(frozen=True)
class _Scale:
    low: float
    high: float
    rooted: bool
    log: bool = False
    band: float | None = None
    """Where those stand that have no epsilon."""

    def altair(self) -> alt.Scale:
        kind: Any = "sqrt" if self.rooted else "log" if self.log else "linear"
        return alt.Scale(type=kind, domain=[self.low, self.high], nice=False, zero=False)

    def place(self, value: float) -> float:
        """Where a value lies, from 0 to 1."""
        bent = log10 if self.log else sqrt if self.rooted else float
        low, high, at = (bent(v) for v in (self.low, self.high, max(value, self.low)))
        return (at - low) / (high - low)


def _scale(measure: Measure, values: Sequence[float], *, rooted: bool) -> _Scale:
    """From 0 (or the lowest value, where that is far from 0) to a little above the highest."""
    low, high = min(values), max(values)
    start = 0.0 if 0 <= low <= 0.5 * high or high == low else low - 0.1 * (high - low)
    start = min(start, low)
    end = high + 0.06 * (high - start) if high > start else start + 1.0
    return _Scale(start, end, rooted and start >= 0 and measure.better != "neither")


def _by_factors(values: Sequence[float]) -> bool:
    """Whether values are better seen by factors than by differences."""
    return bool(values) and min(values) > 0 and max(values) >= 8 * min(values)


def _epsilon_scale(drawn: Sequence[Point]) -> _Scale:
    """By factors where epsilon spans decades; above, where somebody has none, a band."""
    values = [point.risk for point in drawn if not isinf(point.risk)] or [1.0]
    low, high, log = min(values), max(values), _by_factors(values)
    if log:
        step = (high / low) ** 0.1
        ends = (low / step, high * step, high * step**1.7, high * step**2.6)
    else:
        ends = (0.0, 1.06 * high, 1.2 * high, 1.32 * high)
    banded = any(isinf(point.risk) for point in drawn)
    return _Scale(ends[0], ends[3] if banded else ends[1], False, log, ends[2] if banded else None)


def _epsilon_axis(drawn: Sequence[Point], scale: _Scale) -> alt.Axis:
    """A tick at every epsilon that somebody has, where they are few, and the name of the band."""
    values = sorted({point.risk for spot in drawn for point in (spot, *spot.others) if not isinf(point.risk)})
    values = [value for value in values if value != scale.band]
    if len(values) > 8:
        decades = range(ceil(log10(scale.low)), 1 + int(log10(values[-1]))) if scale.log else ()
        values = [10.0**power for power in decades] or [values[0], values[-1]]
    named = "format(datum.value, '~g')"
    if scale.band is not None:
        named = f"datum.value > {values[-1] if values else 0} * 1.000001 ? 'no ε' : {named}"
    band = [] if scale.band is None else [scale.band]
    return alt.Axis(values=[*values, *band], labelExpr=named, grid=True, labelOverlap=False)


def _band(x: _Scale, y: _Scale, across: alt.X, up: alt.Y) -> Any:
    """The ground of those without an epsilon."""
    assert y.band is not None
    between = y.band**2 / y.high if y.log else 2 * y.band - y.high
    row = [{"utility": x.low, "risk": between, "end": x.high, "top": y.high}]
    return charts.chart(row).mark_rect(color="#eef0f3").encode(x=across, x2="end:Q", y=up, y2="top:Q")


def _axis(measure: Measure) -> alt.Axis:
    if measure.unit == "share":
        return alt.Axis(format="~%", tickCount=6, grid=True)
    return alt.Axis(format="~s", tickCount=6, grid=True)


def _title(measure: Measure) -> str:
    end = "lower" if measure.better == "lower" else "higher"
    return f"{measure.title} ({end} is better)"


def _placed(drawn: Sequence[Point], x: _Scale, y: _Scale, width: int) -> list[tuple[float, float, str]]:
    """Where each label stands beside its point so that it meets no other: right, left, above or below, the first that
    is free; to the right where none is."""
    spots = [(x.place(p.utility) * width, (1 - y.place(p.risk)) * HEIGHT) for p in drawn]
    taken = [(px - 6, py - 6, px + 6, py + 6) for px, py in spots]
    line = sorted(spot for point, spot in zip(drawn, spots, strict=True) if point.kind == "front")
    for (ax, ay), (bx, by) in pairwise(line):  # what the line runs through is taken as well
        steps = [(ax + (bx - ax) * i / 12, ay + (by - ay) * i / 12) for i in range(13)]
        taken += [(sx - 1, sy - 1, sx + 1, sy + 1) for sx, sy in steps]
    places = []
    for point, (px, py) in zip(drawn, spots, strict=True):
        wide = len(point.label) * _LETTER
        options = [
            (9.0, 0.0, "left", px + 9),
            (-9.0, 0.0, "right", px - 9 - wide),
            (0.0, -13.0, "center", px - wide / 2),
            (0.0, 13.0, "center", px - wide / 2),
            (9.0, -13.0, "left", px + 9),
            (9.0, 13.0, "left", px + 9),
            (-9.0, -13.0, "right", px - 9 - wide),
            (-9.0, 13.0, "right", px - 9 - wide),
        ]
        boxes = [(left, py + dy - _LINE / 2, left + wide, py + dy + _LINE / 2) for _, dy, _, left in options]
        free = [
            i for i, box in enumerate(boxes) if _inside(box, width) and not any(_meet(box, other) for other in taken)
        ]
        chosen = free[0] if free else 0
        taken.append(boxes[chosen])
        places.append(options[chosen][:3])
    return places


def _inside(box: tuple[float, float, float, float], width: int) -> bool:
    return box[0] >= 2 and box[2] <= width + (40 if width == WIDTH else 8) and box[1] >= 0 and box[3] <= HEIGHT


def _meet(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _said(drawn: Sequence[Point], risk: Measure, utility: Measure) -> str:
    parts = [
        f"{point.name}: {risk.title} {'none' if isinf(point.risk) else replace(risk, value=point.risk).text}, "
        f"{utility.title} {replace(utility, value=point.utility).text}"
        + (", on the front" if point.kind == "front" else "")
        for spot in drawn
        for point in (spot, *spot.others)
    ]
    return "; ".join(parts)


def curve_chart(curves: Sequence[Curve], measure: Measure) -> str:
    """A measure against a parameter, one line a curve. A parameter that grows by factors has a logarithmic axis."""
    curves = curves[:MOST_CURVES]
    rows = [
        {"x": x, "y": y, "series": curve.label or measure.name}
        for curve in curves
        for x, y in curve.points
        if y == y  # noqa: PLR0124
    ]
    tested = sorted({row["x"] for row in rows})
    log = len(tested) > 2 and tested[0] > 0 and tested[-1] >= 8 * tested[0]
    percent = measure.unit == "share"
    names = list(dict.fromkeys(row["series"] for row in rows))
    many = len(names) > 1
    base = charts.chart(rows).encode(
        x=alt.X(
            "x:Q",
            scale=alt.Scale(type="log" if log else "linear", zero=False, nice=False, padding=12),
            axis=alt.Axis(values=tested, grid=False, labelOverlap=True, format="~g"),
            title=f"{curves[0].parameter}{' (logarithmic)' if log else ''}",
        ),
        y=alt.Y(
            "y:Q", scale=alt.Scale(zero=True), axis=alt.Axis(format="~%" if percent else "~s", tickCount=5), title=None
        ),
        color=alt.Color(
            "series:N",
            sort=names,
            scale=alt.Scale(domain=names, range=list(_SERIES[: len(names)])),
            legend=_legend(many),
        ),
        strokeDash=alt.StrokeDash(
            "series:N",
            sort=names,
            scale=alt.Scale(domain=names, range=list(_DASHES[: len(names)])),
            legend=_legend(many),
        ),
    )
    drawn = base.mark_line(strokeWidth=2) + base.mark_point(filled=True, size=40, opacity=1).encode(
        strokeDash=alt.StrokeDash()
    )
    said = "; ".join(f"{row['series']} at {row['x']:g}: {row['y']:.4g}" for row in rows)
    return charts.svg(drawn, width=330, height=170, says=f"{measure.title} by {curves[0].parameter}: {said}")


def _legend(many: bool) -> Any:
    return alt.Legend(title=None, orient="top", columns=1, labelLimit=300, symbolType="stroke") if many else None
