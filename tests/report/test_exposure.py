"""Who could still be found: sets of columns before and after, and nobody told apart by small counts."""

from __future__ import annotations

import polars as pl

import paravent as pv
from paravent.report.exposure import exposure
from paravent.report.page import render


def people(rows: int = 60) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "age": [20 + 7 * i % 41 for i in range(rows)],
            "zip": [1000 + 3 * i % 11 for i in range(rows)],
            "sex": ["fm"[i % 2] for i in range(rows)],
            "disease": [["flu", "ulcer", "asthma"][i % 3] for i in range(rows)],
        }
    )


def release_of(frame: pl.DataFrame, k: int = 5) -> pv.Release:
    roles = {"age": pv.Quasi(), "zip": pv.Quasi(), "sex": pv.Quasi(), "disease": pv.Sensitive()}
    return pv.anonymize(frame, pv.Plan(roles, [pv.KAnonymity(k)]))


def test_sets_that_told_people_apart_do_so_no_longer() -> None:
    found = exposure(release_of(people()), fewest=5)
    assert found.sets
    assert found.sets[0][1].endswith("%")
    assert all(after == "nobody" for _, _, after in found.sets)
    assert found.sentences[0].startswith("Nobody stands alone")


def test_few_people_are_not_counted() -> None:
    frame = people().with_columns(pl.lit(30).alias("age"), pl.lit(1000).alias("zip"))
    frame = frame.with_columns(pl.when(pl.int_range(pl.len()) == 0).then(99).otherwise(pl.col("age")).alias("age"))
    found = exposure(release_of(frame), fewest=5)
    assert {before for _, before, _ in found.sets} == {"fewer than 5 rows"}


def test_rows_left_as_they_were_are_told() -> None:
    frame = people(8).with_columns(age=pl.lit(30), zip=pl.lit(1), sex=pl.lit("f"))
    found = exposure(release_of(frame), fewest=5)
    assert any("still equal to an original row" in sentence for sentence in found.sentences)


def test_it_is_on_the_page() -> None:
    page = render(release_of(people()))
    assert "Who could still be found" in page
    assert "Found alone, before" in page
