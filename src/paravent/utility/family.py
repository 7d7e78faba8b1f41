"""Families: measures that are found together, one file each.

    @family
    def rows(subject): yield Measure("rows.original", …)

A family takes a Subject and yields measures, or an Absent with a reason where one does not apply. Any such function in
a file of this room is known by its name. Families that cost time are marked `@on_request`: they run when somebody asks
for them, and are told what the table shall be used for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, overload

from paravent import registry
from paravent.errors import PlanError
from paravent.measures import Absent, Measure
from paravent.near import suggest
from paravent.utility.subject import Subject

Found = Iterable[Measure | Absent]

NOBODYS = "the rows are synthetic: none of them stands for a row of the original"
"""Why most families say nothing about synthetic rows."""


@dataclass(frozen=True, kw_only=True)
class Study:
    """What the table shall be used for: the column to predict, and how much work the answers are worth.

    `target` is the column that classifiers learn; `folds` and `most_rows` bound their work. `queries` COUNT queries are
    asked (1000 where nothing is said, as few as 100 where hardly two rows are alike); `sanity` is the share of the rows
    below which a true answer does not shrink the scale of the error.
    """

    target: str | None = None
    folds: int = 5
    most_rows: int = 50_000
    queries: int | None = None
    sanity: float = 0.001
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("folds", 2), ("most_rows", 10), ("queries", 1), ("seed", 0)):
            value = getattr(self, name)
            if value is None and name == "queries":
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise PlanError(f"measure: {name}={value!r} must be a whole number from {least}.")
        if not isinstance(self.sanity, int | float) or not 0 < self.sanity <= 1:
            raise PlanError(f"measure: sanity={self.sanity!r} must be a share above 0, such as 0.001.")
        if self.target is not None and not isinstance(self.target, str):
            raise PlanError(f"measure: target={self.target!r} must be the name of a column.")


def study_of(given: Mapping[str, Any]) -> Study:
    """A Study from what somebody wrote; an unknown entry gets a sentence."""
    known = [field.name for field in fields(Study)]
    for name in given:
        if name not in known:
            raise PlanError(f"measure: {name!r} is no setting. {suggest(name, known)}")
    return Study(**given)


@dataclass(frozen=True)
class Family:
    """A function that measures, its name, whether it runs unasked, whether it can say something about `synthetic` rows,
    which are rows of nobody, and whether it speaks of `labels` alone."""

    name: str
    run: Callable[[Subject, Study], Found]
    quick: bool = True
    synthetic: bool = False
    labels: bool = False

    def __call__(self, subject: Subject, study: Study | None = None) -> Found:
        if subject.synthetic and not self.synthetic:
            return (Absent(self.name, NOBODYS),)
        if self.labels and subject.undetailed:
            return (Absent(self.name, subject.undetailed),)
        return self.run(subject, study or Study())


@overload
def family(run: Callable[[Subject], Found], /) -> Family: ...
@overload
def family(*, synthetic: bool = False, labels: bool = False) -> Callable[[Callable[[Subject], Found]], Family]: ...
def family(run: Any = None, /, *, synthetic: bool = False, labels: bool = False) -> Any:
    """A family that runs whenever a release is measured."""

    def made(run: Callable[[Subject], Found]) -> Family:
        return Family(run.__name__, lambda subject, _: run(subject), synthetic=synthetic, labels=labels)

    return made if run is None else made(run)


@overload
def on_request(run: Callable[[Subject, Study], Found], /) -> Family: ...
@overload
def on_request(*, synthetic: bool = False) -> Callable[[Callable[[Subject, Study], Found]], Family]: ...
def on_request(run: Any = None, /, *, synthetic: bool = False) -> Any:
    """A family that runs when it is asked for by name."""

    def made(run: Callable[[Subject, Study], Found]) -> Family:
        return Family(run.__name__, run, quick=False, synthetic=synthetic)

    return made if run is None else made(run)


_FIRST = ("protection", "loss", "distributions", "class_sizes", "rows", "reidentification", "disclosure")
"""These come first, in this order; all others follow by name."""


@cache
def known_families() -> tuple[Family, ...]:
    """Every family of this room."""
    return families(tuple(registry.entries("family")))


def families(names: Iterable[str]) -> tuple[Family, ...]:
    """Some families of this room, in the order of all; no other is loaded.

    >>> [family.name for family in families(["rows", "loss"])]
    ['loss', 'rows']
    """
    order = {name: place for place, name in enumerate(_FIRST)}
    found: list[Family] = [registry.load("family", name) for name in dict.fromkeys(names)]
    return tuple(sorted(found, key=lambda f: (order.get(f.name, len(order)), f.name)))
