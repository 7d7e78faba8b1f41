"""Transfer: how well synthetic rows serve in the place of real ones, and how easily they are told apart.

A classifier is trained on the release and tested on real rows, beside one that was trained on real rows: half of the
original, dealt by the seed, is for testing, the other half for the comparison. It sees categories one by one, numbers
by their size. A second one tells released rows from real ones (see propensity). For the owner of the original: neither
is covered by differential privacy. Where cells are generalized, their labels alone tell them apart: then neither is
measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from paravent.errors import PlanError
from paravent.measures import Absent, Measure
from paravent.near import suggest
from paravent.table.text import as_text
from paravent.utility.family import Study, on_request
from paravent.utility.propensity import told_apart
from paravent.utility.subject import Subject

_VALUES = 40
"""The most frequent values of a column that count one by one; all others are one."""


@on_request(synthetic=True)
def transfer(subject: Subject, study: Study) -> Iterator[Measure | Absent]:
    """Accuracy and AUC of a classifier trained on the release and tested on real rows; pMSE."""
    original, released = subject.original, subject.released
    why = _not_comparable(subject)
    if why or original is None:
        yield Absent("utility.transfer", why or "the original is not there.")
        yield Absent("utility.pmse", why or "the original is not there.")
        return
    names = [name for name in original.columns if name in released.columns]
    if original.height and released.height and names:
        yield from told_apart(original, released, names)
    else:
        yield Absent("utility.pmse", "there is nothing to compare.")
    try:
        import sklearn  # noqa: F401
    except ImportError:
        yield Absent("utility.transfer", "scikit-learn is not installed: pip install 'paravent[learn]'.")
        return
    rng = np.random.default_rng(study.seed)
    original = original.select(names)[np.sort(rng.permutation(original.height)[: study.most_rows])]
    released = released.select(names)[np.sort(rng.permutation(released.height)[: study.most_rows])]
    target = study.target or next(iter(subject.sensitive), None)
    if target is None:
        yield Absent("utility.transfer", "nothing says which column is to be predicted. Name it with target=.")
        return
    if target not in names:
        raise PlanError(f"measure: the release has no column {target!r}. {suggest(target, names)}")
    yield from _trained(original, released, [name for name in names if name != target], target, rng)


def _not_comparable(subject: Subject) -> str:
    if subject.synthetic:
        return ""
    changed = [axis.name for axis in subject.axes if axis.name in subject.released.columns]
    kinds = {name: subject.released.schema[name] for name in changed}
    before = {} if subject.original is None else {name: subject.original.schema.get(name) for name in changed}
    if any(before.get(name) != kind and not kind.is_numeric() for name, kind in kinds.items()):
        return "cells are generalized, and labels are no values to learn from: ask for `learning`, which reads them."
    return "" if subject.original is not None else "the original is not there."


@dataclass(frozen=True, eq=False)
class _Features:
    """Columns as numbers, by what the real rows hold."""

    names: list[str]
    numeric: dict[str, tuple[float, float]]
    values: dict[str, list[str]]

    @classmethod
    def of(cls, frame: pl.DataFrame, names: list[str]) -> _Features:
        numeric, values = {}, {}
        for name in names:
            column = frame[name]
            if column.dtype.is_numeric():
                numbers = column.cast(pl.Float64).drop_nulls().drop_nans().to_numpy()
                numeric[name] = (float(numbers.mean()), float(numbers.std()) or 1.0) if len(numbers) else (0.0, 1.0)
            else:
                counted = as_text(column.alias("cells")).drop_nulls().value_counts(sort=True, name="n")
                values[name] = sorted(counted["cells"].head(_VALUES).to_list())
        return cls(names, numeric, values)

    def matrix(self, frame: pl.DataFrame) -> np.ndarray:
        parts = []
        for name in self.names:
            if name in self.numeric:
                mean, deviation = self.numeric[name]
                cells = as_text(frame[name].alias("cells")).cast(pl.Float64, strict=False).fill_nan(None)
                numbers = ((cells - mean) / deviation).clip(-10, 10)
                parts += [numbers.fill_null(0.0).to_numpy(), cells.is_null().to_numpy().astype(float)]
            else:
                texts = as_text(frame[name].alias("cells"))
                for value in self.values[name]:
                    parts.append((texts == value).fill_null(False).to_numpy().astype(float))
        return np.column_stack(parts) if parts else np.zeros((frame.height, 1))


def _fitted(rows: np.ndarray, classes: np.ndarray) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=300, tol=1e-3).fit(rows, classes)


def _trained(
    original: pl.DataFrame, released: pl.DataFrame, names: list[str], target: str, rng: np.random.Generator
) -> Iterator[Measure | Absent]:
    real, made = (as_text(frame[target].alias("cells")) for frame in (original, released))
    known = real.drop_nulls().unique().sort()
    if not 2 <= len(known) <= 50:
        yield Absent("utility.transfer", f"column {target!r} has {len(known)} values, and 2 to 50 can be predicted.")
        return
    features = _Features.of(original, names)
    test = np.zeros(original.height, dtype=bool)
    test[rng.permutation(original.height)[: original.height // 2]] = True
    test &= real.is_not_null().to_numpy()
    rest = ~test & real.is_not_null().to_numpy()
    rows, truth = features.matrix(original), real.to_numpy()
    usable = made.is_in(known.to_list()).fill_null(False).to_numpy()
    train = {"": (features.matrix(released)[usable], made.to_numpy()[usable]), ".original": (rows[rest], truth[rest])}
    _, counts = np.unique(truth[test], return_counts=True)
    how = {"": "trained on the release", ".original": "trained on real rows"}
    yield Measure(
        "utility.transfer.majority",
        float(counts.max() / counts.sum()),
        f"Share of the most frequent {target}",
        "What a classifier reaches that has learnt nothing.",
        better="neither",
        unit="share",
    )
    for ending, (seen, classes) in train.items():
        if len(np.unique(classes)) < 2:
            yield Absent(f"utility.transfer.accuracy{ending}", f"column {target!r} has one value there.")
            continue
        model = _fitted(seen, classes)
        accuracy = float((model.predict(rows[test]) == truth[test]).mean())
        better: Any = "higher" if not ending else "neither"
        said = f"logistic regression {how[ending]} and tested on other real rows"
        yield Measure(f"utility.transfer.accuracy{ending}", accuracy, f"Accuracy, {how[ending]}",
                      f"How often {said} tells {target} right.", better=better, unit="share")  # fmt: skip
        yield Measure(f"utility.transfer.auc{ending}", _auc(model, rows[test], truth[test]), f"AUC, {how[ending]}",
                      f"How often {said} puts a row of a value before one of another, averaged over values.",
                      better=better, unit="share")  # fmt: skip


def _auc(model: Any, rows: np.ndarray, truth: np.ndarray) -> float:
    """The area under the ROC curve, one value against the others, averaged over the values that occur."""
    confidence, found = model.predict_proba(rows), []
    for place, value in enumerate(model.classes_):
        own = truth == value
        if own.any() and not own.all():
            ranks = _ranks(confidence[:, place])
            found.append((ranks[own].sum() - own.sum() * (own.sum() + 1) / 2) / (own.sum() * (~own).sum()))
    return float(np.mean(found)) if found else 0.5


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1 on, ties at their mean."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[place])
