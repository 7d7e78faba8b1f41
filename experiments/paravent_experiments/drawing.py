"""The curves of an experiment as SVG files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from paravent.table.atomic import replacing

_COLOURS = ("#1b5e8c", "#c05a00", "#5b4b9a", "#2f7d4f", "#a0306b", "#6b6b6b", "#b8860b", "#008b8b", "#8b0000")
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3], [10, 2], [3, 1], [5, 1, 1, 1])


def draw(
    curves: Mapping[str, Mapping[int, float]] | Mapping[str, Mapping[float, float]],
    path: Path,
    *,
    title: str,
    percent: bool = True,
    along: str = "k",
    zero: bool = True,
) -> None:
    """One line a name against k, or what else is named, on a logarithmic axis; upwards from 0 if `zero`."""
    import altair as alt
    import vl_convert

    rows = [{"k": k, "y": y, "name": name} for name, curve in curves.items() for k, y in curve.items()]
    names, tested = list(curves), sorted({k for curve in curves.values() for k in curve})
    key = alt.Legend(title=None, orient="right", symbolType="stroke", symbolSize=300)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X(
            "k:Q",
            title=along,
            scale=alt.Scale(type="log", nice=False, padding=10),
            axis=alt.Axis(values=tested, grid=False, labelOverlap=True, format="~s" if along == "k" else "~g"),
        ),
        y=alt.Y("y:Q", title="%" if percent else None, scale=alt.Scale(zero=zero)),
        color=alt.Color("name:N", sort=names, scale=alt.Scale(domain=names, range=list(_COLOURS)), legend=key),
        strokeDash=alt.StrokeDash("name:N", sort=names, scale=alt.Scale(domain=names, range=list(_DASHES)), legend=key),
    )
    drawn = base.mark_line(strokeWidth=2) + base.mark_point(filled=True, size=25).encode(strokeDash=alt.StrokeDash())
    whole = drawn.properties(width=560, height=300, title=title, background="white")
    with replacing(path) as part:
        part.write_text(vl_convert.vegalite_to_svg(whole.to_json()), encoding="utf-8")
