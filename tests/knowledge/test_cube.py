"""The grid, a build of a part of it, and the cube that comes of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import paravent as pv
from paravent import knowledge, registry
from paravent.knowledge.cube.build import read_journal
from paravent.knowledge.cube.grid import KS, chunks, tables
from paravent.knowledge.cube.run import run
from paravent.knowledge.cube.settings import label_of, settings
from paravent.knowledge.cube.tables import REAL, SHAPES, source_of
from paravent.knowledge.cube.turtle import turtle

TABLE = "uniform/500x4#1"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small table with three methods, one of which cannot do it."""
    out = tmp_path_factory.mktemp("cube") / "cube.parquet"
    knowledge.build_cube(out, jobs=1, only=[TABLE], methods=["Datafly", "AsIs", 'Mondrian(cut="median")'])
    return out


def test_the_grid_asks_every_method_every_k_and_every_number_of_columns() -> None:
    runs = [run for chunk in chunks() for run in chunk.runs]
    assert {settings()[run.setting].method for run in runs} == set(registry.entries("method"))
    assert {run.k for run in runs if run.k} == set(KS) == {2, 5, 10, 25, 50, 100}
    assert {run.table.columns for run in runs} == set(range(1, 10))
    assert {run.table.source for run in runs} == {*SHAPES, *REAL}
    assert len({run.key for run in runs}) == len(runs)


def test_small_tables_come_first_and_all_of_them_in_every_round() -> None:
    order = [chunk.table for chunk in chunks()]
    small = {table for table in tables() if table.rows <= 1_100}
    assert set(order[: len(small)]) == small
    assert set(order) == set(tables())
    assert all(order.count(table) == 6 for table in tables())


def test_a_build_measures_what_a_release_measures(built: Path) -> None:
    cube = knowledge.Cube.load(built)
    found = cube.find(source="paravent", method="Datafly()", k=5).filter(pl.col("l").is_null())
    row = dict(found.select("metric", "value").iter_rows())
    sub = next(table for table in tables() if table.name == TABLE)
    table, roles = sub.take(source_of(sub))
    plan = pv.Plan(roles, [pv.KAnonymity(5)], pv.methods.Datafly(), found["suppression"][0], seed=sub.seed)
    measures = pv.anonymize(table, plan).measure()
    for name in ("utility.gcp", "utility.dm", "utility.prec", "utility.completeness", "risk.prosecutor.max"):
        assert row[name] == pytest.approx(measures[name], rel=1e-4)
    assert row["utility.cm"] == pytest.approx(measures["utility.cm.s"], rel=1e-4)
    assert row["cost.seconds"] > 0


def test_an_evaluation_says_what_it_was_measured_on(built: Path) -> None:
    row = knowledge.Cube.load(built).find(metric="utility.gcp", k=2).row(0, named=True)
    assert row["source"] == "paravent"
    assert (row["data"], row["table"], row["rows"], row["columns"], row["seed"]) == ("uniform", TABLE, 500, 4, 1)
    assert row["criterion"] == "precision"
    assert row["shape"] == "uniform"
    assert row["tuples"] <= 500
    assert all(row[name] for name in ("version", "machine", "date"))


def test_the_collapses_of_the_tables_lie_beside(built: Path) -> None:
    cube = knowledge.Cube.load(built)
    assert cube.collapse is not None
    assert set(cube.collapse["table"]) == set(cube.measured["table"])
    assert cube.without("voters").collapse is cube.collapse


def test_a_failed_run_is_a_result(built: Path) -> None:
    failed = knowledge.Cube.load(built).failures.filter(pl.col("method") == "AsIs()")
    assert len(failed) >= 5
    assert set(failed["status"]) == {"infeasible"}
    assert failed["metric"].null_count() == len(failed)
    assert "nothing generalized" in failed["reason"][0]


def test_a_build_that_was_cut_off_goes_on(built: Path, tmp_path: Path) -> None:
    journal = built.with_name(built.name + ".runs")
    lines = journal.read_text(encoding="utf-8").splitlines()
    out = tmp_path / "cube.parquet"
    half = "\n".join(lines[:-1]) + "\n" + lines[-1][: len(lines[-1]) // 2]
    out.with_name("cube.parquet.runs").write_text(half, encoding="utf-8")
    told: list[Any] = []
    cube = knowledge.build_cube(
        out, jobs=1, only=[TABLE], methods=["Datafly", "AsIs", 'Mondrian(cut="median")'], tell=told.append
    )
    assert [(at.done, at.total, at.left) for at in told] == [(len(lines), len(lines), 0.0)]
    whole, mended = (
        each.measured.filter(~pl.col("criterion").is_in(["time", "memory"])).drop("date")
        for each in (knowledge.Cube.load(built), cube)
    )
    assert whole.equals(mended)
    assert len(list(read_journal(out.with_name("cube.parquet.runs")))) == len(lines)


def test_published_numbers_stand_beside_ours(built: Path) -> None:
    published = knowledge.Cube.load(built).values.filter(pl.col("source") != "paravent")
    datafly = published.filter(pl.col("method") == "Datafly()").row(0, named=True)
    assert (datafly["metric"], datafly["value"], datafly["k"], datafly["columns"], datafly["shape"]) == (
        "utility.dm", 5e8, 5, 3, "dense",
    )  # fmt: skip
    mondrian = published.filter(pl.col("metric") == "utility.cavg")
    assert dict(mondrian.select("shape", "value").iter_rows()) == {"uniform": 100.0, "dense": 5.0}
    assert mondrian["k"].null_count() == 2  # the source does not say
    assert published["source"].str.contains("Ben Fredj 2017").all()


def test_evaluations_of_ones_own_are_added(built: Path) -> None:
    cube = knowledge.Cube.load(built)
    more = cube.adding(
        pl.DataFrame({"source": ["me"], "method": ["KMember()"], "metric": ["utility.gcp"], "value": [0.1]})
    )
    assert len(more) == len(cube) + 1
    assert more.find(source="me")["value"].to_list() == [0.1]
    with pytest.raises(pv.TableError, match=r"has no 'metrc'.*metric"):
        cube.adding(pl.DataFrame({"metrc": ["utility.gcp"]}))


def test_the_turtle_view_names_what_the_ontology_names(built: Path, tmp_path: Path) -> None:
    cube = knowledge.Cube.load(built)
    count = cube.save_turtle(tmp_path / "out.ttl", method="Datafly", metric="precision")
    text = (tmp_path / "out.ttl").read_text(encoding="utf-8")
    assert text.count("a opam:ExperimentalEvaluation") == count > 0
    assert "opam:evaluatesAlgorithm know:datafly ;" in text
    assert "opam:evaluatesMetric know:utility.gcp ;" in text
    assert "know:value-k-5 a opam:InputValue ; opam:ofInput know:k ; opam:value 5 ." in text
    assert text.count("know:value-k-5 a ") == 1
    lines = list(turtle(cube.find(method='Mondrian(cut="median")', metric="utility.cavg").iter_rows(named=True)))
    assert any("know:mondrian-median" in line for line in lines)


def test_a_method_is_known_by_its_setting() -> None:
    assert label_of(pv.methods.Datafly()) == "Datafly()"
    assert label_of(pv.methods.Mondrian(cut="infogain", target="s")) == 'Mondrian(cut="infogain")'
    assert label_of(pv.methods.Mondrian()) == 'Mondrian(cut="loss")'
    assert label_of(pv.methods.Polish(effort="high")) == 'Polish(effort="fast")'


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda out: knowledge.build_cube(out, only=["adlut"]), "no table 'adlut'.*adult"),
        (lambda out: knowledge.build_cube(out, methods=["Dtafly"]), "no method 'Dtafly'.*Datafly"),
        (lambda out: knowledge.build_cube(out, jobs=0), "0 processes do no work"),
        (lambda out: knowledge.build_cube(out, data=out / "none"), "there is no folder"),
        (knowledge.Cube.load, "there is no cube at"),
    ],
)
def test_bad_input_gets_a_sentence(call: Callable[[Path], Any], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(pv.ParaventError, match=sentence):
        call(tmp_path / "cube.parquet")


def test_what_is_no_cube_gets_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("no parquet", encoding="utf-8")
    with pytest.raises(pv.TableError, match="is no Parquet file"):
        knowledge.Cube.load(tmp_path / "text.parquet")
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "other.parquet")
    with pytest.raises(pv.TableError, match="no cube: it has no column 'source'"):
        knowledge.Cube.load(tmp_path / "other.parquet")


@pytest.mark.parametrize(("metrics", "told"), [(None, True), (["cost.megabytes"], True), (["utility.gcp"], False)])
def test_memory_is_looked_at_where_it_is_asked_for(metrics: list[str] | None, told: bool) -> None:
    """To look at it takes longer than most runs on a small table."""
    sub = next(table for table in tables() if table.name == TABLE)
    table, roles = sub.take(source_of(sub))
    plan = pv.Plan(roles, [pv.KAnonymity(5)], pv.methods.Datafly())
    outcome = run(table, plan, usage=False, metrics=metrics)
    assert outcome.status == "done"
    assert "cost.seconds" in outcome.values
    assert ("cost.megabytes" in outcome.values) == (told and sys.platform == "linux")
