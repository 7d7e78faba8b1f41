"""What a method publishes in one column, class by class: labels, numbers, or values of the column itself.

The kind of cells says in which sense they are true. A label covers every value that it replaces. A number is an
average of the values that it replaces, and so lies among them. A pick is one of them, or lies between them in the order
of the column. The runner checks each in its own sense before anything is released.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paravent.hierarchy.axis import Axis


@dataclass(frozen=True, eq=False)
class Labels:
    """One released column, by class: class c is published as `labels[codes[c]]`."""

    codes: np.ndarray
    labels: tuple[str, ...]

    def fits(self, axis: Axis, n_classes: int) -> bool:  # noqa: ARG002
        """Whether there is a label for every class."""
        return _are_codes(self.codes, n_classes, len(self.labels))

    def labelled(self, axis: Axis) -> Labels:  # noqa: ARG002
        """Itself: these are labels."""
        return self


@dataclass(frozen=True, eq=False)
class Representatives:
    """One released column of its own type: class c is published as number `places[c]` of the column's categories (a
    median, a mode), which are its values, or those of its scale."""

    places: np.ndarray

    def fits(self, axis: Axis, n_classes: int) -> bool:
        return _are_codes(self.places, n_classes, len(axis.categories))

    def labelled(self, axis: Axis) -> Labels:
        """The same as text."""
        return Labels(np.asarray(self.places), axis.categories)


@dataclass(frozen=True, eq=False)
class Averages:
    """One released column of numbers or dates: class c is published as the number at `places[c]` on the line of the
    axis; nan is a missing cell.

    Whole numbers become floats unless `whole` asks for the nearest whole ones (halves to the even one); dates are
    rounded to what their type can hold. `within` promises that each number lies among those that it replaces; without
    it (numbers stretched to keep a variance) only the mean of the column is promised.
    """

    places: np.ndarray
    whole: bool = False
    within: bool = True

    def fits(self, axis: Axis, n_classes: int) -> bool:
        places = np.asarray(self.places)
        return (
            axis.positions is not None
            and places.shape == (n_classes,)
            and bool(np.issubdtype(places.dtype, np.floating))
            and not bool(np.isinf(places).any())
        )

    def labelled(self, axis: Axis) -> Labels:  # noqa: ARG002
        """The same as text, for those who compare how values are published."""
        places, codes = np.unique(self.places, return_inverse=True)
        return Labels(codes.reshape(-1).astype(np.int32), tuple(map(repr, places.tolist())))


Published = Labels | Representatives | Averages
"""The cells of one released column."""


def _are_codes(codes: np.ndarray, n_classes: int, size: int) -> bool:
    if np.shape(codes) != (n_classes,):
        return False
    return n_classes == 0 or (int(np.min(codes)) >= 0 and int(np.max(codes)) < size)
