"""Curves: a measure against a parameter of a sweep, and its normalised mean over the parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from paravent.errors import PlanError
from paravent.near import suggest
from paravent.utility.cost.criteria import vmn

if TYPE_CHECKING:
    from paravent.comparison.entry import Entry


@dataclass(frozen=True)
class Sweep:
    """The parameters that were varied with their values, in all combinations or one at a time."""

    parameters: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    one_at_a_time: bool = False

    def check(self, parameter: str) -> None:
        if parameter not in self.parameters:
            raise PlanError(f"there was no sweep over {parameter!r}. {suggest(parameter, self.parameters)}")

    def is_numeric(self, parameter: str) -> bool:
        return all(is_number(value) for value in self.parameters[parameter])


@dataclass(frozen=True)
class Curve:
    """A measure at each value of a parameter while the others (`fixed`) stay as they are."""

    parameter: str
    measure: str
    fixed: Mapping[str, Any]
    points: tuple[tuple[Any, float], ...]

    @property
    def label(self) -> str:
        """What tells this curve apart from others of the same sweep."""
        return ", ".join(
            str(value) if name == "plan" else f"{name.rpartition('.')[2]}={shown(value)}"
            for name, value in self.fixed.items()
        )


@dataclass(frozen=True)
class MeanValue:
    """The normalised mean value (VMN) of a curve from `low` to `high`, and how many values of it were measured."""

    label: str
    value: float
    low: float
    high: float
    points: int


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def shown(value: Any) -> str:
    """A value of a parameter as it stands in names and labels."""
    from paravent.comparison.candidates import method_in_short
    from paravent.methods.method import Method

    if isinstance(value, Method):
        return method_in_short(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def curves(sweep: Sweep, entries: Sequence[Entry], parameter: str, measure: str) -> tuple[Curve, ...]:
    """One curve for each combination of the other parameters, where it has two points or more."""
    sweep.check(parameter)
    found: dict[str, tuple[dict[str, Any], list[tuple[Any, float]]]] = {}
    for entry in entries:
        if entry.measures is None or parameter not in entry.settings or measure not in entry.measures:
            continue
        fixed = {name: value for name, value in entry.settings.items() if name != parameter}
        _, points = found.setdefault(repr(sorted(fixed.items(), key=lambda pair: pair[0])), (fixed, []))
        points.append((entry.settings[parameter], entry.measures[measure]))
    drawn = []
    for fixed, points in found.values():
        if sweep.is_numeric(parameter):
            points.sort(key=lambda point: cast("float", point[0]))
        if len(points) > 1:
            drawn.append(Curve(parameter, measure, fixed, tuple(points)))
    return tuple(drawn)


def mean_values(drawn: Sequence[Curve], low: float | None, high: float | None) -> tuple[MeanValue, ...]:
    """The mean of each curve (Mauger 2021, §3.4): its area over the parameter's own scale, by the length."""
    found = []
    for curve in drawn:
        points = dict(curve.points)
        if not all(is_number(value) for value in points):
            raise PlanError(f"{curve.parameter}: a mean needs numbers to go along. Choose a parameter that has them.")
        a, b = min(points) if low is None else low, max(points) if high is None else high
        value = vmn(cast("dict[int, float]", points), cast("int", a), cast("int", b))
        found.append(MeanValue(curve.label, value, a, b, sum(a <= x <= b for x in points)))
    return tuple(found)
