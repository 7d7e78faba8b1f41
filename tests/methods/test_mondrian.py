"""Mondrian on the examples of the literature, and its laws on random tables."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent import kernels
from paravent.errors import InfeasibleError, PlanError
from paravent.hierarchy.cells import CellReader
from paravent.hierarchy.tree import Tree
from paravent.methods import Axis, Mondrian, Recoding, Task
from paravent.methods.trace import replay
from paravent.privacy.k_anonymity import KAnonymity
from paravent.privacy.l_diversity import LDiversity
from paravent.table.kinds import Kind

from ..generators.tasks import halved, random_task, tree_axis
from .conftest import labels_of

ORACLES = Path(__file__).parents[1] / "oracles"


def oracle(name: str) -> dict[str, Any]:
    return tomllib.loads((ORACLES / f"{name}.toml").read_text(encoding="utf-8"))


def number_axis(name: str, values: list[int], weight: float = 1.0) -> Axis:
    line, codes = np.unique(values, return_inverse=True)
    texts = tuple(str(value) for value in line.tolist())
    return Axis(name, Kind.INTEGER, codes.astype(np.int32), texts, None, line.astype(float), weight)


def released(recoding: Recoding, name: str) -> list[str]:
    cells = recoding.cells[name]
    return [cells.labels[cells.codes[c]] for c in recoding.of_row.tolist()]


def test_median_cut_gives_the_groups_of_table_24() -> None:
    data = oracle("guided_table_24")
    columns = dict(zip(data["columns"], zip(*data["rows"], strict=True), strict=True))
    axes = tuple(tree_axis(name, list(columns[name]), data["trees"][name]) for name in ("zip", "education"))
    found = Mondrian(cut="median").run(Task(12, axes, (KAnonymity(2),)))
    assert found.n_classes == 5
    for group in data["median_mondrian"]:
        rows = [row - 1 for row in group["rows"]]
        assert len(set(found.of_row[rows])) == 1
        for name in ("zip", "education"):
            assert {released(found, name)[row] for row in rows} == {group[name]}


def test_median_cut_gives_the_ranges_of_annex_b() -> None:
    data = oracle("guided_annex_b")
    names, age, education = (list(column) for column in zip(*data["rows"], strict=True))
    axes = (number_axis("age", age), number_axis("education", education))
    found = Mondrian(cut="median", labels="interval").run(Task(8, axes, (KAnonymity(2),)))
    for group in data["median_mondrian"]:
        for name in group["names"]:
            row = names.index(name)
            assert (released(found, "age")[row], released(found, "education")[row]) == (
                group["age"],
                group["education"],
            )


@st.composite
def tasks(draw: st.DrawFn) -> tuple[Task, Mondrian]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = draw(st.integers(1, 60))
    axes = []
    for j in range(draw(st.integers(1, 4))):
        size = int(rng.integers(1, 9))
        drawn = rng.integers(0, size, rows)
        if rng.random() < 0.4:
            axes.append(number_axis(f"n{j}", (drawn * 3).tolist(), weight=float(rng.choice([0.5, 1, 4]))))
        elif rng.random() < 0.6:
            axes.append(tree_axis(f"t{j}", [f"v{i}" for i in drawn.tolist()], halved(size, 2)))
        else:
            seen, codes = np.unique(drawn, return_inverse=True)
            texts = tuple(f"name, {i}" for i in seen.tolist())
            axes.append(Axis(f"s{j}", Kind.NOMINAL, codes.astype(np.int32), texts))
    models: list[Any] = [KAnonymity(draw(st.integers(1, 5)))]
    sensitive = {}
    if draw(st.booleans()):
        models.append(LDiversity(2, "disease"))
        sensitive["disease"] = rng.integers(0, 3, rows).astype(np.int32)
    method = Mondrian(
        cut=draw(st.sampled_from(["loss", "median"])),
        labels=draw(st.sampled_from(["tree", "interval", "set"])),
        strict=draw(st.booleans()),
    )
    return Task(rows, tuple(axes), tuple(models), sensitive), method


@settings(max_examples=250, deadline=None)
@given(tasks())
def test_every_class_holds_and_every_cell_covers_its_value(drawn: tuple[Task, Mondrian]) -> None:
    task, method = drawn
    try:
        found = method.run(task)
    except InfeasibleError:
        whole = task.classes(np.zeros(task.n_rows, dtype=np.int32), 1)
        assert not task.holds(whole).all()
        return
    for c in range(found.n_classes):
        members = found.of_row == c
        assert members.sum() >= task.models[0].k
        for codes in task.sensitive.values():
            assert len(set(codes[members])) >= 2
    for axis in task.axes:
        reader = CellReader(axis.values, axis.tree, axis.positions)
        for code, label in zip(axis.codes.tolist(), released(found, axis.name), strict=True):
            covered = reader.covers(label)
            assert covered is not None
            assert code in covered


def test_weights_decide_which_column_keeps_its_detail() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(0, 50, 400).tolist() for _ in range(2))

    def mean_width(weight: float, name: str) -> float:
        axes = (number_axis("a", a, weight), number_axis("b", b))
        found = Mondrian(labels="interval").run(Task(400, axes, (KAnonymity(5),)))
        axis = axes[0] if name == "a" else axes[1]
        reader = CellReader(axis.values, None, axis.positions)
        return float(np.mean([len(list(reader.covers(label) or ())) for label in released(found, name)]))

    assert mean_width(10, "a") < mean_width(1, "a")
    assert mean_width(10, "b") > mean_width(1, "b")


def test_least_loss_beats_the_median() -> None:
    rng = np.random.default_rng(1)
    columns = [np.round(rng.gamma(2, 10, 800)).astype(int).tolist() for _ in range(3)]
    axes = tuple(number_axis(f"c{j}", column) for j, column in enumerate(columns))

    def loss(cut: Any) -> float:
        found = Mondrian(cut=cut, labels="interval").run(Task(800, axes, (KAnonymity(5),)))
        total = 0.0
        for axis in axes:
            reader = CellReader(axis.values, None, axis.positions)
            for label in released(found, axis.name):
                covered = list(reader.covers(label) or ())
                total += axis.positions[covered[-1]] - axis.positions[covered[0]]
        return total

    assert loss("loss") < loss("median")


def test_relaxed_cuts_part_equal_rows() -> None:
    axis = number_axis("age", [1] * 10 + [2] * 3)
    strict = Mondrian(labels="interval").run(Task(13, (axis,), (KAnonymity(4),)))
    relaxed = Mondrian(labels="interval", strict=False).run(Task(13, (axis,), (KAnonymity(4),)))
    assert strict.n_classes == 1
    assert relaxed.n_classes == 2


@pytest.mark.parametrize("option", [{"cut": "widest"}, {"labels": "bins"}])
def test_unknown_options_are_named(option: dict[str, str]) -> None:
    with pytest.raises(PlanError, match=next(iter(option))):
        Mondrian(**option)  # type: ignore[arg-type]


def test_a_value_that_reads_like_a_set_is_refused() -> None:
    """With k = 2, a and b share a class whose set label would be the third value."""
    axis = Axis("job", Kind.NOMINAL, np.array([0, 1, 2, 2], dtype=np.int32), ("a", "b", "{a, b}"))
    with pytest.raises(PlanError, match="'job'"):
        Mondrian().run(Task(4, (axis,), (KAnonymity(2),)))


def test_numbers_are_ranged_along_their_line_whatever_the_tree_says() -> None:
    """A tree may list its leaves out of order; intervals follow the numbers."""
    tree = Tree.from_paths("n", [[v, "*"] for v in ("30", "10", "20", "40")])
    axis = Axis(
        "n", Kind.INTEGER, np.array([0, 1, 2, 3], dtype=np.int32), tree.leaves, tree, np.array([30.0, 10, 20, 40])
    )
    found = Mondrian(labels="interval").run(Task(4, (axis,), (KAnonymity(2),)))
    assert released(found, "n") == ["[30, 40]", "[10, 20]", "[10, 20]", "[30, 40]"]
    reader = CellReader(axis.values, axis.tree, axis.positions)
    assert sorted(reader.covers("[10, 30]") or ()) == [0, 1, 2]


def test_a_missing_number_is_kept_apart_or_says_nothing() -> None:
    values, line = ("1", "2", "9", "(missing)"), np.array([1.0, 2, 9, np.nan])

    def column(codes: list[int]) -> Axis:
        return Axis("n", Kind.INTEGER, np.array(codes, dtype=np.int32), values, None, line)

    apart = Mondrian().run(Task(6, (column([0, 1, 2, 3, 3, 0]),), (KAnonymity(2),)))
    assert released(apart, "n") == ["1", "[2, 9]", "[2, 9]", "(missing)", "(missing)", "1"]
    mixed = Mondrian().run(Task(4, (column([0, 1, 2, 3]),), (KAnonymity(2),)))
    assert released(mixed, "n") == ["[1, 2]", "[1, 2]", "*", "*"]


def test_no_rows() -> None:
    axis = Axis("age", Kind.INTEGER, np.zeros(0, dtype=np.int32), (), None, np.zeros(0))
    assert Mondrian().run(Task(0, (axis,), (KAnonymity(2),))).n_classes == 0


@pytest.mark.parametrize("labels", ["tree", "interval", "set"])
@pytest.mark.parametrize(
    "options",
    [
        {"cut": "loss"},
        {"cut": "loss", "strict": False},
        {"cut": "median"},
        {"cut": "median", "strict": False},
        {"cut": "infogain", "target": "class"},
        {"cut": "lsd", "target": "class"},
    ],
    ids=lambda options: " ".join(map(str, options.values())),
)
def test_steps_taken_again_give_the_release(labels: Any, options: dict[str, Any]) -> None:
    for seed in range(12):
        task = random_task(seed)
        try:
            found = Mondrian(labels=labels, **options).run(task)
        except pv.InfeasibleError:
            continue
        *_, (last, table) = replay(task.axes, found.steps)
        assert last.words == found.trace[-1]
        for axis in task.axes:
            assert table[axis.name] == labels_of(found, axis.name)
        groups = [sum(int(n) for n in (step.figures["left"], step.figures["right"])) for step in found.steps[1:-1]]
        assert all(2 <= size <= task.n_rows for size in groups)


def test_nobody_pays_for_steps_that_nobody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    cut = kernels.mondrian

    def spy(*given: Any, **options: Any) -> kernels.Partition:
        asked.append(options["record"])
        return cut(*given, **options)

    monkeypatch.setattr(kernels, "mondrian", spy)
    found = Mondrian().run(random_task(3))
    assert asked == [False]
    assert len(found.steps) >= 2
    assert asked == [False, True]


def test_the_trace_names_as_many_classes_as_the_release_has() -> None:
    """Two parts of a node can both need its name: `{a, b}` and `{c, d}` under one parent."""
    values = ["a"] * 2 + ["b"] * 2 + ["c"] * 2 + ["d"] * 2
    axis = tree_axis("x", values, [[v, "*"] for v in "abcd"])
    other = tree_axis("y", ["p", "q", "p", "q", "p", "q", "p", "q"], [["p", "*"], ["q", "*"]])
    joined = 0
    for k in (2, 3, 4):
        found = Mondrian(cut="median").run(Task(8, (axis, other), (pv.KAnonymity(k),)))
        cells = list(zip(labels_of(found, "x"), labels_of(found, "y"), strict=True))
        assert found.n_classes == len(set(cells))
        assert f": {found.n_classes} classes of" in found.trace[-1]
        joined += len(found.steps) - 1 > found.n_classes
    assert joined
