"""Redundancy: a column that another one gives away, such as an age group beside an age.

Column a gives column b away when no two rows agree in a and differ in b. That happens by chance where nearly every row
has its own a, or nearly all have the same b: it is said only where independent columns would differ in many rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

_SAMPLE = 2_000
_SURE = 30.0
"""Disagreements expected of independent columns, from which none at all is no accident (one chance in e^30)."""
_MOST_COLUMNS = 150


@dataclass(frozen=True)
class Redundancy:
    """Whoever knows `given` knows `follows`; `mutual`: and the other way round."""

    given: str
    follows: str
    mutual: bool

    def __str__(self) -> str:
        if self.mutual:
            return f"{self.given!r} and {self.follows!r} say the same: each value of one goes with one of the other"
        return f"{self.follows!r} follows from {self.given!r}: rows that agree in the one agree in the other"


def redundancies(columns: Mapping[str, np.ndarray]) -> tuple[Redundancy, ...]:
    """Which columns follow from another, given the codes of their cells (equal where cells are; missing ones too).

    Of columns that say the same, the first is `given`. Tables of more than 150 columns are not searched.

    >>> age = np.tile(np.arange(20, 60), 10)
    >>> columns = {"age": age, "group": age // 10, "sex": np.arange(400) // 7 % 2}
    >>> [str(found) for found in redundancies(columns)]
    ["'group' follows from 'age': rows that agree in the one agree in the other"]
    """
    if not 2 <= len(columns) <= _MOST_COLUMNS:
        return ()
    told = {name: _from_zero(codes) for name, codes in columns.items() if len(codes)}
    rows = max(map(len, told.values()), default=0)
    some = np.linspace(0, rows - 1, min(rows, _SAMPLE)).astype(np.int64)
    sizes = {name: int(codes.max()) + 1 for name, codes in told.items()}
    found = []
    names = list(told)
    for place, first in enumerate(names):
        for second in names[place + 1 :]:
            there = _gives(told[first], told[second], sizes[first], sizes[second], some)
            back = _gives(told[second], told[first], sizes[second], sizes[first], some)
            if there or back:
                given, follows = (first, second) if there else (second, first)
                found.append(Redundancy(given, follows, there and back))
    return tuple(found)


def _from_zero(codes: np.ndarray) -> np.ndarray:
    low, high = int(codes.min()), int(codes.max())
    if high - low > 2 * len(codes):
        return np.unique(codes, return_inverse=True)[1]
    return codes if low == 0 else codes - low


def _gives(a: np.ndarray, b: np.ndarray, size_a: int, size_b: int, some: np.ndarray) -> bool:
    """Whether a gives b away, looked at in some rows first."""
    if not _is_function(a[some], b[some], size_a):
        return False
    shares = np.bincount(b, minlength=size_b) / len(b)
    differing = int((np.bincount(a, minlength=size_a) > 0).sum())
    expected = float((len(a) - differing) * (1 - (shares**2).sum()))
    return expected >= _SURE and _is_function(a, b, size_a)


def _is_function(a: np.ndarray, b: np.ndarray, size_a: int) -> bool:
    last = np.zeros(size_a, dtype=b.dtype)
    last[a] = b  # the b of some row with that a: of all of them, where it is a function
    return bool((last[a] == b).all())
