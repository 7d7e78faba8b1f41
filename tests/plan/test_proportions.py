"""Proportional representation: shares of values in place of labels, verified like a release."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import paravent as pv


def table(seed: int, rows: int = 80) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 40, rows),
            "job.*": [f"j{i}" for i in rng.integers(0, 5, rows)],
            "disease": [f"d{i}" for i in rng.integers(0, 3, rows)],
        }
    )


def released(frame: pl.DataFrame, method: Any, **options: Any) -> pv.Release:
    columns: dict[str, Any] = {
        "age": pv.Quasi(pv.intervals(5, 10)),
        "job.*": pv.Quasi(pv.flat()),
        "disease": pv.Sensitive(),
    }
    models = options.pop("models", [pv.KAnonymity(4), pv.LDiversity(2, "disease")])
    return pv.anonymize(frame, pv.Plan(columns, models, method, order="source", **options))


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**16), method=st.sampled_from([pv.methods.GkAA(), pv.methods.Mondrian(), pv.methods.Datafly()])
)
def test_shares_sum_to_one_and_rows_stay_k_anonymous(seed: int, method: Any) -> None:
    frame = table(seed)
    release = released(frame, method, suppression=0.1, suppressed="mark")
    found = release.proportions()
    kept = release.frame["disease"].is_not_null()
    assert found.height == int(kept.sum())
    for name in ("age", "job.*"):
        shares = found.select(c for c in found.columns if c.startswith(f"{name}="))
        assert np.allclose(shares.sum_horizontal().to_numpy(), 1)
    vectors = found.select(c for c in found.columns if "=" in c)
    groups = found.group_by(*vectors.columns).agg(pl.len(), pl.col("disease").n_unique())
    assert int(groups["len"].min()) >= 4  # type: ignore[arg-type]
    assert int(groups["disease"].min()) >= 2  # type: ignore[arg-type]


def test_a_share_is_how_often_the_class_has_the_value() -> None:
    frame = table(3, rows=400)
    release = released(frame, pv.methods.GkAA())
    found = release.proportions(["age"])
    assert found["job.*"].cast(pl.String).to_list() == release.frame["job.*"].cast(pl.String).to_list()
    labels, original = release.frame.select("age", "job.*").rows(), frame["age"].gather(release.kept)
    for row in (0, 17, 399):
        same = [i for i, other in enumerate(labels) if other == labels[row]]
        ages = [original[i] for i in same]
        for age in set(ages):
            assert found[f"age={age}"][row] == pytest.approx(ages.count(age) / len(ages))


def test_what_cannot_be_shown_is_refused() -> None:
    release = released(table(1), pv.methods.GkAA())
    with pytest.raises(pv.PlanError, match="'wage'"):
        release.proportions(["wage"])
    columns: dict[str, Any] = {"age": pv.Quasi(), "job.*": pv.Insensitive(), "disease": pv.Insensitive()}
    plan = pv.Plan(columns, [pv.KMap(1, "people")], pv.methods.Mondrian())
    counted = pv.anonymize(table(1), plan, populations={"people": table(1)})
    with pytest.raises(pv.PlanError, match="counts the people"):
        counted.proportions()


def names_of(found: pl.DataFrame, name: str) -> set[str]:
    return {c.removeprefix(f"{name}=") for c in found.columns if c.startswith(f"{name}=")}


def test_values_of_few_people_name_no_column() -> None:
    jobs = ["clerk"] * 40 + ["judge"] * 9 + ["pope"] * 2 + ["vet"] * 3
    frame = pl.DataFrame({"age": [30 + i % 5 for i in range(54)], "job.*": jobs, "disease": ["flu", "cold"] * 27})
    found = released(frame, pv.methods.GkAA()).proportions()
    assert names_of(found, "job.*") == {"clerk", "judge", "2 others"}
    assert names_of(found, "age") == {"30", "31", "32", "33", "34"}
    assert found["job.*=2 others"].sum() == pytest.approx(5)
    shown = released(frame.filter(pl.col("job.*") != "vet"), pv.methods.GkAA()).proportions()
    assert names_of(shown, "job.*") == {"clerk", "2 others"}  # two people alone would be the rest


def test_a_person_with_many_rows_holds_a_value_once() -> None:
    frame = pl.DataFrame(
        {
            "who": [*(f"p{i}" for i in range(40)), *["q"] * 8],
            "age": [30 + i % 4 for i in range(40)] + [30] * 8,
            "job.*": ["clerk"] * 20 + ["judge"] * 20 + ["pope"] * 8,
            "disease": ["flu", "cold"] * 24,
        }
    )
    columns: dict[str, Any] = {
        "who": pv.Identifier(),
        "age": pv.Quasi(pv.intervals(5)),
        "job.*": pv.Quasi(pv.flat()),
        "disease": pv.Sensitive(),
    }
    counted = pv.anonymize(frame, pv.Plan(columns, [pv.KAnonymity(4)], pv.methods.Datafly(), person="who"))
    assert names_of(counted.proportions(), "job.*") == {"clerk", "2 others"}
    del columns["who"]
    rows = pv.anonymize(frame.drop("who"), pv.Plan(columns, [pv.KAnonymity(4)], pv.methods.Datafly()))
    assert names_of(rows.proportions(), "job.*") == {"clerk", "judge", "pope"}


def test_values_of_suppressed_rows_name_no_column() -> None:
    frame = pl.DataFrame({"age": [30] * 20 + [99] * 6, "job.*": ["clerk"] * 20 + ["pope"] * 6, "disease": ["flu"] * 26})
    columns: dict[str, Any] = {"age": pv.Quasi(pv.flat()), "job.*": pv.Quasi(pv.flat()), "disease": pv.Sensitive()}
    for suppressed in ("drop", "mark"):
        plan = pv.Plan(
            columns,
            [pv.KAnonymity(7)],
            pv.methods.Samarati(),
            suppression=0.3,
            suppressed=suppressed,  # type: ignore[arg-type]
        )
        release = pv.anonymize(frame, plan)
        assert release.verdict.suppressed == 6
        assert names_of(release.proportions(), "job.*") == {"clerk"}


def test_numbers_that_hardly_anybody_shares_are_binned() -> None:
    rng = np.random.default_rng(5)
    frame = table(5, rows=200).with_columns(age=pl.Series(rng.permutation(np.arange(10_007, 50_007, 200))))
    found = released(frame, pv.methods.GkAA()).proportions(["age"])
    names = names_of(found, "age")
    assert 5 <= len(names) <= 20
    assert not names & set(map(str, frame["age"].to_list()))
    assert any(name.startswith("below ") for name in names)
    assert any(name.endswith(" and above") for name in names)


def test_fewer_people_than_a_column_must_be_about() -> None:
    frame = pl.DataFrame({"age": [31, 33, 38, None], "job.*": ["a", "b", "a", None], "disease": ["flu", "cold"] * 2})
    found = released(frame, pv.methods.GkAA(), models=[pv.KAnonymity(2)], missing="own value").proportions()
    assert {name for name in found.columns if name != "disease"} == {"age=all values", "job.*=all values"}


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    rows=st.integers(4, 90),
    spread=st.integers(1, 60),
    people=st.booleans(),
    missing=st.sampled_from(["own value", "impute", "wildcard"]),
)
def test_a_column_is_about_enough_people(seed: int, rows: int, spread: int, people: bool, missing: str) -> None:
    rng = np.random.default_rng(seed)
    ages = [None if rng.random() < 0.05 else int(a) for a in 20 + (spread * rng.random(rows) ** 3).astype(int)]
    jobs = [None if rng.random() < 0.05 else f"j{int(j)}" for j in rng.geometric(0.3, rows)]
    who = rng.integers(0, rows, rows) if people else np.arange(rows)
    frame = pl.DataFrame({"who": who, "age": ages, "job.*": jobs, "disease": ["flu"] * rows}, strict=False)
    frame = frame.with_columns(pl.col("age").cast(pl.Int64), pl.col("job.*").cast(pl.String))
    columns: dict[str, Any] = {
        "who": pv.Identifier(),
        "age": pv.Quasi(pv.intervals(5, 10)),
        "job.*": pv.Quasi(pv.flat()),
        "disease": pv.Insensitive(),
    }
    plan = pv.Plan(
        columns,
        [pv.KAnonymity(2)],
        pv.methods.Mondrian(),
        person="who" if people else None,
        missing=missing,  # type: ignore[arg-type]
    )
    try:
        release = pv.anonymize(frame, plan)
    except pv.ParaventError:
        assume(False)
    try:
        found = release.proportions()
    except pv.UnsafeReleaseError:  # a class may hold by its wildcards alone
        assert missing == "wildcard"
        return
    holders: dict[tuple[str, str], set[int]] = {}
    for name in ("age", "job.*"):
        shares = found.select(c for c in found.columns if c.startswith(f"{name}="))
        assert np.allclose(shares.sum_horizontal().to_numpy(), 1)
        for value, person in zip(frame[name].gather(release.kept), who[release.kept], strict=True):
            holders.setdefault((name, "(missing)" if value is None else str(value)), set()).add(int(person))
    for (name, value), held in holders.items():
        assert len(held) >= 5 or f"{name}={value}" not in found.columns


def test_a_class_of_one_row_has_all_of_its_value() -> None:
    frame = pl.DataFrame({"age": [20, 31, 31], "job.*": ["a", "b", "b"], "disease": ["x", "y", "z"]})
    plan = pv.Plan(
        {"age": pv.Quasi(), "job.*": pv.Quasi(pv.flat()), "disease": pv.Sensitive()},
        [pv.KAnonymity(1)],
        order="source",
        person=None,
    )
    shares = pv.anonymize(frame, plan).proportions(["job.*"])
    columns = [name for name in shares.columns if name.startswith("job")]
    assert shares.select(pl.sum_horizontal(pl.col(columns))).to_series().to_list() == [1.0, 1.0, 1.0]


def test_columns_stand_in_the_order_of_the_values() -> None:
    """However many rows have them."""
    frame = pl.DataFrame({"age": [21] * 5 + [22] * 6, "disease": list("abcdefghijk")})
    plan = pv.Plan({"age": pv.Quasi(pv.intervals(10)), "disease": pv.Sensitive()}, pv.KAnonymity(2))
    assert pv.anonymize(frame, plan).proportions().columns == ["age=21", "age=22", "disease"]


def test_more_columns_than_a_table_should_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paravent.plan.proportions._MOST_COLUMNS", 3)
    with pytest.raises(pv.PlanError, match=r"column 'age' has \d+ values, and 3 columns are the most"):
        released(table(0), pv.methods.Mondrian()).proportions(["age"])
