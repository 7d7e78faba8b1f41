"""Round bins for numbers, dates and counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paravent.table.kinds import Kind

_ABOUT = 16
_DAYS_OF_YEAR = 365.2425


@dataclass(frozen=True, eq=False)
class Bins:
    """Bins between rising bounds; the first reaches down and the last up without end.

    `names[i]` is how bound i is written, `ends[i]` how the last value before it is (None: like the bound itself).
    """

    bounds: np.ndarray
    names: tuple[str, ...]
    ends: tuple[str, ...] | None

    def __len__(self) -> int:
        return len(self.bounds) + 1

    def index(self, places: np.ndarray) -> np.ndarray:
        """The bin of each place."""
        return np.asarray(np.searchsorted(self.bounds, places, side="right"))

    def label(self, low: int, high: int) -> str:
        """How the bins from `low` up to but without `high` are written together."""
        if low == 0 and high == len(self):
            return "all values"
        if low == 0:
            return f"below {self.names[high - 1]}"
        if high == len(self):
            return f"{self.names[low - 1]} and above"
        first = self.names[low - 1]
        if self.ends is None:
            return f"{first}–{self.names[high - 1]}"
        last = self.ends[high - 1]
        return first if first == last else f"{first}–{last}"


def bins_of(kind: Kind, places: np.ndarray, counts: np.ndarray) -> Bins:
    """About a dozen bins over the middle 98 % of the rows.

    >>> bins = bins_of(Kind.INTEGER, np.arange(17, 91), np.ones(74))
    >>> [bins.label(i, i + 1) for i in (0, 1, len(bins) - 1)]
    ['below 20', '20–24', '90 and above']
    """
    order = np.argsort(places)
    share = np.cumsum(counts[order]) / counts.sum()
    low = float(places[order][np.searchsorted(share, 0.01)])
    high = float(places[order][min(int(np.searchsorted(share, 0.99)), len(order) - 1)])
    if kind is Kind.DATE:
        return _of_dates(low, high) if high >= 1 or low < 0 else _of_hours(low, high)
    step = _round_step((high - low) / _ABOUT, whole=kind is Kind.INTEGER)
    bounds = np.arange(np.floor(low / step) + 1, np.floor(high / step) + 1) * step
    if kind is Kind.INTEGER and step < 1000:
        return Bins(bounds, tuple(_plain(b) for b in bounds), tuple(_plain(b - 1) for b in bounds))
    return Bins(bounds, tuple(_plain(b) for b in bounds), None)


def _round_step(wanted: float, *, whole: bool) -> float:
    """The nearest 1, 2 or 5 times a power of ten that is not smaller."""
    if wanted <= 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(wanted))
    step = next((m * power for m in (1, 2, 5) if m * power >= wanted), 10 * power)
    return float(max(step, 1.0)) if whole else float(step)


def _plain(number: float) -> str:
    """
    >>> [_plain(number) for number in (0.25, 1970, 80_000, 1_500_000)]
    ['0.25', '1970', '80k', '1.5M']
    """
    for size, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= max(size, 1e4):
            return f"{number / size:.6g}{sign}"
    return f"{number:.10g}"


def _of_dates(low: float, high: float) -> Bins:
    """Bounds at the first day of years, months or at days, whichever gives about a dozen."""
    days = (high - low) / _ABOUT
    if days > _DAYS_OF_YEAR / 3:
        step = int(_round_step(days / _DAYS_OF_YEAR, whole=True))
        first, last = _unit(low, "Y") + 1970, _unit(high, "Y") + 1970
        years = np.arange((first // step + 1) * step, last + 1, step)
        bounds = (years - 1970).astype("datetime64[Y]").astype("datetime64[D]").astype(np.float64)
        return Bins(bounds, tuple(map(str, years.tolist())), tuple(map(str, (years - 1).tolist())))
    if days > 10:
        step = 1 if days <= 31 else 3
        months = np.arange((_unit(low, "M") // step + 1) * step, _unit(high, "M") + 1, step)
        named = months.astype("datetime64[M]")
        before = (months - 1).astype("datetime64[M]")
        bounds = named.astype("datetime64[D]").astype(np.float64)
        return Bins(bounds, tuple(map(str, named)), tuple(map(str, before)))
    step = int(_round_step(days, whole=True))
    numbers = np.arange((int(low) // step + 1) * step, int(high) + 1, step)
    named_days = numbers.astype("datetime64[D]")
    last_days = (numbers - 1).astype("datetime64[D]")
    return Bins(numbers.astype(np.float64), tuple(map(str, named_days)), tuple(map(str, last_days)))


def _unit(place: float, unit: str) -> int:
    return int(np.datetime64(int(np.floor(place)), "D").astype(f"datetime64[{unit}]").astype(np.int64))


def _of_hours(low: float, high: float) -> Bins:
    """Times of day: whole hours."""
    hours = np.arange(int(low * 24) + 1, int(high * 24) + 1)
    return Bins(hours / 24, tuple(f"{h:02}:00" for h in hours.tolist()), None)


_SIZE_BOUNDS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 50, 100, 200, 500)


def size_bounds(k: int | None, largest: int) -> list[int]:
    """Lower bounds of bins for class sizes, one of them k, so that `too small` and `large enough` never share a bin.

    >>> size_bounds(5, 80)
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 50]
    """
    bounds = {1, *_SIZE_BOUNDS} | {10**p * m for p in range(3, 13) for m in (1, 2, 5)}
    if k is not None:
        bounds.add(k)
    shown = sorted(bound for bound in bounds if bound <= max(largest, k or 1))
    while len(shown) > 16:  # thin out the bounds farthest from k, above and below in turn
        spare = [b for b in shown[1:-1] if b != k]
        ratios = {b: shown[shown.index(b) + 1] / shown[shown.index(b) - 1] for b in spare}
        shown.remove(min(spare, key=lambda b: (ratios[b], -b)))
    return shown
