"""Keys: the values of columns that nobody named beforehand, shown where enough rows have them.

The count of each value that occurs gets Laplace noise, and the value is shown where the noisy count lies strictly above
a threshold (Korolova, Kenthapadi, Mishra and Ntoulas 2009). A value that one person alone has would give them away: the
threshold is so high that it shows with probability δ at most. OpenDP's own thresholds are not used: theirs show a count
equal to the threshold too, and are shown more often than their δ says (its issue 2922).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import polars as pl

from paravent.private.counting import texts_of
from paravent.private.mechanisms import float_above, laplace


@dataclass(frozen=True, eq=False)
class Keys:
    """The keys that are shown, sorted, with their noisy counts; the key of each row, the last place for all others,
    where rows are at hand. `exact` are the counts without noise, and `hidden` rows have other keys: nobody sees
    them."""

    values: list[tuple[str | None, ...]]
    counts: np.ndarray
    codes: np.ndarray
    threshold: int
    exact: np.ndarray
    hidden: int


def found_keys(
    columns: list[pl.Series],
    epsilon: Fraction,
    delta: Fraction,
    limit: int,
    unsafe: np.random.Generator | None = None,
) -> Keys:
    """The combinations of values that enough rows have. A missing cell is a value like any other."""
    texts = texts_of(columns)
    names = texts.columns
    found = shown_keys(texts.group_by(names).len("rows"), epsilon, delta, limit, unsafe)
    places = pl.DataFrame(found.values, schema=dict.fromkeys(names, pl.String), orient="row").with_row_index("key")
    joined = texts.join(places, on=names, how="left", nulls_equal=True, maintain_order="left")
    return replace(found, codes=joined["key"].fill_null(places.height).cast(pl.Int64).to_numpy())


def shown_keys(
    counted: pl.DataFrame,
    epsilon: Fraction,
    delta: Fraction,
    limit: int,
    unsafe: np.random.Generator | None = None,
) -> Keys:
    """The combinations that are shown, of those that occur with the `rows` that each has."""
    names = [name for name in counted.columns if name != "rows"]
    counted = counted.sort(names, nulls_last=True)
    scale = limit / epsilon
    least = threshold(scale, limit, delta)
    exact = counted["rows"].cast(pl.Int64).to_numpy()
    noisy = laplace(exact, scale, unsafe=unsafe)
    shown = noisy > least
    values = counted.select(names).filter(pl.Series(shown)).rows()
    return Keys(values, noisy[shown], np.zeros(0, dtype=np.int64), least, exact[shown], int(exact[~shown].sum()))


def threshold(scale: Fraction, limit: int, delta: Fraction) -> int:
    """The least whole number that a person's own values exceed with probability δ at most.

    A person has at most `limit` values of their own, none of more than `limit` rows, so one of them shows with at most
    limit · P(noise > threshold − limit), which is limit · q^(threshold − limit + 1) / (1 + q) for q = e^(−1/scale).

    >>> threshold(Fraction(1), 1, Fraction(1, 10**6))
    14
    """
    with localcontext() as context:
        context.prec = 50
        exact = Fraction(float_above(scale))  # as the noise is drawn
        q = (-Decimal(exact.denominator) / exact.numerator).exp()
        bound = Decimal(delta.numerator) / delta.denominator * (1 + q) / limit * (1 - Decimal("1e-40"))
        beyond = int(max(Decimal(0), (bound.ln() * Decimal(exact.numerator) / -exact.denominator).to_integral_value()))
        while q**beyond > bound:
            beyond += 1
        while beyond > 0 and q ** (beyond - 1) <= bound:
            beyond -= 1
    return max(limit, beyond + limit - 1)
