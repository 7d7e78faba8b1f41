"""Plan as data: validation, repr, files."""

from __future__ import annotations

import copy
import math
import os
import pickle
from pathlib import Path

import polars as pl
import pytest

import paravent as pv
from paravent.plan.file import dumps, loads


def plans() -> list[pv.Plan]:
    return [
        pv.Plan({"age": pv.Quasi()}, pv.KAnonymity(2)),
        pv.Plan(
            {
                "first name": pv.Identifier("pseudonym", key_env="THE_KEY", length=20),
                "social-security": pv.Identifier("random"),
                "mail": pv.Identifier("pseudonym", key_file="secrets/key"),
                "âge": pv.Quasi(pv.intervals(5, 10, 20), weight=2.5, missing="impute"),
                "job": pv.Quasi("trees/job.csv", outside="root"),
                "birth": pv.Quasi(pv.dates("month", "year"), missing="wildcard"),
                "zip.code": pv.Quasi(pv.prefixes()),
                'with "quotes"': pv.Quasi(pv.groups({"north": ["a", "b"], "south": ["c"]})),
                "other": pv.Quasi(pv.balanced(), weight=3),
                "disease": pv.Sensitive(missing="own value"),
                "note": pv.Insensitive(),
            },
            [
                pv.KAnonymity(5),
                pv.LDiversity(3, "disease"),
                pv.LDiversity(2.5, "disease", kind="entropy"),
                pv.LDiversity(3, "disease", kind="recursive", c=4.5),
            ],
            pv.methods.Mondrian(labels="set"),
            suppression=0.02,
            suppressed="mark",
            missing="drop rows",
            seed=2**40,
        ),
    ]


@pytest.mark.parametrize("plan", plans(), ids=["small", "large"])
def test_repr_is_runnable(plan: pv.Plan) -> None:
    assert eval(repr(plan), {"pv": pv}) == plan


@pytest.mark.parametrize("plan", plans(), ids=["small", "large"])
def test_files_round_trip(plan: pv.Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plan.save("plan.toml")
    assert pv.Plan.load("plan.toml") == plan
    assert list(pv.Plan.load("plan.toml").columns) == list(plan.columns)
    assert os.listdir(tmp_path) == ["plan.toml"]
    assert loads(dumps(plan)) == plan
    assert pv.Plan.from_document(plan.to_document()) == plan


def test_equal_plans_save_equal_bytes() -> None:
    assert dumps(plans()[1]) == dumps(plans()[1])


def test_tree_paths_start_at_the_plan_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("trees", "plans", "elsewhere"):
        (tmp_path / folder).mkdir()
    (tmp_path / "trees/job.csv").write_text("nurse;health;*\ndoctor;health;*\nclerk;office;*\n")
    monkeypatch.chdir(tmp_path)
    columns = {"job": pv.Quasi("trees/job.csv"), "job 2": pv.Quasi(pv.tree_file("trees/job.csv"))}
    pv.Plan(columns, pv.KAnonymity(2)).save("plans/plan.toml")
    monkeypatch.chdir(tmp_path / "elsewhere")
    plan = pv.Plan.load("../plans/plan.toml")
    assert plan.columns["job"] == pv.Quasi("../trees/job.csv")
    import polars as pl

    jobs = ["nurse", "doctor", "nurse", "doctor"]
    release = pv.anonymize(pl.DataFrame({"job": jobs, "job 2": jobs}), plan)
    assert release.verdict
    again = pv.anonymize(pl.DataFrame({"job": jobs, "job 2": jobs}), "../plans/plan.toml")
    assert again.frame.equals(release.frame)


def test_a_plan_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "folder.toml"
    target.mkdir()
    with pytest.raises(pv.PlanError, match="cannot be written"):
        plans()[0].save(target)
    assert os.listdir(tmp_path) == ["folder.toml"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"columns": {"age": pv.Sensitive()}}, "no quasi-identifier"),
        ({"columns": {}}, "no quasi-identifier"),
        ({"columns": {"age": pv.Quasi}}, r"pv.Quasi\(\)"),
        ({"columns": {"age": "quasi"}}, "'age' needs a role"),
        ({"columns": {3: pv.Quasi()}}, "not a text"),
        ({"columns": ["age"]}, "must map names"),
        ({"protect": [5]}, "at least one promise"),
        ({"protect": 5}, "at least one promise"),
        ({"method": "Mondrian"}, "method"),
        ({"suppression": 1.5}, "suppression"),
        ({"suppression": -0.1}, "suppression"),
        ({"suppression": math.nan}, "suppression"),
        ({"suppression": True}, "suppression"),
        ({"suppressed": "hide"}, "suppressed: must be one of 'drop', 'mark'"),
        ({"missing": "own"}, "missing: must be one of"),
        ({"seed": -1}, "seed"),
        ({"seed": 1.0}, "seed"),
    ],
)
def test_impossible_plans(change: dict, words: str) -> None:
    with pytest.raises(pv.PlanError, match=words):
        pv.Plan(**{"columns": {"age": pv.Quasi()}, "protect": [pv.KAnonymity(2)], **change})


@pytest.mark.parametrize(
    ("role", "arguments", "words"),
    [
        (pv.Quasi, {"weight": 0}, "weight"),
        (pv.Quasi, {"weight": -1.0}, "weight"),
        (pv.Quasi, {"weight": math.inf}, "weight"),
        (pv.Quasi, {"weight": math.nan}, "weight"),
        (pv.Quasi, {"weight": "2"}, "weight"),
        (pv.Quasi, {"tree": 5}, "tree"),
        (pv.Quasi, {"tree": ""}, "a path"),
        (pv.Quasi, {"missing": "drop row"}, "Did you mean 'drop rows'"),
        (pv.Quasi, {"outside": "leaf"}, "outside"),
        (pv.Sensitive, {"missing": "impute"}, "'own value', 'drop rows'"),
        (pv.Identifier, {"replace": "hash"}, "replace"),
        (pv.Identifier, {"replace": "pseudonym"}, "needs a key"),
        (pv.Identifier, {"replace": "pseudonym", "key_env": "A", "key_file": "b"}, "needs a key"),
        (pv.Identifier, {"key_env": "A"}, "takes no key"),
        (pv.Identifier, {"replace": "pseudonym", "key_env": "A", "length": 3}, "length"),
        (pv.Identifier, {"replace": "pseudonym", "key_env": ""}, "not empty"),
    ],
)
def test_impossible_roles(role: type, arguments: dict, words: str) -> None:
    with pytest.raises(pv.PlanError, match=words):
        role(**arguments)


@pytest.mark.parametrize(
    ("share", "rows", "allowed"), [(0.02, 150, 3), (0.29, 100, 29), (0.1, 9, 0), (1, 7, 7), (0, 9, 0), (1 / 3, 3, 0)]
)
def test_allowed_suppression_is_exact(share: float, rows: int, allowed: int) -> None:
    assert pv.Plan({"age": pv.Quasi()}, pv.KAnonymity(2), suppression=share).allowed(rows) == allowed


def test_a_plan_is_a_value() -> None:
    one, other = plans()[0], plans()[0]
    assert one == other
    assert len({one, other}) == 1
    assert one.replace(seed=3) != one
    with pytest.raises(AttributeError):
        one.seed = 5  # type: ignore[misc]
    with pytest.raises(TypeError):
        one.columns["x"] = pv.Quasi()  # type: ignore[index]


def test_cells_that_may_be_suppressed_are_limited() -> None:
    """Three people of different sex and age, k = 3: every cell must be starred."""
    table = pv.read(pl.DataFrame({"sex": ["f", "m", "x"], "age": ["a", "b", "c"]}))
    columns = {"sex": pv.Quasi(pv.flat()), "age": pv.Quasi(pv.flat())}
    plan = pv.Plan(columns, pv.KAnonymity(3), cell_suppression=0.5)
    assert eval(repr(plan), {"pv": pv}) == plan
    assert loads(dumps(plan)) == plan
    with pytest.raises(pv.InfeasibleError, match=r"100\.00% of the quasi-identifier cells"):
        pv.anonymize(table, plan)
    starred = pv.anonymize(table, pv.Plan(columns, pv.KAnonymity(3))).frame
    assert not pv.verify(starred, plan)
    with pytest.raises(pv.PlanError, match="cells"):
        pv.Plan(columns, pv.KAnonymity(3), cell_suppression=1.5)


def test_as_many_cells_may_be_suppressed_as_the_limit_says() -> None:
    """Two of the five cells stand alone and are blanked: a limit of two fifths is kept."""
    table = pl.DataFrame({"town": ["a", "a", "a", "b", "c"]})
    plan = pv.Plan({"town": pv.Quasi()}, pv.KAnonymity(2), pv.methods.LocalSuppression(), cell_suppression=0.4)
    assert pv.anonymize(table, plan).frame["town"].to_list().count("*") == 2


def test_a_plan_can_be_pickled_and_copied() -> None:
    columns = {"age": pv.Quasi(pv.intervals(5, 10), weight=2.0), "disease": pv.Sensitive(), "name": pv.Identifier()}
    plan = pv.Plan(columns, [pv.KAnonymity(3), pv.LDiversity(2, "disease")], suppression=0.1, seed=4, person="name")
    assert plan.quasi  # worked out once, and not part of the copy
    for again in (pickle.loads(pickle.dumps(plan)), copy.deepcopy(plan), copy.copy(plan)):
        assert again == plan
        assert repr(again) == repr(plan)
        assert (again.person, again.seed, list(again.quasi)) == ("name", 4, ["age"])


def test_a_role_without_brackets_gets_a_sentence() -> None:
    with pytest.raises(pv.PlanError, match=r"'age' has the role Quasi without brackets. Write pv.Quasi\(\)"):
        pv.Plan({"age": pv.Quasi}, pv.KAnonymity(2))  # type: ignore[dict-item]


def test_a_released_column_of_persons_links_their_rows() -> None:
    plan = pv.Plan({"age": pv.Quasi(), "id": pv.Insensitive()}, pv.KAnonymity(2), person="id")
    assert plan.linking == ("id",)
    for hidden in (pv.Identifier(), pv.Drop()):
        assert plan.replace(columns={"age": pv.Quasi(), "id": hidden}).linking == ()
    coded = pv.Identifier(replace="random")
    assert plan.replace(columns={"age": pv.Quasi(), "id": coded}).linking == ("id",)
    assert plan.replace(columns={"age": pv.Quasi(), "id": coded}, person=None).linking == ()
