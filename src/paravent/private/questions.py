"""Questions: what may be asked of a table within a budget. Each is charged, then answered with noise.

A question is checked before it is charged, against the analyst's words and the names of columns alone, so that neither
a refusal nor its absence says anything about people. What is charged is never given back.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl

from paravent.arguments import check_call
from paravent.errors import PlanError
from paravent.private import mechanisms
from paravent.private.above import First, first_above, scale_of
from paravent.private.accounting import Cost, short
from paravent.private.answers import CONFIDENCE, Answer, Answers
from paravent.private.asking import Amount, Asking, beside, called
from paravent.private.cells import Cells
from paravent.private.counting import Held
from paravent.private.domains import Categories, read_domains
from paravent.private.estimates import Estimates
from paravent.private.groups import Groups
from paravent.private.ledger import Budget
from paravent.private.price import Price
from paravent.private.quantiles import places_of, quantile, tree_noise
from paravent.private.rows import Rows, Where, check_column, in_words
from paravent.private.sums import STATISTICS, correlated, counted
from paravent.table.read import read


class Questions:
    """Questions to a table about people, answered within a budget.

    `domains` says what columns can hold: two bounds, a range, a list of values, or the file of a tree. What is not said
    is not looked up: it is refused, or, for keys, found by a threshold (with a `delta`). Each row is a person, or
    `person` names the column that says whose it is; then the first `rows` rows of each take part. `epsilon` or `rho` is
    the price of an answer for which nothing else is said. An `unsafe_seed` makes the noise repeat itself: its answers
    are not private, and say so.

    >>> import tempfile
    >>> budget = Budget(tempfile.mkdtemp() + "/people.ledger", epsilon=3)
    >>> people = pl.DataFrame({"age": [31, 45, 62] * 500, "job": ["nurse", "clerk", "cook"] * 500})
    >>> with Questions(people, budget, domains={"age": range(17, 91)}, unsafe_seed=1) as q:
    ...     print(q.count(where={"age": (40, 90)}, epsilon=0.5))
    count of rows where age = 40 … 90: 995 (95 % between 989 and 1001; discrete Laplace noise of scale 2, ε = 0.5; \
NOT PRIVATE: its noise has a seed)
    >>> round(float(budget.left.epsilon), 3)
    2.5
    """

    _grouped: ClassVar[type[Groups]] = Groups

    def __init__(
        self,
        table: Any,
        budget: Budget | str | os.PathLike[str],
        domains: Mapping[str, Any] | None = None,
        *,
        person: str | None = None,
        rows: int = 1,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        unsafe_seed: int | None = None,
    ) -> None:
        check_call(Questions.__init__, locals(), PlanError)
        source = read(table)
        ledger, usual, unsafe = ledger_of(budget), usual_price(epsilon, rho), numbers_of(unsafe_seed)
        known = read_domains(domains or {}, source.names)
        held = Rows.of(source, person, rows)
        self._begin(Asking(held, Held(held), known, ledger, usual, unsafe), source.fingerprint)
        self._warn(held.frame.height)

    def _begin(self, asking: Asking, fingerprint: str) -> None:
        self._asking, self.budget = asking, asking.budget
        if asking.unsafe is None:
            mechanisms.opendp()  # whether it is there is said before anything is charged
        asking.budget.bind(fingerprint)

    def _warn(self, people: int) -> None:
        """Tell the owner, who holds the table, where the ledger's delta promises nothing."""
        delta = self.budget.granted.delta
        if delta * people >= 1:
            warnings.warn(
                f"delta = {short(delta)} of the ledger is not below 1 / the {people} rows that take part: it would "
                "allow to publish somebody's row. Grant one far smaller. (This is for the owner of the table.)",
                stacklevel=4,  # where `pv.private` is called
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._asking.over = True

    def count(
        self,
        where: Where | None = None,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        delta: Amount | None = None,
    ) -> Answer:
        """How many rows meet the conditions. With a `delta` beside epsilon the noise is Gaussian, as it also is for
        sums, means, variances, correlations and histograms; the budget must hold that delta outright."""
        check_call(Questions.count, locals(), PlanError)
        price = self._asking.price(epsilon, rho, delta)
        self._asking.matching(where)
        what = f"count of rows{in_words(where)}"
        self._asking.charge(what, price.cost)
        summing = self._asking.tallied(where, {}, 1, price)
        return self._asking.answer(what, summing.noise(1), price.cost, counted(summing))

    def sum(
        self,
        column: str,
        where: Where | None = None,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        delta: Amount | None = None,
    ) -> Answer:
        """The sum of a column within its bounds; missing values add nothing."""
        check_call(Questions.sum, locals(), PlanError)
        return self._statistic("sum", column, where, self._asking.price(epsilon, rho, delta))

    def mean(
        self,
        column: str,
        where: Where | None = None,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        delta: Amount | None = None,
    ) -> Answer:
        """The mean of the values of a column that are not missing, within its bounds."""
        check_call(Questions.mean, locals(), PlanError)
        return self._statistic("mean", column, where, self._asking.price(epsilon, rho, delta))

    def variance(
        self,
        column: str,
        where: Where | None = None,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        delta: Amount | None = None,
    ) -> Answer:
        """The variance (divided by n) of the values of a column that are not missing, within its bounds."""
        check_call(Questions.variance, locals(), PlanError)
        return self._statistic("variance", column, where, self._asking.price(epsilon, rho, delta))

    def correlation(
        self,
        first: str,
        second: str,
        where: Where | None = None,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        delta: Amount | None = None,
    ) -> Answer:
        """Pearson's correlation of two columns within their bounds, over the rows that have both."""
        check_call(Questions.correlation, locals(), PlanError)
        bounds = self._asking.bounds(first), self._asking.bounds(second)
        price, chosen = self._asking.price(epsilon, rho, delta), self._asking.matching(where)
        what = f"correlation of {first} and {second}{in_words(where)}"
        self._asking.charge(what, price.cost)
        pair = self._asking.numbers(first)[chosen], self._asking.numbers(second)[chosen]
        summing = self._asking.all_rows(chosen, price)
        return self._asking.answer(what, summing.noise(6), price.cost, correlated(summing, pair, bounds))

    def quantile(
        self,
        column: str,
        share: float = 0.5,
        where: Where | None = None,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
    ) -> Answer:
        """The lowest value that at least this share of the rows do not exceed; 0.5 is the median. Missing values are
        left out."""
        check_call(Questions.quantile, locals(), PlanError)
        if not 0 < share < 1:
            raise PlanError(f"quantile: share must lie between 0 and 1, not {share}. The median is 0.5.")
        bounds, price = self._asking.bounds(column), self._asking.price(epsilon, rho)
        chosen, limit = self._asking.matching(where), self._asking.rows.limit
        what = f"{share:g} quantile of {column}{in_words(where)}"
        self._asking.charge(what, price.cost)
        values = self._asking.numbers(column)[chosen]
        found = quantile(values[~np.isnan(values)], bounds, share, price, limit, self._asking.unsafe)
        noise = tree_noise(places_of(bounds), price, limit)[1]
        return self._asking.answer(what, noise, price.cost, found, dates=bounds.dates)

    def histogram(
        self,
        column: str,
        where: Where | None = None,
        *,
        bins: int | None = None,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        delta: Amount | None = None,
    ) -> Answers:
        """How many rows have each value of a column: all values of its domain, then other and missing ones.

        Without a domain, the values that enough rows have, by a threshold; a value of one person alone is shown with
        probability `delta` at most, and rows of values that are not shown are counted nowhere. With a domain, a `delta`
        beside epsilon makes the noise Gaussian.
        """
        check_call(Questions.histogram, locals(), PlanError)
        cells = self._asking.rows.column(column)
        named = column in self._asking.domains
        price = self._asking.price(epsilon, rho, delta if named else None)
        self._asking.matching(where)
        what = f"histogram of {column}{in_words(where)}"
        if not named:
            return self._by_threshold(what, column, where, price, delta)
        domain = self._asking.domains[column]
        found = Cells.of(column, cells, domain, bins)
        self._asking.charge(what, price.cost)
        summing = self._asking.tallied(where, {column: (domain, bins)}, len(found), price)
        labels = pl.DataFrame(found.labels, schema={called(column): pl.String, "cell": pl.String}, orient="row")
        return self._asking.answers(what, summing.noise(1), price.cost, beside(labels, counted(summing)))

    def top(
        self,
        column: str,
        count: int = 5,
        where: Where | None = None,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
    ) -> Answers:
        """The most frequent values of a domain, chosen one after the other by the exponential mechanism (half of the
        price), with noisy counts (the other half)."""
        check_call(Questions.top, locals(), PlanError)
        domain = self._asking.domain(column)
        if not isinstance(domain, Categories):
            raise PlanError(f"top: column {column!r} has bounds, not categories. Ask for its histogram.")
        if not 1 <= count <= len(domain.values):
            raise PlanError(
                f"top: count must be from 1 to {len(domain.values)}, the values of the domain, not {count}."
            )
        price = self._asking.price(epsilon, rho)
        self._asking.matching(where)
        what = f"top {count} of {column}{in_words(where)}"
        each, spent = price.part(2).part(count).selection
        cost = spent * count + price.part(2).cost
        self._asking.charge(what, cost)
        tally = self._asking.counting.tally(where, {column: (domain, None)}, len(domain.cells))
        left, picked = list(range(len(domain.values))), []
        for _ in range(count):
            at = mechanisms.select(tally[left], each, self._asking.rows.limit, unsafe=self._asking.unsafe)
            picked.append(left.pop(at))
        summing = self._asking.of_counts(np.append(tally[picked], tally.sum() - tally[picked].sum()), price.part(2))
        labels = pl.DataFrame({called(column): [domain.values[at] for at in picked]})
        return self._asking.answers(what, summing.noise(1), cost, beside(labels, counted(summing)))

    def first_above(self, threshold: int, among: Sequence[Where], *, epsilon: Amount | None = None) -> First:
        """The first of several conditions that at least so many rows meet, as far as noise lets it be told: however
        many are asked before it, the price is that of one (the sparse vector technique). How many rows meet it is not
        told."""
        check_call(Questions.first_above, locals(), PlanError)
        price = self._asking.price(epsilon, None)
        if price.epsilon is None:
            raise PlanError("first_above: its price is an epsilon, not a rho. Give epsilon.")
        if not among:
            raise PlanError("first_above: name at least one condition, such as [{'job': 'nurse'}].")
        for where in among:
            self._asking.matching(where)
        what = f"first of {len(among)} conditions that {threshold} rows meet"
        self._asking.charge(what, price.cost)
        counts = [int(self._asking.counting.tally(where, {}, 1)[0]) for where in among]
        place = first_above(counts, threshold, price.epsilon, self._asking.rows.limit, self._asking.unsafe)
        told = None if place is None else in_words(among[place]) or " all rows"
        scale = float(scale_of(price.epsilon, self._asking.rows.limit))
        return First(what, "discrete Laplace", scale, price.cost, self._asking.unsafe is None, place, told)

    def group_by(self, *columns: str) -> Groups:
        """Groups of rows with the same values, for `agg`: `q.group_by("sex").agg(n="count", age=("mean", "age"))`."""
        check_call(Questions.group_by, locals(), PlanError)
        if not columns:
            raise PlanError("group_by: name at least one column to group by.")
        for name in columns:
            check_column("group_by", name, self._asking.rows.frame.columns)
        return self._grouped(self._asking, columns)

    def _by_threshold(self, what: str, column: str, where: Where | None, price: Price, delta: Amount | None) -> Answers:
        epsilon, allowed = self._asking.threshold(column, price, delta)
        cost = Cost.approximate(epsilon, allowed)
        self._asking.charge(what, cost)
        keys = self._asking.shown(where, (column,), epsilon, allowed)
        noise = price.noise(self._asking.rows.limit)
        found = Estimates.around(keys.counts.astype(float), noise.within(1 - CONFIDENCE))
        labels = pl.DataFrame(keys.values, schema={called(column): pl.String}, orient="row")
        return self._asking.answers(f"{what}, counts above {keys.threshold}", noise, cost, beside(labels, found))

    def _statistic(self, name: str, column: str, where: Where | None, price: Price) -> Answer:
        bounds, chosen = self._asking.bounds(column), self._asking.matching(where)
        if bounds.dates and name == "sum":
            raise PlanError(f"sum: column {column!r} holds dates, which have no sum. Ask for their mean or a quantile.")
        what = f"{name} of {column}{in_words(where)}"
        self._asking.charge(what, price.cost)
        summing, statistic = self._asking.all_rows(chosen, price), STATISTICS[name]
        found = statistic.found(summing, self._asking.numbers(column)[chosen], bounds)
        return self._asking.answer(
            what,
            summing.noise(statistic.parts),
            price.cost,
            found,
            statistic.unit(bounds),
            dates=bounds.dates and name == "mean",
        )


def ledger_of(budget: Budget | str | os.PathLike[str]) -> Budget:
    return budget if isinstance(budget, Budget) else Budget(budget)


def usual_price(epsilon: Amount | None, rho: Amount | None) -> Price | None:
    """The price of an answer for which nothing else is said."""
    return None if epsilon is None and rho is None else Price.of(epsilon, rho)


def numbers_of(unsafe_seed: int | None) -> np.random.Generator | None:
    return None if unsafe_seed is None else np.random.default_rng(unsafe_seed)
