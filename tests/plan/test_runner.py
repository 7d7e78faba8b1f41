"""anonymize from end to end: what goes in, what comes out, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import paravent as pv


def test_the_health_table(health: pv.Table, health_plan: pv.Plan) -> None:
    release = pv.anonymize(health, health_plan.replace(order="source"))
    assert release.frame.columns == ["genre", "cp", "âge", "maladie"]
    assert release.frame["maladie"].equals(health.frame["maladie"])
    assert release.kept.tolist() == list(range(8))
    sizes = release.frame.group_by("genre", "cp", "âge").len()["len"]
    assert sizes.min() >= 2
    assert sorted(sizes) == sorted(release.classes.sizes.tolist())
    assert release.verdict.levels == {"privacy.k": sizes.min()}
    assert release.measure()["privacy.k"] == sizes.min()


def test_diversity_is_kept(health: pv.Table, health_plan: pv.Plan) -> None:
    plan = health_plan.replace(protect=[pv.KAnonymity(2), pv.LDiversity(2, "maladie", kind="entropy")])
    release = pv.anonymize(health, plan)
    for _, rows in release.frame.group_by("genre", "cp", "âge"):
        assert rows["maladie"].value_counts()["count"].entropy(normalize=True) >= np.log(2) - 1e-12


NAMED = {"first name": pv.Identifier()}


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"protect": [pv.KAnonymity(9)]}, pv.InfeasibleError, "k of at most 8"),
        ({"protect": [pv.LDiversity(6, "maladie")]}, pv.InfeasibleError, "l of at most 5"),
        ({"protect": [pv.LDiversity(2, "malady")]}, pv.PlanError, "no column 'malady'. Did you mean 'maladie'?"),
        ({"protect": [pv.LDiversity(2, "genre")]}, pv.PlanError, r"'genre' is a quasi-identifier.*pv.Sensitive\(\)"),
        ({"columns": {"age": pv.Quasi()}}, pv.PlanError, "no column 'age'. Did you mean 'âge'?"),
        ({"columns": {"cp": pv.Quasi("none.csv"), **NAMED}}, pv.ParaventError, "none.csv"),
        ({"columns": {"genre": pv.Quasi(pv.groups({"x": ["F"]})), **NAMED}}, pv.TreeError, "'M'"),
    ],
)
def test_refusals(health: pv.Table, health_plan: pv.Plan, change: dict, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        pv.anonymize(health, health_plan.replace(**change))


def test_values_outside_the_tree_can_hang_on_its_root(health: pv.Table) -> None:
    tree = pv.groups({"women": ["F"], "other": ["X", "Y"]})
    plan = pv.Plan({"genre": pv.Quasi(tree, outside="root"), **NAMED}, pv.KAnonymity(5))
    assert set(pv.anonymize(health, plan).frame["genre"]) == {"*"}


def test_an_empty_table_is_refused() -> None:
    empty = pl.DataFrame({"age": []}, schema={"age": pl.Int64})
    with pytest.raises(pv.InfeasibleError, match="no rows"):
        pv.anonymize(empty, pv.Plan({"age": pv.Quasi()}, pv.KAnonymity(1)))


def test_suppressed_rows_are_dropped_or_marked(health: pv.Table, health_plan: pv.Plan, one_class: type) -> None:
    plan = health_plan.replace(method=one_class(suppress=2), suppression=0.25, order="source")
    dropped = pv.anonymize(health, plan)
    assert dropped.kept.tolist() == [2, 3, 4, 5, 6, 7]
    assert dropped.frame["maladie"].equals(health.frame["maladie"][2:])
    assert dropped.verdict.suppressed == 2
    marked = pv.anonymize(health, plan.replace(suppressed="mark"))
    assert marked.kept.tolist() == list(range(8))
    assert marked.frame.row(0) == ("*", "*", "*", None)
    assert marked.frame[2:]["maladie"].equals(health.frame["maladie"][2:])
    assert marked.verdict.suppressed == 2
    assert marked.classes.sizes.tolist() == [6]
    again = pv.verify(marked.frame, plan.replace(suppressed="mark"))
    assert again
    assert again.suppressed == 2
    for release in (dropped, marked):
        assert release.measure()["rows.suppressed"] == 2


def test_too_many_suppressed_rows_are_refused(health: pv.Table, health_plan: pv.Plan, one_class: type) -> None:
    for suppressed in ("drop", "mark"):
        plan = health_plan.replace(method=one_class(suppress=3), suppression=0.25, suppressed=suppressed)
        with pytest.raises(pv.UnsafeReleaseError, match="3 rows are suppressed, 2 are allowed"):
            pv.anonymize(health, plan)


def test_everything_suppressed_is_no_release(health: pv.Table, health_plan: pv.Plan, one_class: type) -> None:
    for suppressed in ("drop", "mark"):
        plan = health_plan.replace(method=one_class(suppress=8), suppression=1, suppressed=suppressed)
        with pytest.raises(pv.UnsafeReleaseError):
            pv.anonymize(health, plan)


def test_suppression_can_make_a_demand_reachable() -> None:
    # Nine of ten rows share a value: entropy 2-diversity needs eight of them to go.
    table = pl.DataFrame({"age": [1] * 10, "s": ["a"] * 9 + ["b"]})
    plan = pv.Plan({"age": pv.Quasi(), "s": pv.Sensitive()}, [pv.LDiversity(2, "s", kind="entropy")])
    with pytest.raises(pv.InfeasibleError, match=r"l of at most 1.3841"):
        pv.anonymize(table, plan)
    with pytest.raises(pv.InfeasibleError, match=r"l of at most 1.8898"):
        pv.anonymize(table, plan.replace(suppression=0.7))


def test_the_table_is_not_changed(health: pv.Table, health_plan: pv.Plan, one_class: type) -> None:
    before = health.frame.clone()
    pv.anonymize(health, health_plan.replace(method=one_class(suppress=2), suppression=0.5, suppressed="mark"))
    assert health.frame.equals(before)


def test_provenance_repeats_the_run_and_holds_no_values(health: pv.Table, health_plan: pv.Plan) -> None:
    release = pv.anonymize(health, health_plan)
    record = json.loads(json.dumps(release.provenance))
    assert pv.Plan.from_document(record["plan"]) == health_plan
    assert record["input"]["fingerprint"].startswith("sha256:")
    assert record["input"]["rows"] == 8
    assert {"paravent", "python", "polars"} <= set(record["versions"])
    assert {"check", "encode", "anonymize", "assemble", "verify"} <= set(record["timings"])
    assert all(0 <= seconds < 600 for seconds in record["timings"].values())
    text = json.dumps(record, ensure_ascii=False)
    for name in ("Ana", "Hervé", "53713", "gastritis"):
        assert name not in text
    again = pv.anonymize(health, pv.Plan.from_document(record["plan"]))
    assert again.frame.equals(release.frame)


def test_progress_is_told_in_order(health: pv.Table, health_plan: pv.Plan) -> None:
    told: list[tuple[str, float]] = []
    pv.anonymize(health, health_plan, progress=lambda stage, done: told.append((stage, done)))
    assert all(0 <= done <= 1 for _, done in told)
    stages = list(dict.fromkeys(stage for stage, _ in told))
    main = ["read", "check", "encode", "anonymize", "assemble", "verify"]
    assert [stage for stage in stages if stage in main] == main


@pytest.mark.parametrize("raised", [KeyboardInterrupt, pv.CancelledError("stopped"), RuntimeError("mine")])
@pytest.mark.parametrize("stage", ["read", "encode", "anonymize", "verify"])
def test_progress_may_stop_the_run(health: pv.Table, health_plan: pv.Plan, raised, stage: str) -> None:
    def progress(at: str, _: float) -> None:
        if at == stage:
            raise raised

    with pytest.raises(raised if isinstance(raised, type) else type(raised)):
        pv.anonymize(health, health_plan, progress=progress)


def test_sources_and_plans_by_path(health: pv.Table, health_plan: pv.Plan, tmp_path: Path) -> None:
    health.frame.write_csv(tmp_path / "patients.csv")
    health_plan.save(tmp_path / "plan.toml")
    release = pv.anonymize(tmp_path / "patients.csv", str(tmp_path / "plan.toml"))
    assert release.frame.height == 8
    with pytest.raises(pv.PlanError, match=r"plan must be a pv.Plan or a path"):
        pv.anonymize(health, 5)


def test_a_written_release_verifies(health: pv.Table, health_plan: pv.Plan, tmp_path: Path) -> None:
    plan = health_plan.replace(protect=[pv.KAnonymity(2), pv.LDiversity(2, "maladie")])
    release = pv.anonymize(health, plan)
    for name in ("release.csv", "release.parquet"):
        release.write(tmp_path / name)
        verdict = pv.verify(tmp_path / name, plan)
        assert verdict
        assert verdict.levels == release.verdict.levels
        assert not pv.verify(tmp_path / name, plan.replace(protect=[pv.KAnonymity(8)]))
    with pytest.raises(pv.TableError, match="no column 'zip'"):
        pv.verify(tmp_path / "release.csv", pv.Plan({"zip": pv.Quasi()}, pv.KAnonymity(2)))


def test_labels_in_a_file_are_texts_not_numbers(tmp_path: Path) -> None:
    (tmp_path / "release.csv").write_text("zip,s\n1,a\n01,b\n1.0,c\n")
    assert pv.verify(tmp_path / "release.csv", pv.Plan({"zip": pv.Quasi()}, pv.KAnonymity(2))).levels["privacy.k"] == 1


def test_measure_risk_report(health: pv.Table, health_plan: pv.Plan, tmp_path: Path) -> None:
    release = pv.anonymize(health, health_plan)
    measures = pv.measure(health, release.frame, health_plan)
    assert dict(measures) == dict(release.measure())
    assert pv.risk(release, health_plan).highest <= 0.5
    assert pv.risk(health, health_plan).highest == 1
    release.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text().lstrip().lower().startswith("<!doctype html>")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert release.to_pandas().shape == release.frame.shape


def test_wide_and_odd_names() -> None:
    names = [
        "a b",
        "a-b",
        "é",
        "'q'",
        '"',
        "len",
        "key",
        "value",
        "id",
        "n",
        "open",
        "q0",
        "count",
        "size",
        "a*",
        "^a",
    ]
    frame = pl.DataFrame({name: [1, 1, 2, 2, None, 5] for name in names} | {"s": [1, 2, 1, 2, 1, 2]})
    for meaning in ("own value", "wildcard", "drop rows", "impute"):
        plan = pv.Plan(
            {name: pv.Quasi() for name in names} | {"s": pv.Sensitive()},
            [pv.KAnonymity(2), pv.LDiversity(2, "s")],
            missing=meaning,
        )
        assert pv.anonymize(frame, plan).verdict


def test_a_summary_is_part_of_all_measures() -> None:
    release = pv.anonymize(pl.DataFrame({"age": [1, 2, 3, 4]}), pv.Plan({"age": pv.Quasi()}, pv.KAnonymity(2)))
    summary, everything = release.summary(), release.measure()
    assert {"utility.gcp", "rows.suppressed", "risk.classes", "risk.prosecutor.max"} <= set(summary)
    assert all(everything[name] == value for name, value in summary.items())
