"""MST: every column by itself, and the pairs of a spanning tree."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import ClassVar

from paravent.methods.synthetic.replay import with_last
from paravent.methods.synthetic.synthesis import Learned, Masks, Synthesis, check_cells, one_way
from paravent.private.curator import Curator
from paravent.private.graphical.fit import fit
from paravent.private.graphical.junction import Columns
from paravent.private.public_rows import first_parameters

_ALONE = Fraction(3, 10)
"""The share that counts every column by itself."""
_CHOICES = Fraction(1, 10)
"""The share that chooses the pairs: less than the third of the paper, which noise on the counts makes better use of."""


@dataclass(frozen=True, kw_only=True)
class MST(Synthesis):
    """A maximum spanning tree: three tenths of the budget count every column by itself, one chooses the pairs that
    differ most from independent columns, so that they make a tree, and six count these. The winner of the NIST
    challenge of 2018: fast, and exact where columns hang together in pairs.

    Columns that are named as `public` are **not protected**: their real rows are released, the others are drawn given
    them, and nothing is spent on what they are among themselves.

    >>> MST(rows=1000).rows
    1000
    """

    public: tuple[str, ...] = ()

    title: ClassVar[str] = "MST"
    source: ClassVar[str] = (
        "McKenna, Miklau, Sheldon: Winning the NIST contest: a scalable and general approach to differentially private "
        "synthetic data. Journal of Privacy and Confidentiality 11(3), 2021"
    )

    @property
    def given(self) -> tuple[str, ...]:
        return self.public

    def learn(self, curator: Curator, never: Masks) -> Learned:
        sizes, purse, hidden = curator.sizes, curator.purse, curator.hidden
        known, total = curator.known(), curator.total
        edges = len(hidden) if known else len(hidden) - 1
        budget = purse.left
        alone, ruled_out = one_way(curator, _ALONE * budget / len(hidden) if edges else budget)
        masks, start = with_last(never, ruled_out, sizes), first_parameters(known, total or 1.0)
        model = fit(sizes, [*known, *alone], impossible=masks, ordered=curator.ordered, start=start, total=total)
        pairs: list[Columns] = [pair for pair in combinations(range(len(sizes)), 2) if set(pair) & set(hidden)]
        for pair in pairs:
            check_cells(pair, curator)
        expected = {pair: model.counts(pair) for pair in pairs}
        tree: list[Columns] = []
        part = [curator.public[0] if each in curator.public else each for each in range(len(sizes))]
        while len(tree) < edges:
            apart = {pair: expected[pair] for pair in pairs if part[pair[0]] != part[pair[1]]}
            chosen = curator.select(apart, _CHOICES * budget / edges)
            tree.append(chosen)
            joined, gone = part[chosen[0]], part[chosen[1]]
            part = [joined if each == gone else each for each in part]
        for place, pair in enumerate(tree):
            curator.measure(pair, purse.left / (len(tree) - place))
        return Learned(None, ruled_out)
