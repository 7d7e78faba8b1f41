"""Grid: where the ends of intervals may stand, so that a label does not end at the value of one person.

Values on a line are put into cells, and an interval begins where its first cell begins and ends where its last one
ends. How wide the cells are follows from the middle 90 % of the rows:

numbers     1, 2 or 5 times a power of ten, at most a hundredth of that span (whole numbers: never below 1). More than
            1000 cells away from the middle they are ten times as wide, another power of ten further a hundred times …
dates       day, week, month, quarter, year or decade, moments also minute and hour: the widest of at most a
            fiftieth of that span; times of day minute, quarter of an hour or hour

Whole numbers and days are written with both ends, `[20, 24]`; what has no neighbours is written without its upper end,
`[20.5, 21[`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
import polars as pl

from paravent.hierarchy.labels import half_open_label, interval_label
from paravent.table.domain import Domain
from paravent.table.kinds import Kind
from paravent.table.text import as_text

_FINENESS, _CALENDAR = 100, 50
_ZONE = 1000
_TAIL = 0.05
_DAYS = {
    "1m": 1 / 1440,
    "15m": 1 / 96,
    "1h": 1 / 24,
    "1d": 1,
    "1w": 7,
    "1mo": 30.4,
    "1q": 91.3,
    "1y": 365.2,
    "10y": 3652,
}
_EXACT = 2.0**49
_LAST_YEAR = 9998


@dataclass(frozen=True, eq=False)
class Grid:
    """The cell of each value of a domain, ascending, and the text of where each cell begins and ends."""

    cell: np.ndarray
    begins: tuple[str, ...]
    ends: tuple[str, ...]
    closed: bool

    @classmethod
    def of(cls, domain: Domain) -> Grid | None:
        """The grid of a column of numbers or dates; None where its values have no place on a line, or where every
        value may be an end as it is.

        >>> money = Domain("pay", Kind.FLOAT, pl.Series([0.0, 1234.5, 2999.0, 3100.0]), np.array([1, 1, 1, 1]))
        >>> grid = Grid.of(money)
        >>> grid.label(1, 2), grid.label(0, 3)
        ('[1220, 3000[', '[0, 3120[')
        """
        if domain.positions is None or len(domain) < 2 or not np.isfinite(domain.positions).all():
            return None
        if domain.kind.is_numeric:
            return _of_numbers(domain)
        if domain.values.dtype == pl.Time:
            return _of_times(domain)
        return _of_dates(domain)

    @cached_property
    def first(self) -> np.ndarray:
        """For each value, the first one of its cell."""
        starts = np.flatnonzero(np.r_[True, self.cell[1:] != self.cell[:-1]])
        return np.asarray(starts[self.cell])

    @cached_property
    def last(self) -> np.ndarray:
        """For each value, the last one of its cell."""
        starts = np.flatnonzero(np.r_[True, self.cell[1:] != self.cell[:-1]])
        return np.asarray((np.r_[starts[1:], len(self.cell)] - 1)[self.cell])

    def label(self, first: int, last: int) -> str:
        """The interval from the cell of one value to that of another."""
        begin, end = self.begins[self.cell[first]], self.ends[self.cell[last]]
        return interval_label(begin, end) if self.closed else half_open_label(begin, end)


_KNOWN: WeakKeyDictionary[Domain, Grid | None] = WeakKeyDictionary()


def grid_of(domain: Domain) -> Grid | None:
    """Where labels of a column may end: `Grid.of`, found once; None where they may end at its values."""
    if domain.exact:
        return None
    if domain not in _KNOWN:
        _KNOWN[domain] = Grid.of(domain)
    return _KNOWN[domain]


def _span(domain: Domain) -> tuple[float, float]:
    """The median, and how far the middle 90 % of the rows reach (all of them, where these share one value)."""
    positions, upto = domain.positions, np.cumsum(domain.counts)
    assert positions is not None
    low, middle, high = (float(positions[np.searchsorted(upto, share * upto[-1])]) for share in (_TAIL, 0.5, 1 - _TAIL))
    span = high - low
    return middle, span if span > 0 else float(positions[-1] - positions[0])


def _of_numbers(domain: Domain) -> Grid | None:
    """Cells are counted in steps of digit · 10^power; all their bounds are whole numbers of steps."""
    positions = domain.positions
    assert positions is not None
    middle, span = _span(domain)
    whole = domain.kind is Kind.INTEGER
    digit, power = _nice(span / _FINENESS)
    if whole and power < 0:
        digit, power = 1, 0
    step = float(f"{digit}e{power}")
    if not math.isfinite(span) or step == 0 or np.abs(positions).max() / step >= _EXACT:
        return None
    if whole and (step == 1 and np.abs(positions - middle).max() < _ZONE // 2):
        return None
    origin = round(middle / step / _ZONE) * _ZONE  # in steps
    steps = _floored(positions, digit, power)
    width = np.ones(len(steps))
    while True:
        reach = _ZONE * width
        beyond = (steps - origin < -reach) | (steps - origin >= reach)
        if not beyond.any():
            break
        width[beyond] *= 10
    begins = origin + np.floor((steps - origin) / width) * width
    fresh = np.r_[True, begins[1:] != begins[:-1]]
    first = begins[fresh].astype(np.int64).tolist()
    after = (begins[fresh] + width[fresh]).astype(np.int64).tolist()
    closed = whole
    return Grid(
        np.cumsum(fresh) - 1,
        tuple(_decimal(n * digit, power) for n in first),
        tuple(_decimal(n * digit, power, less=int(closed)) for n in after),
        closed,
    )


def _nice(most: float) -> tuple[int, int]:
    """The largest of 1, 2, 5 times a power of ten that is at most a number.

    >>> _nice(292), _nice(0.05)
    ((2, 2), (5, -2))
    """
    if not 0 < most < math.inf:
        return 1, 0
    power = math.floor(math.log10(most))
    found = [(digit, p) for p in (power - 1, power, power + 1) for digit in (1, 2, 5) if float(f"{digit}e{p}") <= most]
    return max(found, key=lambda pair: float(f"{pair[0]}e{pair[1]}"))


def _floored(positions: np.ndarray, digit: int, power: int) -> np.ndarray:
    """How many whole steps lie below each place. Bounds are the nearest doubles of their decimals, and decide."""

    def bound(steps: np.ndarray) -> np.ndarray:
        if -22 <= power < 0:  # ten to that power is exact, and so the quotient is rounded once
            return np.asarray(steps * digit / 10.0**-power)
        if 0 <= power <= 22:
            return np.asarray(steps * digit * 10.0**power)
        return np.array([float(f"{int(step) * digit}e{power}") for step in steps.tolist()])

    steps = np.floor(positions / float(f"{digit}e{power}"))
    steps -= bound(steps) > positions
    steps += bound(steps + 1) <= positions
    return np.asarray(steps)


def _decimal(number: int, power: int, less: int = 0) -> str:
    """number · 10^power − less, without an exponent.

    >>> _decimal(25, -1), _decimal(-3, 2), _decimal(20, 0, less=1), _decimal(-50, -2)
    ('2.5', '-300', '19', '-0.5')
    """
    if power >= 0:
        return str(number * 10**power - less)
    whole, part = divmod(abs(number), 10**-power)
    decimals = f".{part:0{-power}}".rstrip("0") if part else ""
    return f"{'-' if number < 0 else ''}{whole}{decimals}"


def _of_dates(domain: Domain) -> Grid | None:
    days = domain.values.dtype == pl.Date
    _, span = _span(domain)
    units = [unit for unit in _DAYS if unit != "15m" and (not days or _DAYS[unit] >= 1)]
    unit = max((u for u in units if _DAYS[u] <= span / _CALENDAR), key=_DAYS.__getitem__, default=units[0])
    if days and unit == "1d":
        return None
    if domain.values.dt.year().max() > _LAST_YEAR:  # type: ignore[operator]  # (an end after it could not be written)
        return None
    frame = pl.DataFrame({"moment": domain.values})
    begin = pl.col("moment").dt.truncate(unit)
    after = begin.dt.offset_by(unit)
    end = after.dt.offset_by("-1d") if days else after
    found = frame.select(begin=begin, end=end)
    fresh = found["begin"].ne_missing(found["begin"].shift(1)).to_numpy().copy()
    fresh[0] = True
    kept = found.filter(fresh)
    return Grid(
        np.cumsum(fresh) - 1, tuple(as_text(kept["begin"]).to_list()), tuple(as_text(kept["end"]).to_list()), days
    )


def _of_times(domain: Domain) -> Grid:
    _, span = _span(domain)
    units = ("1m", "15m", "1h")
    unit = max((u for u in units if _DAYS[u] <= span / _CALENDAR), key=_DAYS.__getitem__, default="1m")
    width = round(_DAYS[unit] * 1440)
    minutes = domain.values.cast(pl.Int64).to_numpy() // 60_000_000_000 // width
    fresh = np.r_[True, minutes[1:] != minutes[:-1]]
    first = (minutes[fresh] * width).tolist()
    return Grid(
        np.cumsum(fresh) - 1, tuple(map(_clock, first)), tuple(_clock(minute + width) for minute in first), closed=False
    )


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}:00"
