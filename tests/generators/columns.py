"""Columns of every kind, each with the trees that it may have; some trees are wider than the data."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import paravent as pv

from .dice import Dice, chance, one_of

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
ODD_TEXTS = ["a", "b", "c", "d", "é", "a b", "a, b", "x~y", "", " ", "(", '"', "10", "010"]
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
    "text": (
        lambda dice: one_of(dice, ODD_TEXTS),
        [None, pv.prefixes(), pv.by_frequency(), pv.flat(), pv.balanced()],
    ),
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
