"""Learning: how well a classifier does that has only seen the release.

The original's rows are dealt into folds. For each fold a classifier is trained on the released rows of all other
people and tested on the original rows of the fold, beside the same classifier trained on the original, and beside
always guessing the most frequent value. The quasi-identifiers are what it learns from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from paravent.errors import PlanError
from paravent.measures import Absent, Measure
from paravent.near import suggest
from paravent.privacy.classes import Histogram
from paravent.privacy.grouping import group_rows
from paravent.utility.classification import penalty_measure
from paravent.utility.encoding import Encoding
from paravent.utility.family import Study, on_request
from paravent.utility.naive_bayes import NaiveBayes
from paravent.utility.subject import Subject

MOST_CLASSES = 50
_MOST_COPIES = 8  # values drawn for rows that look alike

Learner = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""Training rows, their classes and weights, test rows; gives the classes that it predicts."""

_TITLES = {"naive_bayes": "naive Bayes", "logistic": "logistic regression", "tree": "decision tree"}


@on_request
def learning(subject: Subject, study: Study) -> Iterator[Measure | Absent]:
    name = study.target or next(iter(subject.sensitive), None)
    if name is None:
        raise PlanError("measure: learning needs a column to predict. Name it with target= (--target).")
    labelled = Labelled.of(subject, name)
    if isinstance(labelled, str):
        for model in _TITLES:
            yield Absent(f"utility.learning.{model}", labelled)
        return
    if name not in subject.sensitive:
        kept = labelled.released >= 0
        of_row = np.where(kept, subject.of_row, -1)
        if len(np.unique(of_row[of_row >= 0])) == len(subject.classes):
            table = np.bincount(labelled.original[labelled.original >= 0], minlength=len(labelled.values))
            yield from penalty_measure(
                subject, name, Histogram.of(of_row, len(subject.classes), labelled.released, table)
            )
    deal = Deal.of(subject, labelled, study)
    yield Measure(
        "utility.learning.majority",
        deal.majority(),
        f"Accuracy of guessing the most frequent {name}",
        "What every classifier reaches that has learnt nothing.",
        better="neither",
        unit="share",
    )
    encoding = Encoding(subject)
    for model, title in _TITLES.items():
        learner = _learner(model, encoding, len(labelled.values), study.seed)
        if isinstance(learner, str):
            yield Absent(f"utility.learning.{model}", learner)
            continue
        yield from _compared(model, title, name, deal.compare(encoding, learner), study)


def accuracy(subject: Subject, study: Study, model: str = "naive_bayes") -> float | None:
    """The accuracy of one classifier trained on the release; None where it cannot be had. `study` names the target."""
    labelled = Labelled.of(subject, study.target or next(iter(subject.sensitive), ""))
    if isinstance(labelled, str):
        return None
    encoding = Encoding(subject)
    learner = _learner(model, encoding, len(labelled.values), study.seed)
    if isinstance(learner, str):
        return None
    return float(Deal.of(subject, labelled, study).compare(encoding, learner)[""].mean())


def _compared(model: str, title: str, target: str, found: dict[str, np.ndarray], study: Study) -> Iterator[Measure]:
    trained = {
        "": "trained on the release",
        ".original": "trained on the original",
        ".proportional": "trained on the proportions of the values in each class",
    }
    for ending, how in trained.items():
        yield Measure(
            f"utility.learning.{model}{ending}",
            float(found[ending].mean()),
            f"Accuracy, {title} {how}",
            f"How often {title} {how} tells {target} right for people it has not seen ({study.folds} folds, seed "
            f"{study.seed}).",
            better="higher" if ending != ".original" else "neither",
            unit="share",
        )
    yield Measure(
        f"utility.learning.{model}.deviation",
        float(found[""].std(ddof=1)),
        f"Deviation of the accuracy, {title}",
        "The standard deviation of the accuracy over the folds: differences smaller than this say little.",
        better="neither",
        unit="share",
    )


@dataclass(frozen=True, eq=False)
class Labelled:
    """The class of every original row and of every released row; −1 where it is missing."""

    values: tuple[str, ...]
    original: np.ndarray
    released: np.ndarray

    @classmethod
    def of(cls, subject: Subject, target: str) -> Labelled | str:
        """The classes, or why there are none."""
        if subject.original is None:
            return "the original table with its column to predict is not at hand."
        if target not in subject.original.columns:
            raise PlanError(f"measure: the table has no column {target!r}. {suggest(target, subject.original.columns)}")
        if subject.kept is None:
            return "rows were dropped and nobody knows which, so that people cannot be kept apart for the test."
        if any(axis.name == target for axis in subject.axes):
            return f"column {target!r} is a quasi-identifier, generalized itself. Predict one that is released as is."
        if target not in subject.released.columns:
            return f"column {target!r} is not released."
        if not len(subject.classes):
            return "no row is left to learn from."
        before, after = subject.original[target].alias("cells"), subject.released[target].alias("cells")
        if before.dtype.is_float():
            return f"column {target!r} holds measured numbers, not classes."
        before, after = before.cast(pl.String), after.cast(pl.String)
        values = before.drop_nulls().unique().sort().to_list()
        if not 2 <= len(values) <= MOST_CLASSES:
            return f"column {target!r} has {len(values)} different values; a classifier needs 2 to {MOST_CLASSES}."
        order = pl.Enum(values)
        codes = [
            cells.cast(order, strict=False).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
            for cells in (before, after)
        ]
        return cls(tuple(values), np.asarray(codes[0]), np.asarray(codes[1]))


@dataclass(frozen=True, eq=False)
class Deal:
    """Who is in which fold. `rows` are the original rows that take part, `fold[i]` the fold of rows[i];
    `there` are the released rows that come from them, `fold_there` their folds."""

    labelled: Labelled
    rows: np.ndarray
    fold: np.ndarray
    there: np.ndarray
    fold_there: np.ndarray
    folds: int

    @classmethod
    def of(cls, subject: Subject, labelled: Labelled, study: Study) -> Deal:
        assert subject.kept is not None
        rows = np.flatnonzero(labelled.original >= 0)
        if len(rows) < study.folds:
            raise PlanError(f"measure: {len(rows)} rows cannot be dealt into {study.folds} folds. Ask for fewer folds.")
        rows, fold = dealt(rows, study)
        of_original = np.full(subject.n_rows, -1)
        of_original[rows] = fold
        fold_there = of_original[subject.kept]
        there = np.flatnonzero((fold_there >= 0) & (labelled.released >= 0) & ~subject.placeholder)
        return cls(labelled, rows, fold, there, fold_there[there], study.folds)

    def majority(self) -> float:
        """The accuracy of guessing what is most frequent among the others."""
        right = 0
        classes = self.labelled.original[self.rows]
        for fold in range(self.folds):
            train, test = classes[self.fold != fold], classes[self.fold == fold]
            right += int((test == np.bincount(train).argmax()).sum())
        return right / len(classes)

    def compare(self, encoding: Encoding, learner: Learner) -> dict[str, np.ndarray]:
        """The accuracy on each fold after training on the release, on the original, and on proportions."""
        subject, classes = encoding.subject, self.labelled.original[self.rows]
        told = self.labelled.released[self.there]
        exact = View.of([axis.codes[self.rows] for axis in subject.axes], classes, self.fold)
        seen = View.of([subject.of_row[self.there]], told, self.fold_there)
        matrix = encoding.original(self.rows[exact.row])
        views = {
            "": (seen, encoding.released(self.there[seen.row])),
            ".original": (exact, matrix),
            ".proportional": (seen, encoding.proportional(self.there[seen.row])),
        }
        found: dict[str, list[float]] = {name: [] for name in views}
        for fold in range(self.folds):
            test = self.fold == fold
            for name, (view, rows) in views.items():
                weight = view.weight_without(fold)
                train = weight > 0
                guessed = _guess(learner, rows[train], view.classes[train], weight[train], matrix)
                found[name].append(float((guessed[exact.of_row[test]] == classes[test]).mean()))
        return {name: np.array(scores) for name, scores in found.items()}


def dealt(rows: np.ndarray, study: Study) -> tuple[np.ndarray, np.ndarray]:
    """The rows that take part, and the fold of each."""
    rng = np.random.default_rng(study.seed)
    rows = np.sort(rng.permutation(rows)[: study.most_rows])
    return rows, rng.permutation(np.arange(len(rows)) % study.folds)


@dataclass(frozen=True, eq=False)
class View:
    """Rows that look alike and are of one class, folded: a learner takes each once, with its weight."""

    row: np.ndarray
    classes: np.ndarray
    of_row: np.ndarray
    fold: np.ndarray

    @classmethod
    def of(cls, cells: list[np.ndarray], classes: np.ndarray, fold: np.ndarray) -> View:
        """Numbered by first appearance, so that nothing depends on how cells are coded."""
        of_row, count = group_rows([*cells, classes], len(classes))
        row = np.zeros(count, dtype=np.int64)
        row[of_row[::-1]] = np.arange(len(classes))[::-1]
        order = np.argsort(row)
        number = np.empty(count, dtype=np.int64)
        number[order] = np.arange(count)
        return cls(row[order], classes[row[order]], number[of_row], fold)

    def weight_without(self, fold: int) -> np.ndarray:
        """How many rows of the other folds each stands for."""
        return np.bincount(self.of_row[self.fold != fold], minlength=len(self.row)).astype(np.float64)


def _guess(learner: Learner, rows: np.ndarray, classes: np.ndarray, weight: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Where one class alone is left to learn from, or none, there is nothing to learn."""
    seen = np.unique(classes)
    return learner(rows, classes, weight, test) if len(seen) > 1 else np.full(len(test), seen[0] if len(seen) else -1)


def _learner(model: str, encoding: Encoding, n_classes: int, seed: int) -> Learner | str:
    """The learner, or why it cannot be had."""
    n_shares, widths = encoding.n_shares, encoding.widths

    def count(rows: np.ndarray, classes: np.ndarray, weight: np.ndarray, test: np.ndarray) -> np.ndarray:
        return NaiveBayes.fit(rows[:, :n_shares], classes, n_classes, widths, weight).predict(test[:, :n_shares])

    if model == "naive_bayes":
        return count
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.tree import DecisionTreeClassifier
    except ImportError:
        return "scikit-learn is not installed. Install it with `pip install 'paravent[learn]'`."

    def learn(rows: np.ndarray, classes: np.ndarray, weight: np.ndarray, test: np.ndarray) -> np.ndarray:
        chosen: Any
        if model == "logistic":
            chosen = LogisticRegression(max_iter=300, tol=1e-3)
        else:
            copies = np.minimum(weight, _MOST_COPIES).astype(np.int64)
            rows = encoding.drawn(np.repeat(rows, copies, axis=0), np.random.default_rng(seed))
            classes, weight = np.repeat(classes, copies), np.repeat(weight / copies, copies)
            leaf = max(5 / weight.sum(), 0.001)  # of at least five people, and of one in a thousand
            chosen = DecisionTreeClassifier(min_weight_fraction_leaf=min(leaf, 0.5), random_state=seed)
        return np.asarray(chosen.fit(rows, classes, sample_weight=weight).predict(test))

    return learn
