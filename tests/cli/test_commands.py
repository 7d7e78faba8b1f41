"""Every command from its arguments to its files and exit code."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import paravent as pv
from paravent.data import ADULT_TREES

Run = Callable[..., Any]

WISHES = ("--quasi", "age,zip code", "-q", "naïve-job", "--sensitive", "disease", "--identifier", "name", "--k", 4)


def _json(result: Any) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_profile_says_what_is_in_a_table(run: Run, patients: Path) -> None:
    result = run("profile", patients)
    assert result.exit_code == 0
    assert "naïve-job" in result.stdout
    names = [column["name"] for column in _json(run("profile", patients, "--json"))["columns"]]
    assert names == ["name", "age", "zip code", "naïve-job", "disease", "fax"]


def test_anonymize_with_options_writes_release_report_and_plan(run: Run, patients: Path, tmp_path: Path) -> None:
    result = run(
        "anonymize", patients, *WISHES, "--l", 2, "-o", "out.csv", "--report", "out.html", "--save-plan", "plan.toml",
        "--tree", "age=intervals(5, 10, 20)",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "4-anonymity" in result.stdout
    released = pl.read_csv(tmp_path / "out.csv")
    assert released.height == 48
    assert "name" not in released.columns
    assert released.group_by("age", "zip code", "naïve-job").len()["len"].min() >= 4  # type: ignore[operator]
    assert sorted(released["disease"]) == sorted(pl.read_csv(patients)["disease"])
    assert (tmp_path / "out.html").read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    plan = pv.Plan.load("plan.toml")
    assert plan.protect == (pv.KAnonymity(4), pv.LDiversity(2, "disease"))
    assert plan.quasi["age"].tree == pv.intervals(5, 10, 20)


def test_a_saved_plan_gives_the_same_bytes(run: Run, patients: Path, tmp_path: Path) -> None:
    assert run("anonymize", patients, *WISHES, "-o", "first.csv", "--save-plan", "plan.toml").exit_code == 0
    assert run("anonymize", patients, "--plan", "plan.toml", "-o", "second.csv").exit_code == 0
    assert (tmp_path / "first.csv").read_bytes() == (tmp_path / "second.csv").read_bytes()


def test_anonymize_gives_a_document(run: Run, patients: Path) -> None:
    document = _json(run("anonymize", patients, *WISHES, "-o", "out.parquet", "--json"))
    assert document["holds"] is True
    assert document["rows"] == {"original": 48, "released": 48}
    assert document["measures"]["privacy.k"] >= 4
    assert document["files"] == {"release": "out.parquet"}
    assert document["provenance"]["input"]["fingerprint"].startswith("sha256:")


def test_without_output_it_is_a_rehearsal(run: Run, patients: Path, tmp_path: Path) -> None:
    result = run("anonymize", patients, *WISHES)
    assert result.exit_code == 0
    assert "nothing" in result.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["patients.csv"]


def test_any_method_and_model_can_be_named(run: Run, patients: Path) -> None:
    document = _json(
        run(
            "anonymize", patients, "-q", "age,zip code", "-s", "disease", "-i", "name", "--json",
            "--protect", "KAnonymity(3)",
            "--protect", "LDiversity(2, 'disease')", "--method", "Mondrian(labels='interval')",
        )
    )  # fmt: skip
    plan = document["provenance"]["plan"]
    assert plan["method"]["labels"] == "interval"
    assert [entry["model"] for entry in plan["protect"]] == ["KAnonymity", "LDiversity"]


def test_verify_answers_with_its_exit_code(run: Run, patients: Path) -> None:
    run("anonymize", patients, *WISHES, "-o", "out.csv", "--save-plan", "plan.toml")
    assert run("verify", "out.csv", "--plan", "plan.toml").exit_code == 0
    assert run("verify", "out.csv", "--quasi", "age,zip code,naïve-job", "--k", 4).exit_code == 0
    broken = run("verify", "out.csv", "--quasi", "age,zip code,naïve-job", "--k", 40)
    assert broken.exit_code == 1
    assert "FAILS" in broken.stdout
    document = run("verify", patients, "--quasi", "age", "--k", 3, "--json")
    assert document.exit_code == 1
    assert json.loads(document.stdout)["holds"] is False


def test_verify_reads_labels_letter_by_letter(run: Run, tmp_path: Path) -> None:
    (tmp_path / "padded.csv").write_text("code,x\n1,a\n01,b\n")
    assert run("verify", "padded.csv", "--quasi", "code", "--k", 2).exit_code == 1
    assert run("verify", "padded.csv", "--quasi", "code", "--k", 2, "--delimiter", ",").exit_code == 1


def test_measure_reads_what_anonymize_wrote(run: Run, patients: Path) -> None:
    before = _json(run("anonymize", patients, *WISHES, "-o", "out.csv", "--save-plan", "plan.toml", "--json"))[
        "measures"
    ]
    after = _json(run("measure", patients, "out.csv", "--plan", "plan.toml", "--json"))
    assert after["utility.gcp"] == pytest.approx(before["utility.gcp"])
    assert after["privacy.k"] == before["privacy.k"]
    assert "utility.gcp" in run("measure", patients, "out.csv", "--plan", "plan.toml").stdout


def test_measure_more_on_request_and_says_what_does_not_apply(run: Run, patients: Path) -> None:
    run("anonymize", patients, *WISHES, "-o", "out.csv", "--save-plan", "plan.toml")
    asked = ["measure", patients, "out.csv", "--plan", "plan.toml", "--with", "queries,learning", "--target", "disease"]
    found = _json(run(*asked, "--json"))
    assert found["utility.queries.are"] >= 0
    assert 0 <= found["utility.learning.naive_bayes"] <= 1
    assert found["absent"] == {} or all(why.endswith(".") for why in found["absent"].values())
    said = run(*asked).stdout
    assert "utility.learning.majority" in said
    assert ("Not measured" in said) == bool(found["absent"])
    assert run("measure", patients, "out.csv", "--plan", "plan.toml", "--with", "nonsense").exit_code == 2


def test_clean_drops_what_is_named(run: Run, patients: Path, tmp_path: Path) -> None:
    untouched = _json(run("clean", patients, "--json"))
    assert untouched["rows"] == {"before": 48, "after": 48}
    result = run("clean", patients, "--empty-columns", "--outliers", "age=0:60", "-o", "clean.csv")
    assert result.exit_code == 0
    cleaned = pl.read_csv(tmp_path / "clean.csv")
    assert "fax" not in cleaned.columns
    assert 0 < cleaned.height < 48
    for wrong in ("age", "age=x:y", "age=:", "nope=1:2", "age=17"):
        assert run("clean", patients, "--outliers", wrong).exit_code == 2


def test_clean_unifies_values_that_look_alike(run: Run, tmp_path: Path) -> None:
    (tmp_path / "few.csv").write_text("age,disease\n30,flu\n31,Flu\n32,cold\n33,flu\n", encoding="utf-8")
    offered = run("clean", "few.csv", "--alike")
    assert "'Flu' → 'flu' (1)" in offered.stdout
    run("clean", "few.csv", "--alike", "-o", "clean.csv")
    assert pl.read_csv(tmp_path / "clean.csv")["disease"].to_list() == ["flu", "flu", "cold", "flu"]


def test_plan_draft_can_be_run_as_it_is(run: Run, patients: Path, tmp_path: Path) -> None:
    assert run("plan", "draft", patients, "-o", "plan.toml").exit_code == 0
    assert run("plan", "check", "plan.toml", patients).exit_code == 0
    assert run("anonymize", patients, "--plan", "plan.toml", "-o", "out.csv").exit_code == 0
    printed = run("plan", "draft", patients)
    assert tomllib.loads(printed.stdout) == tomllib.loads((tmp_path / "plan.toml").read_text(encoding="utf-8"))
    assert _json(run("plan", "draft", patients, "--json"))["plan"]["columns"]["name"]["role"] == "identifier"


def test_plan_check_looks_at_the_trees(run: Run, patients: Path, tmp_path: Path) -> None:
    (tmp_path / "job.csv").write_text("clerk;*\nnurse;*\ncook;*\n", encoding="utf-8")
    run(
        "anonymize",
        patients,
        "-q",
        "naïve-job",
        "-i",
        "name",
        "--drop",
        "zip code,age",
        "-k",
        2,
        "--save-plan",
        "plan.toml",
    )
    text = (tmp_path / "plan.toml").read_text(encoding="utf-8")
    (tmp_path / "plan.toml").write_text(
        text.replace('role = "quasi"', 'role = "quasi", tree = "job.csv"'), encoding="utf-8"
    )
    result = run("plan", "check", "plan.toml", patients)
    assert result.exit_code == 2
    assert "'pilot'" in result.stderr


def test_tree_commands(run: Run, patients: Path, tmp_path: Path) -> None:
    (tmp_path / "job.csv").write_text("clerk;desk;*\npilot;air;*\nnurse;ward;*\ncook;ward;*\n", encoding="utf-8")
    assert "ward:  nurse  cook" in run("tree", "show", "job.csv").stdout
    assert _json(run("tree", "show", "job.csv", "--json"))["values"] == 4
    assert _json(run("tree", "check", "job.csv", "--of", patients, "-c", "naïve-job", "--json"))["covered"] == 4
    assert run("tree", "check", "job.csv", "--of", patients, "-c", "disease").exit_code == 2
    shown = run("tree", "show", "intervals(10, 20)", "--of", patients, "-c", "age", "--lines", 2)
    assert shown.exit_code == 0
    assert "--lines 4" in shown.stdout
    assert run("tree", "convert", "job.csv", "job.toml").exit_code == 0
    assert run("tree", "convert", "job.toml", "back.csv").exit_code == 0
    assert run("tree", "check", "back.csv", "--of", patients, "-c", "naïve-job").exit_code == 0
    for wrong in (("intervals(10)",), ("job.csv", "-c", "age"), ("job.csv", "--of", patients), ("nope(3)",)):
        assert run("tree", "show", *wrong).exit_code == 2


def test_proposed_trees_are_written_and_fit(run: Run, patients: Path) -> None:
    proposed = _json(run("tree", "propose", patients, "-c", "age,zip code", "-o", "trees", "--json"))["columns"]
    assert [entry["column"] for entry in proposed] == ["age", "zip code"]
    for entry in proposed:
        assert run("tree", "check", entry["file"], "--of", patients, "-c", entry["column"]).exit_code == 0
    assert "fax" in run("tree", "propose", patients).stdout


def test_demo_makes_what_it_says(run: Run, demo_folder: Path) -> None:
    made = sorted(path.name for path in demo_folder.iterdir())
    assert made == ["adult.csv", "plan.toml", "release.csv", "report.html", "trees"]
    assert len(list((demo_folder / "trees").iterdir())) == 9
    assert run("verify", demo_folder / "release.csv", "--plan", demo_folder / "plan.toml").exit_code == 0
    assert run("plan", "check", demo_folder / "plan.toml", demo_folder / "adult.csv").exit_code == 0
    released = pl.read_csv(demo_folder / "release.csv")
    assert released.height == 30162
    assert set(released.columns) == {*ADULT_TREES, "hours-per-week"}


def test_demo_prints_privacy_loss_risk_and_places(run: Run, tmp_path: Path) -> None:
    result = run("demo", "--k", 20)
    assert result.exit_code == 0
    for told in (
        "20-anonymity",
        "privacy.k = ",
        "detail lost",
        "unique rows",
        "paravent-demo/release.csv",
        "paravent-demo/plan.toml",
    ):
        assert told in result.stdout
    (tmp_path / "file").write_text("x")
    assert run("demo", "--out", "file").exit_code == 2


@pytest.mark.parametrize("command", ["profile", "anonymize", "verify", "measure", "clean", "demo", "plan", "tree"])
def test_help_shows_an_example_or_its_commands(run: Run, command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"paravent {command}" in result.stdout
    assert "Example" in result.stdout or "Commands:" in result.stdout


def test_version_is_that_of_the_package(run: Run) -> None:
    assert run("--version").stdout == f"paravent {pv.__version__}\n"


def test_reading_can_be_forced(run: Run, tmp_path: Path) -> None:
    rows = "\n".join(f"{i % 3};{('low', 'mid', 'high')[i % 3]};?" for i in range(9))
    (tmp_path / "odd.txt").write_text(f"code;grade;x\n{rows}\n", encoding="utf-16")
    forced = ("--format", "csv", "--delimiter", ";", "--encoding", "utf-16", "--header", "--na", "?")
    kinds = ("--kind", "code=nominal", "--kind", "grade=low<mid<high")
    columns = {
        column["name"]: column for column in _json(run("profile", "odd.txt", *forced, *kinds, "--json"))["columns"]
    }
    assert [columns[name]["kind"] for name in ("code", "grade")] == ["nominal", "ordinal"]
    assert columns["x"]["missing"] == 9


def test_a_tab_can_be_written_as_in_a_shell(run: Run, tmp_path: Path) -> None:
    (tmp_path / "tabs.txt").write_text("a, b\tc\n1\t2\n3\t4\n")
    found = _json(run("profile", "tabs.txt", "--format", "csv", "--delimiter", r"\t", "--json"))
    assert [column["name"] for column in found["columns"]] == ["a, b", "c"]


def test_tables_of_a_database(run: Run, patients: Path) -> None:
    pv.write(pv.read(patients).frame, "clinic.sqlite", table="patients")
    source = ("clinic.sqlite", "--table", "patients")
    made = run(
        "anonymize", *source, *WISHES, "-o", "out.sqlite", "--output-table", "released", "--save-plan", "plan.toml"
    )
    assert made.exit_code == 0, made.output
    assert run("verify", "out.sqlite", "--table", "released", "--plan", "plan.toml").exit_code == 0
    assert run("verify", "out.sqlite", "--table", "nowhere", "--plan", "plan.toml").exit_code == 2
    assert (
        _json(run("profile", "clinic.sqlite", "--query", "select age from patients", "--json"))["columns"][0]["name"]
        == "age"
    )


def test_several_tables_go_into_a_folder_or_beside_one_another(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    rows = [f"{20 + i},{'ab'[i % 2]},{['flu', 'cold', 'gout'][i % 3]}" for i in range(12)]
    table.write_text("age,town,ill\n" + "\n".join(rows) + "\n", encoding="utf-8")
    asked = ["anonymize", table, "-q", "age,town", "-s", "ill", "-l", "2", "--method", "Anatomy(2)", "--no-person"]
    folder = tmp_path / "out"
    folder.mkdir()
    found = run(*asked, "-o", folder)
    assert found.exit_code == 0, found.output
    assert sorted(path.name for path in folder.iterdir()) == ["release.csv", "sensitive.csv"]
    assert "sensitive.csv" in found.output
    judged = ["-q", "age,town", "-s", "ill", "-l", "2", "--method", "Anatomy(2)"]
    assert "holds  distinct 2-diversity" in run("verify", folder / "release.csv", *judged).output
    assert "attack.homogeneity.ill" in run("attack", folder / "release.csv", *judged).output
    assert run(*asked, "-o", folder).exit_code != 0  # they are there already
    assert run(*asked, "-o", folder, "--force").exit_code == 0
    single = run("anonymize", table, "-q", "age,town", "-s", "ill", "-k", "2", "--no-person", "-o", folder)
    assert "is a folder. Name a file in it." in single.output
