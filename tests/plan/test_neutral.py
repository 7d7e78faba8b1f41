"""Neutral values in place of suppressed cells: what they are, that they are labelled, and that the release holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv

LS = pv.methods.LocalSuppression


def table(seed: int = 0, rows: int = 60) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 40, rows),
            "sex": [("f", "m")[i] for i in rng.integers(0, 2, rows)],
            "disease": [f"d{i}" for i in rng.integers(0, 3, rows)],
        }
    )


def released(frame: pl.DataFrame, neutral: dict[str, Any], method: Any = None, **options: Any) -> pv.Release:
    columns: dict[str, Any] = {name: pv.Quasi(neutral=neutral.get(name)) for name in ("age", "sex")}
    models = options.pop("models", [pv.KAnonymity(4), pv.LDiversity(2, "disease")])
    return pv.anonymize(frame, pv.Plan({**columns, "disease": pv.Sensitive()}, models, method or LS(), **options))


def test_blanks_show_the_median_the_mode_or_what_is_given() -> None:
    frame = table()
    plain = released(frame, {})
    blank = {name: (plain.frame[name].cast(pl.String) == "*").to_numpy() for name in ("age", "sex")}
    assert blank["age"].any()
    ages = sorted(frame["age"].to_list())
    expected = {
        "median": str(ages[(len(ages) - 1) // 2]),
        "mean": str(round(sum(ages) / len(ages))),
        "mode": str(min(set(ages), key=lambda age: (-ages.count(age), age))),
        "0": "0",
    }
    for rule, value in expected.items():
        shown = released(frame, {"age": rule}).frame["age"].cast(pl.String).to_numpy()
        assert set(shown[blank["age"]]) == {value}
        assert list(shown[~blank["age"]]) == plain.frame["age"].cast(pl.String).filter(~blank["age"]).to_list()


def test_it_is_labelled_in_verdict_report_and_plan(tmp_path: Any) -> None:
    release = released(table(), {"age": "median", "sex": "mode"})
    assert "neutral value" in release.verdict.notes[-1]
    assert "'age'" in release.verdict.notes[-1]
    assert "(median)" in str(release.verdict)
    release.report(tmp_path / "page.html")
    assert "neutral value" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert pv.Plan.from_document(release.plan.to_document()) == release.plan


def test_measures_and_attacks_see_what_was_suppressed() -> None:
    plain, filled = (released(table(), neutral) for neutral in ({}, {"age": "median"}))
    assert filled.measure()["utility.gcp"] == plain.measure()["utility.gcp"]
    assert filled.attack().measures.to_dict() == plain.attack().measures.to_dict()


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**16), rule=st.sampled_from(["median", "mode", "mean", "29"]), mark=st.booleans())
def test_what_is_published_is_verified(seed: int, rule: str, mark: bool) -> None:
    """Filled cells join those that show the value truly: every class of the published frame still holds."""
    options: dict[str, Any] = {"suppressed": "mark", "suppression": 0.2} if mark else {}
    method = pv.methods.Mondrian(labels="interval") if seed % 2 else LS()
    try:
        release = released(table(seed, 30), {"age": rule, "sex": "mode"}, method, **options)
    except pv.InfeasibleError:
        return
    frame = release.frame.filter(pl.col("disease").is_not_null())
    groups = frame.group_by("age", "sex").agg(pl.len(), pl.col("disease").n_unique())
    assert int(groups["len"].min()) >= 4  # type: ignore[arg-type]
    assert int(groups["disease"].min()) >= 2  # type: ignore[arg-type]
    assert pv.verify(release.frame, release.plan)


def test_what_filling_would_break_is_refused() -> None:
    with pytest.raises(pv.PlanError, match="wildcards"):
        released(table(), {"age": "median"}, LS(counting="wildcard"), models=[pv.KAnonymity(2)])
    with pytest.raises(pv.PlanError, match="counts the people"):
        released(table(), {"age": "median"}, models=[pv.KMap(2, "people")])
    with pytest.raises(pv.PlanError, match="neutral='median' needs values on a line"):
        released(table(), {"sex": "median"}, pv.methods.Mondrian(), models=[pv.KAnonymity(40)])


@pytest.mark.parametrize("given", ["", "*", True, ["x"]])
def test_bad_values(given: Any) -> None:
    with pytest.raises(pv.PlanError, match="neutral"):
        pv.Quasi(neutral=given)


def test_dates_have_no_mean() -> None:
    frame = table().with_columns(age=pl.date(2020, 1, 1) + pl.duration(days="age"))
    with pytest.raises(pv.PlanError, match=r"columns\.age: neutral='mean' is for numbers"):
        released(frame, {"age": "mean"})


def test_the_median_of_a_scale_is_the_middle_of_its_rows() -> None:
    """The two that stand alone are blanked; the fourth of the eight rows, from below, is what they show."""
    scale = ("low", "mid", "upper", "high")
    table = pv.read(pl.DataFrame({"grade": ["low"] * 3 + ["mid", "upper"] + ["high"] * 3}), kinds={"grade": scale})
    plan = pv.Plan({"grade": pv.Quasi(neutral="median")}, pv.KAnonymity(2), LS(), order="source")
    assert pv.anonymize(table, plan).frame["grade"].to_list() == ["low"] * 3 + ["mid"] * 2 + ["high"] * 3
