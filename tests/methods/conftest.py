"""Tables of the literature and random small ones, as tasks."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paravent.hierarchy.tree import Tree
from paravent.methods import Axis, Recoding, Target, Task
from paravent.privacy.k_anonymity import KAnonymity
from paravent.privacy.l_diversity import LDiversity
from paravent.table.kinds import Kind

ORACLES = Path(__file__).parents[1] / "oracles"


def oracle(name: str) -> dict[str, Any]:
    return tomllib.loads((ORACLES / f"{name}.toml").read_text(encoding="utf-8"))


def tree_axis(name: str, values: list[str], paths: list[list[str]], weight: float = 1.0) -> Axis:
    given = Tree.from_paths(name, paths)
    tree = given.restrict(np.array(sorted({given.leaf_of[value] for value in values})))
    codes = np.array([tree.leaf_of[value] for value in values], dtype=np.int32)
    return Axis(name, Kind.NOMINAL, codes, tree.leaves, tree, weight=weight, given=given)


def labels_of(recoding: Recoding, name: str) -> list[str | None]:
    """The published cells of a column, row by row (None: suppressed)."""
    cells = recoding.cells[name]
    return [None if c < 0 else cells.labels[cells.codes[c]] for c in recoding.of_row.tolist()]


def groups_of(recoding: Recoding) -> set[frozenset[int]]:
    """The classes as sets of rows, counted from 1."""
    return {frozenset((np.flatnonzero(recoding.of_row == c) + 1).tolist()) for c in range(recoding.n_classes)}


def sizes_of(recoding: Recoding) -> list[int]:
    return sorted(np.bincount(recoding.of_row[recoding.of_row >= 0]).tolist())


@pytest.fixture(scope="session")
def nine() -> dict[str, Any]:
    return oracle("guided_nine")


@pytest.fixture(scope="session")
def table_24() -> Callable[..., Task]:
    """The task of Table 24: k = 2, salary as the target."""
    data = oracle("guided_table_24")
    columns = dict(zip(data["columns"], zip(*data["rows"], strict=True), strict=True))

    def task(names: tuple[str, ...] = ("sex", "zip", "education"), *, max_suppressed: int = 0, k: int = 2) -> Task:
        axes = tuple(tree_axis(name, list(columns[name]), data["trees"][name]) for name in names)
        line, codes = np.unique(columns["salary"], return_inverse=True)
        salary = Target(codes.astype(np.int32), len(line), line.astype(float))
        return Task(12, axes, (KAnonymity(k),), max_suppressed=max_suppressed, targets={"salary": salary})

    return task


@pytest.fixture(scope="session")
def classified(nine: dict[str, Any]) -> Callable[..., Task]:
    """Tables A1 and A2 of the annex, row by row, with their class as the target."""
    trees = oracle("guided_table_24")["trees"]

    def task(name: str, *, k: int = 2) -> Task:
        rows, classes = [], []
        for *cells, yes, no in nine[name]["rows"]:
            rows += [cells] * (yes + no)
            classes += [1] * yes + [0] * no
        columns = dict(zip(("sex", "zip", "education"), zip(*rows, strict=True), strict=True))
        axes = tuple(tree_axis(column, list(cells), trees[column]) for column, cells in columns.items())
        target = Target(np.array(classes, dtype=np.int32), 2)
        return Task(len(rows), axes, (KAnonymity(k),), targets={"class": target})

    return task


def random_task(seed: int) -> Task:
    """A small table with trees of 1 to 4 levels, a k, sometimes l-diversity, sometimes suppression, and a target."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(2, 26))
    axes = []
    for j in range(int(rng.integers(1, 4))):
        size = int(rng.integers(1, 9))
        depth = int(rng.integers(0, 3))
        paths = [[f"v{i}", *(f"g{h}:{i >> h + 1}" for h in range(depth)), "*"] for i in range(size)]
        drawn = rng.integers(0, size, rows)
        axes.append(tree_axis(f"t{j}", [f"v{i}" for i in drawn.tolist()], paths, float(rng.choice([0.5, 1, 4]))))
    sensitive = {"disease": rng.integers(0, 3, rows).astype(np.int32)}
    models: list[Any] = [KAnonymity(int(rng.integers(1, min(rows, 4) + 1)))]
    if rng.random() < 0.4:
        models.append(LDiversity(2, "disease", kind=str(rng.choice(["distinct", "entropy"]))))
    limit = int(rng.integers(0, rows)) if rng.random() < 0.5 else 0
    classes = Target(rng.integers(0, 3, rows).astype(np.int32), 3, np.array([1.0, 2.0, 5.0]))
    return Task(rows, tuple(axes), tuple(models), sensitive, limit, targets={"class": classes})
