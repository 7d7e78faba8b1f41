"""µ-Argus: the literature's script, both checks, both readings, and asking a publisher."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from paravent.errors import PlanError
from paravent.methods import MuArgus, Task
from paravent.methods.local.mu_argus import Situation
from paravent.methods.output_types import is_full_domain, is_subtree
from paravent.privacy.k_anonymity import KAnonymity

from ..generators.tasks import random_task, tree_axis
from .conftest import labels_of, sizes_of

SCRIPT = MuArgus(choices=("education", "zip", "sex"))


def test_the_script_of_table_24(nine: dict[str, Any], table_24: Callable[..., Task]) -> None:
    task, expected = table_24(), nine["mu_argus"]
    found = SCRIPT.published(task)
    outliers = [step.figures["outliers"] for step in found.steps if "outliers" in step.figures]
    assert outliers == expected["outliers"]
    assert labels_of(found, "education") == expected["education"]
    assert labels_of(found, "zip") == expected["zip"]
    assert set(labels_of(found, "sex")) == {"Tout_sexe"}
    assert is_full_domain(found, task.axes, blanks=False)
    assert not is_subtree(found, task.axes)


def test_both_readings_are_reported(table_24: Callable[..., Task]) -> None:
    figures = next(step.figures for step in SCRIPT.published(table_24()).steps if "strict" in step.figures)
    assert figures == {"strict": 1, "wildcard": 2}  # row 7 fits itself and five others; the smallest classes are pairs


def test_a_release_holds_read_strictly(table_24: Callable[..., Task]) -> None:
    """With a row to spare row 7 goes; without, more cells are blanked."""
    spared = SCRIPT.run(table_24(max_suppressed=1))
    assert (np.flatnonzero(spared.of_row < 0) + 1).tolist() == [7]
    assert sizes_of(spared) == [2, 2, 2, 5]
    strict = SCRIPT.run(table_24())
    assert min(sizes_of(strict)) >= 2
    assert (strict.of_row >= 0).all()


def test_a_publisher_is_asked(table_24: Callable[..., Task]) -> None:
    seen: list[Situation] = []
    answers = iter(["education", "zip", "sex", None])

    def choose(situation: Situation) -> str | None:
        seen.append(situation)
        return next(answers)

    found = MuArgus.interactive(choose).published(table_24())
    assert [situation.outliers for situation in seen] == [8, 8, 5, 1]
    assert seen[-1].levels == {"sex": 1, "zip": 1, "education": 1}
    assert seen[-1].movable == ("zip", "education")
    assert seen[-1].combinations == {("sex", "zip", "education"): 1}
    scripted = SCRIPT.published(table_24())
    assert found.trace == scripted.trace
    assert labels_of(found, "education") == labels_of(scripted, "education")


def test_left_alone_it_goes_on_until_few_enough_stand_out(table_24: Callable[..., Task]) -> None:
    found = MuArgus().run(table_24(max_suppressed=1))
    assert int((found.of_row < 0).sum()) <= 1
    assert min(sizes_of(found)) >= 2


@pytest.mark.parametrize("answer", ["age", "sex"])
def test_choices_that_cannot_be_followed(table_24: Callable[..., Task], answer: str) -> None:
    with pytest.raises(PlanError, match=answer):
        MuArgus.interactive(lambda _: answer).run(table_24())


def test_a_script_with_a_stranger_is_refused(table_24: Callable[..., Task]) -> None:
    with pytest.raises(PlanError, match="'age'"):
        MuArgus(choices=("age",)).run(table_24())


def test_pairs_and_triples_miss_what_four_columns_tell() -> None:
    """Every triple of four columns is shared, no row is: the weakness of the published check."""
    rows = [bits for i in range(16) if sum(bits := [i >> j & 1 for j in range(4)]) % 2 == 0]
    axes = tuple(tree_axis(f"c{j}", [f"v{row[j]}" for row in rows], [["v0", "*"], ["v1", "*"]]) for j in range(4))
    task = Task(8, axes, (KAnonymity(2),))
    partly = Task(8, axes[:3], (KAnonymity(1),))
    assert MuArgus(choices=()).published(partly).n_classes == 8
    pairs = replace(task, models=(KAnonymity(1),))
    assert MuArgus(choices=(), check="pairs_triples").published(pairs).n_classes == 8
    doubled = replace(
        task,
        n_rows=16,
        axes=tuple(replace(axis, codes=np.tile(axis.codes, 2)) for axis in axes),
        models=(KAnonymity(2),),
    )
    assert MuArgus(choices=(), check="pairs_triples").published(doubled).n_classes == 8
    parity = [[i >> j & 1 for j in range(3)] for i in range(8)]
    parity = [[*bits, sum(bits) % 2] for bits in parity]
    axes = tuple(tree_axis(f"c{j}", [f"v{row[j]}" for row in parity], [["v0", "*"], ["v1", "*"]]) for j in range(4))
    pairs_hold = Task(8, axes, (KAnonymity(2),))  # each pair of columns is shared by two rows, each triple by one
    by_pairs = MuArgus(choices=(), check="pairs_triples", identifying={"c0": 3, "c1": 1, "c2": 1, "c3": 1})
    published = by_pairs.published(pairs_hold)
    assert sizes_of(published) == [1] * 8
    assert min(sizes_of(by_pairs.run(pairs_hold))) >= 2  # a release is never left there


def test_single_columns_first(table_24: Callable[..., Task]) -> None:
    """5e is held by one row: education goes up by itself before anything is chosen."""
    found = MuArgus(choices=(), singles=True).published(table_24())
    assert "Master" not in labels_of(found, "education")
    assert {"13050", "13061"} <= set(labels_of(found, "zip"))


def test_wildcards_fit_k_rows_whatever_the_table() -> None:
    for seed in range(150):
        task = random_task(seed)
        task = replace(task, models=task.models[:1])
        k = task.models[0].k
        rng = np.random.default_rng(seed)
        names = [axis.name for axis in task.axes if len(axis.tree.levels) > 1] if task.axes[0].tree else []
        choices = tuple(rng.permutation(names).tolist()[: int(rng.integers(0, 3))])
        found = MuArgus(choices=choices).published(task)
        rows = list(zip(*(labels_of(found, axis.name) for axis in task.axes), strict=True))
        # A root labelled `*` fits everything too: compare by cells that say something.
        for row in rows:
            fits = sum(all(a == b or "*" in (a, b) for a, b in zip(row, other, strict=True)) for other in rows)
            assert fits >= k


def test_pairs_and_triples_of_open_cells_are_shared() -> None:
    for seed in range(80):
        task = random_task(seed)
        task = replace(task, models=task.models[:1])
        k = task.models[0].k
        found = MuArgus(choices=(), check="pairs_triples").published(task)
        original = [[axis.values[code] for code in axis.codes] for axis in task.axes]
        for size in (2, 3):
            for columns in combinations(range(len(task.axes)), size):
                counts = Counter(zip(*(original[j] for j in columns), strict=True))
                released = [labels_of(found, task.axes[j].name) for j in columns]
                for row in range(task.n_rows):
                    cells = [labels[row] for labels in released]
                    if "*" not in cells:
                        assert counts[tuple(original[j][row] for j in columns)] >= k


@pytest.mark.parametrize("options", [{"check": "all"}, {"choices": "age"}, {"identifying": {"age": 4}}])
def test_options_that_make_no_sense(options: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match="MuArgus"):
        MuArgus(**options)


def test_a_blank_row_gets_the_smallest_class_for_company() -> None:
    """b stands out and may not go: read strictly, its `*` is one row, so c, the smallest class, is blanked too."""
    values = ["a", "a", "a", "b", "c", "c"]
    axis = tree_axis("q", values, [[value, "*"] for value in "abc"])
    found = MuArgus(choices=()).run(Task(6, (axis,), (KAnonymity(2),)))
    assert labels_of(found, "q") == ["a", "a", "a", "*", "*", "*"]
    assert any("need company" in words or "needs company" in words for words in found.trace)
