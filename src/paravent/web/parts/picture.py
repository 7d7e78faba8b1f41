"""Small pictures as SVG: bars and lines, each with a description for those who do not see it. All texts are escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from nicegui import ui

from paravent.web.looks import Histogram
from paravent.web.words import Words

_FIGURES = re.compile(r"(?<=>)[^<>]+(?=</(?:text|title)>)|(?<=aria-label=\")[^\"]*")
"""What a picture says: the texts in it, and its name for those who do not see it."""


def drawn(svg: str, say: Words) -> ui.html:
    """Put a picture made here onto the page, its figures as the language writes them."""
    told = _FIGURES.sub(lambda words: say.written(words[0]), svg)
    return ui.html(told, sanitize=False).classes("pv-drawn")


def _svg(width: float, height: float, said: str, inside: str, classes: str = "") -> str:
    return (
        f'<svg class="pv-picture {classes}" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{escape(said, quote=True)}" preserveAspectRatio="xMidYMid meet">{inside}</svg>'
    )


def bars(found: Histogram, said: str, *, width: float = 150, height: float = 40, cuts: Sequence[float] = ()) -> str:
    """The bars of a column; `cuts` are numbers at which lines are drawn.

    >>> bars(Histogram((1, 3), ("a", "b")), "two bars").count("<rect")
    2
    """
    counts = [*found.counts, *([found.others] if found.others else [])]
    highest = max(counts, default=0) or 1
    step = width / max(len(counts), 1)
    gap = 1 if found.measured else min(3, step / 4)
    parts = []
    for i, count in enumerate(counts):
        tall = (height - 2) * count / highest
        tall = max(tall, 1.5) if count else 0
        kind = "pv-bar--1" if found.others and i == len(counts) - 1 else "pv-bar--0"
        title = (
            f"<title>{escape(found.labels[i])}: {count}</title>" if i < len(found.labels) and found.labels[i] else ""
        )
        parts.append(
            f'<rect class="{kind}" x="{i * step:.2f}" y="{height - tall:.2f}" width="{max(step - gap, 0.5):.2f}" '
            f'height="{tall:.2f}" rx="1">{title}</rect>'
        )
    if found.measured and isinstance(found.low, float) and isinstance(found.high, float) and found.high > found.low:
        for cut in cuts:
            x = width * (cut - found.low) / (found.high - found.low)
            if 0 <= x <= width:
                parts.append(f'<line class="pv-cut" x1="{x:.2f}" x2="{x:.2f}" y1="0" y2="{height:g}"/>')
    return _svg(width, height, said, "".join(parts))


def pairs(
    labels: Sequence[str], before: Sequence[float], after: Sequence[float], said: str, *, width: float = 420
) -> str:
    """Shares before and after, one row a label."""
    row, left = 26, 132
    highest = max([*before, *after], default=0) or 1
    parts = []
    for i, (label, old, new) in enumerate(zip(labels, before, after, strict=True)):
        y = i * row
        shown = label if len(label) <= 20 else f"{label[:19]}…"
        parts.append(
            f'<text x="{left - 8}" y="{y + 15}" text-anchor="end">{escape(shown)}<title>{escape(label)}</title></text>'
        )
        for j, (kind, value) in enumerate((("before", old), ("after", new))):
            long = (width - left - 46) * value / highest
            place = f'x="{left}" y="{y + 3 + 9 * j}" width="{max(long, 0.5):.1f}"'
            parts.append(f'<rect class="pv-bar--{kind}" {place} height="8" rx="2"/>')
        beside = left + (width - left - 46) * max(old, new) / highest + 6
        parts.append(f'<text x="{beside:.1f}" y="{y + 15}">{100 * new:.1f} %</text>')
    return _svg(width, max(len(labels), 1) * row + 4, said, "".join(parts))


def columns(
    labels: Sequence[str],
    before: Sequence[float],
    after: Sequence[float],
    said: str,
    *,
    width: float = 420,
    height: float = 170,
) -> str:
    """Shares before and after, one pair of upright bars a label."""
    highest = max([*before, *after], default=0) or 1
    foot, step = height - 22, width / max(len(labels), 1)
    parts = [f'<line class="pv-axis" x1="0" x2="{width:g}" y1="{foot}" y2="{foot}"/>']
    shown = [_brief(label) for label in labels]
    every = max(1, -(-len(labels) * max(52, 6 * max(map(len, shown), default=0)) // int(width)))
    for i, (label, old, new) in enumerate(zip(labels, before, after, strict=True)):
        for j, (kind, value) in enumerate((("before", old), ("after", new))):
            tall = (foot - 4) * value / highest
            parts.append(
                f'<rect class="pv-bar--{kind}" x="{i * step + step * (0.1 + 0.4 * j):.2f}" y="{foot - tall:.2f}" '
                f'width="{step * 0.38:.2f}" height="{tall:.2f}" rx="1">'
                f"<title>{escape(label)}: {100 * value:.1f} %</title></rect>"
            )
        if i % every == 0:
            half = 3.2 * len(shown[i])
            x = min(max(i * step + step / 2, half), width - half)
            parts.append(f'<text x="{x:.1f}" y="{height - 6}" text-anchor="middle">{escape(shown[i])}</text>')
    return _svg(width, height, said, "".join(parts))


def _brief(label: str) -> str:
    """How a bin is called below its bar: shorter, and the same in every language.

    >>> _brief("below 1940"), _brief("2010 and above"), _brief("1950–1959")
    ('< 1940', '≥ 2010', '1950–1959')
    """
    if label.startswith("below "):
        return f"< {label.removeprefix('below ')}"
    if label.endswith(" and above"):
        return f"≥ {label.removesuffix(' and above')}"
    return label if len(label) <= 14 else f"{label[:13]}…"


def lines(
    xs: Sequence[float],
    series: Sequence[tuple[str, Sequence[float | None]]],
    said: str,
    *,
    width: float = 420,
    height: float = 220,
    along: str = "",
) -> str:
    """Curves over numbers, each in a dash of its own, with its name at its end."""
    left, right, top, foot = 44, 96, 10, height - 34
    values = [y for _, ys in series for y in ys if y is not None]
    low, high = min([0.0, *values]), max(values, default=1.0) or 1.0
    spread = (max(xs) - min(xs)) or 1 if xs else 1

    def x_at(x: float) -> float:
        return left + (width - left - right) * ((x - min(xs)) / spread if len(xs) > 1 else 0.5)

    def y_at(y: float) -> float:
        return foot - (foot - top) * (y - low) / ((high - low) or 1)

    parts = []
    for share in (0, 0.5, 1):
        value = low + share * (high - low)
        parts.append(
            f'<line class="pv-axis" x1="{left}" x2="{width - right}" y1="{y_at(value):.1f}" y2="{y_at(value):.1f}"/>'
        )
        parts.append(f'<text x="{left - 6}" y="{y_at(value) + 4:.1f}" text-anchor="end">{value:.3g}</text>')
    for x in xs:
        parts.append(f'<text x="{x_at(x):.1f}" y="{foot + 15}" text-anchor="middle">{x:g}</text>')
    parts.append(
        f'<text x="{(left + width - right) / 2:.0f}" y="{height - 4}" text-anchor="middle">{escape(along)}</text>'
    )
    dashes = ("", "6 3", "2 3", "8 3 2 3", "1 3", "10 4")
    taken: list[float] = []
    for i, (name, ys) in enumerate(series):
        points = [(x_at(x), y_at(y)) for x, y in zip(xs, ys, strict=True) if y is not None]
        if not points:
            continue
        way = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(
            f'<polyline class="pv-curve pv-curve--{i % 6}" stroke-dasharray="{dashes[i % 6]}" points="{way}"/>'
        )
        parts += [f'<circle class="pv-dot pv-dot--{i % 6}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in points]
        y = points[-1][1] + 4
        while any(abs(y - other) < 12 for other in taken):
            y += 12
        taken.append(y)
        parts.append(f'<text x="{points[-1][0] + 7:.1f}" y="{y:.1f}">{escape(name[:16])}</text>')
    return _svg(width, height, said, "".join(parts))
