"""Inference: can a sensitive value of a person be guessed from what is known of them?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from paravent.errors import PlanError, TableError
from paravent.privacy.attacks.attack import Attack, ColumnAttack, Finding
from paravent.privacy.attacks.nearest import Nearest
from paravent.privacy.attacks.sampled import SampledAttack
from paravent.privacy.attacks.scene import Population, Scene
from paravent.privacy.model import check_number
from paravent.table.text import as_text

_MANY = 20


@dataclass(frozen=True, kw_only=True)
class Inference(SampledAttack, ColumnAttack):
    """Somebody knows the columns `known` of a person (all quasi-identifiers) and guesses `column`.

    Every row that fits the person votes for its value, one in narrow cells with more weight: 1 over the number of
    combinations it could stand for. The guess is the value with most votes, of equals the commonest, or the weighted
    median of numbers. It is right when it is the value that the original has, or within the share `tolerance` of it:
    0.05 for numbers with more than 20 different values, else it has to be the same. The blind guess is the commonest
    value of the release, or the median.

    >>> frame = pl.DataFrame({"age": ["2*", "2*", "3*", "3*"], "disease": ["flu", "flu", "cold", "cold"]})
    >>> scene = Scene(frame, ("age",), ("disease",), original=Population(frame))
    >>> found = Inference(column="disease").run(scene)
    >>> found["attack"], found["baseline"]
    (1.0, 0.5)
    """

    column: str | None = None
    known: Sequence[str] | None = None
    tolerance: float | None = None

    title: ClassVar[str] = "Inference"
    short: ClassVar[str] = "inference"
    question: ClassVar[str] = "Can a sensitive value be inferred?"
    stopped_by: ClassVar[str] = "l-diversity and t-closeness: classes that do not tell more than the whole table"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tolerance is not None:
            check_number("Inference: tolerance", self.tolerance, low=0, high=float("inf"))
        if self.column is not None and self.column in (self.known or ()):
            raise PlanError(f"Inference: column {self.column!r} cannot be known and guessed. Leave it out of known.")

    def concrete(self, scene: Scene) -> Sequence[Attack]:
        return ColumnAttack.concrete(self, scene)

    def lacks(self, scene: Scene) -> str | None:
        if scene.original is not None and self.column is not None and self.column not in scene.original.frame.columns:
            return f"column {self.column!r} in the original, to tell right guesses from wrong ones"
        return SampledAttack.lacks(self, scene) or ColumnAttack.lacks(self, scene)

    def run(self, scene: Scene) -> Finding:
        original = scene.original
        assert original is not None, "lacks() says so"
        others = self.control(scene)
        columns = tuple(name for name in scene.shared(original, self.known) if name != self.named)
        if not columns:
            raise TableError(f"nothing is known but {self.named!r} itself. Name other columns with known=….")
        secret = _Secret.of(scene, self.named, self.tolerance)
        targets = self.drawn(original, 1)
        truth = secret.truth(original, targets)
        guessed, belief = secret.guesses(scene, original, columns, targets)
        hit = secret.right(guessed, truth)
        control = None
        if others is not None:
            scene.shared(others, [*columns, self.named])
            tried = self.drawn(others, 2)
            control = secret.right(secret.guesses(scene, others, columns, tried)[0], secret.truth(others, tried))
        trial = self.trial(hit, secret.right(np.full(len(targets), secret.blind), truth), control)
        rows, at = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        if original.row_of is not None:
            rows, at = np.unique(original.row_of[targets[hit]], return_index=True)
        what = f"“{self.named}” is guessed right from the quasi-identifiers"
        return Finding(
            self,
            self.sentence(trial, what),
            self.figures(trial, f"{self.named} is guessed right"),
            exposed=scene.positions(rows),
            degree=belief[hit][at],
            people=targets[hit],
            trial=trial,
        )


@dataclass(frozen=True, eq=False)
class _Secret:
    """The column to be guessed: codes of its released values, or the numbers themselves where nearness counts."""

    column: str
    codes: np.ndarray
    values: pl.Series
    counts: np.ndarray
    tolerance: float | None

    @classmethod
    def of(cls, scene: Scene, column: str, tolerance: float | None) -> _Secret:
        codes, values = scene.values(column)
        numeric = values.dtype.is_numeric()
        if tolerance is not None and not numeric:
            raise TableError(f"column {column!r}: a tolerance needs numbers, and the column holds none. Leave it out.")
        if tolerance is None and numeric and len(values) > _MANY:
            tolerance = 0.05
        return cls(column, codes, values, np.bincount(codes, minlength=len(values)), tolerance)

    @property
    def numbers(self) -> np.ndarray:
        """The values as numbers, ascending; a missing one is nan and stands first."""
        return np.asarray(self.values.cast(pl.Float64).fill_null(float("nan")).to_numpy())

    @property
    def blind(self) -> float:
        if self.tolerance is None:
            return float(np.argmax(self.counts))
        return self._median(np.arange(len(self.values)), self.counts.astype(np.float64))

    def _median(self, codes: np.ndarray, votes: np.ndarray) -> float:
        """The lowest number with at least half of the votes at or below it. Codes ascend as numbers do."""
        there = ~np.isnan(self.numbers[codes])
        codes, votes = codes[there], votes[there]
        if not len(codes):
            return float("nan")
        return float(self.numbers[codes[np.searchsorted(np.cumsum(votes), votes.sum() / 2)]])

    def truth(self, population: Population, people: np.ndarray) -> np.ndarray:
        """What the people have: codes of released values (−1: the release has no such value), or numbers."""
        cells = population.frame[self.column].alias("cells").gather(people)
        if self.tolerance is not None:
            if not cells.dtype.is_numeric():
                raise TableError(f"column {self.column!r}: the release holds numbers, the {population.called} text.")
            return np.asarray(cells.cast(pl.Float64).fill_null(float("nan")).to_numpy())
        known = pl.DataFrame({"cells": as_text(self.values), "code": np.arange(len(self.values))})
        asked = pl.DataFrame({"cells": as_text(cells)})
        joined = asked.join(known, on="cells", how="left", nulls_equal=True, maintain_order="left")["code"]
        return joined.fill_null(-1).to_numpy().astype(np.float64)

    def right(self, guessed: np.ndarray, truth: np.ndarray) -> np.ndarray:
        if self.tolerance is None:
            return np.asarray(guessed == truth)
        return np.asarray(np.abs(guessed - truth) <= self.tolerance * np.abs(truth))  # nan is never right

    def guesses(
        self, scene: Scene, population: Population, columns: Sequence[str], targets: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The guess for each target, and the share of the votes that it got."""
        links = scene.links(population, columns)
        histogram = scene.counts(links.classes.of_row, len(links.classes), self.codes, len(self.values))
        nearest = Nearest(links, targets)
        guessed, belief = np.zeros(len(targets)), np.zeros(len(targets))
        for i, classes in enumerate(nearest.classes()):
            runs = [slice(histogram.start[c], histogram.start[c + 1]) for c in classes.tolist()]
            codes = np.concatenate([histogram.value[run] for run in runs])
            weights = np.repeat(1 / nearest.width[classes], [run.stop - run.start for run in runs])
            votes = np.concatenate([histogram.count[run] for run in runs]) * weights
            found, place = np.unique(codes, return_inverse=True)
            summed = np.bincount(place, weights=votes)
            if self.tolerance is not None:
                guessed[i] = self._median(found, summed)
            else:
                best = np.lexsort((-found, self.counts[found], summed))[-1]
                guessed[i], belief[i] = found[best], summed[best] / summed.sum()
        return guessed, belief
