"""The workbench: what filtering keeps by hand, what is printed, and the page."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from paravent_experiments import workbench, workbench_page
from paravent_experiments.workbench_learner import accuracy, majority
from typer.testing import CliRunner

from paravent.cli.app import app
from paravent.errors import PlanError, TableError


@pytest.fixture(scope="module")
def patients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """60 rows: 30 below 25, 20 from 25 to 49, 9 from 50 to 74, one of 80. The class follows glucose."""
    path = tmp_path_factory.mktemp("pima") / "pima.csv"
    ages = [22] * 30 + [30] * 20 + [60] * 9 + [80]
    rows = [
        f"{i % 5},{80 + i * 2},{60 + i % 7},20,{i},30.{i % 10},0.5,{age},{int(i % 60 > 30)}"
        for i, age in enumerate(ages)
    ]
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture(scope="module")
def found(patients: Path) -> workbench.Results:
    pytest.importorskip("sklearn")
    return workbench.run([workbench.pima(patients)], seeds=(0, 1), epsilons=(1.0,))


def test_rows_kept_are_those_of_classes_that_hold(found: workbench.Results) -> None:
    """k = 2 drops the patient of 80; of 7 values of pressure the classes hold all 7 but that of 80, which holds 1."""
    assert found.parts["pima k=2"]["rows"] == 59
    assert found.parts["pima k=80"]["rows"] == 0
    assert found.parts["pima l=2"]["rows"] == 59
    assert found.parts["pima l=40"]["rows"] == 0
    assert found.parts["pima l=40"]["accuracy"] == []


def test_distortion_and_hidden_failure_by_hand(found: workbench.Results) -> None:
    """59 rows of 9 columns with 2 altered each; the dropped row has lost all 9 of its cells."""
    part = found.parts["pima k=2"]
    assert part["distortion"] == [pytest.approx((59 * 2 + 9) / (60 * 9))]
    assert part["failure"] == [0.0]
    original = found.parts["pima original"]
    assert (original["rows"], original["failure"], original["distortion"]) == (60, [1.0], [0.0])
    assert len(original["accuracy"]) == len(original["majority"]) == 2


def test_synthetic_rows_alter_no_cell_and_the_generator_of_the_source_one_column(found: workbench.Results) -> None:
    assert found.parts["pima AIM 1"]["distortion"] == []
    literal = found.parts["pima NaiveBayesColumns 1"]
    for altered, kept in zip(literal["distortion"], literal["column"], strict=True):
        assert altered == pytest.approx((1 - kept) / 9)


def test_a_run_is_taken_up_where_it_was_left(patients: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    kept = tmp_path / "w.json"
    workbench.run([workbench.pima(patients)], seeds=(0,), epsilons=(), results=kept)
    monkeypatch.setattr(workbench.Filtered, "part", lambda *_: pytest.fail("done already"))
    again = workbench.run([workbench.pima(patients)], seeds=(0,), epsilons=(), results=kept)
    assert set(again.parts) == {"pima original", *(f"pima {name}" for name in ("k=2", "k=80", "k=100", "k=600")),
                                *(f"pima l={n}" for n in (2, 40, 50))}  # fmt: skip


def test_printed_lines_are_found_by_their_range() -> None:
    assert workbench.printed("adult", "k", 50)["rows"] == 30_150
    assert workbench.printed("adult", "k", 9)["accuracy"] == 0.5
    assert workbench.printed("adult", "l", 80)["rows"] == 15_100
    assert workbench.printed("pima", "l", 50)["rows"] == 0
    assert workbench.printed("adult", "k", 12) == {}


def test_the_classes_of_the_example_on_adult() -> None:
    """Ages by 50 years, first letters of countries: 29 881 of 30 162 rows are in classes of 50, counted by polars."""
    bench = workbench.adult()
    counted = bench.frame.group_by(pl.col("age") // 50, pl.col("native-country").str.slice(0, 1)).len()["len"]
    assert counted.filter(counted >= 50).sum() == 29_881
    release = workbench._made(bench, bench.frame, workbench.pv.KAnonymity(50))
    assert release is not None
    assert release.frame.height == 29_881
    assert set(release.frame["age"].cast(pl.String).unique()) == {"[0, 50[", "[50, 100["}
    assert release.frame["education-num"].cast(pl.String).unique().to_list() == ["*"]


def test_the_page_has_what_was_found_beside_what_was_printed(found: workbench.Results, tmp_path: Path) -> None:
    page, figure = workbench_page.write(found, tmp_path / "page.md")
    text = page.read_text(encoding="utf-8")
    assert "| k=2 | 59 (768) |" in text
    assert "| l=50 | 0 (0) | – |" in text
    assert "Nothing is left at k=80, k=100, k=600" in text
    assert "What is not the same, and why" in text
    assert figure.read_text(encoding="utf-8").startswith("<svg")


def test_a_classifier_that_sees_one_class_guesses_it() -> None:
    pytest.importorskip("sklearn")
    seen, test = pl.DataFrame({"a": [1, 2], "c": ["x", "x"]}), pl.DataFrame({"a": [1, 2, 3], "c": ["x", "y", "x"]})
    assert accuracy(seen, test, "c") == pytest.approx(2 / 3)
    assert majority(test["c"]) == pytest.approx(2 / 3)


def test_bad_files_get_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"none\.csv"):
        workbench.pima(tmp_path / "none.csv")
    (tmp_path / "two.csv").write_text("1,2\n3,4\n")
    with pytest.raises(PlanError, match="has 2 columns, and Pima has 9"):
        workbench.pima(tmp_path / "two.csv")
    (tmp_path / "words.csv").write_text("1,2,3,4,5,6,7,8,x\n1,2,3,4,5,6,7,8,y\n")
    with pytest.raises(PlanError, match="holds cells that are no numbers"):
        workbench.pima(tmp_path / "words.csv")
    done = CliRunner().invoke(app, ["experiment", "workbench", "--pima", str(tmp_path / "none.csv")])
    assert done.exit_code != 0


RECORDED = Path(__file__).with_name("workbench.json")


def test_what_the_page_says_is_in_the_recorded_run() -> None:
    known = json.loads(RECORDED.read_text(encoding="utf-8"))["parts"]
    assert known["adult k=50"]["rows"] == 29_881
    assert known["pima k=100"]["rows"] == 679
    assert known["pima k=600"]["rows"] == 0
    met = min(known["adult original"]["met"])
    assert max(known["adult AIM 1"]["failure"]) < met < min(known["adult NaiveBayesColumns 1"]["failure"])
    best = workbench_page.mean(known["adult AIM 1"])
    assert workbench_page.mean(known["adult MST 1"]) < best < workbench_page.mean(known["adult k=2"])
    assert workbench_page.mean(known["adult AIM 10"]) == pytest.approx(
        workbench_page.mean(known["adult k=2"]), abs=0.01
    )
    page = Path(__file__).parents[2] / "docs" / "experiments" / "workbench.md"
    lines = workbench_page.comparison(workbench.Results({}, None, known), "adult", "epsilon")
    assert lines in page.read_text(encoding="utf-8")
