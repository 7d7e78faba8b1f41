"""A drafted plan is a plan that runs: on Adult, on seeded people, on random tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.plan.draft import _model, draft_text
from paravent.plan.file import dumps, loads
from paravent.plan.toml_text import plan_text
from paravent.profiling.lexicon import Role

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
PATIENTS = Path(__file__).resolve().parents[1] / "oracles" / "patients.csv"


def holds(release: pv.Release, plan: pv.Plan, k: int) -> bool:
    """k-anonymity, counted anew on the finished frame."""
    return int(release.frame.group_by(list(plan.quasi)).len()["len"].min()) >= k  # type: ignore[arg-type]


def test_the_twelve_patients() -> None:
    table = pv.read(PATIENTS)
    plan = pv.draft(table, k=4)
    assert set(plan.quasi) == {"CP", "Age", "Genre", "Nationalité"}
    assert plan.columns["CP"] == pv.Quasi(pv.prefixes())
    # Five of twelve have cancer: were a second value as frequent, two would fill 10 of 12 rows, more than 80 %.
    assert plan.protect == (pv.KAnonymity(4), pv.LDiversity(2, "Pathologie"))
    release = pv.anonymize(table, plan)
    assert holds(release, plan, 4)
    assert release.frame["Pathologie"].equals(table.frame["Pathologie"].gather(release.kept))


@pytest.mark.skipif(not SHARED.exists(), reason="../shared/data is absent")
def test_adult() -> None:
    table = pv.read(SHARED / "adult" / "adult.csv")
    found = pv.profile(table)
    plan = pv.draft(found)
    assert plan == pv.draft(table)
    assert len(plan.quasi) == 8
    assert list(plan.sensitive) == ["salary-class"]
    release = pv.anonymize(table, plan)
    assert release.frame.height == 30_162
    assert holds(release, plan, 5)
    assert release.frame.group_by(list(plan.quasi)).agg(pl.col("salary-class").n_unique())["salary-class"].min() == 2


def test_a_draft_survives_its_file(tmp_path: Path) -> None:
    plan = pv.draft(PATIENTS, k=3)
    plan.save(tmp_path / "plan.toml")
    assert pv.Plan.load(tmp_path / "plan.toml") == plan


def test_skewed_sensitive_columns_are_kept_close_to_the_table_instead_of_diverse() -> None:
    frame = pl.DataFrame({"age": list(range(20, 70)) * 2, "disease": ["none"] * 90 + ["hiv"] * 10})
    assert pv.draft(frame).protect == (pv.KAnonymity(5), pv.TCloseness(0.3, "disease"))
    assert pv.draft(frame, l=2).protect == (pv.KAnonymity(5), pv.LDiversity(2, "disease"))
    even = frame.with_columns(disease=pl.Series(["flu", "hiv", "ulcer", "asthma"] * 25))
    assert pv.draft(even).protect == (pv.KAnonymity(5), pv.LDiversity(3, "disease"))
    assert pv.draft(even, k=2).protect == (pv.KAnonymity(2), pv.LDiversity(2, "disease"))


def test_missing_values_are_spoken_for_only_where_there_are_any() -> None:
    frame = pl.DataFrame(
        {"age": [20, None, 30, 40] * 5, "sex": ["m", "f"] * 10, "disease": ["flu", "hiv", None, "ulcer"] * 5}
    )
    plan = pv.draft(frame, k=2)
    assert plan.columns["age"].missing == "own value"  # type: ignore[attr-defined]
    assert plan.columns["sex"].missing is None  # type: ignore[attr-defined]
    assert plan.columns["disease"].missing == "own value"  # type: ignore[attr-defined]
    assert plan.missing is None
    assert holds(pv.anonymize(frame, plan), plan, 2)


def test_identifiers_are_dropped() -> None:
    frame = pl.DataFrame(
        {
            "email": [f"p{i}@example.org" for i in range(40)],
            "notes": ["long words about this one person and much more of that " + str(i) for i in range(40)],
            "age": [20 + i % 30 for i in range(40)],
        }
    )
    plan = pv.draft(frame)
    assert set(plan.identifiers) == {"email"}
    assert plan.columns["notes"] == pv.Drop()
    assert pv.anonymize(frame, plan).frame.columns == ["age"]


def test_nothing_to_generalize() -> None:
    with pytest.raises(pv.PlanError, match="no quasi-identifier was recognised"):
        pv.draft(pl.DataFrame({"email": [f"p{i}@example.org" for i in range(40)]}))


def test_every_sensitive_column_gets_a_model_and_l_is_the_one_that_is_asked_for() -> None:
    frame = pl.DataFrame(
        {
            "age": list(range(20, 60)),
            "disease": ["flu", "hiv", "ulcer", "gout"] * 10,
            "died": [i == 3 for i in range(40)],
            "salary": [1000 + 7 * i for i in range(40)],
        }
    )
    plan = pv.draft(frame)
    assert (
        {name for model in plan.protect for name in model.needs} == set(plan.sensitive) == {"disease", "died", "salary"}
    )
    asked = pv.draft(frame, k=6, l=4)
    assert asked.protect == (
        pv.KAnonymity(6),
        pv.LDiversity(4, "disease"),
        pv.LDiversity(2, "died"),  # it has no more values
        pv.LDiversity(4, "salary"),
    )
    for wrong in (1, 2.5, True, "3"):
        with pytest.raises(pv.PlanError, match="must be a whole number"):
            pv.draft(frame, l=wrong)  # type: ignore[arg-type]


def test_a_draft_says_whose_the_rows_are_where_a_number_tells() -> None:
    visits = pl.DataFrame({"patient_id": [i // 2 for i in range(80)], "age": [20 + i // 2 for i in range(80)]})
    assert pv.draft(visits).person == "patient_id"
    assert "numbers people and repeats" in draft_text(pv.profile(visits), pv.draft(visits))
    once = visits.with_columns(patient_id=pl.int_range(80))
    assert pv.draft(once).person is None
    names = pl.DataFrame({"last": ["Smith", "Jones", "Brown", "Miller", "Khan"] * 8, "age": list(range(20, 60))})
    plan = pv.draft(names)
    assert "Say whose each row is before this plan runs" in " ".join(
        draft_text(pv.profile(names), plan).replace("#", "").split()
    )
    with pytest.raises(pv.PlanError, match="names people and repeats"):
        pv.anonymize(names, plan)


def test_values_that_look_alike_are_counted_as_one_in_a_draft() -> None:
    frame = pl.DataFrame({"age": list(range(20, 40)), "disease": ["flu", "Flu", "cold", "gout"] * 5})
    plan = pv.draft(frame, l=4)
    assert plan.columns["disease"] == pv.Sensitive(alike="one")
    assert plan.protect[1] == pv.LDiversity(3, "disease")


def test_the_file_of_a_draft_says_why() -> None:
    frame = pl.DataFrame(
        {
            "Nom": [f"N{i}" for i in range(40)],
            "age": [20 + i % 30 for i in range(40)],
            "job": ["clerk", "nurse"] * 20,
            "x7": [i % 3 for i in range(40)],
            "a\nb": [i % 2 for i in range(40)],
            "disease": ["flu", "Flu", "gout", "hiv"] * 10,
        }
    )
    found = pv.profile(frame, max_subset=1)
    plan = pv.draft(found)
    text = draft_text(found, plan)
    assert loads(text) == plan
    lines = text.splitlines()
    above = {line.split(" = ")[0]: lines[i - 1] for i, line in enumerate(lines) if " = { role" in line}
    assert above["age"] == "# the header names an age, and the numbers fit one"
    assert above["job"].startswith("# ? the header names work")
    assert above["x7"].startswith("# ?? nothing tells")
    assert above["Nom"].startswith("# ")
    assert 'age = { role = "quasi", tree = { intervals = [5, 10, 20] } }' in lines
    assert any(line.startswith("# ! disease: ") and "look like" in line for line in lines)
    assert all(line.startswith(("#", "[")) or line == "" or "=" in line for line in lines)
    assert "gout" not in text


@pytest.mark.parametrize("name", ["a b", "é", "a\nb", "#", "[x]", '"', "a.b", "= { role", "", "*"])
def test_any_column_name_survives_a_plan_file(name: str) -> None:
    groups = pv.groups({"one": ["a", 'b "c"'], "many": {"x": ["d" * 150], "y": ["e" * 150]}})
    plan = pv.Plan({name: pv.Quasi(groups), f"{name}2": pv.Quasi(pv.intervals(5, 10)), f"{name}3": pv.Drop()},
                   [pv.KAnonymity(2), pv.LDiversity(2, "s")], seed=4)  # fmt: skip
    assert loads(dumps(plan)) == plan
    assert plan_text(plan.to_document(), {name: "note\nline"}).count("# note line") == 1


HEADERS = [
    "age",
    "sex",
    "zip",
    "disease",
    "Größe",
    "id",
    "Nom",
    "date of birth",
    "salary",
    "a b-c",
    "x",
    "notes",
    "race",
]


def column(rows: int) -> st.SearchStrategy[list[Any]]:
    def filled(values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
        return st.lists(st.one_of(values, values, st.none()), min_size=rows, max_size=rows)

    few = st.sampled_from(["a", "b", "c", "[1, 2]", " ", "é", "a,b"])
    return st.one_of(
        filled(st.integers(-5, 90)),
        filled(st.integers(-(2**60), 2**60)),
        filled(st.floats(-1e6, 1e6)),
        filled(few),
        filled(st.text(st.characters(categories=["L", "N", "Z"]), min_size=1, max_size=8)),
        filled(st.dates()),
        filled(st.booleans()),
    )


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    rows = draw(st.integers(5, 30))
    names = draw(st.lists(st.sampled_from(HEADERS), min_size=1, max_size=5, unique=True))
    return pl.DataFrame({name: draw(column(rows)) for name in names}, strict=False)


@settings(max_examples=150)
@given(tables(), st.integers(2, 5))
def test_what_is_drafted_can_be_released(frame: pl.DataFrame, k: int) -> None:
    table = pv.read(frame)
    found = pv.profile(table, max_subset=1)
    assume(found.named(Role.QUASI))
    plan = pv.draft(found, k=k)
    if "Say whose each row is" in draft_text(found, plan).replace(
        "\n#  ", ""
    ):  # the one thing that only the person at work can know
        with pytest.raises(pv.PlanError, match="names people and repeats"):
            pv.anonymize(table, plan)
        plan = plan.replace(person=None)
    release = pv.anonymize(table, plan)
    if not isinstance(plan.person, str):
        assert holds(release, plan, k)
    for name in plan.sensitive:
        assert release.frame[name].equals(table.frame[name][release.kept])
    assert not set(plan.identifiers) & set(release.frame.columns)


@settings(max_examples=60)
@given(
    st.lists(st.one_of(st.none(), st.sampled_from(["*", "(missing)", "a~b", "{a}", "a", "b"])), min_size=5, max_size=12)
)
def test_values_that_look_like_labels_give_a_release_or_a_clear_word(cells: list[str | None]) -> None:
    frame = pl.DataFrame({"job": cells, "age": list(range(len(cells)))}, schema={"job": pl.String, "age": pl.Int64})
    plan = pv.draft(frame, k=2)
    try:
        held = holds(pv.anonymize(frame, plan), plan, 2)
    except pv.ParaventError as error:
        held = "columns.job" in str(error)
    assert held


def test_comments_are_broken_between_words_only() -> None:
    """A word that a line has no room for stands on its own, however long it is and whatever hyphens it has."""
    path, term = "/data/" + "x" * 150 + ".csv", "quasi-identifier"
    text = plan_text({"seed": 0}, head=[f"{'a' * 110} {term} {path}"])
    assert text == f"# {'a' * 110}\n#   {term}\n#   {path}\n\nseed = 0\n"


def test_one_missing_cell_is_a_value() -> None:
    table = pv.read(pl.DataFrame({"ill": ["yes", "yes", "yes", None]}))
    (column,) = pv.profile(table).columns
    assert _model(column, 3, 2) == pv.LDiversity(2, "ill")
