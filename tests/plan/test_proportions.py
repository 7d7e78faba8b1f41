"""Proportional representation: shares of values in place of labels, verified like a release."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
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
    frame = table(3)
    release = released(frame, pv.methods.GkAA())
    found = release.proportions(["age"])
    assert found["job.*"].cast(pl.String).to_list() == release.frame["job.*"].cast(pl.String).to_list()
    labels, original = release.frame.select("age", "job.*").rows(), frame["age"].gather(release.kept)
    for row in (0, 17, 79):
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
