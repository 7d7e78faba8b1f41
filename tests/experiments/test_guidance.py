"""The experiment on the guide's choices, on one small table and a few contexts."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from paravent_experiments import guidance as experiment

from paravent.knowledge import Cube, evaluations
from paravent.knowledge.cube.tables import Sub


@pytest.fixture(scope="module")
def found() -> list[experiment.Case]:
    return experiment.cases(Sub("dense", 200, 3, 1), 5, landmarks=0.0)


def test_contexts_are_drawn_by_a_seed_and_cover_all_uses() -> None:
    drawn = experiment.contexts()
    assert len(drawn) == 120
    assert drawn == experiment.contexts()
    assert drawn != experiment.contexts(seed=2)
    assert {context.use for context in drawn} == {"classification", "regression", "counting", "distributions", "any"}
    assert {context.output for context in drawn} == {"any", "multidimensional", "full-domain"}
    assert {context.risk for context in drawn} == {0.2, 0.1, 0.05}


def test_qualities_lie_where_they_must(found: list[experiment.Case]) -> None:
    assert len(found) == 5
    for case in found:
        assert set(case.strict) >= {"first, by the cube", "best of the three to run, by the cube", "at random"}
        assert all(0 <= value <= 1 + 1e-12 for value in (*case.strict.values(), *case.thesis.values()))
        assert case.strict["best of the three to run, by the cube"] >= case.strict["first, by the cube"]
        assert 0 < case.strict["at random"] < 1


def test_the_page_says_what_was_found(found: list[experiment.Case], tmp_path: Path) -> None:
    experiment.write(found, tmp_path / "guidance.md", 1.0)
    text = (tmp_path / "guidance.md").read_text()
    assert "5 contexts" in text
    assert "| published: suggestive | 4 | 0.98 |" in text
    for label, count, _, strict, _, _ in experiment.table_of(found):
        assert f"| {label} | {count} | " in text
        assert f"| {strict:.3f} |" in text


def test_a_run_is_taken_up_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables, kept = (Sub("dense", 100, 2, 1),), tmp_path / "cases.jsonl"
    first = experiment.run(tables, 2, jobs=1, landmarks=0.0, results=kept)
    monkeypatch.setattr(experiment, "cases", lambda *_: pytest.fail("run again"))
    assert experiment.run(tables, 2, jobs=1, landmarks=0.0, results=kept) == first


def test_models_that_have_not_seen_a_data_set_are_kept(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    cube = evaluations()
    few = cube.frame.filter(pl.col("data").is_in(["pima", "census"]), pl.col("metric") == "utility.cm")
    small = Cube(few, cube.collapse)
    learnt = experiment.LeftOut(small, folder=tmp_path).sheet("utility.cm")
    again = experiment.LeftOut(small, folder=tmp_path).sheet("utility.cm")
    assert learnt.stored is None
    assert again.stored is not None
    assert again.joint.predict("Datafly()", learnt.rows[:5]) == pytest.approx(
        learnt.joint.predict("Datafly()", learnt.rows[:5]), abs=1e-3
    )
