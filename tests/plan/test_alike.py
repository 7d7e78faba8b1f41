"""`flu`, `Flu`, `flu ` and `flu` with an invisible sign are one disease: counted as one where the plan says so.

The release is judged again in plain Python, with a rule of comparison that is written here anew.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.cli.plan_options import PlanOptions
from paravent.comparison.demands import check_demands, demands_of

SPELLINGS = ["flu", "Flu", "flu ", "f\u200blu", "FL\u00dc", "flu\u0308", "cold", "Cold", "ulcer", " "]
FRAME = pl.DataFrame(
    {
        "age": [30, 30, 30, 40, 40, 40],
        "disease": ["flu", "Flu", "flu\u200b", "flu", "cold", "ulcer"],
    }
)


def plan_with(alike: str, model: object = None) -> pv.Plan:
    wanted = pv.LDiversity(2, "disease") if model is None else model
    return pv.Plan({"age": pv.Quasi(), "disease": pv.Sensitive(alike=alike)}, [pv.KAnonymity(2), wanted])  # type: ignore[list-item]


def same(text: str | None) -> str:
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text or "").casefold())
    return re.sub(r"\s+", " ", re.sub("[\u200b\u200c\u200d\ufeff\u00ad]", "", plain)).strip()


def diversity(frame: pl.DataFrame) -> int:
    """The fewest different diseases of a class."""
    classes = defaultdict(set)
    for age, disease in frame.select("age", "disease").iter_rows():
        classes[age].add(same(disease))
    return min(map(len, classes.values()))


def test_values_that_look_alike_count_as_different_unless_the_plan_says_one() -> None:
    loose = pv.anonymize(FRAME, plan_with("apart"))
    assert loose.verdict
    assert diversity(loose.frame) == 1
    strict = pv.anonymize(FRAME, plan_with("one"))
    assert diversity(strict.frame) >= 2
    assert sorted(strict.frame["disease"]) == sorted(FRAME["disease"])  # released as they are


def test_the_verifier_folds_the_cells_itself() -> None:
    loose = pv.anonymize(FRAME, plan_with("apart"))
    assert pv.verify(loose.frame, plan_with("apart"))
    verdict = pv.verify(loose.frame, plan_with("one"))
    assert not verdict
    assert "2-diversity" in verdict.why_not()


def test_what_no_release_can_meet_is_refused_beforehand() -> None:
    alone = FRAME.with_columns(disease=pl.Series(["flu", "Flu", "FLU", "flu ", " flu", "f\u200blu"]))
    assert pv.anonymize(alone, plan_with("apart"))
    with pytest.raises(pv.InfeasibleError):
        pv.anonymize(alone, plan_with("one"))


@pytest.mark.parametrize("method", [pv.methods.Mondrian(), pv.methods.Incognito(), pv.methods.KMember()])
@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(20, 26), st.sampled_from([*SPELLINGS, None])), min_size=4, max_size=24))
def test_releases_hold_in_plain_python(method: pv.methods.Method, rows: list[tuple[int, str | None]]) -> None:
    frame = pl.DataFrame(rows, schema={"age": pl.Int64, "disease": pl.String}, orient="row")
    role = pv.Sensitive(alike="one", missing="own value")
    quasi = pv.Quasi(pv.intervals(2, 4))
    plan = pv.Plan({"age": quasi, "disease": role}, [pv.KAnonymity(2), pv.LDiversity(2, "disease")], method)
    try:
        release = pv.anonymize(frame, plan)
    except pv.InfeasibleError:
        assert len({same(disease) for _, disease in rows}) < 2
        return
    assert diversity(release.frame) >= 2


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Enum(sorted(set(FRAME["disease"])))])
def test_every_type_of_text(dtype: pl.DataType) -> None:
    frame = FRAME.with_columns(pl.col("disease").cast(dtype))
    assert diversity(pv.anonymize(frame, plan_with("one")).frame) >= 2


def test_other_models_and_missing_cells_that_may_be_anything() -> None:
    for model in (
        pv.TCloseness(0.6, "disease"),
        pv.AlphaKAnonymity(0.7, 2, "disease"),
        pv.BetaLikeness(2.0, "disease"),
    ):
        release = pv.anonymize(FRAME, plan_with("one", model))
        assert pv.verify(release.frame, release.plan)
    open_cells = FRAME.with_columns(age=pl.Series([30, 30, None, 40, 40, 40]))
    wild = plan_with("one").replace(missing="wildcard", columns={**plan_with("one").columns})
    release = pv.anonymize(open_cells, wild)
    assert not pv.verify(pl.DataFrame({"age": ["30", "30", None], "disease": ["flu", "Flu", "flu "]}), wild)
    assert pv.verify(release.frame, wild)


def test_models_that_read_single_values_ask_for_a_clean_column() -> None:
    ordered = pv.TCloseness(0.5, "disease", distance="ordered", order=tuple(sorted(set(FRAME["disease"]))))
    with pytest.raises(pv.PlanError, match=r"reads value by value column 'disease'.*pv\.clean\(table, alike=True\)"):
        pv.anonymize(FRAME, plan_with("one", ordered))


def test_measures_and_attacks_count_as_the_plan_does() -> None:
    loose = pv.anonymize(FRAME, plan_with("apart"))
    assert pv.measure(FRAME, loose.frame, plan_with("apart"))["risk.attribute.disclosed.disease"] == 0
    assert pv.measure(FRAME, loose.frame, plan_with("one"))["risk.attribute.disclosed.disease"] == pytest.approx(0.5)
    found = pv.attack(loose.frame, plan_with("one"))["attack.homogeneity.disease"]
    assert len(found.exposed) == 3
    assert len(pv.attack(loose.frame, plan_with("apart"))["attack.homogeneity.disease"].exposed) == 0


def test_a_comparison_keeps_what_each_plan_asks() -> None:
    loose = pv.anonymize(FRAME, plan_with("apart"))
    met = check_demands(loose.frame, loose.plan, demands_of(plan_with("one")))
    assert [answer.holds for answer in met] == [True, False]


def test_plan_files_the_short_form_and_the_command_line_say_it(tmp_path: Path) -> None:
    plan = plan_with("one")
    assert plan.to_document()["columns"]["disease"] == {"role": "sensitive", "alike": "one"}
    plan.save(tmp_path / "plan.toml")
    assert pv.Plan.load(tmp_path / "plan.toml") == plan
    assert pv.anonymize(FRAME, quasi="age", sensitive="disease", k=2, l=2, alike="one").plan == plan
    options = PlanOptions(quasi=["age"], sensitive=["disease"], k=2, l=2, alike="one")
    assert options.to_plan(lambda: FRAME.columns) == plan
    with pytest.raises(pv.PlanError, match="alike must be one of 'apart', 'one'"):
        pv.Sensitive(alike="same")
