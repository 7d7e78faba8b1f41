"""Attacks on groups and slices: they run on what whoever joins the tables can conclude."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import paravent as pv
from paravent.errors import TableError

from ..conftest import oracle

DIPLOMA, HEALTH = oracle("tables")["diploma"], oracle("tables")["health"]
CLASSES = [pv.attacks.Homogeneity, pv.attacks.BackgroundKnowledge, pv.attacks.Skewness]


def plan_of(worked: dict[str, Any], method: Any, **more: Any) -> pv.Plan:
    roles: dict[str, Any] = {name: pv.Quasi() for name in worked["columns"]}
    return pv.Plan({**roles, "disease": pv.Sensitive()}, [pv.LDiversity(2, "disease")], method=method, **more)


def anatomy(worked: dict[str, Any]) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    frame = pl.DataFrame(worked["rows"], schema=worked["columns"], orient="row")
    tally = pl.DataFrame(worked["tally"], schema=["group", "disease", "count"], orient="row")
    return frame.drop("disease").with_columns(pl.Series("group", worked["groups"])), {"sensitive": tally}


def test_the_printed_anatomy_under_attack() -> None:
    """The second group has cancer, cancer and flu: who can rule out flu is certain of cancer for its three rows."""
    frame, beside = anatomy(DIPLOMA)
    found = pv.attack(frame, plan_of(DIPLOMA, pv.methods.Anatomy(2)), beside=beside, attacks=CLASSES)
    assert found["attack.homogeneity.disease"].value == 0
    assert found["attack.homogeneity.disease"]["ruled_out"] == 0.5  # HD, which one of six has, is not in group 2
    assert found["attack.background.disease"].exposed.tolist() == [3, 4, 5]
    assert found["attack.background.disease"]["withstands"] == 1
    skewed = pv.attack(
        frame,
        plan_of(DIPLOMA, pv.methods.Anatomy(2)),
        beside=beside,
        attacks=[pv.attacks.Skewness(factor=1.3, belief=0.5)],
    )["attack.skewness.disease"]
    assert skewed.exposed.tolist() == [3, 4, 5]
    assert skewed["belief"] == pytest.approx(2 / 3)
    assert skewed["ratio"] == pytest.approx(4 / 3)  # cancer: half of all rows


def test_the_printed_buckets_under_attack() -> None:
    """The same groups in one table: a value beside a row is not the row's."""
    frame, _ = anatomy(DIPLOMA)
    shown = frame.rename({"group": "bucket"}).with_columns(pl.Series("disease", DIPLOMA["bucketized"]))
    plan = plan_of(DIPLOMA, pv.methods.Bucketization(2))
    found = pv.attack(shown, plan, attacks=CLASSES)
    assert found["attack.background.disease"].exposed.tolist() == [3, 4, 5]
    person = pv.attacks.Target(knows={"age": 30, "level": "Bac+3"})
    beliefs = pv.attack(shown, plan, attacks=[person])["attack.target"].beliefs["disease"]
    assert beliefs == pytest.approx({"HD": 0, "cancer": 2 / 3, "flu": 1 / 3})


def test_the_printed_slices_under_attack() -> None:
    """Beside a zip, a bucket has two diseases: ruling out one leaves the other, for everybody."""
    frame = pl.DataFrame(HEALTH["sliced"], schema=HEALTH["columns"], orient="row")
    frame = frame.with_columns(pl.Series("bucket", HEALTH["groups"]))
    blocks = pl.DataFrame(
        [(name, number) for number, block in enumerate(HEALTH["blocks"], 1) for name in block],
        schema=["column", "block"],
        orient="row",
    )
    plan = plan_of(HEALTH, pv.methods.Slicing(2, columns=HEALTH["blocks"]))
    found = pv.attack(frame, plan, beside={"blocks": blocks}, attacks=CLASSES)
    assert found["attack.homogeneity.disease"].value == 0
    assert found["attack.background.disease"].value == 1
    assert found["attack.background.disease"]["withstands"] == 1
    with pytest.raises(TableError, match="the values of 'gender' were permuted, so no row is one person's"):
        pv.attack(frame, plan, beside={"blocks": blocks}, attacks=[pv.attacks.Target(knows={"gender": "F"})])


@pytest.mark.parametrize("marked", [False, True])
def test_rows_of_a_group_with_one_value_are_named(marked: bool) -> None:
    """Group 1 holds flu twice. Its rows stand where they stand in the first table, whatever the second one's order."""
    first = pl.DataFrame({"age": ["7", "8", "9", "5"], "group": [2, 1, 2, 1]})
    where = [1, 3]
    if marked:
        first = pl.concat([first[:2], pl.DataFrame({"age": ["*"], "group": [None]}, schema=first.schema), first[2:]])
        where = [1, 4]
    tally = pl.DataFrame({"group": [1, 2, 2], "ill": ["flu", "cold", "flu"], "count": [2, 1, 1]})
    plan = pv.Plan(
        {"age": pv.Quasi(), "ill": pv.Sensitive()},
        [pv.LDiversity(2, "ill")],
        method=pv.methods.Anatomy(2),
        suppressed="mark" if marked else "drop",
        suppression=0.5,
    )
    found = pv.attack(first, plan, beside={"sensitive": tally}, attacks=[pv.attacks.Homogeneity])
    assert found["attack.homogeneity.ill"].exposed.tolist() == where
    alone = pv.attack(first, plan, attacks=[pv.attacks.Homogeneity])
    assert "all tables of the release" in alone.skipped["Homogeneity"]


def test_a_release_and_its_files_are_attacked_alike(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": list(range(20, 32)), "ill": ["flu", "cold", "gout"] * 4})
    plan = pv.Plan({"age": pv.Quasi(), "ill": pv.Sensitive()}, [pv.LDiversity(2, "ill")], method=pv.methods.Anatomy(2))
    release = pv.anonymize(frame, plan)
    release.write(tmp_path / "out.csv")
    whole = release.attack(attacks=CLASSES).measures
    assert whole["attack.background.ill"] == 1  # two values a group, of three
    assert pv.attack(tmp_path / "out.csv", plan, attacks=CLASSES).measures == whole


def test_perturbed_values_are_not_told_by_groups() -> None:
    frame = pl.DataFrame({"age": list(range(20, 32)), "ill": ["flu", "cold", "gout"] * 4})
    plan = pv.Plan(
        {"age": pv.Quasi(), "ill": pv.Sensitive()},
        [],
        method=pv.methods.Bucketization(2),
        treat=[pv.treatments.Noise("age", scale=0.5)],
    )
    assert "attack.homogeneity.ill" not in pv.anonymize(frame, plan).attack(attacks=CLASSES)
