"""Groups: statistics of rows that share values. A row lies in one group, so all groups cost what one does."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

import numpy as np
import polars as pl

from paravent.errors import PlanError
from paravent.near import suggest
from paravent.private.accounting import Cost
from paravent.private.answers import Answers
from paravent.private.asking import Amount, Asking, beside, called
from paravent.private.cells import Cells
from paravent.private.counting import Held, Places
from paravent.private.estimates import Estimates
from paravent.private.keys import Keys, found_keys
from paravent.private.price import Price
from paravent.private.quantiles import quantile
from paravent.private.rows import Where, in_words
from paravent.private.sums import STATISTICS, Summing, counted

Wish = str | tuple[str, str] | tuple[str, str, float]
"""`"count"`, or a statistic and its column: `("mean", "age")`, `("median", "age")`, `("quantile", "age", 0.9)`."""

_MOST = 1_000_000
_MOST_QUANTILES = 2000
"""Each group has a tree of counts of its own."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows by the values of some columns. Made by `group_by`."""

    asking: Asking = field(repr=False)
    columns: tuple[str, ...]

    def agg(
        self,
        where: Where | None = None,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        delta: Amount | None = None,
        **wishes: Wish,
    ) -> Answers:
        """Statistics of each group, by the names that you give them: `n="count"`, `age=("mean", "age")`; also sum,
        variance, `("median", "age")` and `("quantile", "age", 0.9)`. Each gets an equal part of the price.

        Groups are all combinations of the columns' domains. Where a column has none, they are the combinations that
        enough rows have, by a threshold (`delta`, and one more part of the price), and all other rows are not shown.
        """
        if not wishes:
            raise PlanError('agg: say what is wanted of each group, such as n="count" or age=("mean", "age").')
        for name, wish in wishes.items():
            self._check(name, wish)
        price, chosen = self.asking.price(epsilon, rho), self.asking.matching(where)
        named = ", ".join(map(_in_words, wishes.values()))
        what = f"{named} by {', '.join(self.columns)}{in_words(where)}"
        unnamed = [name for name in self.columns if name not in self.asking.domains]
        if unnamed:
            part = price.part(len(wishes) + 1)
            own, allowed = self.asking.threshold(unnamed[0], part, delta)
            cost = Cost.approximate(own, allowed) + part.cost * len(wishes)
            self.asking.charge(what, cost)
            keys, summing = self._found(where, (own, allowed), part)
            labels = pl.DataFrame(keys.values, schema=dict.fromkeys(map(called, self.columns), pl.String), orient="row")
            return self._statistics(what, cost, labels, summing, chosen, wishes)
        labels = self._labels()
        if labels.height >= _MOST_QUANTILES and any(wish[0] in _QUANTILES for wish in wishes.values()):
            raise PlanError(f"agg: quantiles are for fewer than {_MOST_QUANTILES} groups, not {labels.height}.")
        part = price.part(len(wishes))
        self.asking.charge(what, price.cost)
        summing = self._named(where, labels.height, part)
        return self._statistics(what, price.cost, labels, summing, chosen, wishes)

    def _statistics(
        self,
        what: str,
        cost: Cost,
        labels: pl.DataFrame,
        summing: Summing,
        chosen: np.ndarray,
        wishes: dict[str, Wish],
    ) -> Answers:
        frame = labels
        for name, wish in wishes.items():
            if isinstance(wish, str):
                found = counted(summing)
            elif wish[0] in _QUANTILES:
                found = self._quantiles(summing, self.asking.numbers(wish[1])[chosen], wish)
            else:
                values = self.asking.numbers(wish[1])[chosen]
                found = STATISTICS[wish[0]].found(summing, values, self.asking.bounds(wish[1]))
            frame = beside(frame, found, f"{name}.")
        return self.asking.answers(what, summing.noise(1), cost, frame)

    def _quantiles(self, summing: Summing, values: np.ndarray, wish: Wish) -> Estimates:
        """A quantile of each group. A row lies in one group, so each level of all their trees together is changed by
        one person as much as that of one tree."""
        if summing.size > _MOST_QUANTILES:
            raise PlanError(f"agg: quantiles are for {_MOST_QUANTILES} groups at most, not {summing.size}.")
        bounds, share = self.asking.bounds(wish[1]), _share(wish)
        there = ~np.isnan(values)
        price, limit, unsafe = summing.price, summing.limit, summing.unsafe
        found = [
            quantile(values[there & (summing.codes == group)], bounds, share, price, limit, unsafe)
            for group in range(summing.size)
        ]
        ends = ("estimate", "low", "high")
        return Estimates(*(np.concatenate([getattr(each, end) for each in found]) for end in ends))

    def _found(self, where: Where | None, price: tuple[Fraction, Fraction], part: Price) -> tuple[Keys, Summing]:
        """The combinations that enough rows have, and the rows in them; the last place is for rows of all others."""
        chosen = pl.Series(self.asking.matching(where))
        series = [self.asking.rows.column(name).filter(chosen) for name in self.columns]
        keys = found_keys(series, *price, self.asking.rows.limit, self.asking.unsafe)
        return keys, self.asking.summing(keys.codes, len(keys.values) + 1, part)

    def _named(self, where: Where | None, size: int, part: Price) -> Summing:
        """The rows in all combinations of cells. Nobody is in the place after the last."""
        codes = Held(self.asking.rows).combinations(self._places())[self.asking.matching(where)]
        return self.asking.summing(codes, size + 1, part)

    def _places(self) -> Places:
        return {name: (self.asking.domain(name), None) for name in self.columns}

    def _labels(self) -> pl.DataFrame:
        """The labels of all combinations. A column that may hold more than its values is followed by one that says
        so."""
        found = {name: Cells.of(name, self.asking.rows.column(name), self.asking.domain(name)) for name in self.columns}
        size = prod(map(len, found.values()))
        if size > _MOST:
            raise PlanError(f"group_by: the domains have {size} combinations. Group by fewer columns or values.")
        labels, places = {}, np.arange(size)
        for name, cells in reversed(found.items()):
            places, at = np.divmod(places, len(cells))
            texts, kinds = zip(*cells.labels, strict=True)
            labels[f"{called(name)}.cell"] = pl.Series(np.array(kinds, dtype=object)[at], dtype=pl.String)
            labels[called(name)] = pl.Series(np.array(texts, dtype=object)[at], dtype=pl.String)
        return pl.DataFrame({name: labels[name] for name in reversed(labels)})

    def _check(self, name: str, wish: Wish) -> None:
        if wish == "count":
            return
        if not (isinstance(wish, tuple) and len(wish) in (2, 3) and all(isinstance(part, str) for part in wish[:2])):
            raise PlanError(f'agg: {name} must be "count", or a statistic and its column such as ("mean", "age").')
        if wish[0] not in (*STATISTICS, *_QUANTILES):
            known = ["count", *STATISTICS, *_QUANTILES]
            raise PlanError(f"agg: {name}: there is no statistic {wish[0]!r}. {suggest(wish[0], known)}")
        if (wish[0] == "quantile") != (len(wish) == 3) or not 0 < _share(wish) < 1:
            raise PlanError(f'agg: {name}: a quantile has a share between 0 and 1, such as ("quantile", "age", 0.9).')
        bounds = self.asking.bounds(wish[1])
        if bounds.dates and wish[0] == "sum":
            raise PlanError(f"agg: {name}: column {wish[1]!r} holds dates, which have no sum.")


_QUANTILES = ("median", "quantile")


def _share(wish: Wish) -> float:
    share = wish[2] if len(wish) == 3 and wish[0] == "quantile" else 0.5
    return float(share) if isinstance(share, int | float) else 0.0


def _in_words(wish: Wish) -> str:
    if isinstance(wish, str):
        return wish
    return f"{_share(wish):g} quantile of {wish[1]}" if len(wish) == 3 else f"{wish[0]} of {wish[1]}"
