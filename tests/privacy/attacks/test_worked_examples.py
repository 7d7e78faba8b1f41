"""The attacks of the literature, with the tables they are told on."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import paravent as pv
from paravent.privacy.attacks import (
    BackgroundKnowledge,
    Homogeneity,
    Membership,
    Population,
    RecordLinkage,
    Scene,
    Similarity,
    Skewness,
    Target,
)

ORACLES = tomllib.loads((Path(__file__).parents[2] / "oracles/attacks.toml").read_text(encoding="utf-8"))


def frame_of(name: str) -> pl.DataFrame:
    table = ORACLES["tables"][name]
    return pl.DataFrame(table["rows"], schema=[*table["quasi"], *table["sensitive"]], orient="row")


def scene_of(name: str, **more: Any) -> Scene:
    table = ORACLES["tables"][name]
    return Scene(frame_of(name), tuple(table["quasi"]), tuple(table["sensitive"]), **more)


def classes_of(classes: list[dict[str, int]]) -> Scene:
    rows = [(f"class {i}", value) for i, held in enumerate(classes) for value, n in held.items() for _ in range(n)]
    return Scene(pl.DataFrame(rows, schema=["q", "s"], orient="row"), ("q",), ("s",))


def from_one(rows: Any) -> list[int]:
    return [row + 1 for row in rows.tolist()]


@pytest.mark.parametrize("case", ORACLES["target"], ids=lambda case: case["name"])
def test_one_person(case: dict[str, Any]) -> None:
    people = Population(frame_of(case["people"])) if "people" in case else None
    scene = scene_of(case["table"], people=people)
    column = case.get("column", "disease")
    target = Target(
        knows=case["knows"], column=column, prior=case.get("prior", {}), exclude=tuple(case.get("exclude", ()))
    )
    found = target.run(scene)
    assert from_one(found.exposed) == case["rows"]
    assert found.beliefs[column] == case["beliefs"]
    assert found["rows"] == len(case["rows"])
    if "presence" in case:
        assert found["presence"] == case["presence"]
        assert found["presence"] * found["belief"] == 0.75  # the belief in cancer, in the table or not


@pytest.mark.parametrize("case", ORACLES["belief"], ids=lambda case: case["name"])
def test_beliefs_in_a_class(case: dict[str, Any]) -> None:
    scene = classes_of(case["classes"])
    found = Target(knows={"q": "class 0"}, column="s", prior=case.get("prior", {})).run(scene)
    assert found["belief"] == pytest.approx(case["surest"], abs=1e-15)
    assert len(found.beliefs["s"]) == case["distinct"]
    exposed = BackgroundKnowledge(column="s", prior=case.get("prior", {}), rule_out=0, belief=case["surest"]).run(scene)
    assert len(exposed.exposed) == scene.n_rows
    assert exposed["belief"] == pytest.approx(case["surest"], abs=1e-15)


@pytest.mark.parametrize("case", ORACLES["skewness"], ids=lambda case: case["name"])
def test_skewness(case: dict[str, Any]) -> None:
    found = Skewness(column="s").run(classes_of(case["classes"]))
    assert found.value == case["share"]
    for figure in ("belief", "ratio", "gain"):
        assert found[figure] == pytest.approx(case[figure], abs=1e-15)


@pytest.mark.parametrize("case", ORACLES["homogeneity"], ids=lambda case: case["table"])
def test_homogeneity(case: dict[str, Any]) -> None:
    found = Homogeneity(column="disease").run(scene_of(case["table"]))
    assert from_one(found.exposed) == case["rows"]
    assert found.value == pytest.approx(case["share"], abs=1e-15)
    assert found["ruled_out"] == pytest.approx(case["ruled_out"], abs=1e-15)


@pytest.mark.parametrize("case", ORACLES["withstands"], ids=lambda case: case["table"])
def test_background_knowledge_in_the_worst_case(case: dict[str, Any]) -> None:
    found = BackgroundKnowledge(column="disease").run(scene_of(case["table"]))
    assert found["withstands"] == case["values"]
    certain = BackgroundKnowledge(column="disease", rule_out=case["values"]).run(scene_of(case["table"]))
    assert certain["belief"] == 1.0
    if case["values"]:
        assert (
            BackgroundKnowledge(column="disease", rule_out=case["values"] - 1).run(scene_of(case["table"]))["belief"]
            < 1
        )


@pytest.mark.parametrize("case", ORACLES["similarity"], ids=lambda case: f"{case['table']}, {case['column']}")
def test_similarity(case: dict[str, Any]) -> None:
    attack = Similarity(column=case["column"], tree=case.get("tree"), radius=case.get("radius"))
    found = attack.run(scene_of(case["table"]))
    assert from_one(found.exposed) == case["rows"]
    assert found["distinct"] == found.value == len(case["rows"]) / frame_of(case["table"]).height


def test_the_voter_is_found_in_the_medical_file() -> None:
    """Ben Fredj, Fig. 2: ZIP, date of birth and sex lead to one row, and to shortness of breath."""
    voters = pl.DataFrame(
        {"name": ["Sue J. Carlson"], "zip": ["94142"], "dob": ["9/15/1961"], "sex": ["F"], "party": ["democrat"]}
    )
    scene = scene_of("Ben Fredj Fig. 2, medical", people=Population(voters))
    for exact in (False, True):
        found = RecordLinkage(known=("zip", "dob", "sex"), exact=exact).run(scene)
        assert from_one(found.exposed) == [11]
        assert found.people is not None
        assert found.people.tolist() == [0]
        assert found["max"] == found["unique"] == 1.0
    told = Target(knows={"zip": "94142", "dob": "9/15/1961", "sex": "F"}).run(scene)
    assert told.beliefs["problem"]["shortness of breath"] == 1.0


def test_a_2_anonymous_table_is_linked_half_the_time() -> None:
    """Mauger, Fig. 1.1b laid beside Fig. 1.1a: everybody fits two rows. Compared letter by letter nobody fits any."""
    scene = scene_of("Mauger Fig. 1.1b", people=Population(frame_of("Mauger Fig. 1.1a")))
    found = RecordLinkage().run(scene)
    assert found["max"] == found["average"] == 0.5
    assert found["unique"] == 0.0
    assert found["matched"] == 1.0
    assert RecordLinkage(exact=True).run(scene)["matched"] == 0.0


def test_table_linkage() -> None:
    """Ben Fredj §1.3: a class of 4 rows, 5 people outside who fit it: 0.8. §8.5: 3 of 4, and nobody of the others."""
    release = pl.DataFrame({"q": ["a"] * 4})
    five = Scene(release, ("q",), people=Population(pl.DataFrame({"q": ["a"] * 5})))
    assert Membership().chances(five).tolist() == [0.8] * 5
    scene = scene_of("Ben Fredj Table 2", people=Population(frame_of("Ben Fredj Table 6, whom somebody can name")))
    assert Membership().chances(scene).tolist() == [0.75] * 4 + [0.0] * 3
    found = Membership(belief=0.75).run(scene)
    assert found["max"] == found["min"] == 0.75
    assert found["absent"] == pytest.approx(3 / 7)


def test_the_twelve_patients_from_plan_to_attack() -> None:
    """The same through the front door: the original, a tree of sets, and everybody linked to four rows."""
    patients = pl.read_csv(Path(__file__).parents[2] / "oracles/patients.csv")
    quasi = patients.columns[:-1]
    plan = pv.Plan({**{name: pv.Quasi() for name in quasi}, patients.columns[-1]: pv.Sensitive()}, [pv.KAnonymity(4)])
    release = pv.anonymize(patients, plan)
    found = release.attack()
    assert found["attack.linkage"]["max"] <= 0.25
    assert found["attack.singling_out.quasi"]["attack"] == 0.0


def test_numbers_are_guessed_by_the_median_of_those_who_look_alike() -> None:
    """Everybody of a class is guessed at its median, 20 or 200: right within a tenth for one of three in each."""
    ages = ["[30, 39]"] * 3 + ["[40, 49]"] * 3
    released = pl.DataFrame({"age": ages, "wage": [10, 20, 40, 100, 200, 400]})
    people = pl.DataFrame({"age": [31, 33, 35, 41, 43, 45], "wage": [10, 20, 40, 100, 200, 400]})
    plan = pv.Plan({"age": pv.Quasi(), "wage": pv.Sensitive()}, [pv.KAnonymity(3)])
    attack = pv.attacks.Inference(column="wage", known=["age"], tolerance=0.1)
    (found,) = pv.attack(released, plan, original=people, attacks=[attack]).values()
    assert found.value == pytest.approx(2 / 6)


def test_close_dates_are_found_by_a_tree_of_dates() -> None:
    days = pl.Series([date(2020, 1, 3), date(2020, 1, 20), date(2020, 5, 1), date(2021, 3, 1)])
    released = pl.DataFrame({"zip": ["1*", "1*", "2*", "2*"], "day": days})
    plan = pv.Plan({"zip": pv.Quasi(), "day": pv.Sensitive()}, [pv.KAnonymity(2)])
    attack = Similarity(column="day", tree=pv.dates("month"))
    (found,) = pv.attack(released, plan, attacks=[attack]).values()
    assert from_one(found.exposed) == [1, 2]


def test_close_fractions_are_found_by_a_tree_of_intervals() -> None:
    """37.2 and 38.4 lie in [37, 39[; 36.5 and 40.1 in no interval together."""
    released = pl.DataFrame({"zip": ["1*", "1*", "2*", "2*"], "fever": [37.2, 38.4, 36.5, 40.1]})
    plan = pv.Plan({"zip": pv.Quasi(), "fever": pv.Sensitive()}, [pv.KAnonymity(2)])
    attack = Similarity(column="fever", tree=pv.intervals(2, origin=1))
    (found,) = pv.attack(released, plan, attacks=[attack]).values()
    assert from_one(found.exposed) == [1, 2]
