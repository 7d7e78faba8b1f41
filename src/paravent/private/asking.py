"""Asking: what all questions to one table share: its rows, the analyst's words, the budget and the usual price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl

from paravent.errors import PlanError, either, quote
from paravent.near import suggest
from paravent.private.accounting import Cost, positive
from paravent.private.answers import Answer, Answers
from paravent.private.counting import Counting, Places
from paravent.private.domains import Bounds, Categories, numbers
from paravent.private.estimates import Estimates
from paravent.private.keys import Keys, shown_keys
from paravent.private.ledger import Budget
from paravent.private.price import Noise, Price
from paravent.private.rows import Rows, Where, check_column, named_values
from paravent.private.sums import Summing

Amount = float | Fraction | str
_RESERVED = {"cell", "estimate", "low", "high"}


@dataclass(eq=False)
class Asking:
    """`rows` are at hand, or none of them where `counting` happens elsewhere: then they tell columns and types alone.
    `unsafe` holds random numbers of a seed, where the answers are not to be private."""

    rows: Rows
    counting: Counting
    domains: dict[str, Bounds | Categories]
    budget: Budget
    usual: Price | None
    unsafe: np.random.Generator | None
    over: bool = False

    def price(self, epsilon: Amount | None, rho: Amount | None, delta: Amount | None = None) -> Price:
        if delta is not None and self.rows.limit > 1:
            raise PlanError(
                "a price in epsilon and delta is for one row a person: of several rows, each may change another count. "
                "Give rho instead, or epsilon alone."
            )
        return Price.of(epsilon, rho, self.usual, delta)

    def domain(self, column: str) -> Bounds | Categories:
        check_column("question", column, self.rows.frame.columns)
        if column not in self.domains:
            raise PlanError(
                f"column {column!r} has no domain, and its bounds or values are a secret of the table. Name them: "
                f"{either(f'domains={{{column!r}: (0, 100)}}', f'--domain {column}=0..100')}."
            )
        return self.domains[column]

    def bounds(self, column: str) -> Bounds:
        domain = self.domain(column)
        if not isinstance(domain, Bounds):
            raise PlanError(f"column {column!r} has categories, not bounds: it has no sum, mean or quantile.")
        return domain

    def threshold(self, column: str, price: Price, delta: Amount | None) -> tuple[Fraction, Fraction]:
        """The ε and δ by which keys of a column without a domain are found."""
        if delta is None:
            raise PlanError(
                f"column {column!r} has no domain, so which values it has is a secret of the table. Name them in "
                f"{either('domains', '--domain')}, or have them found by a threshold with a delta such as 1e-8."
            )
        if price.epsilon is None:
            raise PlanError("keys are found by a threshold at a price in epsilon, not in rho. Give epsilon.")
        return price.epsilon, positive("delta", delta)

    def matching(self, where: Where | None) -> np.ndarray:
        """Which rows meet the conditions. A value that the analyst's own words do not name is taken for a slip, which
        would cost as much as a question: it is refused, whatever the table holds."""
        for name, wanted in (where or {}).items():
            check_column("where", name, self.rows.frame.columns)
            domain = self.domains.get(name)
            if isinstance(domain, Categories):
                for value in named_values(wanted):
                    if domain.codes(pl.Series([value], strict=False))[0] == len(domain.values):
                        raise PlanError(
                            f"where: {quote(value)} is not among the values that domains names for {name!r}. "
                            f"{suggest(str(value), domain.values)} What else there is, a histogram counts as other."
                        )
        return self.rows.matching(where)

    def numbers(self, column: str) -> np.ndarray:
        domain = self.domains.get(column)
        return numbers(self.rows.column(column), dates=isinstance(domain, Bounds) and domain.dates)

    def charge(self, what: str, cost: Cost) -> None:
        """Enter the cost in the ledger, before anything is drawn."""
        if self.over:
            raise PlanError("the questions are over: this was asked after the end of its with statement.")
        self.budget.spend(what if self.unsafe is None else f"{what} (not private: with a seed)", cost)

    def summing(self, codes: np.ndarray, size: int, price: Price) -> Summing:
        return Summing(codes, size, self.rows.limit, price, self.unsafe)

    def all_rows(self, chosen: np.ndarray, price: Price) -> Summing:
        """One cell for all chosen rows."""
        return self.summing(np.zeros(int(chosen.sum()), dtype=np.int64), 1, price)

    def tallied(self, where: Where | None, places: Places, size: int, price: Price) -> Summing:
        """The rows of each combination of cells, counted."""
        return self.of_counts(self.counting.tally(where, places, size), price)

    def of_counts(self, counts: np.ndarray, price: Price) -> Summing:
        return Summing(np.arange(len(counts)), len(counts), self.rows.limit, price, self.unsafe, counts)

    def shown(self, where: Where | None, columns: Sequence[str], epsilon: Fraction, delta: Fraction) -> Keys:
        """The combinations of values that enough rows have."""
        return shown_keys(self.counting.keys(where, columns), epsilon, delta, self.rows.limit, self.unsafe)

    def answer(
        self, what: str, noise: Noise, cost: Cost, found: Estimates, unit: float = 1.0, *, dates: bool = False
    ) -> Answer:
        estimate, low, high = (float(part[0]) for part in (found.estimate, found.low, found.high))
        scale, private = noise.scale * unit, self.unsafe is None
        return Answer(what, noise.mechanism, scale, cost, private, estimate, low, high, dates)

    def answers(self, what: str, noise: Noise, cost: Cost, frame: pl.DataFrame) -> Answers:
        return Answers(what, noise.mechanism, noise.scale, cost, self.unsafe is None, frame)


def called(column: str) -> str:
    """What a column is called in an answer, where some names have a meaning of their own."""
    return f"{column}_" if column in _RESERVED else column


def beside(labels: pl.DataFrame, found: Estimates, prefix: str = "") -> pl.DataFrame:
    """Labels of cells, with the estimates of the first so many cells."""
    parts = {"estimate": found.estimate, "low": found.low, "high": found.high}
    return labels.with_columns(pl.Series(prefix + name, values[: labels.height]) for name, values in parts.items())
