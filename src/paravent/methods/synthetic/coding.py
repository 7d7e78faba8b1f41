"""Codings: the cells that a column is counted in, told by the plan and not by the data, and the values behind them.

The last cell of every column is for what the plan does not name: missing values, and values that it did not foresee.
They are counted there, never left out, and a synthetic row that falls there has an empty cell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from paravent.errors import PlanError, quote
from paravent.private.domains import numbers
from paravent.private.matching import exact, matched, plain_text
from paravent.table.text import as_text

_POINTS = 4096
"""The most points of a grid that is not told otherwise."""

MOST_BINS = 1024
"""The cells that numbers can be cut into."""
_KEYS = ("from", "to", "step", "bins", "cuts")


@dataclass(frozen=True)
class Coding(ABC):
    """How one column is counted."""

    name: str

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of cells, with the last."""

    @property
    @abstractmethod
    def dtype(self) -> pl.DataType:
        """The type in which values are written back: it follows from what the plan says, and not from the data."""

    @property
    @abstractmethod
    def ordered(self) -> bool:
        """Whether cells side by side hold values that are alike."""

    @abstractmethod
    def codes(self, cells: pl.Series) -> np.ndarray:
        """The cell of each value."""

    @abstractmethod
    def values(self, codes: np.ndarray, dtype: pl.DataType, rng: np.random.Generator) -> pl.Series:
        """A value for each cell, in a type; empty for the last."""

    @abstractmethod
    def cells_of(self, told: Any) -> np.ndarray:
        """Which cells hold nothing but some values, as a constraint tells them."""

    @abstractmethod
    def to_document(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Listed(Coding):
    """Values by name, each a cell. Numbers are matched by the number that they are."""

    listed: tuple[str, ...]

    @property
    def size(self) -> int:
        return len(self.listed) + 1

    @property
    def dtype(self) -> pl.DataType:
        """Numbers, days or truth values where all that is listed is spelled as they are; codes such as 01 are texts."""
        texts = pl.Series(self.listed, dtype=pl.String)
        for dtype in (pl.Boolean(), pl.Int64(), pl.Float64(), pl.Date()):
            found = typed(texts, dtype)
            if found.dtype == dtype and plain_text(found).equals(plain_text(texts), null_equal=True):
                return dtype
        return pl.String()

    @property
    def ordered(self) -> bool:
        """Numbers that are listed from the lowest to the highest, codes such as 01 not among them."""
        if not self.dtype.is_numeric():
            return False
        found = [number for number in map(exact, self.listed) if number is not None]
        return len(found) == len(self.listed) and all(a < b for a, b in pairwise(found))

    def codes(self, cells: pl.Series) -> np.ndarray:
        return np.asarray(np.minimum(matched(self.listed, cells), len(self.listed)), dtype=np.int32)

    def values(self, codes: np.ndarray, dtype: pl.DataType, rng: np.random.Generator) -> pl.Series:  # noqa: ARG002
        texts: list[str | None] = [*self.listed, None]
        return typed(pl.Series(texts, dtype=pl.String), dtype).gather(codes)

    def cells_of(self, told: Any) -> np.ndarray:
        found = np.zeros(self.size, dtype=bool)
        for value in told if isinstance(told, list | tuple) else [told]:
            place = int(matched(self.listed, pl.Series([value], strict=False))[0])
            if place >= len(self.listed):
                raise PlanError(
                    f"impossible: column {self.name!r} has no value {quote(value)} in what the plan says it can hold. "
                    "Correct it, or name the value there."
                )
            found[place] = True
        return found

    def to_document(self) -> dict[str, Any]:
        return {"name": self.name, "values": list(self.listed)}


@dataclass(frozen=True)
class Grid(Coding):
    """Numbers on a grid of `points` from `low` upwards; cell i holds the points from `starts[i]` to the next start."""

    low: Fraction
    step: Fraction
    points: int
    starts: tuple[int, ...]
    bins: int | None = None

    @property
    def size(self) -> int:
        return len(self.starts) + 1

    @property
    def dtype(self) -> pl.DataType:
        return pl.Int64() if self.low.denominator == self.step.denominator == 1 else pl.Float64()

    @property
    def ordered(self) -> bool:
        return True

    def places(self, cells: pl.Series) -> np.ndarray:
        """The point of each value, the next one below it; −1 where it is missing or lies outside."""
        with np.errstate(invalid="ignore"):
            found = np.floor((numbers(cells) - float(self.low)) / float(self.step) + 1e-9)
            inside = (found >= 0) & (found < self.points)
        return np.where(inside, found, -1.0).astype(np.int64)

    def codes(self, cells: pl.Series) -> np.ndarray:
        places = self.places(cells)
        found = np.searchsorted(np.array(self.starts), places, side="right") - 1
        return np.where(places < 0, len(self.starts), found).astype(np.int32)

    def values(self, codes: np.ndarray, dtype: pl.DataType, rng: np.random.Generator) -> pl.Series:
        begins = np.array([*self.starts, 0])
        widths = np.diff(np.array([*self.starts, self.points]), append=self.points + 1)
        points = begins[codes] + np.floor(rng.random(len(codes)) * widths[codes]).astype(np.int64)
        outside = codes == len(self.starts)
        if self.dtype.is_integer():
            drawn = pl.Series(int(self.low) + int(self.step) * points)
        else:
            whole = [float(self.low + self.step * point) for point in range(self.points)]
            drawn = pl.Series(np.array([*whole, 0.0])[np.where(outside, self.points, points)])
        kept = drawn.zip_with(pl.Series(~outside), pl.Series([None], dtype=drawn.dtype).new_from_index(0, len(codes)))
        return kept.cast(dtype) if dtype.is_numeric() else typed(as_text(kept), dtype)

    def cells_of(self, told: Any) -> np.ndarray:
        wanted = np.zeros(self.points, dtype=bool)
        for first, last in self.spans(told):
            wanted[first:last] = True
        ends = [*self.starts[1:], self.points]
        inside = [bool(wanted[a:b].all()) for a, b in zip(self.starts, ends, strict=True)]
        return np.array([*inside, False])

    def spans(self, told: Any) -> list[tuple[int, int]]:
        """The points that a constraint names, as half-open spans."""
        if isinstance(told, Mapping):
            first = told.get("from", self.low)
            last = told.get("to", self.low + self.step * (self.points - 1))
            return [(max(0, self._point(first)), min(self.points, self._point(last) + 1))]
        return [(self._point(value), self._point(value) + 1) for value in (told if _several(told) else [told])]

    def _point(self, value: Any) -> int:
        try:
            return (Fraction(str(value)) - self.low) // self.step
        except (ValueError, ZeroDivisionError):
            raise PlanError(f"impossible: {quote(value)} is no number of column {self.name!r}. Write one.") from None

    def cut_at(self, starts: Sequence[int]) -> Grid:
        """The grid with cells that begin at these points too."""
        return replace(self, starts=tuple(sorted({0, *self.starts, *starts} & set(range(self.points)))))

    def to_document(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "low": str(self.low),
            "step": str(self.step),
            "points": self.points,
            "starts": list(self.starts),
        }


def from_document(document: Mapping[str, Any]) -> Coding:
    """The coding that a transcript holds."""
    if "values" in document:
        return Listed(document["name"], tuple(document["values"]))
    low, step = Fraction(document["low"]), Fraction(document["step"])
    return Grid(document["name"], low, step, int(document["points"]), tuple(map(int, document["starts"])))


def plain_domain(told: Any) -> Any:
    """What a user says that a column can hold, as a plan file holds it."""
    if isinstance(told, range):
        if len(told) < 1 or told.step < 1:
            raise PlanError(f"domains: {told!r} holds no numbers. Write range(low, high + 1).")
        return {"from": told[0], "to": told[-1], **({} if told.step == 1 else {"step": told.step})}
    if isinstance(told, Mapping):
        return {key: list(value) if _several(value) else value for key, value in told.items()}
    return list(told) if _several(told) else told


def coding_of(name: str, told: Any, bins: int) -> Coding:
    """The coding that a plan's words stand for: values one by one, or numbers between two bounds."""
    if isinstance(told, Mapping):
        return _grid(name, told, bins)
    if _several(told) and any(value is None or text_of(value) == "nan" for value in told):
        raise PlanError(
            f"domains: column {name!r} names a missing value. Leave it out: missing cells have a cell of their own."
        )
    values = tuple(dict.fromkeys(map(text_of, told if _several(told) else ())))
    if not values:
        raise PlanError(
            f"domains: column {name!r} must be a list of values or bounds such as {{'from': 0, 'to': 120}}, not "
            f"{quote(told)}."
        )
    return Listed(name, values)


def _grid(name: str, told: Mapping[str, Any], bins: int) -> Grid:
    where = f"domains: column {name!r}"
    for key in told:
        if key not in _KEYS:
            raise PlanError(f"{where} has no entry {key!r}. Write 'from', 'to', and 'step', 'bins' or 'cuts'.")
    try:
        low, high = Fraction(str(told["from"])), Fraction(str(told["to"]))
        whole = low.denominator == high.denominator == 1
        least = max(Fraction(1), Fraction(-(-(high - low + 1) // _POINTS))) if whole else (high - low) / (_POINTS - 1)
        step = Fraction(str(told["step"])) if "step" in told else least
        cuts = [Fraction(str(cut)) for cut in _listed(told.get("cuts", ()))]
        wanted = int(told["bins"]) if "bins" in told else None
    except (KeyError, ValueError, TypeError, ZeroDivisionError):
        raise PlanError(f"{where} needs two numbers, 'from' and 'to'; the other entries are numbers too.") from None
    if high <= low or step <= 0:
        raise PlanError(f"{where} reaches from {told['from']} to {told['to']}. Write the lower bound first.")
    if wanted is not None and not 2 <= wanted <= MOST_BINS:
        raise PlanError(f"{where}: bins must be from 2 to {MOST_BINS}, not {wanted}.")
    for cut in cuts:
        if not low <= cut <= high:
            raise PlanError(f"{where} is cut at {cut}, which is not between its bounds. Move the bounds, or the cut.")
    points = int((high - low) // step) + 1
    if points > 2**20:
        raise PlanError(f"{where} has {points} steps between its bounds. Take a larger 'step'.")
    if cuts:
        starts = sorted({0, *(int((cut - low) // step) for cut in cuts)})
        return Grid(name, low, step, points, tuple(starts))
    if wanted or points > 128:
        return Grid(name, low, step, points, (0,), wanted or bins)
    return Grid(name, low, step, points, tuple(range(points)))


def _listed(told: Any) -> Sequence[Any]:
    if not _several(told):
        raise TypeError(told)
    return list(told)


def text_of(value: Any) -> str:
    """A value as cells are compared."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def typed(texts: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Texts in the type of their column; as texts where some are no values of it."""
    try:
        if dtype == pl.Boolean:
            return texts.replace_strict(["true", "false"], [True, False], default=None, return_dtype=pl.Boolean)
        if dtype.is_integer():
            return pl.Series([None if text is None else _whole(text) for text in texts], dtype=dtype)
        if dtype == pl.Date:
            return texts.str.to_date("%Y-%m-%d")
        return texts if dtype == pl.String else texts.cast(dtype)
    except (pl.exceptions.PolarsError, ValueError, OverflowError, TypeError):
        return texts


def _whole(text: str) -> int:
    """A whole number, however it is spelled: 1, 01 and 1.0."""
    number = exact(text)
    if number is None or number != int(number):
        raise ValueError(text)
    return int(number)


def _several(told: Any) -> bool:
    return isinstance(told, list | tuple | range)
