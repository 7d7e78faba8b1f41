"""Which k' to ask for on the way to k (Mauger 2021, §5.5)."""

from __future__ import annotations

from typing import Literal

Schedule = Literal["fixed", "up", "down"]


def upwards(n: int, k: int, factor: int = 2) -> list[int]:
    """From k on, times `factor`, as long as a table of n rows can have two such classes.

    >>> upwards(30162, 500)
    [500, 1000, 2000, 4000, 8000]
    """
    found = []
    while 2 * k <= n:
        found.append(k)
        k *= factor
    return found


def downwards(n: int, k: int, factor: int = 2) -> list[int]:
    """From half of n rows on, divided by `factor` and rounded down, as long as it is k at least.

    >>> downwards(30162, 500)
    [15081, 7540, 3770, 1885, 942]
    """
    found, at = [], n // 2
    while at >= max(k, 1):
        found.append(at)
        at //= factor
    return found


def schedule(kind: Schedule, n: int, k: int, fixed: int) -> list[int]:
    """The k' of the first rounds; every later round asks for `fixed`. No k' is larger than n."""
    asked = {"fixed": [], "up": upwards(n, k), "down": downwards(n, k)}[kind]
    return [min(max(x, k), n) for x in (*asked, fixed)]
