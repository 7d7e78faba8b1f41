"""Intervals of given widths over numbers.

Labels say which ends belong to the interval, and the numbers in them come from the widths, not from the table:

    closed="left"    [20, 25[      20 ≤ value < 25
    closed="right"   ]20, 25]      20 < value ≤ 25
    closed="both"    [20, 24]      the whole numbers from 20 to 24 (integer columns only)
    low=20, high=80  < 20, >= 80   open ends (closed="right": <= 20, > 80)
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import isfinite
from typing import Any, ClassVar

import numpy as np
import polars as pl

from paravent.arguments import fits, shown
from paravent.errors import TreeError, quote
from paravent.hierarchy.labels import interval_label
from paravent.hierarchy.levels import Level
from paravent.hierarchy.spec import TreeSpec, as_tuple, leaf_level, tree_over
from paravent.hierarchy.tree import Tree
from paravent.table.domain import Domain
from paravent.table.kinds import Kind

_CLOSED = ("left", "right", "both")
_LARGEST = 10**18
_MOST_DECIMALS = 15
_EXACT = 2**53
_SAFE = 2**62


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and fits(value, float) and isfinite(value)


def _decimals(value: float) -> int:
    return max(0, -int(Decimal(str(value)).normalize().as_tuple().exponent))


@dataclass(frozen=True, repr=False)
class Intervals(TreeSpec):
    call: ClassVar[str] = "intervals"
    main: ClassVar[str] = "widths"

    widths: tuple[float, ...]
    origin: float = 0
    closed: str = "left"
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "widths", as_tuple(self.widths))
        if not self.widths or not all(_is_number(width) and width > 0 for width in self.widths):
            raise TreeError(f"intervals: widths {self.widths!r} must be one or more positive numbers.")
        for option, value in (("origin", self.origin), ("low", self.low), ("high", self.high)):
            if not (_is_number(value) or (value is None and option != "origin")):
                raise TreeError(f"intervals: {option} {value!r} must be a number.")
        if not isinstance(self.closed, str) or self.closed not in _CLOSED:
            raise TreeError(f"intervals: closed {shown(self.closed)} must be one of {', '.join(_CLOSED)}.")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise TreeError(f"intervals: low {self.low} must be less than high {self.high}.")
        for number in self._numbers:
            if abs(number) > _LARGEST or _decimals(number) > _MOST_DECIMALS:
                raise TreeError(
                    f"intervals: {number} is beyond 10^18 or has more than {_MOST_DECIMALS} decimals. Round it."
                )
        for narrow, wide in pairwise(self.widths):
            if wide <= narrow or self._scaled(wide) % self._scaled(narrow) != 0:
                raise TreeError(
                    f"intervals: width {wide} is not a multiple of {narrow}, so the levels are not nested. "
                    f"Give widths that grow by whole factors, such as {narrow}, {2 * narrow}, {4 * narrow}."
                )

    @property
    def _numbers(self) -> list[float]:
        return [*self.widths, self.origin, *(end for end in (self.low, self.high) if end is not None)]

    @cached_property
    def _digits(self) -> int:
        """How many decimals the bounds need."""
        return max(map(_decimals, self._numbers))

    def _scaled(self, number: float) -> int:
        """The number in units of the last decimal: bounds are sums of whole numbers and never drift."""
        return int(Fraction(str(number)) * 10**self._digits)

    def fixed_levels(self, name: str, kind: Kind) -> int | None:  # noqa: ARG002
        return len(self.widths) + 1

    def build(self, domain: Domain) -> Tree:
        leaf_level(domain)
        if not domain.kind.is_numeric:
            raise TreeError(
                f"tree {domain.name!r}: intervals need numbers, and the column is {domain.kind}. "
                "Read it as a number, or choose another builder."
            )
        whole = self._digits == 0 and domain.kind is Kind.INTEGER
        if self.closed == "both" and not whole:
            raise TreeError(
                f"tree {domain.name!r}: closed='both' needs whole numbers, and the column is {domain.kind} with widths "
                f"{', '.join(map(str, self.widths))}. Use closed='left' or closed='right'."
            )
        values = self._integers(domain.values) if whole else domain.values.cast(pl.Float64).to_numpy()
        below, above = self._open_ends(values)
        inside = ~(below | above)
        keys = self._whole_keys(values[inside]) if whole else self._float_keys(domain, values[inside])
        levels = []
        for width in self.widths:
            factor = self._scaled(width) // self._scaled(self.widths[0])
            keys = keys.astype(object) if factor >= _SAFE else keys
            distinct, inverse = np.unique(keys // factor, return_inverse=True)
            codes = np.zeros(len(values), dtype=np.int32)
            codes[inside] = inverse + 1
            codes[above] = len(distinct) + 1
            labels = self._labels(distinct.tolist(), width)
            levels.append(Level(codes, (self._low_label, *labels, self._high_label)))
        return tree_over(domain, *levels)

    def _integers(self, values: pl.Series) -> np.ndarray:
        """The values as int64 where sums with them cannot overflow, else as Python integers."""
        if all(abs(int(str(end))) < _SAFE for end in (values.min(), values.max())):
            return values.cast(pl.Int64).to_numpy()
        return np.array(values.to_list(), dtype=object)

    def _open_ends(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        none = np.zeros(len(values), dtype=bool)
        right = self.closed == "right"
        below = none if self.low is None else (values <= self.low if right else values < self.low)
        above = none if self.high is None else (values > self.high if right else values >= self.high)
        return below, above

    def _whole_keys(self, values: np.ndarray) -> np.ndarray:
        """The number of each value's finest interval, counted from the origin."""
        distance = values - int(self.origin) - (1 if self.closed == "right" else 0)
        return np.asarray(distance // int(self.widths[0]))

    def _float_keys(self, domain: Domain, values: np.ndarray) -> np.ndarray:
        odd = values[~np.isfinite(values)]
        if len(odd):
            remedy = "Make it missing." if np.isnan(odd[0]) else "Give open ends with low= and high=."
            raise TreeError(f"tree {domain.name!r}: value {quote(float(odd[0]))} lies in no interval. {remedy}")
        width, origin, scale = self._scaled(self.widths[0]), self._scaled(self.origin), 10**self._digits
        with np.errstate(over="ignore"):
            guess = np.floor((values - float(self.origin)) / float(self.widths[0]))
        reach = float(np.abs(values).max(initial=0.0))
        if np.abs(guess).max(initial=0.0) >= _EXACT:
            raise TreeError(
                f"tree {domain.name!r}: width {self.widths[0]} is too fine for a value as large as "
                f"{quote(reach)}. Use wider intervals, or open ends with low= and high=."
            )
        if int(reach) * scale + abs(origin) + width >= _SAFE:
            return guess.astype(np.int64)
        # Division by a width such as 0.1 is off by one at some bounds; the bounds themselves, as the nearest doubles
        # of their decimals, decide: 0.3 lies in [0.3, 0.4[ although 0.3 / 0.1 < 3.
        keys = guess.astype(np.int64)
        inside_from = np.less if self.closed == "right" else np.less_equal
        keys -= ~inside_from((origin + keys * width) / scale, values)
        keys += inside_from((origin + (keys + 1) * width) / scale, values)
        return keys

    def _text(self, scaled: int) -> str:
        if self._digits == 0:
            return str(scaled)
        whole, part = divmod(abs(scaled), 10**self._digits)
        decimals = f".{part:0{self._digits}}" if part else ""
        return f"{'-' if scaled < 0 else ''}{whole}{decimals.rstrip('0')}"

    def _labels(self, keys: list[int], width: float) -> list[str]:
        step, origin = self._scaled(width), self._scaled(self.origin)
        begins = [origin + key * step for key in keys]
        ends = [begin + step for begin in begins]
        if self.low is not None:
            least = self._scaled(self.low)
            begins = [max(begin, least) for begin in begins]
        if self.high is not None:
            most = self._scaled(self.high)
            ends = [min(end, most) for end in ends]
        if self.closed == "both":
            return [interval_label(self._text(b), self._text(e - 1)) for b, e in zip(begins, ends, strict=True)]
        opens, closes = "[[" if self.closed == "left" else "]]"
        return [f"{opens}{self._text(b)}, {self._text(e)}{closes}" for b, e in zip(begins, ends, strict=True)]

    @property
    def _low_label(self) -> str:
        return (
            ""
            if self.low is None
            else f"{'<=' if self.closed == 'right' else '<'} {self._text(self._scaled(self.low))}"
        )

    @property
    def _high_label(self) -> str:
        return (
            ""
            if self.high is None
            else f"{'>' if self.closed == 'right' else '>='} {self._text(self._scaled(self.high))}"
        )


def intervals(
    *widths: float,
    origin: float = 0,
    closed: str = "left",
    low: float | None = None,
    high: float | None = None,
) -> Intervals:
    """Nested intervals over numbers, `widths` from fine to coarse, counted from `origin`.

    Values below `low` share one open-ended group, and so do those from `high` on. The lower end of an interval belongs
    to it and the upper one does not, unless `closed` ("right", "both") says otherwise.

    >>> import polars as pl
    >>> domain = Domain("age", Kind.INTEGER, pl.Series([17, 19, 24, 31, 85]), np.ones(5, dtype=np.int64))
    >>> tree = intervals(5, 10, high=80).build(domain)
    >>> [tree.levels[1].labels, tree.levels[2].labels]
    [('[15, 20[', '[20, 25[', '[30, 35[', '>= 80'), ('[10, 20[', '[20, 30[', '[30, 40[', '>= 80')]
    """
    return Intervals(widths, origin, closed, low, high)
