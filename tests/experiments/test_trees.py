"""The experiment on trees: its recorded results, and the measure that takes no side."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from paravent_experiments import metrics, trees
from paravent_experiments.results import Results
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app
from paravent.errors import PlanError
from paravent.plan.encode import encode
from paravent.table.read import read

RECORDED = Path(__file__).with_name("trees.json")


@pytest.fixture(scope="module")
def results() -> Results:
    return Results.open(json.loads(RECORDED.read_text())["protocol"], RECORDED)


@given(st.integers(1, 8))
def test_a_balanced_tree_has_the_published_shape(n: int) -> None:
    """2^n leaves, height n + 1, 2^(n − j) nodes on level j."""
    frame = pl.DataFrame({"x": list(range(2**n))})
    (axis,) = encode(read(frame), pv.Plan({"x": pv.Quasi(pv.balanced())}, [pv.KAnonymity(2)]))
    assert axis.tree is not None
    assert axis.tree.height == n + 1
    assert np.bincount(axis.tree.level).tolist() == [2 ** (n - j) for j in range(n + 1)]


def test_the_recorded_run_is_complete(results: Results) -> None:
    assert set(results.parts) == {f"{table} {kind}" for table in metrics.TABLES for kind in trees.KINDS}
    nodes, height = results.parts["adult balanced"]["trees"]["age"]
    assert (nodes, height) == (143, 8)  # 72 leaves, 71 halvings


def test_each_kind_is_best_on_its_own_trees_for_small_k(results: Results) -> None:
    for table in metrics.TABLES:
        found = trees.curves(results, table)
        for k in (3, 10, 100):
            assert found["semantic"]["semantic"][k] < found["balanced"]["semantic"][k]
            assert found["balanced"]["balanced"][k] < found["semantic"]["balanced"][k]


def test_values_left_open() -> None:
    """Two classes over four values in pairs: a pair leaves one of the three others open."""
    frame = pl.DataFrame({"x": [1, 2, 3, 4]})
    axes = encode(read(frame), pv.Plan({"x": pv.Quasi(pv.balanced())}, [pv.KAnonymity(2)]))
    assert trees.covered(axes, np.array([0, 1, 2, 3]), 4) == 0
    assert trees.covered(axes, np.array([0, 0, 1, 1]), 2) == pytest.approx(100 / 3)
    assert trees.covered(axes, np.array([0, 1, 1, 0]), 2) == 100


def test_a_run_today_gives_what_was_recorded(results: Results) -> None:
    loaded = {kind: trees.trees_of("voters", kind) for kind in trees.KINDS}
    today = trees.measured(loaded, "balanced", ks=[3, 2000])
    for measure in trees.MEASURES:
        for k in ("3", "2000"):
            assert today[measure][k] == pytest.approx(results.parts["voters balanced"][measure][k], rel=1e-8)


def test_the_page_and_the_command(tmp_path: Path) -> None:
    kept, page = tmp_path / "trees.json", tmp_path / "trees.md"
    shutil.copyfile(RECORDED, kept)
    result = CliRunner().invoke(app, ["experiment", "trees", "--results", str(kept), "--page", str(page)])
    assert result.exit_code == 0, result.output
    shown = (Path(__file__).parents[2] / "docs" / "experiments" / "trees.md").read_text()
    assert page.read_text() == shown, "docs/experiments/trees.md is not what the recorded results give"
    assert len(list(tmp_path.glob("*.svg"))) == len(metrics.TABLES)


def test_an_unknown_table_is_named() -> None:
    with pytest.raises(PlanError, match="'children'"):
        trees.run(["children"])
