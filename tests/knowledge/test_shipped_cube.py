"""The cube that comes with the package."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from paravent import knowledge
from paravent.knowledge.cube.store import shipped

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
