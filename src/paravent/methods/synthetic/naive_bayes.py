"""Naive Bayes: one column first, and every other given it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from paravent.errors import PlanError
from paravent.methods.synthetic.synthesis import Learned, Masks, Synthesis, check_cells
from paravent.near import suggest
from paravent.private.curator import Curator


@dataclass(frozen=True, kw_only=True)
class NaiveBayes(Synthesis):
    """The `target` is counted, and every other column together with it; all are drawn, and all is accounted for. A
    simple model for tables that shall serve to predict one column. Pure epsilon: delta may be 0.

    Beside it stands what the literature calls differentially private naive Bayes and is not: `NaiveBayesColumns`.

    >>> NaiveBayes(target="income").target
    'income'
    """

    target: str

    title: ClassVar[str] = "Naive Bayes"
    source: ClassVar[str] = "Vaidya, Shafiq, Basu, Hong: Differentially private naive Bayes classification. WI 2013"
    pure: ClassVar[bool] = True

    def check_names(self, names: Sequence[str]) -> None:
        if self.target not in names:
            raise PlanError(f"NaiveBayes: the release has no column {self.target!r}. {suggest(self.target, names)}")

    def learn(self, curator: Curator, never: Masks) -> Learned:  # noqa: ARG002
        first, purse = list(curator.names).index(self.target), curator.purse
        others = [column for column in range(len(curator.sizes)) if column != first]
        pairs = [tuple(sorted((first, column))) for column in others]
        for pair in pairs:
            check_cells(pair, curator)
        tables = [(first,), *pairs]
        for place, table in enumerate(tables):
            curator.measure(table, purse.left / (len(tables) - place))
        return Learned({first: (), **dict.fromkeys(others, (first,))})
