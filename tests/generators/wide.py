"""Small tables of texts under trees that are wider than they are, with weights, for comparison with brute force."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

import paravent as pv
from tests.plain_trees import PlainTree

from .trees import Under, grown, padded, paths_of


@dataclass(frozen=True, eq=False)
class WideTable:
    """Rows of texts, and for each column the tree of all values (nested groups, as `pv.groups` takes them), of which
    only some occur, and its weight; a k that the table has people for, a sensitive column beside, and whose each row
    is (`people`; None: every row is another person)."""

    rows: list[tuple[str, ...]]
    under: list[dict[str, Under]]
    weights: list[float]
    k: int
    sensitive: list[str]
    people: list[int] | None = None

    @property
    def names(self) -> list[str]:
        return [f"c{j}" for j in range(len(self.under))]

    @cached_property
    def frame(self) -> pl.DataFrame:
        columns = dict(zip(self.names, zip(*self.rows, strict=True), strict=True))
        who = {} if self.people is None else {"who": [f"P{person}" for person in self.people]}
        return pl.DataFrame({**columns, "s": self.sensitive, **who}, schema_overrides=dict.fromkeys(columns, pl.String))

    def plan(self, method: pv.methods.Method, *models: Any, weights: bool = False) -> pv.Plan:
        """The plan of k-anonymity (and other models) by the trees, with or without the weights."""
        roles: dict[str, Any] = {
            name: pv.Quasi(pv.groups(under), weight=weight if weights else 1.0)
            for name, under, weight in zip(self.names, self.under, self.weights, strict=True)
        }
        roles["s"] = pv.Sensitive()
        person = None if self.people is None else "who"
        return pv.Plan(roles, [pv.KAnonymity(self.k), *models], method, order="source", person=person)

    @property
    def whose(self) -> list[int]:
        """Whose each row is."""
        return list(range(len(self.rows))) if self.people is None else self.people

    @cached_property
    def alike(self) -> bool:
        """Whether all rows of each person have the same quasi-identifiers."""
        return len(set(zip(self.whose, self.rows, strict=True))) == len(set(self.whose))

    @property
    def first_rows(self) -> list[int]:
        """Where the first row of each person stands."""
        return [i for i, person in enumerate(self.whose) if person not in self.whose[:i]]

    def one_row_each(self) -> WideTable:
        """The table of the first row of each person."""
        rows, sensitive = ([column[i] for i in self.first_rows] for column in (self.rows, self.sensitive))
        return replace(self, rows=rows, sensitive=sensitive, people=None)

    @cached_property
    def trees(self) -> list[PlainTree]:
        return [PlainTree(padded(paths_of(under))) for under in self.under]

    @cached_property
    def fractions(self) -> list[Fraction]:
        """The weights, the heaviest 1."""
        written = [Fraction(str(weight)) for weight in self.weights]
        return [weight / max(written) for weight in written]


def wide_table(seed: int, *, rows: int = 7, persons: bool = True) -> WideTable:
    """The table of a seed. With `persons` people have several rows in two tables of five: in half of these all rows of
    a person are the same, in the others whatever they are."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, rows + 1))
    under, columns = [], []
    for j in range(int(rng.integers(1, 4))):
        size = int(rng.integers(2, 9))
        values = [f"v{i}" for i in range(size)]
        under.append({"*": grown(rng, values, f"c{j}", int(rng.choice([0, 1, 2, 2])))})
        some = int(rng.integers(1, size + 1))
        first = int(rng.integers(0, size - some + 1))  # neighbours often have a node below the root
        occurring = np.arange(first, first + some) if rng.random() < 0.6 else rng.choice(size, some, replace=False)
        columns.append([values[i] for i in rng.choice(occurring, n)])
    weights = [float(w) for w in rng.choice([1, 1, 2, 50, 0.1, 0.3], len(under))]
    sensitive = [f"s{i}" for i in rng.integers(0, 3, n)]
    cells = list(zip(*columns, strict=True))
    k = int(rng.integers(1, min(n, 3) + 1))
    if not persons or rng.random() < 0.6:
        return WideTable(cells, under, weights, k, sensitive)
    people = rng.integers(0, int(rng.integers(2, n + 1)), n).tolist()
    if rng.random() < 0.5:
        first = [people.index(person) for person in people]
        cells, sensitive = [cells[row] for row in first], [sensitive[row] for row in first]
    return WideTable(cells, under, weights, min(k, len(set(people))), sensitive, people)
