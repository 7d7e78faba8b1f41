"""How the values of a column are grouped: a way to be chosen, with its few settings beside a picture of the data."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from nicegui import ui

import paravent as pv
from paravent.errors import ParaventError
from paravent.hierarchy import TreeSpec
from paravent.table.kinds import Kind
from paravent.web.looks import Histogram, Look
from paravent.web.page import Page
from paravent.web.parts.picture import bars, drawn
from paravent.web.parts.text import box, button, labelled, text
from paravent.web.trees.current import Current, with_spec

_WHERE = (
    "(e) => { const at = e.currentTarget.querySelector('svg').getBoundingClientRect();"
    " emit((e.clientX - at.left) / at.width); }"
)
"""Where in a picture somebody clicked, as a share of its width."""
_UNITS = ("hour", "day", "week", "month", "quarter", "year", "decade")
_WAYS = {
    Kind.INTEGER: ("intervals", "ordered_groups", "quantiles", "balanced", "prefixes", "flat"),
    Kind.FLOAT: ("intervals", "ordered_groups", "quantiles", "balanced", "flat"),
    Kind.DATE: ("dates", "quantiles", "balanced", "flat"),
    Kind.ORDINAL: ("balanced", "quantiles", "flat"),
    Kind.NOMINAL: ("by_frequency", "prefixes", "icd", "flat"),
    Kind.TEXT: ("flat", "by_frequency"),
}


def build(page: Page, now: Current, look: Look) -> None:
    """Choose the way; its settings appear below."""
    say = page.say
    ways = _WAYS[now.domain.kind]
    at = "own" if now.spec is None else now.spec.call
    names = [*ways, *(way for way in (at,) if way not in ways)]
    known = {way: say(f"trees.how.{way}") if say.has(f"trees.how.{way}") else way for way in names}

    def choose(event: Any) -> None:
        if event.value not in ("own", at):
            _set(page, now, str(event.value), lambda: _first(str(event.value), now))

    select = ui.select(known, value=at, label=say("trees.how"), on_change=choose).props("outlined")
    select.classes("pv-field").props["data-keep"] = "tree how"
    shape = look.histograms[now.column]
    spec: Any = now.spec
    if at == "intervals":
        _intervals(page, now, shape, spec)
    elif at == "ordered_groups" and spec.cuts and now.domain.kind.is_numeric:
        _cuts(page, now, shape, spec)
    elif at == "quantiles":
        _quantiles(page, now, spec)
    elif at == "dates":
        _dates(page, now, spec)
    elif at == "icd":
        _set_choice(page, now, spec)


def _first(way: str, now: Current) -> TreeSpec:
    """A way with settings to begin with."""
    domain = now.domain
    if way in ("intervals", "ordered_groups"):
        values = domain.values.cast(float)
        low, high = float(values.min()), float(values.max())  # type: ignore[arg-type]
        width = _nice((high - low) / 8 or 1.0, domain.kind is Kind.INTEGER)
        if way == "intervals":
            return pv.intervals(width, 2 * width, 4 * width)
        begin = math.ceil(low / (2 * width)) * 2 * width
        cuts = [_tidy(begin + i * 2 * width) for i in range(4) if low < begin + i * 2 * width <= high]
        return pv.ordered_groups(cuts=[cuts or [_tidy((low + high) / 2)]])
    made: dict[str, Callable[[], TreeSpec]] = {
        "quantiles": lambda: pv.quantiles(8, 4, 2),
        "balanced": pv.balanced,
        "dates": lambda: pv.dates("month", "year"),
        "prefixes": pv.prefixes,
        "icd": pv.icd,
        "by_frequency": pv.by_frequency,
        "flat": pv.flat,
    }
    return made[way]()


def _set(page: Page, now: Current, way: str, make: Callable[[], TreeSpec]) -> None:
    """Take a spec that builds for these values; one that does not is refused in its own words."""
    try:
        spec = make()
        spec.build(now.domain)
    except ParaventError as error:
        page.warn(page.refusal(error))
        page.refresh()
        return
    how = page.say(f"trees.how.{way}")
    page.change(page.say("trees.did.build", column=now.column, how=how), **with_spec(page.document, now.column, spec))


def _intervals(page: Page, now: Current, shape: Histogram, spec: Any) -> None:
    say, widths = page.say, list(spec.widths)
    low, high = (shape.low, shape.high) if isinstance(shape.low, float) else (0.0, 1.0)
    narrow = widths[0]
    shown = [narrow * i for i in range(math.ceil(low / narrow), math.floor(high / narrow) + 1)]
    with box("pv-histogram"):
        drawn(
            bars(shape, say("trees.picture", column=now.column, n=len(shown)), width=640, height=110, cuts=shown[:200]),
            say,
        )
        _ends(page, shape)
    whole = now.domain.kind is Kind.INTEGER
    steps = _steps(low, high, whole)
    if narrow not in steps:
        steps = sorted({*steps, narrow})
    text(say("trees.widths.are", widths=", ".join(f"{width:g}" for width in widths)), "p", "pv-small")
    with box("pv-pair"):
        with box("pv-stack"):
            text(say("trees.widths.finest", width=say.written(f"{narrow:g}")), "p", "pv-small")
            fine = ui.slider(min=0, max=len(steps) - 1, step=1, value=steps.index(narrow)).props("snap markers")
            labelled(fine.classes("pv-slider"), say("trees.widths")).props["data-keep"] = "tree width"
        with box("pv-stack"):
            text(say("trees.steps.are", n=len(widths)), "p", "pv-small")
            many = ui.slider(min=1, max=5, step=1, value=len(widths)).props("snap markers")
            labelled(many.classes("pv-slider"), say("trees.steps")).props["data-keep"] = "tree levels"

    def apply() -> None:
        width = steps[int(fine.value)]
        made = [_tidy(width * 2**i) for i in range(int(many.value))]
        if made != widths:
            _set(page, now, "intervals", lambda: pv.intervals(*made))

    fine.on("change", apply)
    many.on("change", apply)


def _cuts(page: Page, now: Current, shape: Histogram, spec: Any) -> None:
    say = page.say
    fine = sorted(spec.cuts[0])
    coarse = set(spec.cuts[1]) if len(spec.cuts) > 1 else set()
    low, high = (shape.low, shape.high) if isinstance(shape.low, float) else (0.0, 1.0)
    step = 1 if now.domain.kind is Kind.INTEGER else _tidy((high - low) / 200 or 1.0)

    def apply(cuts: list[float], kept: set[float]) -> None:
        cuts = sorted(set(cuts))
        if not cuts:
            page.warn(say("trees.cut.needs"))
            return
        levels = [cuts, *([sorted(kept & set(cuts))] if kept & set(cuts) and kept & set(cuts) != set(cuts) else [])]
        _set(page, now, "ordered_groups", lambda: pv.ordered_groups(cuts=levels))

    def rounded(value: float) -> float:
        return _tidy(round(value / step) * step)

    with box("pv-histogram pv-histogram--live") as picture:
        drawn(bars(shape, say("trees.picture", column=now.column, n=len(fine)), width=640, height=110, cuts=fine), say)
        _ends(page, shape)
    picture.on(
        "click",
        lambda event: apply([*fine, rounded(low + (high - low) * float(event.args))], coarse),
        js_handler=_WHERE,
    )
    text(say("trees.cuts"), "h4")
    text(say("trees.cut.hint"), "p", "pv-small")
    for at, cut in enumerate(fine):
        with box("pv-cutrow"):
            text(f"{cut:g}", "span", "pv-number pv-cutrow__value")
            slider = ui.slider(min=low, max=high, step=step, value=cut).classes("pv-slider pv-grow")
            labelled(slider, say("trees.cut.slider", cut=f"{cut:g}")).props["data-keep"] = f"cut {at}"
            slider.on(
                "change",
                lambda _, at=at, cut=cut, slider=slider: apply(
                    [*fine[:at], rounded(float(slider.value)), *fine[at + 1 :]],
                    {rounded(float(slider.value)) if each == cut else each for each in coarse},
                ),
            )
            tick = ui.checkbox(
                say("trees.cut.coarse"),
                value=cut in coarse,
                on_change=lambda event, cut=cut: apply(fine, coarse | {cut} if event.value else coarse - {cut}),
            )
            labelled(tick, say("trees.cut.coarse.of", cut=f"{cut:g}")).props["data-keep"] = f"coarse {at}"
            button(
                "",
                lambda cut=cut: apply([each for each in fine if each != cut], coarse - {cut}),
                icon="close",
                kind="quiet",
                label=say("trees.cut.remove", cut=f"{cut:g}"),
            )
    with box("pv-row"):
        wanted = ui.number(say("trees.cut")).props("outlined dense").classes("pv-narrow")

        def add() -> None:
            if wanted.value is None:
                page.warn(say("trees.cut.needs"))
                return
            apply([*fine, _tidy(float(wanted.value))], coarse)

        wanted.on("keydown.enter", add).props["data-keep"] = "cut new"
        button(say("trees.cut.add"), add, icon="add", keep="cut add")


def _quantiles(page: Page, now: Current, spec: Any) -> None:
    say, most = page.say, int(spec.groups[0])
    text(f"{say('trees.groups')}: {most}", "p", "pv-small")
    choices = [2, 4, 8, 16, 32, 64]
    slider = ui.slider(min=0, max=len(choices) - 1, step=1, value=choices.index(most) if most in choices else 2).props(
        "snap markers"
    )
    labelled(slider.classes("pv-slider"), say("trees.groups")).props["data-keep"] = "tree groups"

    def apply() -> None:
        many = choices[int(slider.value)]
        _set(
            page,
            now,
            "quantiles",
            lambda: pv.quantiles(*(many >> i for i in range(many.bit_length() - 1) if many >> i >= 2)),
        )

    slider.on("change", apply)


def _dates(page: Page, now: Current, spec: Any) -> None:
    say = page.say
    chosen = [unit for unit in _UNITS if unit in getattr(spec, "units", ())]

    def apply(event: Any) -> None:
        units = [unit for unit in _UNITS if unit in event.value]
        if units and units != chosen:
            _set(page, now, "dates", lambda: pv.dates(*units))

    select = ui.select(
        {unit: say(f"trees.unit.{unit}") for unit in _UNITS},
        value=chosen,
        multiple=True,
        label=say("trees.units"),
        on_change=apply,
    )
    select.props("outlined use-chips").classes("pv-field")


def _set_choice(page: Page, now: Current, spec: Any) -> None:
    say = page.say
    ui.select(
        {10: "ICD-10", 9: "ICD-9"},
        value=spec.version,
        label=say("trees.version"),
        on_change=lambda event: _set(page, now, "icd", lambda: pv.icd(int(event.value))),
    ).props("outlined").classes("pv-narrow")


def _ends(page: Page, shape: Histogram) -> None:
    with box("pv-ends").props("aria-hidden=true"):
        for end in (shape.low, shape.high):
            text(page.say.number(end) if isinstance(end, float) else str(end or ""))


def _steps(low: float, high: float, whole: bool) -> list[float]:
    """Widths of 1, 2 and 5 times a power of ten that fit into the range."""
    spread = high - low or 1.0
    power = math.floor(math.log10(spread)) - 2
    found = [float(f"{digit}e{p}") for p in range(power, power + 4) for digit in (1, 2, 5)]
    fitting = [width for width in found if width <= spread and (not whole or (width >= 2 and width.is_integer()))]
    return [_tidy(width) for width in fitting] or [_tidy(spread)]


def _nice(width: float, whole: bool) -> float:
    power = math.floor(math.log10(width))
    found = next(float(f"{digit}e{power}") for digit in (1, 2, 5, 10) if float(f"{digit}e{power}") >= width * 0.999)
    return _tidy(max(found, 2.0) if whole else found)


def _tidy(value: float) -> float:
    """A number without the dust of floating point; a whole one as such."""
    neat = float(f"{value:.10g}")
    return int(neat) if neat.is_integer() else neat
