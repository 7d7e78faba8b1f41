"""Axes and Adult for the measures' tests, built without a plan."""

from __future__ import annotations

import csv
import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import polars as pl
import pytest

from paravent.hierarchy.tree import Tree
from paravent.methods.method import Axis
from paravent.table.kinds import Kind

SHARED = Path(__file__).resolve().parents[3] / "shared"
QUASI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]


def axis_of(name: str, values: list[str], *, numeric: bool = False, paths: list[list[str]] | None = None) -> Axis:
    """One quasi-identifier, ranks in the order of the tree, of the numbers, or of the text."""
    occurring = set(values)
    given = Tree.from_paths(name, paths) if paths else None
    tree = None
    if given is not None and occurring:
        tree = given.restrict(np.array(sorted(given.leaf_of[value] for value in occurring)))
    if tree is not None:
        order = list(tree.leaves)
    else:
        order = sorted(occurring, key=float) if numeric else sorted(occurring)
    rank = {value: i for i, value in enumerate(order)}
    return Axis(
        name=name,
        kind=Kind.INTEGER if numeric else Kind.NOMINAL,
        codes=np.array([rank[value] for value in values], dtype=np.int32),
        values=tuple(order),
        tree=tree,
        positions=np.array([float(value) for value in order]) if numeric else None,
        given=given,
    )


@pytest.fixture(scope="session")
def adult() -> pl.DataFrame:
    path = SHARED / "data/adult/adult.csv"
    if not path.exists():
        pytest.skip("needs ../shared/data/adult")
    return pl.read_csv(path, separator=";", infer_schema=False)


@pytest.fixture(scope="session")
def adult_paths(adult: pl.DataFrame) -> dict[str, list[list[str]]]:
    del adult  # skips where the data are absent
    paths = {}
    for name in QUASI:
        with (SHARED / f"data/adult/hierarchy_{name}.csv").open() as file:
            paths[name] = [row for row in csv.reader(file, delimiter=";") if row]
    return paths


@pytest.fixture(scope="session")
def adult_axes(adult: pl.DataFrame, adult_paths: dict[str, list[list[str]]]) -> tuple[Axis, ...]:
    return tuple(axis_of(name, adult[name].to_list(), numeric=name == "age", paths=adult_paths[name]) for name in QUASI)


@pytest.fixture(scope="session")
def yardstick() -> ModuleType:
    path = SHARED / "tools/yardstick.py"
    if not path.exists():
        pytest.skip("needs ../shared/tools/yardstick.py")
    pytest.importorskip("pandas")
    spec = importlib.util.spec_from_file_location("yardstick", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
