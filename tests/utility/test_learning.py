"""Learning from releases: what can be learnt is learnt, what cannot be is said."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.errors import PlanError
from paravent.utility.encoding import Encoding
from paravent.utility.family import Study
from paravent.utility.measure import measure
from paravent.utility.naive_bayes import NaiveBayes
from paravent.utility.subject import Subject

from .conftest import axis_of

MODELS = ("naive_bayes", "logistic", "tree")
PATHS = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]]


def people(rows: int = 400, seed: int = 3) -> tuple[list[str], list[str], list[str]]:
    """The target follows from the first letter nine times in ten; the second column is noise."""
    rng = np.random.default_rng(seed)
    letters = rng.choice(["a", "b", "c", "d"], rows)
    noise = rng.choice([str(n) for n in range(30)], rows)
    right = np.where(np.isin(letters, ["a", "b"]), "yes", "no")
    flipped = rng.random(rows) < 0.1
    target = np.where(flipped, np.where(right == "yes", "no", "yes"), right)
    return letters.tolist(), noise.tolist(), target.tolist()


def subject_of(shown: list[str], shown_noise: list[str] | None = None) -> Subject:
    letters, noise, target = people()
    axes = (axis_of("letter", letters, paths=PATHS), axis_of("noise", noise, numeric=True))
    original = pl.DataFrame({"letter": letters, "noise": [int(n) for n in noise], "target": target})
    released = pl.DataFrame({"letter": shown, "noise": shown_noise or noise, "target": target})
    return Subject(axes, released, np.arange(len(letters)), original=original)


def learnt(subject: Subject, **study: Any) -> dict[str, float]:
    found = measure(subject, "learning", study=Study(target="target", **study))
    return {name.removeprefix("utility.learning."): value for name, value in found.under("utility.learning").items()}


@pytest.fixture(autouse=True)
def _needs_sklearn(request: pytest.FixtureRequest) -> None:
    if "without" not in request.node.name:
        pytest.importorskip("sklearn")


def test_a_generalization_that_keeps_what_matters_costs_nothing() -> None:
    letters, _, _ = people()
    coarse = ["ab" if letter in "ab" else "cd" for letter in letters]
    found = learnt(subject_of(coarse))
    for model in MODELS:
        assert found[model] == pytest.approx(found[f"{model}.original"], abs=0.03)
        assert found[model] > 0.85
        assert found[f"{model}.proportional"] > 0.85
        assert 0 < found[f"{model}.deviation"] < 0.2
    assert 0.4 < found["majority"] < 0.65


def test_nothing_can_be_learnt_from_stars_but_from_their_proportions_nothing_either() -> None:
    found = learnt(subject_of(["*"] * 400, ["*"] * 400))
    for model in MODELS:
        assert found[model] < 0.65
        assert found[f"{model}.original"] > 0.85


def test_proportions_tell_more_than_labels() -> None:
    letters, _, _ = people()
    block = np.array(["ab" if letter in "ab" else "cd" for letter in letters])
    shown_noise = np.where(block == "ab", "[0, 28]", "[1, 29]").tolist()  # two classes that both say `*` for the letter
    found = learnt(subject_of(["*"] * 400, shown_noise))
    assert found["naive_bayes.proportional"] > 0.85


def test_the_same_seed_gives_the_same_numbers() -> None:
    letters, _, _ = people()
    subject = subject_of(letters)
    assert learnt(subject, seed=5) == learnt(subject, seed=5)
    assert learnt(subject, seed=5, folds=3) != learnt(subject, seed=6, folds=3)


def test_shares_of_generalized_cells() -> None:
    letters, _, _ = people()
    shown = ["ab" if letter in "ab" else letter for letter in letters]
    encoding = Encoding(subject_of(shown, ["*"] * 400))
    rows = np.arange(400)
    matrix, exact = encoding.released(rows), encoding.original(rows)
    assert encoding.widths == (4, 16)
    assert matrix[:, :4].sum(axis=1) == pytest.approx(1)
    for row in range(20):
        expected = [0.5, 0.5, 0, 0] if letters[row] in "ab" else exact[row, :4].tolist()
        assert matrix[row, :4].tolist() == expected
    assert matrix[:, 4:20].sum(axis=1) == pytest.approx(1)
    assert matrix[:, 20] == pytest.approx(0)  # what says nothing stands in the middle
    assert encoding.proportional(rows)[:, :4].sum(axis=0) == pytest.approx(exact[:, :4].sum(axis=0), rel=1e-4)


def test_drawn_cells_are_exact_and_follow_their_shares() -> None:
    _, noise, _ = people()
    encoding = Encoding(subject_of(["*"] * 400, noise))
    rows = np.arange(400)
    found = encoding.drawn(encoding.released(rows), np.random.default_rng(0))
    assert set(np.unique(found[:, :20])) == {0.0, 1.0}
    assert found[:, :4].sum(axis=0).tolist() == pytest.approx([100] * 4, abs=35)
    exact = encoding.original(rows)
    assert np.array_equal(found[:, 4:], exact[:, 4:])
    assert np.array_equal(encoding.drawn(exact, np.random.default_rng(0)), exact)


def test_naive_bayes_against_counting() -> None:
    rng = np.random.default_rng(2)
    codes, classes = rng.integers(0, 3, (50, 2)), rng.integers(0, 2, 50)
    shares = np.hstack([np.eye(3)[codes[:, 0]], np.eye(3)[codes[:, 1]]])
    found = NaiveBayes.fit(shares, classes, 2, [3, 3], np.ones(50)).predict(shares)
    for row in range(50):
        scores = []
        for c in range(2):
            there = classes == c
            score = np.log((there.sum() + 1) / 52)
            for j in range(2):
                score += np.log(((codes[there, j] == codes[row, j]).sum() + 1) / (there.sum() + 3))
            scores.append(score)
        assert found[row] == int(np.argmax(scores))


def test_what_cannot_be_learnt_says_why() -> None:
    letters, _, _ = people()
    subject = subject_of(letters)
    assert subject.original is not None
    with pytest.raises(PlanError, match=r"no column 'targte'. Did you mean 'target'"):
        measure(subject, "learning", study=Study(target="targte"))
    with pytest.raises(PlanError, match="target="):
        measure(subject, "learning")
    quasi = measure(subject, "learning", study=Study(target="letter"))
    assert "quasi-identifier" in quasi.absent["utility.learning.tree"]
    floats = Subject(
        subject.axes,
        subject.released.with_columns(pay=pl.Series(np.arange(400.0))),
        subject.kept,
        original=subject.original.with_columns(pay=pl.Series(np.arange(400.0))),
    )
    assert "numbers" in measure(floats, "learning", study=Study(target="pay")).absent["utility.learning.tree"]
    unmatched = Subject(subject.axes, subject.released, None, original=subject.original)
    assert (
        "nobody knows" in measure(unmatched, "learning", study=Study(target="target")).absent["utility.learning.tree"]
    )


def test_without_scikit_learn_the_rest_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("sklearn"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    found = measure(subject_of(people()[0]), "learning", study=Study(target="target"))
    assert found["utility.learning.naive_bayes"] > 0.8
    assert "pip install 'paravent[learn]'" in found.absent["utility.learning.logistic"]


def test_suppressed_people_are_tested_but_not_learnt_from() -> None:
    letters, _, target = people()
    full = subject_of(letters)
    kept = np.flatnonzero(np.array(target) == "yes")
    only_yes = Subject(full.axes, full.released[kept], kept, original=full.original)
    found = measure(only_yes, "learning", study=Study(target="target"))
    share = float(np.mean(np.array(target) == "yes"))
    assert found["utility.learning.tree"] == pytest.approx(share, abs=1e-9)  # it has only ever seen `yes`


@pytest.mark.parametrize(
    ("wrong", "said"),
    [({"folds": 1}, "folds"), ({"sanity": 0}, "sanity"), ({"seed": "x"}, "seed"), ({"fold": 3}, "folds")],
)
def test_settings_are_checked(wrong: dict[str, Any], said: str) -> None:
    table = pv.read(pl.DataFrame({"age": [1, 1, 2, 2], "x": ["a", "b", "a", "b"]}))
    release = pv.anonymize(table, pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(2)]))
    with pytest.raises(PlanError, match=said):
        release.measure("queries", **wrong)
    with pytest.raises(PlanError, match=r"no family 'learnin'. Did you mean 'learning'"):
        release.measure("learnin")
    assert "utility.queries.are" in release.measure("queries", queries=10)
    assert "utility.queries.are" not in release.measure()


def test_the_share_of_a_class_is_counted_with_one_more_of_each() -> None:
    """Three people of one class and one of the other: (3 + 1) and (1 + 1) of 6."""
    shares, classes = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 1])
    found = NaiveBayes.fit(shares, classes, 2, [2], np.array([3.0, 1.0]))
    assert np.exp(found.log_prior) == pytest.approx([4 / 6, 2 / 6])
    assert np.exp(found.log_share) == pytest.approx(np.array([[4 / 5, 1 / 3], [1 / 5, 2 / 3]]))


def test_a_tree_finds_what_no_line_can_part() -> None:
    """The target is whether two letters agree: a tree learns it, a logistic regression is left to guess."""
    rng = np.random.default_rng(1)
    one, two = rng.choice(["a", "b"], (2, 200)).tolist()
    target = ["yes" if a == b else "no" for a, b in zip(one, two, strict=True)]
    frame = pl.DataFrame({"one": one, "two": two, "target": target})
    found = learnt(Subject((axis_of("one", one), axis_of("two", two)), frame, np.arange(200), original=frame))
    assert found["tree"] > 0.95
    assert found["logistic"] < 0.7
