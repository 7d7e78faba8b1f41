"""The cube that comes with the package."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from paravent import knowledge
from paravent.knowledge.collapse.collapse import NAMES
from paravent.knowledge.cube.collapsing import with_collapse
from paravent.knowledge.cube.store import Cube, beside_of, shipped
from paravent.knowledge.predicting.features import asked_ks, left_out

KS = (2, 5, 10, 25, 50, 100)


def test_the_cube_that_ships() -> None:
    cube = knowledge.evaluations()
    assert len(cube.measured) >= 20_000
    assert shipped().stat().st_size <= 5_000_000
    assert set(cube.measured["k"].drop_nulls().unique()) == set(KS)
    assert set(cube.measured["columns"].unique()) == set(range(1, 10))
    assert cube.values["source"].n_unique() == 2
    assert {"infeasible", "refused"} <= set(cube.failures["status"])
    assert cube.measured["metric"].n_unique() == len(knowledge.METRICS)


def test_mondrian_and_datafly_are_fast_and_incognito_is_not() -> None:
    """As published (Ayala-Rivera et al. 2014): Datafly and Mondrian are fast, Incognito takes far longer."""
    seconds = knowledge.evaluations().measured.filter(pl.col("metric") == "cost.seconds")
    wide = seconds.filter(pl.col("columns") >= 5).group_by("method").agg(pl.col("value").median())
    median = dict(wide.iter_rows())
    assert median["Incognito()"] > 5 * median['Mondrian(cut="median")']
    assert median["Incognito()"] > 2 * median["Datafly()"]


def test_nothing_of_a_real_table_is_in_the_cube() -> None:
    """Reasons of failed runs on real tables stop before they could name a value."""
    real = knowledge.evaluations().failures.filter(
        pl.col("data").is_in(["adult", "pima", "census", "eia", "household"])
    )
    assert real["reason"].str.len_chars().max() <= 80
    assert not real["reason"].str.contains("rows").any()


def test_the_shipped_file_is_where_it_belongs() -> None:
    assert shipped().parent == Path(knowledge.__file__).parent / "cube"


def test_every_run_finds_what_its_table_comes_to_look_like() -> None:
    cube = knowledge.evaluations()
    assert cube.collapse is not None
    assert beside_of(shipped()).stat().st_size + shipped().stat().st_size <= 5_000_000
    asked = cube.measured.select("table", k=asked_ks(), suppression=left_out()).unique()
    assert asked.join(cube.collapse, on=asked.columns, how="anti").is_empty()
    assert cube.collapse.select(NAMES).null_count().sum_horizontal().item() == 0


def test_collapses_are_those_of_the_tables_made_anew() -> None:
    """A table with trees, sub-sampled, and a made-up one."""
    cube = knowledge.evaluations()
    assert cube.collapse is not None
    for table in ("voters/1000x3#1", "dense/500x7#1"):
        own = Cube(cube.frame.filter(pl.col("table") == table))
        anew = with_collapse(own).collapse
        assert anew is not None
        kept = cube.collapse.filter(pl.col("table") == table)
        assert len(kept) > 6
        assert anew.equals(kept)
