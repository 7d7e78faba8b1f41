"""pv.risk: one object for everything that was asked, with the names of the measures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.errors import PlanError, TableError

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


@pytest.fixture
def people() -> pl.DataFrame:
    """Column names with a dash and a space, a missing value, weights and households."""
    return pl.DataFrame(
        {
            "zip-code": ["1", "1", "2", None],
            "birth year": [1990, 1990, 1985, 1970],
            "weight": [10.0, 12.0, 8.0, 5.0],
            "home": ["a", "a", "b", "c"],
            "income": [100, 110, 300, 240],
        }
    )


QUASI = ["zip-code", "birth year"]


def test_all_at_once(people: pl.DataFrame) -> None:
    found = pv.risk(people, QUASI, population=35, weights="weight", household="home", suda=2, original=people)
    assert found.rows == 4
    assert (found["risk.uniques"], found["risk.prosecutor.max"], found["risk.prosecutor.average"]) == (0.5, 1, 0.75)
    assert found["risk.marketer.average"] == 0.75
    for name in ("risk.population.uniques", "risk.individual.average", "risk.household.max", "risk.suda.dis.max"):
        assert 0 < found[name] <= 1
    assert found["risk.hidden_failure.rate"] == 1
    assert found["risk.linkage.distance"] == 1
    assert found.numeric is not None
    assert found.numeric.columns == ("birth year", "income")  # neither weights nor households are perturbed numbers
    assert set(found.by_row().columns) == {
        "class_size", "prosecutor", "individual", "household", "suda_score", "dis_suda",
    }  # fmt: skip
    assert all(name.startswith("risk.") for name in found.to_dict())
    text = str(found)
    assert all(sentence in text for sentence in (*found.sentences, *found.assumptions.values()))


def test_every_estimate_says_what_it_assumes(people: pl.DataFrame) -> None:
    found = pv.risk(people, QUASI, population=0.1, weights="weight", household="home", suda=2, original=people)
    estimates = (
        "risk.population",
        "risk.individual",
        "risk.household",
        "risk.suda.dis",
        "risk.linkage",
        "risk.interval",
    )
    for measure in found.measures.details():
        if measure.name.startswith(estimates):
            assert "assumes that" in measure.meaning or "does not fit" in measure.meaning, measure.name


def test_the_survey_through_the_front_door(survey: pl.DataFrame) -> None:
    found = pv.risk(survey, KEYS, population=0.01, weights="sampling_weight", household="ori_hid")
    assert found["risk.individual.average"] == pytest.approx(0.00235334, abs=5e-9)
    assert found["risk.household.average"] == pytest.approx(0.01131287, abs=5e-9)
    without = pv.risk(survey, KEYS, household="ori_hid")
    assert without["risk.household.average"] > found["risk.household.average"]


def test_a_register_of_the_population_covers_generalized_cells() -> None:
    register = pl.DataFrame({"age": [21, 22, 23, 29, 35, 36, 38], "sex": list("ffmfmmf")})
    plan = pv.Plan({"age": pv.Quasi(), "sex": pv.Quasi()}, [pv.KAnonymity(2)])
    release = pl.DataFrame({"age": ["[21, 29]", "[21, 29]", "35"], "sex": ["f", "f", "m"]})
    found = pv.risk(release, plan, population=register)
    assert found.journalist is not None
    assert found.journalist.population_size.tolist() == [3, 3, 1]
    assert found["risk.journalist.max"] == 1
    assert found.by_row()["journalist"].to_list() == [1 / 3, 1 / 3, 1]
    assert found["risk.marketer.average"] == pytest.approx((1 / 3 + 1 / 3 + 1) / 3)
    assert found.population is not None
    assert found.population.population.size == 7
    with pytest.raises(TableError, match="fewer"):
        pv.risk(release, plan, population=register.head(2))
    with pytest.raises(TableError, match="fewer people than"):
        pv.risk(pl.DataFrame({"age": ["35"] * 3, "sex": ["m"] * 3}), plan, population=register)


def test_a_release_and_its_original(people: pl.DataFrame) -> None:
    plan = pv.Plan(
        {"zip-code": pv.Quasi(missing="own value"), "birth year": pv.Quasi()}, [pv.KAnonymity(2)], suppression=0.5,
        suppressed="mark",
    )  # fmt: skip
    release = pv.anonymize(people, plan)
    found = pv.risk(release, plan, original=people)
    assert found.highest <= 0.5
    assert "Nobody stands alone" in found.sentences[0]
    assert found.hidden_failure is not None


def test_a_release_knows_which_rows_it_kept() -> None:
    frame = pl.DataFrame({"age": [20, 20, 20, 90, 30, 30], "income": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    plan = pv.Plan({"age": pv.Quasi(pv.flat())}, [pv.KAnonymity(2)], suppression=0.2)
    release = pv.anonymize(frame, plan)
    found = pv.risk(release, plan, original=frame)
    assert found.notes == ()
    assert found["risk.linkage.distance"] == 1


def test_missing_cells_that_a_plan_reads_as_anything(people: pl.DataFrame) -> None:
    plan = pv.Plan({"zip-code": pv.Quasi(missing="wildcard")}, [pv.KAnonymity(1)])
    found = pv.risk(people, plan)
    assert "'zip-code' are equal to one another here" in found.notes[0]
    assert found.notes[0] in str(found)
    assert found["risk.uniques"] == 0.5


def test_rows_that_were_left_out_cannot_be_compared_one_by_one(people: pl.DataFrame) -> None:
    found = pv.risk(people.head(3), QUASI, original=people)
    assert found.numeric is None
    assert "Rows were left out" in found.notes[0]
    assert found["risk.hidden_failure.count"] == 3
    with pytest.raises(TableError, match="one by one"):
        pv.risk(people.head(3), QUASI, original=people, numbers=["income"])


@pytest.mark.parametrize(
    ("rows", "uniques"),
    [({"x": [1]}, 1.0), ({"x": [1, 1, 1]}, 0.0), ({"x": [None, None]}, 0.0), ({"x": [None, 1]}, 1.0)],
)
def test_odd_tables(rows: dict[str, list[int | None]], uniques: float) -> None:
    frame = pl.DataFrame(rows, schema={"x": pl.Int64}).with_columns(w=2.0, h=1)
    found = pv.risk(frame, ["x"], population=0.5, weights="w", household="h", suda=1)
    assert found["risk.uniques"] == uniques
    assert np.isfinite([value for value in found.to_dict().values() if value is not None]).all()


def test_an_empty_table() -> None:
    found = pv.risk(pl.DataFrame({"x": []}, schema={"x": pl.Int64}), ["x"], population=10, suda=1)
    assert found.sentences == ("The table has no row: nobody can be found in it.",)
    assert found["risk.population.uniques"] == 0


def test_thresholds_are_the_users(people: pl.DataFrame) -> None:
    found = pv.risk(people, QUASI, weights="weight", thresholds=(0.3,))
    assert found["risk.above.0.3"] == 1
    assert "risk.individual.above.0.3" in found.to_dict()
    assert "risk.above.0.2" not in found.to_dict()


def test_bad_demands(people: pl.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(TableError, match="no column 'age'"):
        pv.risk(people, ["age"])
    with pytest.raises(PlanError, match="no quasi-identifier"):
        pv.risk(people, [])
    with pytest.raises(PlanError, match=r"neither a number of people nor a sampling fraction in \(0, 1\]"):
        pv.risk(people, QUASI, population=1.5)
    with pytest.raises(PlanError, match="smaller than the table"):
        pv.risk(people, QUASI, population=3)
    with pytest.raises(TableError, match="no column 'wieght'"):
        pv.risk(people, QUASI, weights="wieght")
    with pytest.raises(TableError, match="no column 'hom'"):
        pv.risk(people, QUASI, household="hom")
    with pytest.raises(PlanError, match="original"):
        pv.risk(people, QUASI, numbers=["income"])
    with pytest.raises(PlanError, match="thresholds"):
        pv.risk(people, QUASI, thresholds=(1.0,))
    with pytest.raises(PlanError, match="max_size"):
        pv.risk(people, QUASI, suda=0)
    with pytest.raises(TableError):
        pv.risk(people, QUASI, population=str(tmp_path / "nothing.csv"))


def test_what_must_be_known_is_named(people: pl.DataFrame) -> None:
    one = pv.risk(people, ["birth year"])
    assert "whoever knows the birth year of such a person" in one.sentences[0]
    assert "whoever knows the 2 quasi-identifiers of such a person" in pv.risk(people, QUASI).sentences[0]
