"""Methods to test the runner with: an honest one that needs no search, and liars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import paravent as pv
from paravent.methods.method import Labels, Method, Recoding, Task


@dataclass(frozen=True, kw_only=True)
class OneClass(Method):
    """All rows in one class, every cell `*`; the first `suppress` rows are suppressed."""

    suppress: int = 0

    title: ClassVar[str] = "One class"
    source: ClassVar[str] = "for tests"

    def run(self, task: Task) -> Recoding:
        of_row = np.zeros(task.n_rows, dtype=np.int32)
        of_row[: self.suppress] = -1
        cells = {axis.name: Labels(np.zeros(1, dtype=np.int32), ("*",)) for axis in task.axes}
        return Recoding(of_row, 1, cells, ("all rows in one class",))


@dataclass(frozen=True, kw_only=True)
class Untouched(Method):
    """Every row is released as it is: a lie as soon as somebody is unique."""

    title: ClassVar[str] = "Untouched"
    source: ClassVar[str] = "for tests"

    def run(self, task: Task) -> Recoding:
        cells = {axis.name: Labels(axis.codes, axis.values) for axis in task.axes}
        return Recoding(np.arange(task.n_rows, dtype=np.int32), task.n_rows, cells)


@dataclass(frozen=True, kw_only=True)
class Shifted(Method):
    """One class, but its label is that of a value that not all rows have."""

    title: ClassVar[str] = "Shifted"
    source: ClassVar[str] = "for tests"

    def run(self, task: Task) -> Recoding:
        cells = {axis.name: Labels(np.zeros(1, dtype=np.int32), (axis.values[-1],)) for axis in task.axes}
        return Recoding(np.zeros(task.n_rows, dtype=np.int32), 1, cells)


@dataclass(frozen=True, kw_only=True)
class Broken(Method):
    """An answer of the wrong shape."""

    fault: str = "rows"

    title: ClassVar[str] = "Broken"
    source: ClassVar[str] = "for tests"

    def run(self, task: Task) -> Recoding:
        of_row, n_classes = np.zeros(task.n_rows, dtype=np.int32), 1
        cells = {axis.name: Labels(np.zeros(1, dtype=np.int32), ("*",)) for axis in task.axes}
        match self.fault:
            case "rows":
                of_row = of_row[:-1]
            case "classes":
                of_row = of_row + 7
            case "negative":
                of_row = of_row - 2
            case "floats":
                of_row = of_row.astype(np.float64)
            case "columns":
                cells = {}
            case "labels":
                cells = {name: Labels(np.array([3]), ("*",)) for name in cells}
            case "cells":
                cells = {name: Labels(np.zeros(2, dtype=np.int32), ("*",)) for name in cells}
            case "nonsense":
                cells = {name: Labels(np.zeros(1, dtype=np.int32), ("somewhere",)) for name in cells}
        return Recoding(of_row, n_classes, cells)


@pytest.fixture(scope="session")
def one_class() -> type[OneClass]:
    return OneClass


@pytest.fixture(scope="session")
def untouched() -> type[Untouched]:
    return Untouched


@pytest.fixture(scope="session")
def shifted() -> type[Shifted]:
    return Shifted


@pytest.fixture(scope="session")
def broken() -> type[Broken]:
    return Broken


@pytest.fixture(scope="session")
def health() -> pv.Table:
    """The health table of Mauger 2021, Fig. 1.1a."""
    import polars as pl

    rows = [
        ("Ana", "F", "53713", 21, "stomach cancer"),
        ("Béa", "F", "53712", 29, "stomach cancer"),
        ("Carole", "F", "53713", 32, "gastritis"),
        ("Daphné", "F", "53712", 36, "stomach ulcer"),
        ("Éric", "M", "53701", 25, "heart disease"),
        ("Fred", "M", "53700", 39, "heart disease"),
        ("Gui", "M", "53701", 42, "viral infection"),
        ("Hervé", "M", "53700", 50, "gastritis"),
    ]
    return pv.read(pl.DataFrame(rows, schema=["first name", "genre", "cp", "âge", "maladie"], orient="row"))


@pytest.fixture
def health_plan() -> pv.Plan:
    return pv.Plan(
        {
            "first name": pv.Identifier(),
            "genre": pv.Quasi(),
            "cp": pv.Quasi(pv.prefixes()),
            "âge": pv.Quasi(pv.intervals(10, 20)),
            "maladie": pv.Sensitive(),
        },
        [pv.KAnonymity(2)],
    )
