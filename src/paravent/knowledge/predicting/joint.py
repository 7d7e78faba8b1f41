"""Joint models: one for each metric, of all methods together, which knows a method by how it fared elsewhere.

Most methods have too few runs to learn by themselves what a new kind of table does to them. Here the method is a
feature: how much it gave above or below the others on the same table, in standard deviations of that table; how much
more so with many columns than with few; and with large k than with small. Every table has the same weight.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from paravent.knowledge.predicting.boosted import Boosted
from paravent.knowledge.predicting.features import NAMES

FOLDS = 5
COVERAGE = 0.9
_SHRINK = 2.0
"""So many runs of no difference are added to those that were seen."""
_LEAST_RUNS = 40
"""With fewer errors of its own, a method's interval is that of all methods, if that is wider."""


@dataclass(frozen=True, eq=False)
class Joint:
    """The model of a metric: boosted trees, what each method is known by, and the half-widths of the intervals."""

    trees: Boosted
    codes: Mapping[str, tuple[float, ...]]
    widths: Mapping[str, float]

    @classmethod
    def fit(
        cls, rows: np.ndarray, target: np.ndarray, method: np.ndarray, table: np.ndarray, data: np.ndarray
    ) -> Joint:
        """The model of runs; intervals hold nine in ten of the errors on data sets that were left out."""
        _, place = np.unique(data, return_inverse=True)
        fold = place % FOLDS
        errors = np.full(len(target), np.nan)
        for part in range(FOLDS):
            unseen = fold == part
            if unseen.all() or not unseen.any():
                continue
            codes, trees = _learn(rows[~unseen], target[~unseen], method[~unseen], table[~unseen])
            known = unseen & np.isin(method, list(codes))
            errors[known] = np.abs(target[known] - trees.predict(_with(rows[known], method[known], codes)))
        codes, trees = _learn(rows, target, method, table)
        pooled = _quantile(errors[np.isfinite(errors)])
        widths = {}
        for name in codes:
            own = errors[(method == name) & np.isfinite(errors)]
            widths[name] = _quantile(own) if len(own) >= _LEAST_RUNS else max(pooled, _quantile(own))
        return cls(trees, codes, widths)

    def predict(self, method: str, rows: np.ndarray) -> np.ndarray:
        return self.trees.predict(_with(rows, np.full(len(rows), method), self.codes))

    def to_dict(self) -> dict[str, Any]:
        codes = {name: [float(f"{number:.6g}") for number in code] for name, code in self.codes.items()}
        widths = {name: float(f"{width:.6g}") for name, width in self.widths.items()}
        return {"codes": codes, "widths": widths, "trees": self.trees.to_dict()}

    @classmethod
    def from_dict(cls, held: Mapping[str, Any]) -> Joint:
        codes = {name: tuple(code) for name, code in held["codes"].items()}
        return cls(Boosted.from_dict(held["trees"]), codes, dict(held["widths"]))


def _learn(
    rows: np.ndarray, target: np.ndarray, method: np.ndarray, table: np.ndarray
) -> tuple[dict[str, tuple[float, ...]], Boosted]:
    codes = method_codes(rows, target, method, table)
    _, of_table = np.unique(table, return_inverse=True)
    weight = 1 / np.bincount(of_table)[of_table]
    return codes, Boosted.fit(_with(rows, method, codes), target, weight * len(weight) / weight.sum())


def method_codes(
    rows: np.ndarray, target: np.ndarray, method: np.ndarray, table: np.ndarray
) -> dict[str, tuple[float, ...]]:
    """What each method is known by: above or below the others of its table, and how that leans on columns and k."""
    _, of_table = np.unique(table, return_inverse=True)
    names, of_method = np.unique(method, return_inverse=True)
    count = np.bincount(of_table)
    off = target - (np.bincount(of_table, target) / count)[of_table]
    spread = np.sqrt(np.bincount(of_table, off**2) / count)
    off = off / np.maximum(spread, 1e-2)[of_table]
    columns, k = rows[:, NAMES.index("columns")], rows[:, NAMES.index("k")]

    def mean(chosen: np.ndarray) -> np.ndarray:
        seen = np.bincount(of_method[chosen], minlength=len(names))
        return np.asarray(np.bincount(of_method[chosen], off[chosen], minlength=len(names)) / (seen + _SHRINK))

    wide = mean(columns >= 6) - mean(columns <= 3)
    large = mean(k >= np.log2(50) - 1e-9) - mean(k <= np.log2(5) + 1e-9)
    overall = mean(np.ones(len(target), dtype=bool))
    return {str(name): (float(overall[i]), float(wide[i]), float(large[i])) for i, name in enumerate(names)}


def _with(rows: np.ndarray, method: np.ndarray, codes: Mapping[str, tuple[float, ...]]) -> np.ndarray:
    names, of_method = np.unique(method, return_inverse=True)
    return np.column_stack([rows, np.array([codes[str(name)] for name in names])[of_method]])


def _quantile(errors: np.ndarray) -> float:
    """As wide as nine in ten of the errors, one more counted than there are."""
    if not len(errors):
        return 0.0
    return float(np.quantile(errors, min(1.0, COVERAGE * (len(errors) + 1) / len(errors))))
