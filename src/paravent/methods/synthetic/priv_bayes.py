"""PrivBayes: a Bayesian network whose parents are chosen, and whose tables are counted, with noise."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import ClassVar

import numpy as np

from paravent.errors import PlanError
from paravent.methods.synthetic.synthesis import Learned, Masks, Synthesis, check_cells, one_way
from paravent.private.curator import Curator
from paravent.private.graphical.fit import estimated_total
from paravent.private.graphical.junction import Columns, cells_of, spread

_CHOICE = Fraction(3, 10)
"""The share of the budget that chooses parents (the beta of the paper)."""
_ALONE = Fraction(1, 10)
"""The share that counts every column by itself, by which choices are judged."""


@dataclass(frozen=True, kw_only=True)
class PrivBayes(Synthesis):
    """Every column is drawn given up to `parents` columns before it. Parents are those with which a column differs most
    from independence: the L1 distance of exact counts from what noisy counts of each alone let expect, less what noise
    would add, in the place of the paper's mutual information, whose sensitivity grows with the logarithm of the rows.
    Pure epsilon: delta may be 0.

    >>> PrivBayes(parents=1).parents
    1
    """

    parents: int = 2

    title: ClassVar[str] = "PrivBayes"
    source: ClassVar[str] = (
        "Zhang, Cormode, Procopiuc, Srivastava, Xiao: PrivBayes: private data release via Bayesian networks. TODS 2017"
    )
    pure: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.parents <= 3:
            raise PlanError(f"PrivBayes: parents must be from 0 to 3, not {self.parents}.")

    def learn(self, curator: Curator, never: Masks) -> Learned:  # noqa: ARG002
        sizes, purse = curator.sizes, curator.purse
        columns, budget = len(sizes), purse.left
        alone, ruled_out = one_way(curator, budget * _ALONE / columns)
        total = estimated_total(alone)
        shares = [np.maximum(noisy.counts, 0) + 1e-9 for noisy in alone]
        shares = [share / share.sum() for share in shares]
        counts = budget * (1 - _CHOICE - _ALONE) / columns
        drawn: dict[int, Columns] = {0: ()}
        while len(drawn) < columns:
            expected, noise = {}, {}
            origin: dict[Columns, int] = {}
            for child in (column for column in range(columns) if column not in drawn):
                for size in range(min(self.parents, len(drawn)) + 1):
                    for given in combinations(sorted(drawn), size):
                        both = tuple(sorted((*given, child)))
                        if size and cells_of(both, sizes) > _room(total, counts):
                            continue
                        check_cells(both, curator)
                        table = np.full((1,) * len(both), total)
                        for column in both:
                            table = table * spread(shares[column], (column,), both)
                        expected[both], noise[both] = table, cells_of(both, sizes) / float(counts)
                        origin[both] = child
            chosen = curator.select(expected, budget * _CHOICE / max(1, columns - 1), handicaps=noise)
            child = origin[chosen]
            drawn[child] = tuple(column for column in chosen if column != child)
        tables = [tuple(sorted((*given, child))) for child, given in drawn.items()]
        for place, columns_of in enumerate(tables):
            curator.measure(columns_of, purse.left / (len(tables) - place))
        return Learned(drawn, ruled_out)


def _room(total: float, counts: Fraction) -> float:
    """The cells for which the signal is as large as the noise (the theta-usefulness of the paper, with theta = 4)."""
    return total * float(counts) / 4
