"""Running and loading candidates: failures, names, sharing, stopping, going on, saving."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import paravent as pv
from paravent.comparison.encoding import SharedEncoding
from paravent.errors import CancelledError, PlanError
from paravent.plan.encode import encode


def variants(plan: pv.Plan, *numbers: int) -> list[pv.Plan]:
    return [plan.replace(protect=[pv.KAnonymity(number)]) for number in numbers]


def test_a_failure_is_an_entry_and_the_others_go_on(people: pl.DataFrame, plan: pv.Plan, tmp_path: Path) -> None:
    strange = plan.replace(columns={**plan.columns, "shoe size": pv.Quasi()})
    (tmp_path / "broken.toml").write_text("protect = 3")
    found = pv.compare(
        people,
        {
            "too much": plan.replace(protect=[pv.KAnonymity(1000)]),
            "strange": strange,
            "broken": tmp_path / "broken.toml",
            "good": plan,
        },
    )
    assert [entry.status for entry in found.entries] == ["failed", "failed", "failed", "done"]
    kinds = [entry.failure.kind for entry in found.failed if entry.failure]
    assert kinds == ["InfeasibleError", "PlanError", "PlanError"]
    assert found.comparable  # nobody can meet 1000-anonymity, so it is no standard for the others
    assert "“too much”: no release. 1000-anonymity cannot hold" in "\n".join(found.sentences)
    assert found.best == ("good",)


def test_releases_files_and_pairs_give_the_same_figures(people: pl.DataFrame, plan: pv.Plan, tmp_path: Path) -> None:
    release = pv.anonymize(people, plan)
    release.write(tmp_path / "release.csv")
    plan.save(tmp_path / "plan.toml")
    found = pv.compare(people, [plan, release, tmp_path / "plan.toml", (plan, tmp_path / "release.csv")])
    first = found.entries[0].measures
    assert first is not None
    for entry in found.entries[1:]:
        assert entry.measures is not None
        assert dict(entry.measures) == pytest.approx(dict(first), nan_ok=True), entry.name
    assert found.comparable
    assert [place.tied for place in found.ranking(found.levels()[0])] == [True] * 4
    other = pv.compare(people.head(100), [release])
    assert other.failed[0].failure is not None
    assert "another table" in other.failed[0].failure.message


def test_plans_are_named_by_what_tells_them_apart(people: pl.DataFrame, plan: pv.Plan) -> None:
    by_method = [plan, plan.replace(method=pv.methods.Mondrian(labels="interval"))]
    assert pv.compare(people, by_method).names == ["Mondrian", "Mondrian(labels='interval')"]
    assert pv.compare(people, [plan, plan]).names == ["plan 1", "plan 2"]


def test_the_choice_of_measures(people: pl.DataFrame, plan: pv.Plan) -> None:
    found = pv.compare(people, variants(plan, 3, 6), by="utility.classes", risk="risk.prosecutor.max")
    weakest = found.levels()[-1]
    assert [place.name for place in found.ranking(weakest)] == ["3-anonymity", "6-anonymity"]  # more classes are better
    assert [place.name for place in found.ranking(weakest, "risk.prosecutor.max")] == ["6-anonymity", "3-anonymity"]
    assert found.ranked_by("utility.dm").wanted.by == "utility.dm"
    with pytest.raises(PlanError, match=r"Did you mean 'utility\.gcp'"):
        pv.compare(people, [plan], by="utility.gpc")
    with pytest.raises(PlanError, match="neither better"):
        found.ranked_by("utility.class_size.min")


def test_columns_that_plans_treat_alike_are_encoded_once(people: pl.DataFrame, plan: pv.Plan) -> None:
    table = pv.read(people)
    shared = SharedEncoding()
    other = plan.replace(columns={**plan.columns, "age": pv.Quasi(pv.intervals(4, 8))}, suppression=0.1)
    first, second = shared(table, plan), shared(table, other)
    assert first[1] is second[1]
    assert first[2] is second[2]
    assert first[0] is not second[0]
    for ours, theirs in zip(second, encode(table, other), strict=True):
        assert ours.name == theirs.name
        assert ours.values == theirs.values
        assert (ours.codes == theirs.codes).all()


def test_sharing_changes_nothing(people: pl.DataFrame, plan: pv.Plan) -> None:
    holes = people.with_columns(pl.when(pl.col("age") % 7 != 0).then(pl.col("age")))
    plans = [plan.replace(missing=missing) for missing in ("drop rows", "own value", "impute")]
    found = pv.compare(holes, plans, keep=True)
    for entry, one in zip(found.entries, plans, strict=True):
        assert entry.release is not None
        assert entry.release.frame.equals(pv.anonymize(holes, one).frame)


class _Stopper:
    """Presses Ctrl-C, or cancels, when the second candidate begins."""

    def __init__(self, error: type[BaseException]) -> None:
        self.error = error
        self.seen: list[tuple[str, float]] = []

    def __call__(self, stage: str, done: float) -> None:
        self.seen.append((stage, done))
        if stage.startswith("10-anonymity"):
            raise self.error("stop")


@pytest.mark.parametrize("error", [KeyboardInterrupt, CancelledError])
def test_what_was_finished_is_kept_and_taken_up_again(
    people: pl.DataFrame, plan: pv.Plan, tmp_path: Path, error: type[BaseException]
) -> None:
    results = tmp_path / "results.json"
    plans = variants(plan, 5, 10, 20)
    stopper = _Stopper(error)
    found = pv.compare(people, plans, results=results, progress=stopper)
    assert found.stopped
    assert [entry.status for entry in found.entries] == ["done", "not run", "not run"]
    assert "10-anonymity and 20-anonymity were not run" in found.sentences[-1]
    shares = [done for _, done in stopper.seen]
    assert shares == sorted(shares)
    began: list[str] = []
    again = pv.compare(people, plans, results=results, progress=lambda stage, _: began.append(stage))
    assert not again.stopped
    assert {stage.split(":")[0] for stage in began} == {"10-anonymity", "20-anonymity"}
    fresh = pv.compare(people, plans)
    assert again.to_document(timings=False) == fresh.to_document(timings=False)
    assert pv.Comparison.load(results) == fresh


def test_results_of_another_table_are_not_overwritten(people: pl.DataFrame, plan: pv.Plan, tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    pv.compare(people, [plan], results=results)
    before = results.read_bytes()
    with pytest.raises(PlanError, match="another table"):
        pv.compare(people.head(200), [plan], results=results)
    assert results.read_bytes() == before


def test_another_demand_makes_everything_be_checked_again(people: pl.DataFrame, plan: pv.Plan, tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    pv.compare(people, variants(plan, 5, 10), results=results)
    again = pv.compare(people, variants(plan, 5, 10, 20), results=results)
    assert again == pv.compare(people, variants(plan, 5, 10, 20))


def test_it_can_be_saved_and_read_back(people: pl.DataFrame, plan: pv.Plan, tmp_path: Path) -> None:
    from paravent.hierarchy.files import write_tree

    (tmp_path / "trees").mkdir()
    age = pv.intervals(5, 10, 20)
    write_tree(age.build(_domain(people, "age")), str(tmp_path / "trees" / "age.csv"))
    by_file = plan.replace(columns={**plan.columns, "age": pv.Quasi("trees/age.csv")}, folder=tmp_path)
    found = pv.compare(people, {"a": by_file, "b": variants(plan, 500)[0], "c": variants(by_file, 9)[0]})
    (tmp_path / "elsewhere").mkdir()
    path = tmp_path / "elsewhere" / "comparison.json"
    found.save(path)
    back = pv.Comparison.load(path)
    assert str(back) == str(found)
    assert back.front() == found.front()
    assert back.levels() == found.levels()
    for ours, theirs in zip(back.entries, found.entries, strict=True):
        assert (ours.measures is None) == (theirs.measures is None)
        if ours.measures is not None and theirs.measures is not None:
            assert ours.measures.everything() == theirs.measures.everything()
    assert back["a"].plan is not None
    assert pv.anonymize(people, back["a"].plan).frame.equals(pv.anonymize(people, by_file).frame)
    back.save(path)
    assert pv.Comparison.load(path) == back


def _domain(people: pl.DataFrame, name: str) -> Any:
    from paravent.table.domain import Domain

    return Domain.of(pv.read(people), name)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "paravent comparison 1"}', '{"format": 3}'])
def test_a_damaged_file_gets_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(text)
    with pytest.raises(PlanError, match=r"results\.json"):
        pv.Comparison.load(path)


def test_no_value_of_the_table_is_in_the_file(people: pl.DataFrame, plan: pv.Plan) -> None:
    text = people.with_columns(pl.col("zip").replace("20999", "*"))
    found = pv.compare(text, {"good": plan.replace(columns={"age": pv.Quasi()}), "bad": plan})
    assert "'*'" in "\n".join(found.sentences)  # told to the person at work …
    document = json.dumps(found.to_document())
    assert "'*'" not in document  # … and to nobody else
    for value in ("kuru", "Person-0001", "20999", "75001"):
        assert value not in document


def test_two_runs_give_the_same_document(people: pl.DataFrame, plan: pv.Plan) -> None:
    one, two = (pv.compare(people, variants(plan, 3, 9)).to_document(timings=False) for _ in range(2))
    assert one == two


def test_releases_are_written_on_request(people: pl.DataFrame, plan: pv.Plan, tmp_path: Path) -> None:
    found = pv.compare(people, variants(plan, 3, 9), releases=tmp_path / "out", suffix=".parquet")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["3-anonymity.parquet", "9-anonymity.parquet"]
    for entry in found.entries:
        assert entry.plan is not None
        assert pv.verify(tmp_path / "out" / str(entry.file), entry.plan)


@pytest.mark.parametrize("wrong", [[], 3, [("a", "b", "c")], [3]])
def test_wrong_candidates_get_a_sentence(people: pl.DataFrame, wrong: Any) -> None:
    with pytest.raises(PlanError):
        pv.compare(people, wrong)


def test_other_trees_are_spoken_of(people: pl.DataFrame, plan: pv.Plan) -> None:
    other = plan.replace(columns={**plan.columns, "age": pv.Quasi(pv.intervals(4, 8))})
    assert "The trees of age are not the same" in pv.compare(people, [plan, other]).sentences[-1]
    assert "trees" not in "\n".join(pv.compare(people, [plan, plan]).sentences)


def test_a_reason_that_several_candidates_fail_for_is_told_once(people: pl.DataFrame, plan: pv.Plan) -> None:
    nameless = plan.replace(columns={name: role for name, role in plan.columns.items() if name != "name"})
    found = pv.sweep(people, nameless, {"k": [2, 3, 4]})
    text = "\n".join(found.sentences)
    assert text.count("could name people") == 1
    assert "k=2, k=3 and k=4: no release. column 'name'" in text
    assert json.dumps(found.to_document()["sentences"]).count("could name people") == 1
    assert [entry.failure is None for entry in found.entries] == [False] * 3
