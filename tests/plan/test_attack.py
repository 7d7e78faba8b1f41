"""pv.attack on releases of every sort: suppressed rows, marked rows, missing values, dates, pseudonyms."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.plan.attack import _tree
from paravent.plan.subject import _recoded
from paravent.plan.told import told_by
from paravent.plan.truth import attackable, perturbed
from paravent.plan.verification import quasi_in


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    rng = np.random.default_rng(11)
    n = 300
    return pl.DataFrame(
        {
            "name": [f"Person {i}" for i in range(n)],
            "age": rng.integers(20, 70, n),
            "born": [date(1960, 1, 1) + timedelta(int(d)) for d in rng.integers(0, 9000, n)],
            "town": rng.choice(["Lyon", "Paris", "Nice", "Brest"], n, p=[0.5, 0.3, 0.19, 0.01]),
            "ill": rng.choice(["flu", "cold", "gout"], n),
        }
    )


def plan_of(**more: Any) -> pv.Plan:
    columns = {
        "name": pv.Identifier(),
        "age": pv.Quasi(pv.intervals(5, 10)),
        "born": pv.Quasi(pv.dates("month", "year", "decade")),
        "town": pv.Quasi(),
        "ill": pv.Sensitive(),
    }
    return pv.Plan(**{"columns": columns, "protect": [pv.KAnonymity(3)], **more})


@pytest.mark.parametrize("suppressed", ["drop", "mark"])
def test_suppressed_rows_are_no_rows(people: pl.DataFrame, suppressed: str) -> None:
    plan = plan_of(suppression=0.2, suppressed=suppressed, protect=[pv.KAnonymity(5), pv.LDiversity(3, "ill")])
    release = pv.anonymize(people, plan)
    found = release.attack(attempts=100)
    linked = found["attack.linkage"]
    assert linked["max"] <= 0.2
    assert found["attack.homogeneity.ill"].value == 0
    if release.verdict.suppressed:
        assert linked["matched"] <= 1
        assert release.attack(control="suppressed", attempts=100)["attack.inference.ill"].trial is not None
    for finding in found.values():
        cells = release.frame[finding.exposed.tolist()] if len(finding.exposed) else release.frame.clear()
        assert cells["ill"].null_count() == 0  # a mark of a suppressed row is nobody


@pytest.mark.parametrize("meaning", ["own value", "wildcard", "drop rows", "impute"])
def test_missing_values(people: pl.DataFrame, meaning: str) -> None:
    holes = people.with_columns(
        pl.when(pl.col("age") % 7 != 0).then(pl.col("age")), pl.when(pl.col("town") != "Nice").then(pl.col("town"))
    )
    release = pv.anonymize(holes, plan_of(missing=meaning))
    found = release.attack(attempts=100)
    assert found["attack.linkage"]["max"] <= 1 / 3
    if meaning != "impute":
        assert found["attack.linkage"]["matched"] == (
            1 if meaning != "drop rows" else found["attack.linkage"]["matched"]
        )
    assert found["attack.linkage"]["average"] > 0


def test_a_file_is_attacked_as_its_release_is(people: pl.DataFrame, tmp_path: Any) -> None:
    """Labels read back from a CSV, the original from another: the same people fit the same rows."""
    plan = plan_of()
    release = pv.anonymize(people, plan)
    release.write(tmp_path / "release.csv")
    people.write_csv(tmp_path / "people.csv")
    names = ["attack.linkage.unique", "attack.linkage.max", "attack.linkage.average", "attack.linkage.matched"]
    whole = release.attack(attacks=[pv.attacks.RecordLinkage]).measures
    read = pv.attack(
        tmp_path / "release.csv", plan, original=tmp_path / "people.csv", attacks=[pv.attacks.RecordLinkage]
    ).measures
    assert {name: read[name] for name in names} == pytest.approx({name: whole[name] for name in names})


def test_people_from_elsewhere(people: pl.DataFrame) -> None:
    """A register with fewer columns, people of whom some are unknown, and a day that the original does not have."""
    release = pv.anonymize(people, plan_of())
    register = pl.concat(
        [
            people.select("name", "age", "born"),
            pl.DataFrame({"name": ["X", "Y"], "age": [99, None], "born": [date(1961, 5, 5), date(1965, 2, 2)]}),
        ]
    )
    found = release.attack(against=register)
    assert found["attack.linkage"]["max"] <= 1 / 3
    assert found["attack.membership"]["max"] <= 1
    assert found["attack.membership"].people is not None


def test_pseudonyms_single_nobody_out(people: pl.DataFrame) -> None:
    plan = plan_of(
        columns={"name": pv.Identifier("random"), "age": pv.Quasi(), "ill": pv.Sensitive()}, protect=[pv.KAnonymity(3)]
    )
    release = pv.anonymize(people.select("name", "age", "ill"), plan)
    assert "name" in release.frame.columns
    assert "by 2 columns" in release.attack(attempts=50)["attack.singling_out.all"].sentence


def test_hierarchical_closeness_says_what_is_similar(people: pl.DataFrame) -> None:
    tree = pv.groups({"infection": ["flu", "cold"], "joints": ["gout"]})
    plan = plan_of(protect=[pv.KAnonymity(3), pv.TCloseness(0.9, "ill", distance="hierarchical", tree=tree)])
    assert "attack.similarity.ill" in pv.anonymize(people, plan).attack(attempts=20)


def test_a_release_without_a_quasi_identifier_is_named() -> None:
    plan = pv.Plan({"age": pv.Quasi(), "town": pv.Quasi()}, [pv.KAnonymity(2)])
    with pytest.raises(pv.TableError, match="the release has no column 'town'"):
        pv.attack(pl.DataFrame({"age": ["30", "30"]}), plan)


def test_an_attack_by_fewer_columns_sees_larger_classes() -> None:
    """By age and town both classes have one illness; by the town alone all four rows are one class of two."""
    columns = {"age": pv.Quasi(pv.intervals(10)), "town": pv.Quasi(), "ill": pv.Sensitive()}
    plan = pv.Plan(columns, pv.KAnonymity(2))
    table = pl.DataFrame({"age": [20, 21, 50, 51], "town": ["Lyon"] * 4, "ill": ["flu", "flu", "gout", "gout"]})
    release = pv.anonymize(table, plan)
    attack = pv.attacks.Homogeneity(column="ill")
    (both,) = pv.attack(release, plan, attacks=[attack]).values()
    (town,) = pv.attack(release, plan.replace(columns={**columns, "age": pv.Drop()}), attacks=[attack]).values()
    assert (both.value, town.value) == (1.0, 0.0)


def test_what_perturbed_rows_tell() -> None:
    """Rows that are found by noisy ages tell nothing of the people they seem to be, unless classes were made of them
    with what they now say."""
    columns = {"age": pv.Quasi(), "ill": pv.Sensitive()}
    noisy = pv.Plan(columns, pv.KAnonymity(2), treat=[pv.treatments.Noise("age", scale=0.1)])
    assert attackable(noisy, columns) == ("ill",)
    assert attackable(noisy.replace(treat=[]), columns) == ("ill",)
    assert attackable(noisy.replace(protect=[pv.HiddenFailure(1)]), columns) == ()


def test_a_tree_over_numbers_here_and_texts_there() -> None:
    tree = _tree("zip", pv.prefixes(), [pl.Series([10, 20]), pl.Series(["10", "11"])])
    assert tree is not None
    assert set(tree.leaf_of) == {"10", "11", "20"}


def test_cells_that_the_original_does_not_have_have_no_code() -> None:
    assert _recoded(pl.Series(["b", "z"]), pl.Series(["a", "b"]), np.array([0, 1])).tolist() == [1, -1]


def test_a_quasi_identifier_that_is_not_there_is_not_forgotten() -> None:
    plan = pv.Plan({"age": pv.Quasi(), "zip": pv.Quasi()}, pv.KAnonymity(2))
    assert quasi_in(pl.DataFrame({"zip": ["1"]}), plan) == ["age", "zip"]


def test_a_risk_of_nothing_is_a_threshold() -> None:
    assert pv.risk(pl.DataFrame({"age": ["1", "1"]}), ["age"], thresholds=[0.0])["risk.above.0"] == 1


def test_values_beside_their_rows_are_a_scene_of_their_own() -> None:
    frame = pl.DataFrame({"age": [1, 2, 3, 4], "ill": ["a", "b", "a", "b"]})
    plan = pv.Plan({"age": pv.Quasi(), "ill": pv.Sensitive()}, pv.LDiversity(2, "ill"), pv.methods.Bucketization(l=2))
    release = pv.anonymize(frame, plan)
    told = told_by(release.frame, {}, plan, rows=None, persons=None, trees={})
    assert told is not None
    assert told.sensitive == ("ill",)


def test_values_that_changed_places_in_their_group_are_false_of_their_rows() -> None:
    columns = {"age": pv.Quasi(), "zip": pv.Quasi(), "ill": pv.Sensitive()}
    method = pv.methods.Slicing(l=2, columns=[["age"], ["zip", "ill"]])
    plan = pv.Plan(columns, pv.LDiversity(2, "ill"), method)
    assert "ill" not in perturbed(plan, ["age", "zip", "ill"])
    assert perturbed(plan, ["age", "zip", "ill"])
