"""Releases whose columns do not stand together: counts by the joint probability model, and who may be in the table."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.utility.family import Study
from paravent.utility.queries import Query, relative_errors, workload

RNG = np.random.default_rng(3)
FRAME = pl.DataFrame(
    {
        "age": RNG.integers(20, 60, 60),
        "zip": [f"z{i}" for i in RNG.integers(0, 4, 60)],
        "sex": [("f", "m")[i] for i in RNG.integers(0, 2, 60)],
        "disease": [("flu", "cold", "gout", "ulcer", None)[i] for i in RNG.integers(0, 5, 60)],
    }
)
QUASI = ["age", "zip", "sex"]
ROLES = {**{name: pv.Quasi() for name in QUASI}, "disease": pv.Sensitive(missing="own value")}
METHODS = [
    pv.methods.Anatomy(),
    pv.methods.Bucketization(),
    pv.methods.Slicing(columns=[["age", "sex"], ["zip", "disease"]]),
    pv.methods.Slicing(columns=[["age"], ["sex", "zip"], ["disease"]]),
    pv.methods.Slicing(permute="values"),
]
EACH = pytest.mark.parametrize("method", METHODS, ids=repr)


def release_of(method: Any, **options: Any) -> pv.Release:
    frame = options.pop("frame", FRAME)
    return pv.anonymize(frame, pv.Plan(ROLES, [pv.LDiversity(2, "disease")], method, person=None, **options))


def blocks_of(release: pv.Release) -> list[list[str]]:
    if "blocks" not in release.tables:
        return [QUASI, ["disease"]]
    return release.tables["blocks"].group_by("block", maintain_order=True).agg("column")["column"].to_list()


def by_bucket(release: pv.Release, block: list[str]) -> dict[int, list[dict[str, Any]]]:
    """The rows of a block of columns in each bucket."""
    if isinstance(release.plan.method, pv.methods.Anatomy) and block == ["disease"]:
        told = release.tables["sensitive"].rows(named=True)
        rows = [(row["group"], {"disease": row["disease"]}) for row in told for _ in range(row["count"])]
    else:
        (number,) = release.plan.method.adds
        rows = [(row[number], row) for row in release.frame.rows(named=True)]
    found: dict[int, list[dict[str, Any]]] = {}
    for bucket, row in rows:
        found.setdefault(bucket, []).append(row)
    return found


def plain_estimate(release: pv.Release, wanted: dict[str, set]) -> float:
    """Σ over buckets: rows × Π over blocks of the share of its rows that are asked for."""
    blocks = [(block, by_bucket(release, block)) for block in blocks_of(release)]
    total = 0.0
    for bucket, rows in blocks[0][1].items():
        share = 1.0
        for block, held in blocks:
            asked = [name for name in block if name in wanted]
            fits = [row for row in held[bucket] if all(row[name] in wanted[name] for name in asked)]
            share *= len(fits) / len(held[bucket])
        total += len(rows) * share
    return total


def values_of(query: Query, release: pv.Release) -> dict[str, set]:
    """What a query asks for, by value."""
    subject, asked = release.subject, {}
    for j, ranks in query.wanted.items():
        codes = subject.axes[j].codes
        name = subject.axes[j].name
        asked[name] = {FRAME[name][row] for row in range(FRAME.height) if ranks[codes[row]]}
    if query.sensitive is not None:
        codes = subject.sensitive["disease"]
        asked["disease"] = {FRAME["disease"][row] for row in range(FRAME.height) if query.sensitive[codes[row]]}
    return asked


@EACH
def test_counts_are_answered_by_the_joint_probability_model(method: Any) -> None:
    release, study = release_of(method), Study(queries=60, seed=4)
    errors = relative_errors(release.subject, study)
    expected = []
    for _, queries in workload(release.subject, study):
        for query in queries:
            asked = values_of(query, release)
            wished = [pl.col(name).is_in(list(held), nulls_equal=True) for name, held in asked.items()]
            count = FRAME.filter(wished).height
            expected.append(abs(plain_estimate(release, asked) - count) / max(count, study.sanity * FRAME.height))
    assert errors == pytest.approx(np.array(expected))
    assert release.measure("queries", queries=60, seed=4)["utility.queries.are"] == pytest.approx(np.mean(expected))


def test_counts_over_quasi_identifiers_that_stand_together_are_exact() -> None:
    release = release_of(pv.methods.Anatomy())
    for _, queries in workload(release.subject, Study(queries=60)):
        for query in queries:
            asked = {name: held for name, held in values_of(query, release).items() if name != "disease"}
            assert plain_estimate(release, asked) == pytest.approx(
                FRAME.filter([pl.col(name).is_in(list(held)) for name, held in asked.items()]).height
            )


def test_suppressed_rows_answer_nothing() -> None:
    flu = FRAME.with_columns(pl.Series("disease", ["flu"] * 40 + ["cold"] * 20))
    for order in ("drop", "mark"):
        release = release_of(pv.methods.Bucketization(), suppression=0.5, frame=flu, suppressed=order)
        assert release.verdict.suppressed == 20
        assert release.subject.parts[0].bucket.shape == (40,)
        assert release.measure("queries", queries=20)["utility.queries.are"] > 0


@EACH
def test_who_fits_a_bucket_by_brute_force(method: Any) -> None:
    release = release_of(method)
    real = possible = 0
    (number,) = method.adds
    original = release.table.frame[release.kept].with_columns(release.frame[number])
    blocks = [[name for name in block if name != "disease"] for block in blocks_of(release)]
    for bucket in release.frame[number].unique().to_list():
        shown, was = (frame.filter(pl.col(number) == bucket) for frame in (release.frame, original))
        combined = 1
        for block in filter(None, blocks):
            combined *= shown.select(block).n_unique()
        possible += combined
        real += was.select(QUASI).n_unique()
    assert release.measure()["risk.membership.real"] == pytest.approx(real / possible)
    if len(list(filter(None, blocks))) == 1:
        assert release.measure()["risk.membership.real"] == 1


def test_candidates_are_compared_at_equal_l() -> None:
    """The demand is judged in the groups of each release, and one that hides nothing of a column is not excused."""
    plans = [
        pv.Plan(ROLES, [pv.LDiversity(2, "disease")], method, person=None)
        for method in (pv.methods.Mondrian(), *METHODS[:3])
    ]
    plans.append(pv.Plan(ROLES, [pv.LDiversity(3, "disease")], pv.methods.Anatomy(), person=None))
    found = pv.compare(FRAME, plans, measures=["queries"])
    for entry in found.entries[:4]:
        assert [met.holds for met in entry.checks] == [True, entry.checks[0].level >= 3]
        assert entry.measures["utility.queries.are"] > 0
    assert [met.level for met in found.entries[4].checks] == [3, 3]
    open_plan = pv.Plan({**ROLES, "zip": pv.Insensitive()}, [pv.LDiversity(2, "disease")], METHODS[1], person=None)
    guarded = pv.Plan({**ROLES, "disease": pv.Drop(), "zip": pv.Sensitive()}, [pv.LDiversity(2, "zip")], person=None)
    checks = pv.compare(FRAME, [open_plan, guarded]).entries[0].checks
    zips = next(met for met in checks if "zip" in met.words)
    assert not zips.holds  # it stands beside age and sex as it is, whatever bucket the row is in
