"""What is published class by class: labels, averages, or representatives, values of the column itself."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import polars as pl

from paravent.errors import UnsafeReleaseError
from paravent.hierarchy.axis import MISSING_LABEL, Axis
from paravent.hierarchy.tree import ROOT_LABEL
from paravent.published.coverage import check_coverage
from paravent.published.published import Place, Published, Source
from paravent.table.line import from_line, to_line
from paravent.table.text import as_text, is_text

_MOMENT = 1e-10
"""Times are rounded to microseconds, in days."""
_MEANS = 1e-9


class ByClass(Published):
    """One released quasi-identifier, with one cell for each class."""

    @abstractmethod
    def labelled(self, axis: Axis) -> Labels:
        """The same as texts, for those who compare how values are published."""

    @abstractmethod
    def of_classes(self, group: np.ndarray) -> Self:
        """The cells of other classes, given the class here that each of them lies in."""


@dataclass(frozen=True, eq=False)
class Labels(ByClass):
    """Class c is published as `labels[codes[c]]`, which covers every value that it replaces."""

    codes: np.ndarray
    labels: tuple[str, ...]

    def fits(self, source: Source, n_classes: int) -> bool:
        return source.axis is not None and _are_codes(self.codes, n_classes, len(self.labels))

    def labelled(self, axis: Axis) -> Labels:  # noqa: ARG002
        return self

    def of_classes(self, group: np.ndarray) -> Self:
        return replace(self, codes=np.ascontiguousarray(self.codes[group]))

    def column(self, source: Source, place: Place) -> pl.Series:  # noqa: ARG002
        """An Enum of the labels in use, in the order of their texts: that of the classes could tell the order of the
        source. Class −1 is published as `*`."""
        in_use = np.zeros(len(self.labels), dtype=bool)
        in_use[np.asarray(self.codes)] = True
        used = {label for label, is_used in zip(self.labels, in_use.tolist(), strict=True) if is_used}
        number = {label: i for i, label in enumerate(sorted(used | {ROOT_LABEL} if place.marked.any() else used))}
        renumber = np.array([number.get(label, 0) for label in self.labels], dtype=np.int64)
        of_class = np.append(renumber[self.codes] if len(self.codes) else [], number.get(ROOT_LABEL, 0))
        small = np.min_scalar_type(max(len(number) - 1, 0))
        codes = of_class.astype(small)[place.of_row]  # class −1 takes the last entry
        return pl.Series("cells", codes).cat.to(pl.Enum(list(number)))

    def check(self, source: Source, released: pl.Series, place: Place) -> None:
        check_coverage(source.codes, released, place.rows, place.marked)


@dataclass(frozen=True, eq=False)
class Representatives(ByClass):
    """Class c is published as number `places[c]` of the column's categories (a median, a mode), which are its values,
    or those of its scale: one of the values that it replaces, or one between them in the order of the column. The
    column keeps its type."""

    places: np.ndarray

    def fits(self, source: Source, n_classes: int) -> bool:
        return source.axis is not None and _are_codes(self.places, n_classes, len(source.axis.categories))

    def labelled(self, axis: Axis) -> Labels:
        return Labels(np.asarray(self.places), axis.categories)

    def of_classes(self, group: np.ndarray) -> Self:
        return replace(self, places=self.places[group])

    def column(self, source: Source, place: Place) -> pl.Series:
        axis, cells = source.codes, source.cells
        if is_text(cells.dtype):
            return self.labelled(axis).column(source, place)
        own_leaf = axis.values[-1:] == (MISSING_LABEL,)
        some_row = np.full(len(axis.categories), -1, dtype=np.int64)  # a row of each; an imputed value has its own
        present = cells.is_not_null().to_numpy()
        some_row[axis.category[axis.codes[present]]] = np.flatnonzero(present)
        values = cells.gather(pl.Series(some_row).replace(-1, None))
        absent = np.flatnonzero(some_row < 0)[: -1 if own_leaf else None]
        if len(absent):  # categories of the scale that no row has
            written = pl.Series("cells", [axis.categories[i] for i in absent.tolist()], dtype=pl.String)
            values = values.scatter(absent, written.cast(cells.dtype))
        return _by_class(values.gather(np.asarray(self.places, dtype=np.int64)), place.of_row)

    def check(self, source: Source, released: pl.Series, place: Place) -> None:
        axis = source.codes
        rank = {value: i for i, value in enumerate(axis.categories)}
        texts = as_text(released.alias("cells")).fill_null(MISSING_LABEL)
        labels = texts.unique(maintain_order=True)
        ranks = pl.Series([rank.get(label, -1) for label in labels.to_list()], dtype=pl.Int64)
        known = _known(axis, place)
        shown = texts.replace_strict(labels, ranks, return_dtype=pl.Int64).to_numpy()[known]
        codes = axis.category[axis.codes[place.rows][known]]
        if np.any(shown < 0):
            raise UnsafeReleaseError(f"column {axis.name!r}: a cell is no value of the column. Nothing is released.")
        if not len(codes):
            return
        low, high, number = _ends(codes, shown)
        found = np.zeros(len(rank), dtype=bool)
        found[shown[shown == codes]] = True
        between = (low <= number) & (number <= high) if axis.kind.is_ordered else np.zeros(len(number), dtype=bool)
        if not np.all(found[number] | between):
            raise UnsafeReleaseError(
                f"column {axis.name!r}: a value stands for others that it does not lie among. Nothing is released."
            )


@dataclass(frozen=True, eq=False)
class Averages(ByClass):
    """Numbers or dates: class c is published as the number at `places[c]` on the line of the axis; nan is a missing
    cell.

    Whole numbers become floats unless `whole` asks for the nearest whole ones (halves to the even one); dates are
    rounded to what their type can hold. `within` promises that each number lies among those that it replaces; without
    it (numbers stretched to keep a variance) only the mean of the column is promised.
    """

    places: np.ndarray
    whole: bool = False
    within: bool = True

    def fits(self, source: Source, n_classes: int) -> bool:
        places = np.asarray(self.places)
        return (
            source.axis is not None
            and source.axis.positions is not None
            and places.shape == (n_classes,)
            and bool(np.issubdtype(places.dtype, np.floating))
            and not bool(np.isinf(places).any())
        )

    def labelled(self, axis: Axis) -> Labels:  # noqa: ARG002
        places, codes = np.unique(self.places, return_inverse=True)
        return Labels(codes.reshape(-1).astype(np.int32), tuple(map(repr, places.tolist())))

    def of_classes(self, group: np.ndarray) -> Self:
        return replace(self, places=self.places[group])

    def column(self, source: Source, place: Place) -> pl.Series:
        return _by_class(from_line(np.asarray(self.places), source.cells.dtype, whole=self.whole), place.of_row)

    def check(self, source: Source, released: pl.Series, place: Place) -> None:
        axis = source.codes
        after = to_line(released.alias("cells"), axis.kind)
        assert axis.positions is not None
        assert after is not None
        before = axis.positions[axis.codes[place.rows]]
        known = _known(axis, place) & np.isfinite(before) & np.isfinite(after)
        before, after = before[known], after[known]
        if len(before):
            self._check_ends(axis.name, released.dtype, before, after)

    def _check_ends(self, name: str, dtype: pl.DataType, before: np.ndarray, after: np.ndarray) -> None:
        if not self.within:
            rounded = 0.5 if self.whole or dtype == pl.Date else _MOMENT if dtype.is_temporal() else 0.0
            allowed = _MEANS * max(float(np.abs(before).max()), 1.0) + rounded
            if abs(float(np.mean(before) - np.mean(after))) > allowed:
                raise UnsafeReleaseError(f"column {name!r}: its mean has moved. Nothing is released.")
            return
        low, high, number = _ends(before, after)
        room = _MOMENT if dtype.is_temporal() and dtype != pl.Date else 0.0
        if self.whole:  # the nearest whole number may lie beside a single one that is not whole
            low, high = np.floor(low), np.ceil(high)
        if np.any(number < low - room) or np.any(number > high + room):
            raise UnsafeReleaseError(
                f"column {name!r}: an average does not lie among the values that it replaces. Nothing is released."
            )


def _are_codes(codes: np.ndarray, n_classes: int, size: int) -> bool:
    if np.shape(codes) != (n_classes,):
        return False
    return n_classes == 0 or (int(np.min(codes)) >= 0 and int(np.max(codes)) < size)


def _by_class(of_class: pl.Series, of_row: np.ndarray) -> pl.Series:
    """The cell of each row, given that of each class; missing in class −1."""
    rows = pl.Series(of_row.astype(np.int64))
    return of_class.gather(rows if (rows >= 0).all() else rows.replace(-1, None))


def _known(axis: Axis, place: Place) -> np.ndarray:
    return ~place.marked if axis.unknown is None else ~place.marked & ~axis.unknown[place.rows]


def _ends(before: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The lowest and the highest original of each distinct released number, and the number."""
    order = np.argsort(after, kind="stable")
    numbers = after[order]
    starts = np.flatnonzero(np.diff(numbers, prepend=np.nan) != 0)
    found = before[order]
    return np.minimum.reduceat(found, starts), np.maximum.reduceat(found, starts), numbers[starts]
