"""AIM: counts are chosen one by one where the model so far is furthest from the table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import ClassVar

import numpy as np

from paravent.errors import PlanError
from paravent.methods.synthetic.replay import with_last
from paravent.methods.synthetic.synthesis import Learned, Masks, Synthesis, one_way
from paravent.private.curator import Curator
from paravent.private.graphical.fit import Fitted, fit
from paravent.private.graphical.junction import Columns, cells_of, maximal_cliques
from paravent.private.public_rows import first_parameters

_ROUNDS = 5
"""The rounds for each column that the first noise is planned for; where it turns out too large, rounds grow dearer."""
_COUNTS = Fraction(9, 10)
"""The share of a round that is spent on counts; the rest is for choosing."""
_STEPS = 8
"""The steps of the fit after each round."""


@dataclass(frozen=True, kw_only=True)
class AIM(Synthesis):
    """An adaptive and iterative mechanism: every column is counted with noise, then round by round the columns
    together (`degree` at most) in which a graphical model of what is known differs most from the table. The noise of a
    round is halved where the last one has taught nothing. The state of the art for tables of categories.

    `cells` bounds the tables of the model, and with them time and memory. Ties are no matter: choices are random.
    Columns that are named as `public` are **not protected**: their real rows are released, the others are drawn given
    them, and nothing is spent on what they are among themselves.

    >>> AIM(degree=3).degree
    3
    """

    degree: int = 2
    cells: int = 400_000
    public: tuple[str, ...] = ()

    title: ClassVar[str] = "AIM"
    source: ClassVar[str] = (
        "McKenna, Mullins, Sheldon, Miklau: AIM: an adaptive and iterative mechanism for differentially private "
        "synthetic data. VLDB 2022"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.degree <= 4:
            raise PlanError(f"AIM: degree must be from 1 to 4, not {self.degree}.")
        if not 1000 <= self.cells <= 10**9:
            raise PlanError(f"AIM: cells must be from 1000 to 10^9, not {self.cells}.")

    @property
    def given(self) -> tuple[str, ...]:
        return self.public

    def learn(self, curator: Curator, never: Masks) -> Learned:
        sizes, purse, public = curator.sizes, curator.purse, set(curator.public)
        weights = _candidates(len(sizes), self.degree)
        weights = {
            columns: weight
            for columns, weight in weights.items()
            if cells_of(columns, sizes) <= self.cells and not public.issuperset(columns)
        }
        start, budget = purse.spent, purse.left
        each = budget / (_ROUNDS * len(curator.hidden))
        exact, total = curator.known(), curator.total
        alone, ruled_out = one_way(curator, _COUNTS * each)
        measured = [*exact, *alone]
        never = with_last(never, ruled_out, sizes)
        first = first_parameters(exact, total or 1.0)

        def fitted(start: Mapping[Columns, np.ndarray]) -> Fitted:
            return fit(
                sizes, measured, impossible=never, ordered=curator.ordered, start=start, steps=_STEPS, total=total
            )

        model = fitted(first)
        last = False
        while not last:
            last = purse.left < 2 * each
            each = purse.left if last else each
            sigma = math.sqrt(float(purse.rows_each**2 / (2 * _COUNTS * each)))
            room = self.cells * float((purse.spent - start + each) / budget)
            room += cells_of(public, sizes) if public else 0
            known = [noisy.columns for noisy in measured]
            fitting = list(_fitting(weights, [*known, *never], model, sizes, room))
            expected = {columns: model.counts(columns) for columns in fitting}
            noise = {columns: math.sqrt(2 / math.pi) * sigma * cells_of(columns, sizes) for columns in fitting}
            chosen = curator.select(expected, (1 - _COUNTS) * each, weights=weights, handicaps=noise)
            new = curator.measure(chosen, purse.left if last else _COUNTS * each)
            measured.append(new)
            if last:
                break
            model = fitted(model.bent(new))
            if float(np.abs(model.counts(chosen) - expected[chosen]).sum()) <= noise[chosen]:
                each *= 4
        return Learned(None, ruled_out)


def _candidates(columns: int, degree: int) -> dict[Columns, int]:
    """Every set of up to `degree` columns, with the number of columns that it shares with all sets of `degree`."""
    wanted = list(combinations(range(columns), min(degree, columns)))
    share = {size: sum(len({*range(size)} & {*each}) for each in wanted) for size in range(1, degree + 1)}
    return {each: share[size] for size in range(1, degree + 1) for each in combinations(range(columns), size)}


def _fitting(
    candidates: Iterable[Columns], known: list[Columns], model: Fitted, sizes: tuple[int, ...], room: float
) -> Iterable[Columns]:
    """The candidates with which the tables of the model stay within `room`."""
    cliques = model.beliefs.tree.cliques
    held = [set(clique) for clique in cliques]
    cells = sum(cells_of(clique, sizes) for clique in cliques)
    part = _parts(model)
    for columns in candidates:
        if any(clique.issuperset(columns) for clique in held):
            yield columns
        elif len({part[column] for column in columns}) == len(columns):  # nothing ties them yet: one table more
            if cells + cells_of(columns, sizes) <= room:
                yield columns
        elif sum(cells_of(clique, sizes) for clique in maximal_cliques([*known, columns], sizes)) <= room:
            yield columns


def _parts(model: Fitted) -> dict[int, int]:
    """For each column the root of the tree that it is in."""
    root: list[int] = []
    for place, parent in enumerate(model.beliefs.tree.parents):
        root.append(place if parent < 0 else root[parent])
    return {column: root[place] for place, clique in enumerate(model.beliefs.tree.cliques) for column in clique}
