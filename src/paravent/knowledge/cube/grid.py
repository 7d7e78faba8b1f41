"""The grid: which methods run on which tables with which parameters.

k is one of 2, 5, 10, 25, 50 and 100, quasi-identifiers are one to nine, tables are of seven made-up shapes and of real
data sets. Not every combination is run: each table takes its size and its limit of suppression in turn, so that all
values of each occur with all of the others. Runs come in rounds over all tables, small ones first, one k each, so that
a build that is stopped early has seen many tables and every k.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from paravent.knowledge.cube.settings import settings
from paravent.knowledge.cube.surveys import SURVEYS
from paravent.knowledge.cube.tables import SHAPES, Sub

KS = (2, 5, 10, 25, 50, 100)
SUPPRESSIONS = (0.0, 0.02, 0.05, 0.2)
_SIZES = (500, 1_000, 2_000, 5_000)
_FEW_ROWS = (700, 1_000, 1_500, 2_000, 900)
_ROUNDS = (5, 50, 2, 25, 10, 100)
"""The k of each round; a table begins with one of them in turn."""
_BESIDE = {5: 2, 10: 3, 25: 4}
"""The l that is asked beside a k, on some of the tables."""
_ALONE = {5: 2, 2: 3, 10: 4}
"""The l of methods that know no k, in the rounds of these."""
_EPSILON = {50: 1.0, 25: 0.3, 100: 3.0}
"""The epsilon of synthetic tables, in the rounds of these."""
_MOST_ROWS = {
    "RefinedMDAV": 600, "Polish": 1_000, "G4kP2kPkConv": 5_000, "G2kP2kPkConv": 5_000, "G2kPkConv": 5_000,
    "G3kPk": 5_000, "AIM": 1_000, "MST": 2_000, "MinGen": 5_000, "Samarati": 21_000, "Incognito": 21_000,
    "NaiveBayesColumns": 5_000, "BottomUp": 21_000,
}  # fmt: skip
"""The largest tables of the grid for methods that take their time: those that are not named run on all."""
_LATE = ((1_100, 0), (2_100, 1), (5_000, 2), (10**9, 4))
"""Tables of at most so many rows come so many rounds later: what is learnt soonest costs least."""
_MOST_COLUMNS = {"BottomUp": 7, "Samarati": 7}
"""The most quasi-identifiers of the grid for methods whose work grows with them beyond measure."""
_SELDOM = {
    "LocalRecoding": 2,
    "LocalSuppression": 2,
    "RefinedMDAV": 12,
    "Polish": 12,
    "AIM": 8,
    "MST": 4,
    "NaiveBayesColumns": 3,
}
"""Methods that take their time run on one table of so many in a round."""


@dataclass(frozen=True)
class Run:
    """A cell of the grid. `l` is asked beside k (0: not asked), or alone, of methods that know l and not k."""

    table: Sub
    setting: str
    k: int = 0
    l: int = 0  # noqa: E741 (the name it has in the literature)
    epsilon: float = 0.0
    suppression: float = 0.0

    @property
    def key(self) -> str:
        """What it is known by in a journal."""
        return f"{self.table.name}|{self.setting}|k{self.k}|l{self.l}|e{self.epsilon:g}|s{self.suppression:g}"


@dataclass(frozen=True)
class Chunk:
    """Runs on one table that are done together."""

    table: Sub
    runs: tuple[Run, ...]


@cache
def tables() -> tuple[Sub, ...]:
    """The tables of the grid, in an order that mixes them. Those of sources that came later follow, so that the runs of
    the first ones stay what they were."""
    return (*sorted(_first_tables(), key=_mixed), *sorted(_later_tables(), key=_mixed))


def _first_tables() -> Iterator[Sub]:
    for columns in range(1, 10):
        yield from (Sub(shape, _SIZES[(columns + at) % 4], columns, 1) for at, shape in enumerate(SHAPES[:5]))
    yield from (Sub("adult", _SIZES[columns % 4], columns, columns) for columns in range(1, 10))
    yield from (Sub("pima", 768, columns, 1) for columns in (1, 2, 3, 5, 7))
    for name, rows in (("census", 1_080), ("tarragona", 834), ("eia", 2_000), ("household", 2_000)):
        yield from (Sub(name, rows, columns, columns) for columns in (1, 2, 3, 5, 7, 9))
    yield from (Sub("eia", 4_092, 4, 0), Sub("household", 4_580, 6, 0))
    yield from (Sub("voters", rows, columns, 1) for rows, columns in ((1_000, 1), (5_000, 2), (1_000, 3), (5_000, 4)))
    yield from (Sub(shape, 20_000, (3, 6)[at % 2], 1) for at, shape in enumerate(SHAPES[:5]))
    yield from (Sub("adult", 30_162, columns, 0) for columns in (3, 5, 8))
    yield Sub("voters", 20_000, 4, 0)


def _later_tables() -> Iterator[Sub]:
    for at, shape in enumerate(SHAPES[5:]):
        yield from (Sub(shape, _SIZES[(columns + at) % 4], columns, 1) for columns in range(1, 10))
        yield Sub(shape, 20_000, (3, 6)[at % 2], 1)
    for at, (name, survey) in enumerate(SURVEYS.items()):
        wide = (columns for columns in (2, 3, 4, 5, 6, 8) if columns <= len(survey.quasi))
        yield from (Sub(name, _FEW_ROWS[(at + columns) % 5], columns, columns) for columns in wide)


def chunks(only: Sequence[str] = (), methods: Sequence[str] = ()) -> Iterator[Chunk]:
    """Every chunk in the order of work; of some sources and methods alone where they are named."""
    numbered = list(enumerate(tables()))
    for turn in range(len(_ROUNDS) + _LATE[-1][1]):
        for at, table in numbered:
            place = turn - next(late for rows, late in _LATE if table.rows <= rows)
            if not 0 <= place < len(_ROUNDS):
                continue
            if only and table.source not in only and table.name not in only:
                continue
            k = _ROUNDS[(place + at) % len(_ROUNDS)]
            suppression = SUPPRESSIONS[at % len(SUPPRESSIONS)]
            runs: list[Run] = []
            for each in settings().values():
                if methods and each.method not in methods and each.label not in methods:
                    continue
                if table.rows > _MOST_ROWS.get(each.method, table.rows):
                    continue
                if table.columns > _MOST_COLUMNS.get(each.method, table.columns):
                    continue
                if (at + place // 2) % _SELDOM.get(each.method, 1):
                    continue
                if each.method == "UnivariateOptimal" and table.columns > 1 and (place or at % 8):
                    continue  # that it is refused need not be seen often
                if each.demand in ("k", "column"):
                    runs.append(Run(table, each.label, k=k, suppression=suppression))
                    if each.demand == "k" and k in _BESIDE and at % 3 == 0 and table.columns <= 6:
                        runs.append(Run(table, each.label, k=k, l=_BESIDE[k], suppression=suppression))
                elif each.demand == "l" and k in _ALONE:
                    runs.append(Run(table, each.label, l=_ALONE[k], suppression=suppression))
                elif each.demand == "epsilon" and k in _EPSILON:
                    runs.append(Run(table, each.label, epsilon=_EPSILON[k]))
            if runs:
                yield Chunk(table, tuple(runs))


def _mixed(table: Sub) -> str:
    """An order that has nothing to do with what tables are like, and is always the same."""
    return hashlib.sha256(table.name.encode()).hexdigest()
