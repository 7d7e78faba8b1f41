"""EncodedPopulation: the people of a population, laid out so that those who could be behind a class are counted fast.

A class's label covers, on every axis, at least the values of its rows, and on a line all that lies between them. So it
covers at least the people whose values are all among these: never fewer than are counted here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class EncodedPopulation:
    """`people[i]` people stand at `places[j][i]` of axis j: at 2·rank for a value of the axis, at an odd number between
    two of its values on a line, or at the last place, 2·`widths[j]`, for what the axis does not have.

    `alike[i]` people share every quasi-identifier of row i of the table. `covers[j]` tells which places of axis j a
    label covers.
    """

    people: np.ndarray
    places: tuple[np.ndarray, ...]
    widths: tuple[int, ...]
    lines: tuple[bool, ...]
    alike: np.ndarray
    covers: tuple[Callable[[str | None], np.ndarray], ...] = ()

    @cached_property
    def _sorted(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each axis, who stands at each place: all in the order of their places, and where each place starts."""
        found = []
        for places, width in zip(self.places, self.widths, strict=True):
            order = np.argsort(places, kind="stable")
            found.append((order, np.searchsorted(places[order], np.arange(2 * width + 2))))
        return found

    def behind(self, values: Sequence[np.ndarray]) -> int:
        """How many people have, on every axis, one of these values (ascending ranks), or on a line lie between them.

        >>> population = EncodedPopulation(np.array([1, 5, 9]), (np.array([0, 1, 4]),), (2,), (True,), np.array([1]))
        >>> population.behind([np.array([0, 1])])
        6
        """
        reach = []
        for j, (found, width) in enumerate(zip(values, self.widths, strict=True)):
            mask = np.zeros(2 * width + 1, dtype=bool)
            if self.lines[j]:
                mask[2 * int(found[0]) : 2 * int(found[-1]) + 1] = True
            else:
                mask[2 * found] = True
            start = self._sorted[j][1]
            reach.append((int(np.diff(start)[mask].sum()), j, mask))
        reach.sort(key=lambda item: item[:2])
        _, first, mask = reach[0]
        order, start = self._sorted[first]
        those = np.concatenate([order[start[p] : start[p + 1]] for p in np.flatnonzero(mask).tolist()])
        for _, j, mask in reach[1:]:
            if len(those) == 0:
                return 0
            those = those[mask[self.places[j][those]]]
        return int(self.people[those].sum())
