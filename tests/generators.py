"""Random tables with plans for them, for every test that wants some: odd names and kinds, trees wider than the data,
weights, missing values under every meaning, several models at once, persons with several rows, all methods.

One generator speaks to `Dice`, so that the same cases can be drawn by hypothesis (`cases()`, which shrinks them) and by
a seeded generator (`case_of(rng)`, which is quick): a new kind of column or tree is added once.
"""

from __future__ import annotations

import datetime as dt
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import polars as pl
from hypothesis import strategies as st

import paravent as pv

T = TypeVar("T")
NAMES = ["age", "a b", "zip-code", "prénom", "len", "count", "q.1", "'", '"q"', "日本", "A,B", "row_nr", "literal"]
MEANINGS = ["own value", "wildcard", "drop rows", "impute"]
HAS_PERSONS = "person" in inspect.signature(pv.Plan).parameters


class Dice(Protocol):
    """Where a generator's choices come from."""

    def number(self, low: int, high: int) -> int:
        """A whole number from low to high."""
        ...


@dataclass
class Seeded:
    """Choices of a seeded generator."""

    rng: np.random.Generator

    def number(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))


@dataclass
class Drawn:
    """Choices of hypothesis."""

    draw: st.DrawFn

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))


def one_of(dice: Dice, choices: Sequence[T]) -> T:
    return choices[dice.number(0, len(choices) - 1)]


def chance(dice: Dice, percent: int) -> bool:
    return dice.number(0, 99) < percent


@dataclass(frozen=True)
class Case:
    """A table and what is wanted of it. `people[i]` tells whose row i is: a number of its own where every row is
    another person."""

    frame: pl.DataFrame
    plan: pv.Plan
    people: tuple[int, ...]


JOBS = {
    "care": {"doctors": ["surgeon", "dentist", "vet"], "nurses": ["nurse", "midwife"]},
    "law": ["judge", "clerk", "bailiff"],
    "é": ["naïve", "nai\u0308ve", "a, b", "x~y", "[1, 2]", "ß"],
    "none of the data": ["astronaut", "pope"],
}
JOB_NAMES = [
    "surgeon",
    "dentist",
    "nurse",
    "midwife",
    "judge",
    "clerk",
    "naïve",
    "nai\u0308ve",
    "a, b",
    "x~y",
    "[1, 2]",
]
START = dt.datetime(1999, 12, 30)


def _moment(dice: Dice) -> dt.datetime:
    return START + dt.timedelta(seconds=dice.number(0, 12) * 7919 * 11)


# For each kind of column: one of its values, and the trees that it may have (none first).
KINDS: dict[str, tuple[Callable[[Dice], Any], list[Any]]] = {
    "integer": (
        lambda dice: dice.number(-5, 12),
        [None, pv.intervals(2, 4), pv.intervals(5, low=-20, high=90), pv.balanced(), pv.quantiles(4, 2), pv.flat()],
    ),
    "few": (lambda dice: dice.number(0, 2), [None, pv.intervals(1, 50), pv.flat(), pv.ordered_groups(2)]),
    "wide": (lambda dice: dice.number(-(2**62), 2**62), [None, pv.balanced()]),
    "float": (
        lambda dice: one_of(dice, [-1.5, -0.0, 0.0, 0.25, 1.0, 2.5, 1e9, 1e-300]),
        [None, pv.intervals(1, 10), pv.balanced(), pv.quantiles(2)],
    ),
    "code": (
        lambda dice: f"{dice.number(0, 3)}{dice.number(0, 2)}{dice.number(0, 1)}",
        [None, pv.prefixes(), pv.prefixes(1, 3), pv.by_frequency(), pv.flat()],
    ),
    "job": (lambda dice: one_of(dice, JOB_NAMES), [None, pv.groups(JOBS), pv.by_frequency(3), pv.flat()]),
    "flag": (lambda dice: chance(dice, 50), [None, pv.flat()]),
    "date": (
        lambda dice: _moment(dice).date(),
        [None, pv.dates("month", "year"), pv.dates("decade"), pv.balanced()],
    ),
    "moment": (_moment, [None, pv.dates("day", "month")]),
    "hour": (lambda dice: _moment(dice).time(), [None, pv.flat()]),
}


def column(dice: Dice, rows: int, *, kind: str, missing: bool) -> list[Any]:
    value = KINDS[kind][0]
    percent = dice.number(1, 60) if missing else 0
    return [None if percent and chance(dice, percent) else value(dice) for _ in range(rows)]


def models(dice: Dice, sensitive: Sequence[str]) -> list[Any]:
    """k-anonymity or another promise about who is who, and none to three about sensitive columns."""
    k = dice.number(1, 5)
    first = [
        pv.KAnonymity(k),
        pv.KAnonymity(k),
        pv.KAnonymity(k),
        pv.MaximumRisk(one_of(dice, [0.5, 0.34, 0.2])),
        pv.AverageRisk(one_of(dice, [0.5, 0.25])),
        pv.SampleUniqueness(one_of(dice, [0.0, 0.1, 0.5])),
    ]
    found: list[Any] = [one_of(dice, first)]
    for _ in range(one_of(dice, [0, 0, 1, 1, 1, 2, 3])):
        model = _about(dice, one_of(dice, sensitive))
        if model.key not in {other.key for other in found}:
            found.append(model)
    return found


def _about(dice: Dice, name: str) -> Any:
    """A promise about a sensitive column."""
    match dice.number(0, 7):
        case 0:
            return pv.LDiversity(dice.number(1, 3), name)
        case 1:
            return pv.LDiversity(one_of(dice, [1, 1.5, 2, 2.2]), name, kind="entropy")
        case 2:
            return pv.LDiversity(dice.number(1, 3), name, kind="recursive", c=one_of(dice, [1, 2.5, 4]))
        case 3:
            return pv.TCloseness(one_of(dice, [0.1, 0.25, 0.4, 0.6]), name)
        case 4:
            return pv.TCloseness(one_of(dice, [0.1, 0.25, 0.4]), "pay", distance="ordered")
        case 5:
            return pv.AlphaKAnonymity(one_of(dice, [0.5, 0.75, 0.9]), dice.number(1, 3), name)
        case 6:
            return pv.BetaLikeness(one_of(dice, [0.5, 1, 3]), name, kind=one_of(dice, ["basic", "enhanced"]))
        case _:
            return pv.DeltaDisclosure(one_of(dice, [0.7, 1.5]), name)


METHODS: list[Callable[[Dice], Any]] = [
    lambda dice: pv.methods.Mondrian(
        cut=one_of(dice, ["loss", "median"]),
        labels=one_of(dice, ["tree", "interval", "set"]),
        strict=chance(dice, 70),
    ),
    lambda dice: pv.methods.Mondrian(labels=one_of(dice, ["tree", "interval", "set"])),
    lambda _: pv.methods.Datafly(),
    lambda _: pv.methods.Samarati(),
    lambda _: pv.methods.Incognito(),
    lambda dice: pv.methods.Optimal(metric=one_of(dice, ["loss", "cavg", "dm", "entropy", "gcp"])),
    lambda _: pv.methods.MuArgus(),
    lambda _: pv.methods.BottomUp(target="disease"),
    lambda _: pv.methods.TopDown(target="disease"),
    lambda _: pv.methods.LocalRecoding(),
    lambda dice: pv.methods.GkAA(metric=one_of(dice, ["nllm", "ncp", "distortion"]), stubs=chance(dice, 30)),
    lambda dice: pv.methods.GAA(strategy=one_of(dice, [1, "size"])),
    lambda _: pv.methods.GkPk(nodes=200),
    lambda _: pv.methods.Polish(),
    lambda dice: pv.methods.KMember(labels=one_of(dice, ["tree", "interval", "set"])),
    lambda dice: pv.methods.OKA(labels=one_of(dice, ["tree", "interval", "set"])),
    lambda _: pv.methods.KACA(),
    lambda _: pv.methods.GCCG(),
    lambda _: pv.methods.NearestNeighbour(),
    lambda dice: pv.methods.MDAV(
        publish=one_of(dice, ["average", "interval", "ancestor"]), median=one_of(dice, ["median", "convex"])
    ),
    lambda _: pv.methods.MDAV(rescale=True),
    lambda dice: pv.methods.MDAV(whole=True, nominal=one_of(dice, ["equal", "tree"])),
    lambda dice: pv.methods.VMDAV(gain=one_of(dice, [0.2, 1.1])),
    lambda _: pv.methods.RefinedMDAV(effort=20),
    lambda _: pv.methods.UnivariateOptimal(),
    lambda _: pv.methods.FixedSize(),
    lambda _: pv.methods.LocalSuppression(),
    lambda _: pv.methods.MinGen(),
]


def case(dice: Dice) -> Case:
    """A table and a plan for it. Not every plan can be met: `pv.anonymize` then says so."""
    method = one_of(dice, METHODS)(dice)
    rows = one_of(dice, [1, 2, 3, 5, 8, 12, 16, 24, 24, 40])
    names = list(NAMES)
    columns: dict[str, list[Any]] = {}
    roles: dict[str, Any] = {}
    for _ in range(one_of(dice, [1, 1, 2, 2, 2, 3, 3, 4])):
        name = names.pop(dice.number(0, len(names) - 1))
        kind = one_of(dice, sorted(KINDS))
        columns[name] = column(dice, rows, kind=kind, missing=chance(dice, 25))
        trees = KINDS[kind][1]
        roles[name] = pv.Quasi(
            one_of(dice, trees[1:] if "trees" in method.needs else trees),
            weight=one_of(dice, [1.0, 1.0, 0.5, 3.0, 1000.0, 1e-6]),
            missing=one_of(dice, [None, *MEANINGS]),
            outside=one_of(dice, ["error", "root"]),
        )
    diseases = ["flu", "cold", "gout", "ulcer", "\u200bflu"][: dice.number(1, 5)]
    columns["disease"] = [one_of(dice, diseases) for _ in range(rows)]
    if chance(dice, 25):
        columns["disease"] = [None if chance(dice, 20) else value for value in columns["disease"]]
    columns["pay"] = [one_of(dice, [1000, 1500, 2000, 4000][: dice.number(1, 4)]) for _ in range(rows)]
    columns["note"] = [i % 2 for i in range(rows)]  # always there: a blank row is one that stands for a suppressed one
    roles["disease"] = pv.Sensitive(missing=one_of(dice, [None, "own value", "drop rows"]))
    roles["pay"] = pv.Sensitive()
    roles["note"] = pv.Insensitive()
    several = HAS_PERSONS and chance(dice, 30)
    people = [dice.number(0, rows) if several else i for i in range(rows)]
    more: dict[str, Any] = {}
    if HAS_PERSONS:
        more["person"] = "who" if several else None
        if several:
            columns["who"] = [f"P{number}" for number in people]
            roles["who"] = pv.Identifier()
    frame = pl.DataFrame(columns, strict=False)
    if chance(dice, 15):
        texts = [name for name in roles if frame.schema[name] == pl.String]
        frame = frame.with_columns(pl.col(texts).cast(pl.Categorical)) if texts else frame
    plan = pv.Plan(
        roles,
        models(dice, ["disease", "pay"]),
        method,
        suppression=one_of(dice, [0.0, 0.0, 0.1, 0.3, 0.5, 1.0]),
        suppressed=one_of(dice, ["drop", "mark"]),
        missing=one_of(dice, [*MEANINGS, "own value", "own value"]),
        seed=dice.number(0, 3),
        **more,
    )
    return Case(frame, plan, tuple(people))


def case_of(rng: np.random.Generator) -> Case:
    """The case of a seeded generator."""
    return case(Seeded(rng))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Cases that hypothesis draws, and shrinks where a law fails."""
    return case(Drawn(draw))
