"""The part of a comparison's page about a sweep: what changes along a parameter, what does not, and the means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from paravent.comparison.comparison import Comparison
from paravent.comparison.curves import Curve, MeanValue
from paravent.measures import Measure
from paravent.report import words
from paravent.report.ru_map import MOST_CURVES, curve_chart

_CURVES = ("utility.gcp", "risk.prosecutor.average", "risk.prosecutor.max", "utility.completeness", "utility.classes")


@dataclass(frozen=True)
class Drawing:
    """A figure, its heading and what stands under it."""

    svg: Markup
    caption: str
    heading: str = ""
    narrow: Markup | None = None


def curve_figures(comparison: Comparison) -> list[Drawing]:
    return [
        Drawing(Markup(curve_chart(drawn, measure)), measure.meaning, f"{measure.title} by {parameter}")
        for parameter, measure, drawn in _swept(comparison)
        if not _is_flat(drawn)
    ]


def unmoved(comparison: Comparison) -> list[str]:
    """What does not change along a parameter, in a sentence each."""
    flat: dict[str, list[str]] = {}
    for parameter, measure, drawn in _swept(comparison):
        if _is_flat(drawn):
            flat.setdefault(parameter, []).append(measure.title)
    return [f"Nothing changes with {name} in: {words.listed(titles)}." for name, titles in flat.items()]


def _swept(comparison: Comparison) -> Iterator[tuple[str, Measure, tuple[Curve, ...]]]:
    """The curves of the main measures along every parameter that has numbers."""
    sweep, wanted = comparison.sweep, comparison.wanted
    for parameter in () if sweep is None else sweep.parameters:
        for name in dict.fromkeys([wanted.by, wanted.utility, wanted.risk, *_CURVES]):
            measure = comparison.about(name)
            if sweep is not None and measure is not None and sweep.is_numeric(parameter):
                drawn = comparison.curves(parameter, name)
                if drawn:
                    yield parameter, measure, drawn


def _is_flat(drawn: Sequence[Curve]) -> bool:
    return all(len({round(y, 9) for _, y in curve.points}) == 1 for curve in drawn)


def left_out(comparison: Comparison) -> int:
    """How many curves of a figure had no place in it."""
    counts = [len(drawn) for _, _, drawn in _swept(comparison) if not _is_flat(drawn)]
    return max(0, max(counts, default=0) - MOST_CURVES)


def means(comparison: Comparison) -> list[tuple[str, str, list[tuple[MeanValue, str]]]]:
    """The normalised mean value, over each parameter that varies the protection, of the measure ranked by."""
    sweep, measure = comparison.sweep, comparison.about(comparison.wanted.by)
    found = []
    for parameter in () if sweep is None or measure is None else sweep.parameters:
        if sweep is None or measure is None or not sweep.is_numeric(parameter) or not _protects(comparison, parameter):
            continue
        found_means = comparison.vmn(measure.name, over=parameter)
        if found_means:
            found.append(
                (parameter, measure.title, [(mean, replace(measure, value=mean.value).text) for mean in found_means])
            )
    return found


def _protects(comparison: Comparison, parameter: str) -> bool:
    """Whether other values of a parameter ask for another protection."""
    asked: dict[str, set[frozenset[int]]] = {}
    for entry in comparison.done:
        fixed = repr(sorted((name, str(value)) for name, value in entry.settings.items() if name != parameter))
        asked.setdefault(fixed, set()).add(entry.asked)
    return any(len(different) > 1 for different in asked.values())
