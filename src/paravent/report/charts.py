"""The figures of the report, drawn without a browser and without a script: Altair to SVG, ready to stand in the page.

One theme for all: light grey is before, dark blue is after. They differ in lightness, so a grey print and a
colour-blind reader see the same picture.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Any

import altair as alt
import vl_convert

from paravent.measures import as_percent
from paravent.utility.lumping import Bar

BEFORE, AFTER, INK, RULE = "#c3c9d2", "#1b5e8c", "#222b36", "#e3e6ea"
_FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
_LONGEST = 26

_THEME: dict[str, Any] = {
    "font": _FONT,
    "background": "transparent",
    "aria": False,  # the figure as a whole carries one description
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK, "titleColor": INK, "labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal",
        "gridColor": RULE, "domainColor": "#9aa3ae", "tickColor": "#9aa3ae", "titlePadding": 8,
        "labelPadding": 6, "labelLimit": 190, "labelOverlap": "parity", "labelFlush": False,
    },
    "legend": {"labelColor": INK, "labelFontSize": 11, "title": None, "orient": "top", "symbolType": "square"},
    "bar": {"color": AFTER},
    "text": {"color": INK, "fontSize": 11},
}  # fmt: skip

_WHEN = alt.Color(
    "when:N", scale=alt.Scale(domain=["before", "after"], range=[BEFORE, AFTER]), legend=alt.Legend(title=None)
)
_WHOLE = alt.Scale(domain=[0, 1])


def _beside(limit: int | None) -> dict[str, Any]:
    """Names beside the bars: on a narrow screen they have less room."""
    return {} if limit is None else {"labelLimit": limit}


def losses(columns: Sequence[tuple[str, float]], says: str, *, narrow: bool = False) -> str:
    """How much of each column is lost: one bar a column, the worst first."""
    rows = [
        {"n": i, "column": shortened(name), "loss": loss, "text": as_percent(loss)}
        for i, (name, loss) in enumerate(columns)
    ]
    base = chart(rows).encode(
        y=alt.Y("n:O", axis=_named(rows, "column", **_beside(130 if narrow else None)), title=None),
        x=alt.X("loss:Q", scale=_WHOLE, axis=alt.Axis(format="%", tickCount=3 if narrow else 5), title="detail lost"),
    )
    bars = base.mark_bar(height=14)
    text = base.mark_text(align="left", dx=4).encode(text="text:N")
    return svg(bars + text, width=165 if narrow else 520, height=max(1, len(rows)) * 24, says=says)


def risks(rows: Sequence[tuple[str, float, float]], says: str, *, narrow: bool = False) -> str:
    """Risk before and after, in pairs of bars."""
    data = [
        {"n": i, "what": what, "when": when, "risk": value, "text": as_percent(value)}
        for i, (what, *values) in enumerate(rows)
        for when, value in zip(("before", "after"), values, strict=True)
    ]
    base = chart(data).encode(
        y=alt.Y(
            "n:O",
            axis=_named(data, "what", **_beside(155 if narrow else None)),
            title=None,
            scale=alt.Scale(paddingInner=0.3),
        ),
        yOffset=alt.YOffset("when:N", sort=["before", "after"]),
        x=alt.X("risk:Q", scale=_WHOLE, axis=alt.Axis(format="%", tickCount=3 if narrow else 5), title=None),
    )
    bars = base.mark_bar().encode(color=_WHEN.copy(deep=True).legend(None))
    text = base.mark_text(align="left", dx=4).encode(text="text:N")
    return svg(bars + text, width=125 if narrow else 500, height=len(rows) * 46, says=says)


def class_sizes(bars: Sequence[Bar], says: str, *, narrow: bool = False) -> str:
    """People by the size of the group they hide in, before and after."""
    return _upright(
        bars, width=290 if narrow else 620, height=190, says=says, x="rows that look alike", y="share of rows"
    )


def before_and_after(bars: Sequence[Bar], says: str, *, upright: bool) -> str:
    """One column's distribution: the original as a wide light bar, the release as a narrow dark one within it."""
    if upright:
        return _upright(bars, width=330, height=150, says=says, x=None, y="share of rows")
    data = _paired(bars)
    base = chart(data).encode(
        y=alt.Y("n:O", axis=_named(data, "label"), title=None),
        x=alt.X("share:Q", axis=alt.Axis(format="%", tickCount=4), title="share of rows", stack=None),
        color=_WHEN.copy(deep=True).legend(None),
    )
    drawn = base.transform_filter("datum.when == 'before'").mark_bar(height=13)
    drawn += base.transform_filter("datum.when == 'after'").mark_bar(height=5)
    return svg(drawn, width=210, height=max(1, len(bars)) * 17, says=says)


def _upright(bars: Sequence[Bar], *, width: int, height: int, says: str, x: str | None, y: str) -> str:
    data = _paired(bars)
    slot = width / max(len(bars), 1)
    slanted = max((len(bar.label) for bar in bars), default=0) * 6 > slot
    axis = _named(data, "label", labelAngle=-40 if slanted else 0, labelOverlap=False)
    base = chart(data).encode(
        x=alt.X("n:O", axis=axis, title=x),
        y=alt.Y("share:Q", axis=alt.Axis(format="%", tickCount=4), title=y, stack=None),
        color=_WHEN.copy(deep=True).legend(None),
    )
    drawn = base.transform_filter("datum.when == 'before'").mark_bar(width=max(2.0, slot * 0.8))
    drawn += base.transform_filter("datum.when == 'after'").mark_bar(width=max(1.0, slot * 0.36))
    return svg(drawn, width=width, height=height, says=says)


def chart(rows: Sequence[dict[str, Any]]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=list(rows)))


def _paired(bars: Sequence[Bar]) -> list[dict[str, Any]]:
    """Both series as shares. Labels travel as data beside a number: equal labels and odd names cannot collide."""
    before, after = (sum(getattr(bar, when) for bar in bars) or 1 for when in ("before", "after"))
    return [
        {"n": i, "label": shortened(bar.label), "when": when, "share": value}
        for i, bar in enumerate(bars)
        for when, value in (("before", bar.before / before), ("after", bar.after / after))
    ]


def _named(rows: Sequence[dict[str, Any]], field: str, **options: Any) -> alt.Axis:
    """An axis over row numbers that shows their names."""
    names = {str(row["n"]): row[field] for row in rows}
    listed = [names[str(n)] for n in range(len(names))]
    return alt.Axis(labelExpr=f"{_literal(listed)}[datum.value]", ticks=False, domain=False, grid=False, **options)


def _literal(texts: Sequence[str]) -> str:
    """A list of strings in Vega's expression language; every sign that is not a plain letter is written as a code."""
    coded = ("".join(c if c.isascii() and (c.isalnum() or c == " ") else _unicode(c) for c in text) for text in texts)
    return "[" + ",".join(f"'{text}'" for text in coded) + "]"


def _unicode(sign: str) -> str:
    units = sign.encode("utf-16-be")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def shortened(text: str) -> str:
    shown = " ".join(text.split()) or "(empty)"
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


def svg(drawing: Any, *, width: float, height: float, says: str) -> str:
    """The drawing as an element of the page: one image with one description, no outside names or references."""
    spec = drawing.properties(width=width, height=height).configure(**_THEME).to_dict()
    drawn = str(vl_convert.vegalite_to_svg(spec))
    drawn = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", drawn)
    return re.sub(r"^<svg ", f'<svg role="img" aria-label="{escape(says, quote=True)}" ', drawn, count=1)
