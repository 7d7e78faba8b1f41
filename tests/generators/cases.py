"""Tables with plans for them: odd names and kinds, weights, missing values under every meaning, several models at once,
people with several rows, all methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st

import paravent as pv

from .columns import KINDS, column
from .dice import Dice, Drawn, Seeded, chance, one_of
from .methods import METHODS
from .promises import models

NAMES = ["age", "a b", "zip-code", "prénom", "len", "count", "q.1", "'", '"q"', "日本", "A,B", "row_nr", "literal"]
MEANINGS = ["own value", "wildcard", "drop rows", "impute"]


@dataclass(frozen=True)
class Case:
    """A table and what is wanted of it. `people[i]` tells whose row i is: a number of its own where every row is
    another person."""

    frame: pl.DataFrame
    plan: pv.Plan
    people: tuple[int, ...]


def case(dice: Dice, methods: Sequence[Callable[[Dice], Any]] = METHODS) -> Case:
    """A table and a plan for it. Not every plan can be met: `pv.anonymize` then says so."""
    method = one_of(dice, methods)(dice)
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
    columns["remark"] = [one_of(dice, [None, 0, 1, 2]) for _ in range(rows)]
    roles["remark"] = pv.Insensitive()
    several = chance(dice, 30)
    people = [dice.number(0, rows) if several else i for i in range(rows)]
    if several and chance(dice, 40):  # all rows of a person are alike
        first = [people.index(person) for person in people]
        columns = {name: cells if name == "note" else [cells[row] for row in first] for name, cells in columns.items()}
    if several:
        columns["who"] = [f"P{number}" for number in people]
        roles["who"] = pv.Identifier()
    elif chance(dice, 40):  # names that repeat, though every row is another person
        columns["id"] = [f"name {row % 7}" for row in range(rows)]
        roles["id"] = pv.Identifier(one_of(dice, ["drop", "random"]))
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
        order=one_of(dice, ["shuffled", "source", "sorted"]),
        person="who" if several else None,
    )
    return Case(frame, plan, tuple(people))


def case_of(rng: np.random.Generator) -> Case:
    """The case of a seeded generator."""
    return case(Seeded(rng))


@st.composite
def cases(draw: st.DrawFn, methods: Sequence[Callable[[Dice], Any]] = METHODS) -> Case:
    """Cases that hypothesis draws, and shrinks where a law fails."""
    return case(Drawn(draw), methods)
