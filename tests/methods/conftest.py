"""Tables of the literature, as tasks."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paravent.methods import Recoding, Target, Task
from paravent.privacy.k_anonymity import KAnonymity

from ..generators.tasks import tree_axis

ORACLES = Path(__file__).parents[1] / "oracles"


def oracle(name: str) -> dict[str, Any]:
    return tomllib.loads((ORACLES / f"{name}.toml").read_text(encoding="utf-8"))


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
