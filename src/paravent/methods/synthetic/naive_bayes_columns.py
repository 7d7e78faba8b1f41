"""The generator of Attou and Djedoui (2023): sensitive columns replaced by the predictions of a noisy classifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import polars as pl

from paravent.errors import PlanError
from paravent.methods.method import Method, OutputType, Recoding, RoleName, Task
from paravent.private.mechanisms import laplace
from paravent.published import Drawn, Untouched
from paravent.published.by_row import missing_cells
from paravent.table.text import as_text

_POINT = 2**20
"""Means and variances are whole multiples of one part in so many, so that exact noise can be added."""


@dataclass(frozen=True, kw_only=True)
class NaiveBayesColumns(Method):
    """Each sensitive column is replaced by what a Gaussian naive Bayes classifier predicts from all others, with
    Laplace noise on the means and variances of its classes, as described in the source. For study: **this is no
    differentially private release**, and a plan that asks for one is refused.

    All other columns are published as they are, so that most rows can be recognised; the bounds, the sizes of the
    classes and the codes of texts are taken from the data and cost nothing; and a prediction is made for everybody by
    their own row. `epsilon` is what the noise would spend if nothing else were shown. `NaiveBayes` draws every column
    and accounts for all it reads. The noise has no seed: no two runs are alike.

    >>> NaiveBayesColumns(epsilon=0.5)
    NaiveBayesColumns(epsilon=0.5)
    """

    epsilon: float = 1.0

    title: ClassVar[str] = "Predicted columns"
    source: ClassVar[str] = "Attou, Djedoui: Anonymisation des données sensibles dans un data-set. Thesis, 2023"
    gives: ClassVar[OutputType] = "synthetic"
    makes_classes: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not 0 < self.epsilon < float("inf"):
            raise PlanError(f"NaiveBayesColumns: epsilon must be above 0 and finite, not {self.epsilon!r}.")

    @property
    def weighs(self) -> bool:
        return False

    def changes(self, roles: Mapping[str, RoleName]) -> frozenset[str]:
        return frozenset(name for name, role in roles.items() if role == "sensitive")

    def run(self, task: Task) -> Recoding:
        sensitive = [name for name in task.cells if task.roles[name] == "sensitive"]
        others = {name: _numbers(cells) for name, cells in task.cells.items()}
        if not sensitive or len(others) < 2:
            raise PlanError("NaiveBayesColumns: name a sensitive column to replace, and leave another to predict from.")
        share = Fraction(str(self.epsilon)) / len(sensitive)
        cells = {
            name: Drawn(self._predicted(task.cells[name], [others[other] for other in others if other != name], share))
            for name in sensitive
        }
        kept = {axis.name: Untouched() for axis in task.axes}
        trace = tuple(f"Replaced {name!r} by predictions from {len(others) - 1} other columns." for name in sensitive)
        return Recoding(np.zeros(task.n_rows, dtype=np.int32), 1, {**kept, **cells}, trace)

    def _predicted(self, cells: pl.Series, features: list[np.ndarray], epsilon: Fraction) -> pl.Series:
        texts = as_text(cells)
        known = ~missing_cells(cells)
        classes = sorted(texts.filter(pl.Series(known)).unique().to_list())
        if not classes:
            return cells
        codes = texts.replace_strict(classes, range(len(classes)), default=-1, return_dtype=pl.Int32).fill_null(-1)
        of_row = codes.to_numpy()
        each = epsilon / (2 * len(features))
        first = [int(np.flatnonzero(of_row == code)[0]) for code in range(len(classes))]
        scores = np.zeros((len(cells), len(classes)))
        for code in range(len(classes)):
            inside = of_row == code
            scores[:, code] += np.log(inside.sum() / known.sum())
            for feature in features:
                width = float(np.ptp(feature)) or 1.0
                place = (feature - feature.min()) / width
                mean = _noisy(place[inside].mean(), int(inside.sum()), each)
                variance = max(_noisy(place[inside].var(), int(inside.sum()), each), 1e-6)
                scores[:, code] -= 0.5 * (np.log(variance) + (place - mean) ** 2 / variance)
        best = np.array(first)[np.argmax(scores, axis=1)]
        drawn = cells.gather(best)
        return drawn.zip_with(pl.Series(known), cells)


def _noisy(number: float, rows: int, epsilon: Fraction) -> float:
    """A mean of numbers from 0 to 1 with Laplace noise for one of `rows` changing."""
    whole = np.array([round(number * _POINT)], dtype=np.int64)
    return float(laplace(whole, Fraction(_POINT, rows) / epsilon)[0]) / _POINT


def _numbers(cells: pl.Series) -> np.ndarray:
    """A column as numbers: texts by their place in the alphabet, missing cells as −1."""
    if cells.dtype.is_numeric():
        return cells.cast(pl.Float64).fill_nan(None).fill_null(-1.0).to_numpy()
    return as_text(cells).rank("dense").cast(pl.Float64).fill_null(-1.0).to_numpy()
