"""The Pareto front of two measures, at equal protection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isnan

from paravent.comparison.levels import rounded


def front(
    points: Mapping[str, tuple[float, float]],
    satisfied: Mapping[str, Iterable[int]] | None = None,
    *,
    lower_is_better: Sequence[bool] = (True, True),
) -> tuple[str, ...]:
    """The Pareto front: the candidates that no other dominates.

    One dominates another when it is at least as good in both measures (nine digits count), satisfies every demand that
    the other does, and is ahead in one of the three: a candidate that protects less pushes nobody off the front.

    >>> front({"a": (0.1, 0.5), "b": (0.2, 0.2), "c": (0.2, 0.6)})
    ('a', 'b')
    """
    signs = [1.0 if lower else -1.0 for lower in lower_is_better]
    known = {
        name: tuple(sign * rounded(value) for sign, value in zip(signs, point, strict=True))
        for name, point in points.items()
        if not any(map(isnan, point))
    }
    held = {name: frozenset((satisfied or {}).get(name, ())) for name in known}

    def dominates(one: str, other: str) -> bool:
        a, b = known[one], known[other]
        as_good = all(x <= y for x, y in zip(a, b, strict=True)) and held[one] >= held[other]
        return as_good and (a != b or held[one] != held[other])

    return tuple(name for name in known if not any(dominates(other, name) for other in known))
