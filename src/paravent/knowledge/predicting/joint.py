"""Joint models: one for each metric, of all methods together, which knows a method by how it fared elsewhere.

Most methods have too few runs to learn by themselves what a new kind of table does to them. Here the method is a
feature: how much it gave above or below the others on the same table, in standard deviations of that table; how much
more so with many columns than with few; and with large k than with small. What the method should give by the fact of
the table's collapse that goes with it most closely, along a line, is where a prediction starts: the trees learn what is
to be added. Where a fact says exactly what a method gives on most tables, they leave it as it is. Every table weighs
alike, and its errors count in proportion to how far its runs lie apart: what is asked of a model is their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paravent.knowledge.predicting.boosted import Boosted
from paravent.knowledge.predicting.features import NAMES

FOLDS = 5
COVERAGE = 0.9
_SHRINK = 2.0
"""So many runs of no difference are added to those that were seen."""
_ENOUGH = 12
"""Methods with fewer runs take the line that fits all of them best."""
_NO_SPREAD = 1e-12
_LEAST_STEP = 1e-6
_ALIKE = 0.3
"""Tables whose runs spread by less than this share of the usual are not taken more seriously for it."""
_LEAST_RUNS = 40
"""With fewer errors of its own, a method's interval is that of all methods, if that is wider."""


@dataclass(frozen=True)
class Line:
    """The fact that goes with a method most closely: the method gives about `start` + `slope` of it, and is off by
    `error` on average."""

    feature: int
    start: float
    slope: float
    error: float


@dataclass(frozen=True, eq=False)
class Known:
    """What methods are known by: numbers of their own, and their lines where the collapse of tables is at hand."""

    codes: Mapping[str, tuple[float, ...]]
    lines: Mapping[str, Line]

    def beside(self, rows: np.ndarray, method: np.ndarray) -> np.ndarray:
        """Rows of features, each with what its method is known by."""
        names, of_method = np.unique(method, return_inverse=True)
        columns = [rows, np.array([self.codes[str(name)] for name in names])[of_method]]
        if self.lines:
            start = self._on_lines(rows, method)
            columns += [start, start - np.median(rows[:, len(NAMES) :], axis=1)]
        return np.column_stack(columns)

    def starts(self, rows: np.ndarray, method: np.ndarray) -> np.ndarray:
        """Where the prediction of each row starts: on the line of its method, or at 0."""
        return self._on_lines(rows, method) if self.lines else np.zeros(len(rows))

    def steps(self, method: np.ndarray) -> np.ndarray:
        """What the trees answer in: how far lines are off, by method, so that little is added where a fact says nearly
        all; or 1."""
        if not self.lines:
            return np.ones(len(method))
        names, of_method = np.unique(method, return_inverse=True)
        return np.array([max(_LEAST_STEP, self.lines[str(name)].error) for name in names])[of_method]

    def _on_lines(self, rows: np.ndarray, method: np.ndarray) -> np.ndarray:
        names, of_method = np.unique(method, return_inverse=True)
        lines = [self.lines[str(name)] for name in names]
        fact = rows[np.arange(len(rows)), np.array([line.feature for line in lines])[of_method]]
        start, slope = (np.array([getattr(line, part) for line in lines]) for part in ("start", "slope"))
        return np.asarray(start[of_method] + slope[of_method] * fact)


@dataclass(frozen=True, eq=False)
class Joint:
    """The model of a metric: boosted trees, what each method is known by, the half-widths of the intervals, and the
    facts of a table's collapse that follow on the other features."""

    trees: Boosted
    known: Known
    widths: Mapping[str, float]
    facts: Sequence[str] = ()

    @classmethod
    def fit(
        cls,
        rows: np.ndarray,
        target: np.ndarray,
        method: np.ndarray,
        table: np.ndarray,
        data: np.ndarray,
        facts: Sequence[str] = (),
    ) -> Joint:
        """The model of runs; intervals hold nine in ten of the errors on data sets that were left out."""
        _, place = np.unique(data, return_inverse=True)
        fold = place % FOLDS
        errors = np.full(len(target), np.nan)
        for part in range(FOLDS):
            unseen = fold == part
            if unseen.all() or not unseen.any():
                continue
            known, trees = learnt(rows[~unseen], target[~unseen], method[~unseen], table[~unseen])
            seen = unseen & np.isin(method, list(known.codes))
            errors[seen] = np.abs(target[seen] - said(known, trees, rows[seen], method[seen]))
        known, trees = learnt(rows, target, method, table)
        return cls(trees, known, widths(errors, method), tuple(facts))

    def predict(self, method: str, rows: np.ndarray) -> np.ndarray:
        return said(self.known, self.trees, rows, np.full(len(rows), method))

    def to_dict(self) -> dict[str, Any]:
        codes = {name: [_short(number) for number in code] for name, code in self.known.codes.items()}
        lines = {name: [e.feature, *map(_short, (e.start, e.slope, e.error))] for name, e in self.known.lines.items()}
        widths = {name: _short(width) for name, width in self.widths.items()}
        about = {"codes": codes, "lines": lines, "widths": widths, "facts": list(self.facts)}
        return {**about, "trees": self.trees.to_dict()}

    @classmethod
    def from_dict(cls, held: Mapping[str, Any]) -> Joint:
        codes = {name: tuple(code) for name, code in held["codes"].items()}
        lines = {name: Line(int(line[0]), *line[1:]) for name, line in held["lines"].items()}
        known = Known(codes, lines)
        return cls(Boosted.from_dict(held["trees"]), known, dict(held["widths"]), tuple(held["facts"]))


def learnt(rows: np.ndarray, target: np.ndarray, method: np.ndarray, table: np.ndarray) -> tuple[Known, Boosted]:
    """What methods are known by, and the trees."""
    weight = table_weights(target, table)
    known = Known(method_codes(rows, target, method, table), method_lines(rows, target, method, weight))
    step = known.steps(method)
    left = (target - known.starts(rows, method)) / step
    return known, Boosted.fit(known.beside(rows, method), left, weight * step**2)


def table_weights(target: np.ndarray, table: np.ndarray) -> np.ndarray:
    """What each run counts for: less on a table with many runs, and less where they lie far apart. Of tables whose runs
    are all nearly alike none counts for much more than others."""
    _, of_table = np.unique(table, return_inverse=True)
    count = np.bincount(of_table)
    spread = np.bincount(of_table, (target - (np.bincount(of_table, target) / count)[of_table]) ** 2) / count
    weight = (1 / (count * (spread + _ALIKE * np.median(spread) + _NO_SPREAD)))[of_table]
    return np.asarray(weight * len(weight) / weight.sum())


def said(known: Known, trees: Boosted, rows: np.ndarray, method: np.ndarray) -> np.ndarray:
    """What is predicted of each row: the line of its method, and what the trees add."""
    return np.asarray(known.starts(rows, method) + known.steps(method) * trees.predict(known.beside(rows, method)))


def widths(errors: np.ndarray, method: np.ndarray) -> dict[str, float]:
    """How wide the interval of each method is, by its errors on what was left out (not a number: not left out)."""
    known = np.isfinite(errors)
    pooled, found = _quantile(errors[known]), {}
    for name in np.unique(method):
        own = errors[known & (method == name)]
        found[str(name)] = _quantile(own) if len(own) >= _LEAST_RUNS else max(pooled, _quantile(own))
    return found


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


def method_lines(rows: np.ndarray, target: np.ndarray, method: np.ndarray, weight: np.ndarray) -> dict[str, Line]:
    """The line of each method: of the fact that goes with it most closely. None without facts."""
    if rows.shape[1] <= len(NAMES):
        return {}
    pooled = _line(rows, target, weight)
    found = {}
    for name in np.unique(method):
        own = method == name
        found[str(name)] = _line(rows[own], target[own], weight[own]) if own.sum() >= _ENOUGH else pooled
    return found


def _line(rows: np.ndarray, target: np.ndarray, weight: np.ndarray) -> Line:
    """The line with the least mean error: for each fact, itself, itself moved by the median, and with the slope of
    least squares. Ties: the first."""
    share = weight / weight.sum()
    mean = share @ rows
    spread, both = share @ (rows - mean) ** 2, (share * (target - share @ target)) @ (rows - mean)
    best, least = Line(len(NAMES), 0.0, 0.0, 0.0), np.inf
    for at in range(len(NAMES), rows.shape[1]):
        slopes = [1.0, float(both[at] / spread[at])] if spread[at] > _NO_SPREAD else [1.0]
        for slope, moved in [(1.0, False), *((slope, True) for slope in slopes)]:
            off = target - slope * rows[:, at]
            start = _median(off, share) if moved else 0.0
            error = float(share @ np.abs(off - start))
            if error < least - _NO_SPREAD:
                best, least = Line(at, start, slope, error), error
    return best


def _median(values: np.ndarray, share: np.ndarray) -> float:
    order = np.argsort(values, kind="stable")
    at = int(np.searchsorted(np.cumsum(share[order]), 0.5))
    return float(values[order[min(at, len(order) - 1)]])


def _short(number: float) -> float:
    return float(f"{number:.6g}")


def _quantile(errors: np.ndarray) -> float:
    """As wide as nine in ten of the errors, one more counted than there are."""
    if not len(errors):
        return 0.0
    return float(np.quantile(errors, min(1.0, COVERAGE * (len(errors) + 1) / len(errors))))
