"""Measures: what was measured, as one flat mapping of dotted names to numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import inf
from types import MappingProxyType
from typing import Literal

from paravent.arguments import check_call
from paravent.errors import PlanError
from paravent.near import suggest

Better = Literal["lower", "higher", "neither"]
Unit = Literal["share", "percent", "count", "number"]

_RANGE: dict[Unit, tuple[float, float]] = {
    "share": (0.0, 1.0),
    "percent": (0.0, 100.0),
    "count": (0.0, inf),
    "number": (0.0, inf),
}

SHOWN = 20
"""Lines that stand for a long object in a terminal or a notebook."""

_ARROW: dict[Better, str] = {"lower": "↓", "higher": "↑", "neither": " "}


@dataclass(frozen=True)
class Measure:
    """One number with its name, a short title, one plain sentence, which direction is good, and how far it can go.

    The range follows from the unit (a share lies between 0 and 1) unless `bounds` says more.
    """

    name: str
    value: float
    title: str
    meaning: str
    better: Better = "lower"
    unit: Unit = "number"
    bounds: tuple[float, float] | None = None

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest value it can take."""
        return _RANGE[self.unit] if self.bounds is None else self.bounds

    @property
    def text(self) -> str:
        """
        >>> Measure("utility.gcp", 0.0583, "Loss", "…", unit="share").text
        '5.83 %'
        >>> Measure("utility.classes", 18109, "Classes", "…", unit="count").text
        '18 109'
        """
        if self.value != self.value:
            return "–"
        if self.unit in {"share", "percent"}:
            return as_percent(self.value if self.unit == "share" else self.value / 100)
        if self.unit == "count":
            return f"{self.value:,.0f}".replace(",", " ")
        return (
            f"{self.value:,.4g}".replace(",", " ") if abs(self.value) < 1e4 else f"{self.value:,.0f}".replace(",", " ")
        )


@dataclass(frozen=True)
class Absent:
    """A measure that says nothing about this release, and why."""

    name: str
    why: str


def as_percent(share: float) -> str:
    """
    >>> [as_percent(share) for share in (0, 0.00001, 0.0583, 0.4649, 0.99999, 1)]
    ['0 %', '< 0.01 %', '5.83 %', '46.5 %', '> 99.9 %', '100 %']
    >>> as_percent(0.2)
    '20 %'
    """
    if 0 < share < 0.0001:
        return "< 0.01 %"
    if 0.999 < share < 1:
        return "> 99.9 %"
    digits = f"{100 * share:.{2 if share < 0.1 else 1}f}"
    return f"{digits.rstrip('0').rstrip('.')} %"


class Measures(Mapping[str, float]):
    """Everything measured about a release. It reads like a dictionary and prints as a table.

    >>> found = Measures([Measure("utility.gcp", 0.25, "Loss", "How much detail is gone.", unit="share")])
    >>> found["utility.gcp"]
    0.25
    >>> print(found)
    utility.gcp  25 %  ↓  Loss

    What does not apply to a release is absent, and `absent` says why.
    """

    def __init__(self, measures: Iterable[Measure | Absent]) -> None:
        self._by_name: dict[str, Measure] = {}
        self._absent: dict[str, str] = {}
        for measure in measures:
            if measure.name in self._by_name or measure.name in self._absent:
                raise ValueError(f"two measures are called {measure.name!r}")
            if isinstance(measure, Absent):
                self._absent[measure.name] = measure.why
            else:
                self._by_name[measure.name] = measure

    def __getitem__(self, name: str) -> float:
        if name in self._absent:
            raise KeyError(f"{name} does not apply: {self._absent[name]}")
        return self._by_name[name].value

    @property
    def absent(self) -> Mapping[str, str]:
        """The measures that say nothing about this release, each with the reason."""
        return MappingProxyType(self._absent)

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def about(self, name: str) -> Measure:
        """The measure with its title, meaning, direction and range."""
        check_call(Measures.about, locals())
        if name not in self._by_name:
            raise PlanError(f"there is no measure {name!r}. {suggest(name, self._by_name)}")
        return self._by_name[name]

    def details(self) -> tuple[Measure, ...]:
        return tuple(self._by_name.values())

    def under(self, prefix: str) -> Measures:
        """Those whose names begin with `prefix.` (or are `prefix`)."""
        check_call(Measures.under, locals())
        return Measures(m for m in self.everything() if m.name == prefix or m.name.startswith(f"{prefix}."))

    def everything(self) -> tuple[Measure | Absent, ...]:
        """What was measured, then what does not apply."""
        return (*self._by_name.values(), *(Absent(name, why) for name, why in self._absent.items()))

    def why_not(self) -> str:
        """The measures that do not apply, one a line with the reason; equal reasons are said once."""
        reasons: dict[str, list[str]] = {}
        for name, why in self._absent.items():
            reasons.setdefault(why, []).append(name)
        return "\n".join(f"{', '.join(names)}: {why}" for why, names in reasons.items())

    def to_dict(self) -> dict[str, float | None]:
        """Names and numbers, ready for JSON: a number that does not exist (no class is left) is None."""
        return {name: None if m.value != m.value else m.value for name, m in self._by_name.items()}

    def __str__(self) -> str:
        if not self._by_name:
            return "(nothing was measured)"
        rows = [(m.name, m.text, _ARROW[m.better], m.title) for m in self._by_name.values()]
        wide = [max(len(row[i]) for row in rows) for i in range(2)]
        return "\n".join(f"{name:<{wide[0]}}  {text:>{wide[1]}}  {arrow}  {title}" for name, text, arrow, title in rows)

    def __repr__(self) -> str:
        return shortened(str(self))

    def _repr_html_(self) -> str:
        from paravent import notebook

        rows = [(m.name, m.text, "" if m.better == "neither" else m.better, m.meaning) for m in self._by_name.values()]
        heads = ["measure", "value", "better", "meaning"]
        more = notebook.folded(f"{len(rows) - SHOWN} more", notebook.table(heads, rows[SHOWN:], right=[1]))
        first = notebook.table(heads, rows[:SHOWN], right=[1])
        return notebook.shown(f"{len(self)} measures", first, more if len(rows) > SHOWN else "")


def shortened(lines: str) -> str:
    """A long text as a terminal shows an object: its first lines, and how to see the rest.

    >>> shortened(chr(10).join("abcdefghijklmnopqrstuvwxyz")).splitlines()[-2:]
    ['t', '… 6 more; print() shows them']
    """
    first, rest = lines.splitlines()[:SHOWN], len(lines.splitlines()) - SHOWN
    return "\n".join([*first, f"… {rest} more; print() shows them"]) if rest > 0 else lines
