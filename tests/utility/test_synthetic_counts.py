"""Counts answered from synthetic rows, and attacks on them, by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.utility.family import Study
from paravent.utility.queries import relative_errors, workload

DOMAINS = {"age": range(20, 30), "sex": ["f", "m", "x"], "ill": ["no", "yes", "gone"]}
PLAN = pv.Plan(
    {"age": pv.Quasi(), "sex": pv.Quasi(), "ill": pv.Sensitive()},
    [pv.DifferentialPrivacy(epsilon=1)],
    pv.methods.MST(domains=DOMAINS, rows=37),
)


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    rows = [(20 + i % 9, "fm"[i % 2], "yes" if i % 5 else "no") for i in range(90)]
    return pl.DataFrame(rows, schema=["age", "sex", "ill"], orient="row")


def test_every_query_is_counted_row_by_row_and_scaled_to_the_original(table: pl.DataFrame) -> None:
    """37 rows stand for 90. A sex that the original lacks is asked for by nobody, an age counts as the nearest."""
    release = pv.anonymize(table, PLAN)
    subject, study = release.subject, Study(queries=48, seed=3)
    names, values = [axis.name for axis in subject.axes], [axis.values for axis in subject.axes]
    codes = dict(zip(table["ill"].to_list(), subject.sensitive["ill"].tolist(), strict=True))

    def row_fits(row: dict[str, object], wanted: dict[int, np.ndarray], ill: np.ndarray | None) -> bool:
        for j, mask in wanted.items():
            cell = row[names[j]]
            if names[j] == "age" and cell is not None:
                cell = min(int(str(cell)), 28)  # the original ends at 28
            if str(cell) not in values[j] or not mask[values[j].index(str(cell))]:
                return False
        return ill is None or (row["ill"] in codes and bool(ill[codes[row["ill"]]]))

    expected = []
    for _, asked in workload(subject, study):
        for query in asked:
            before = sum(row_fits(row, query.wanted, query.sensitive) for row in table.iter_rows(named=True))
            after = sum(row_fits(row, query.wanted, query.sensitive) for row in release.frame.iter_rows(named=True))
            expected.append(abs(after * 90 / 37 - before) / max(before, 0.001 * 90))
    assert relative_errors(subject, study).tolist() == pytest.approx(expected)
    assert release.measure("queries", queries=48, seed=3)["utility.queries.are"] == pytest.approx(np.mean(expected))


def test_the_workload_is_that_of_a_generalized_release(table: pl.DataFrame) -> None:
    generalized = pv.anonymize(table, PLAN.replace(protect=[pv.KAnonymity(3)], method=pv.methods.Mondrian()))
    both = [workload(pv.anonymize(table, PLAN).subject, Study()), workload(generalized.subject, Study())]
    for (ours, asked), (theirs, other) in zip(*both, strict=True):
        assert ours == theirs
        for one, two in zip(asked, other, strict=True):
            assert all((one.wanted[j] == two.wanted[j]).all() for j in ours)
            assert (one.sensitive is None) == (two.sensitive is None)


def test_without_quasi_identifiers_all_columns_are_asked_for(table: pl.DataFrame) -> None:
    release = pv.anonymize(table, PLAN.replace(columns={}))
    assert [axis.name for axis in release.subject.drawn] == ["age", "sex", "ill"]
    assert release.measure("queries")["utility.queries.are"] > 0


def test_a_sensitive_value_that_the_original_lacks_is_asked_for_by_nobody(table: pl.DataFrame) -> None:
    seeded = PLAN.replace(protect=[pv.DifferentialPrivacy(epsilon=0.05, unsafe_seed=2)])
    release = pv.anonymize(table, seeded)
    assert "gone" in release.frame["ill"].to_list()
    assert release.measure("queries")["utility.queries.are"] > 0


def test_cautions_are_about_noise_and_not_about_classes(table: pl.DataFrame) -> None:
    for plan in (PLAN, PLAN.replace(columns={})):
        assert [caution.kind for caution in pv.anonymize(table, plan).cautions] == ["adds-up"]
    seeded = PLAN.replace(protect=[pv.DifferentialPrivacy(epsilon=1, unsafe_seed=2)])
    assert [caution.kind for caution in pv.anonymize(table, seeded).cautions] == ["known-seed", "adds-up"]


def test_the_three_questions_are_tried_on_rows_that_nobody_has(table: pl.DataFrame) -> None:
    """An age of 29 and a sex x occur in no original row: their descriptions fit nobody."""
    everything = pl.DataFrame(list(product(range(20, 30), "fmx", ["no", "yes"])), schema=table.columns, orient="row")
    found = pv.attack(everything, PLAN, original=table, attempts=60)
    assert {"attack.singling_out.all", "attack.linkability", "attack.inference.ill"} <= set(found.measures)
    # 60 rows, each description fits exactly one; 18 combinations of age and sex occur in the original, all five times.
    single = pv.attack(
        everything, PLAN, original=table, attacks=[pv.attacks.SinglingOut(known=["age", "sex", "ill"], combinations=1)]
    )
    alone = table.group_by("age", "sex", "ill").len().filter(pl.col("len") == 1).height
    assert single.measures["attack.singling_out.attack"] == pytest.approx(alone / 60)
    assert any("synthetic" in lack for lack in found.skipped.values())
