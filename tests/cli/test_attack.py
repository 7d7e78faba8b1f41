"""`paravent attack`: on a release alone, beside its original, beside people, and what is wrong with the options."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import paravent as pv
from paravent.privacy.attacks import ALL

from .conftest import Run

OPTIONS = ["--quasi", "age,zip code", "--sensitive", "disease", "--k", "3"]


@pytest.fixture
def release(run: Run, patients: Path, tmp_path: Path) -> Path:
    path = tmp_path / "release.csv"
    done = run(
        "anonymize", patients, *OPTIONS, "--identifier", "name", "-o", path, "--save-plan", tmp_path / "plan.toml"
    )
    assert done.exit_code == 0, done.output
    return path


def test_a_release_alone(run: Run, release: Path) -> None:
    result = run("attack", release, *OPTIONS)
    assert result.exit_code == 0, result.output
    assert "Homogeneity" in result.output
    assert "Not tried" in result.output
    assert "needs a table of people" in result.output


def test_beside_its_original_for_machines(run: Run, release: Path, patients: Path, tmp_path: Path) -> None:
    result = run(
        "attack", release, "--plan", tmp_path / "plan.toml", "--original", patients, "--attempts", 40, "--json"
    )
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    measures = document["measures"]
    assert measures["attack.linkage.max"] <= 1 / 3
    assert measures["attack.singling_out.quasi.attack"] == 0
    assert {attack["key"] for attack in document["attacks"]} >= {"attack.linkage", "attack.inference.disease"}
    again = pv.attack(release, tmp_path / "plan.toml", original=patients, attempts=40)
    assert measures == again.measures.to_dict()
    for value in ("Person 1", "ulcer", "asthma", "clerk"):
        assert value not in result.stdout
    seeds = [
        json.loads(
            run(
                "attack", release, "--plan", tmp_path / "plan.toml", "--original", patients, "--dice", seed,
                "--attempts", 15, "--json",
            ).stdout
        )["measures"]
        for seed in (1, 1, 2)
    ]  # fmt: skip
    assert seeds[0] == seeds[1] != seeds[2]


def test_beside_people_and_a_control_group(run: Run, release: Path, patients: Path, tmp_path: Path) -> None:
    others = tmp_path / "others.csv"
    pl.read_csv(patients).with_columns(pl.col("age") + 1).write_csv(others)
    result = run(
        "attack", release, *OPTIONS, "--against", others, "--original", patients, "--control", others, "--json"
    )
    assert result.exit_code == 0, result.output
    measures = json.loads(result.stdout)["measures"]
    assert 0 < measures["attack.membership.max"] <= 1
    assert "attack.inference.disease.control" in measures


def test_attacks_by_name(run: Run, release: Path) -> None:
    result = run("attack", release, *OPTIONS, "--only", "Homogeneity(column='disease', common=0.2)", "--json")
    assert result.exit_code == 0, result.output
    assert [attack["key"] for attack in json.loads(result.stdout)["attacks"]] == ["attack.homogeneity.disease"]
    groups = "Similarity(column='disease', tree={'lungs': ['flu', 'asthma'], 'stomach': ['ulcer']})"
    assert run("attack", release, *OPTIONS, "--only", groups).exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--only", "Burglary()"], "Burglary"),
        (["--only", "Target(knows={'age': 30})"], "one person"),
        (["--only", "Homogeneity(column='fax number')"], "fax number"),
        (["--only", "Homogeneity(common=7)"], "common"),
        (["--original", "nowhere.csv"], "nowhere.csv"),
        (["--attempts", "0", "--original", "patients.csv"], "attempts"),
    ],
)
def test_what_is_wrong(run: Run, release: Path, words: list[str], said: str) -> None:
    result = run("attack", release, *OPTIONS, *words)
    assert result.exit_code == 2, result.output
    assert said in result.output
    assert "Traceback" not in result.output


def test_every_attack_says_what_stops_it(run: Run) -> None:
    assert "paravent attack" in run("attack", "--help").output
    for attack in ALL:
        assert attack.title
        assert attack.stopped_by[-1] != "."
