"""What users get wrong: one sentence that names the place, and never a release that looks safe by mistake."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.errors import ParaventError, PlanError, TableError
from paravent.privacy.attacks import Population, Scene
from paravent.privacy.attacks.covering import Covering
from paravent.privacy.confidence import wilson
from paravent.privacy.language import Language

FRAME = pl.DataFrame({"age": ["[20, 29]", "[20, 29]", "[30, 39]"], "job": ["a", "b", "a"], "s": ["x", "y", "x"]})
PEOPLE = pl.DataFrame({"age": [22, 33], "job": ["a", "b"], "s": ["x", "y"]})
PLAN = pv.Plan({"age": pv.Quasi(), "job": pv.Quasi(), "s": pv.Sensitive()}, [pv.KAnonymity(2)])


def says(error: pytest.ExceptionInfo[ParaventError], *words: str) -> None:
    text = str(error.value)
    assert all(word in text for word in words), text
    assert text.endswith(".")
    assert text.count(". ") <= 2


@pytest.mark.parametrize(
    ("people", "words"),
    [
        (pl.DataFrame({"town": ["Lyon"]}), ("shares no quasi-identifier", "same names")),
        (pl.DataFrame({"age": ["young", "old"]}), ("'age'", "numbers", "text")),
        (pl.DataFrame({"age": [22], "job": [7]}), ("'job'", "text", "numbers")),
    ],
)
def test_people_who_do_not_fit_the_release(people: pl.DataFrame, words: tuple[str, ...]) -> None:
    with pytest.raises(TableError) as error:
        pv.attack(FRAME, PLAN, against=people, attacks=[pv.attacks.RecordLinkage])
    says(error, *words)


def test_an_empty_control_group_is_refused() -> None:
    with pytest.raises(TableError) as error:
        pv.attack(FRAME, PLAN, original=PEOPLE, control=PEOPLE.clear(), attacks=[pv.attacks.Inference])
    says(error, "control group is empty")
    with pytest.raises(TableError) as error:
        pv.attack(FRAME, PLAN, original=PEOPLE, control=PEOPLE.select("age"), attacks=[pv.attacks.Inference])
    says(error, "control group", "'job'")


def test_control_by_suppressed_rows() -> None:
    with pytest.raises(PlanError) as error:
        pv.attack(FRAME, PLAN, control="suppressed")
    says(error, "Release")
    plain = pv.Plan({"age": pv.Quasi(), "s": pv.Sensitive()}, [pv.KAnonymity(2)], suppression=0.5)
    whole = pv.anonymize(pl.DataFrame({"age": [1, 1, 2, 2], "s": ["x", "y", "x", "y"]}), plain)
    with pytest.raises(PlanError) as error:
        whole.attack(control="suppressed")
    says(error, "no row was suppressed")


def test_a_sensitive_column_that_is_not_there() -> None:
    for attack in (pv.attacks.Homogeneity, pv.attacks.Skewness, pv.attacks.Similarity, pv.attacks.BackgroundKnowledge):
        with pytest.raises((TableError, PlanError)) as error:
            pv.attack(FRAME, PLAN, attacks=[attack(column="illness")])
        says(error, "'illness'")
    with pytest.raises(TableError) as error:
        pv.attack(FRAME.drop("age"), PLAN)
    says(error, "'age'")
    found = pv.attack(FRAME.drop("s"), PLAN)
    assert "a sensitive column" in found.skipped["Homogeneity"]
    skipped = pv.attack(FRAME, PLAN, original=PEOPLE.drop("s")).skipped
    assert "'s'" in skipped["Inference (attack.inference.s)"]


def test_labels_that_cannot_be_read_are_an_error_and_not_safe() -> None:
    people = pl.Series("job", ["clerk", "nurse"])
    for label in ("clerk~nurse", "{clerk", "[a, b]"):
        with pytest.raises(TableError) as error:
            Covering.of(pl.Series("job", ["clerk", label]), people)
        says(error, "'job'", "cannot be read", "original")
        assert label not in error.value.redacted
    # A word is a value, unless the plan generalizes the column: then it may be a group that nobody can look up.
    assert Covering.of(pl.Series("job", ["clerk", "office"]), people).widths.tolist() in ([1, 0], [0, 1])
    with pytest.raises(TableError):
        Covering.of(pl.Series("job", ["clerk", "office"]), people, Language(generalized=True))


def test_a_group_is_read_by_the_tree_of_the_plan() -> None:
    tree = pv.groups({"office": ["clerk", "judge"], "health": ["nurse", "surgeon"]})
    plan = pv.Plan({"job": pv.Quasi(tree)}, [pv.KAnonymity(2)])
    people = pl.DataFrame({"job": ["clerk", "judge", "nurse", "judge"]})
    found = pv.attack(pl.DataFrame({"job": ["office", "health"]}), plan, against=people)
    assert found["attack.linkage"]["max"] == 1
    assert found["attack.membership"]["max"] == 1  # the one nurse
    assert found["attack.membership"]["min"] == pytest.approx(1 / 3)


def test_people_beyond_the_original_are_covered_by_what_a_label_means() -> None:
    """22 is not in the original, and lies in its interval all the same; 47 lies in none; 13099 has the prefix."""
    original = pl.DataFrame({"age": [20, 24, 31, 38], "zip": ["13053", "13068", "13053", "13068"]})
    plan = pv.Plan({"age": pv.Quasi(pv.intervals(10)), "zip": pv.Quasi(pv.prefixes(2))}, [pv.KAnonymity(2)])
    release = pl.DataFrame({"age": ["[20, 30["] * 2 + ["[30, 40["] * 2, "zip": ["130**"] * 4})
    strangers = pl.DataFrame({"age": [22, 47, 35], "zip": ["13099", "13053", "14000"]})
    for known in ({"original": original}, {}):
        found = pv.attack(release, plan, against=strangers, attacks=[pv.attacks.RecordLinkage], **known)
        assert found["attack.linkage"]["matched"] == pytest.approx(1 / 3)
        assert found["attack.linkage"]["max"] == 0.5


def test_a_value_of_the_original_that_no_stranger_has_covers_nobody() -> None:
    original = pl.DataFrame({"colour": ["red (dark)", "red (dark)", "blue", "blue"]})
    plan = pv.Plan({"colour": pv.Quasi()}, [pv.KAnonymity(2)])
    strangers = pl.DataFrame({"colour": ["blue", "green"]})
    found = pv.attack(original, plan, against=strangers, original=original, attacks=[pv.attacks.RecordLinkage])
    assert found["attack.linkage"]["matched"] == 0.5
    assert found["attack.linkage"]["max"] == 0.5


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: pv.attacks.Homogeneity(common=2),
        lambda: pv.attacks.Skewness(factor=0.5),
        lambda: pv.attacks.Skewness(belief=-1),
        lambda: pv.attacks.Similarity(column="s", radius=-1),
        lambda: pv.attacks.Similarity(column="s", radius=1, tree={"a": ["b"]}),
        lambda: pv.attacks.BackgroundKnowledge(rule_out=-1),
        lambda: pv.attacks.BackgroundKnowledge(prior={"x": -0.1}),
        lambda: pv.attacks.BackgroundKnowledge(base={"x": 0}),
        lambda: pv.attacks.BackgroundKnowledge(prior="x"),
        lambda: pv.attacks.Membership(belief=0),
        lambda: pv.attacks.Target(knows={}),
        lambda: pv.attacks.Target(knows={"age": 3}, exclude=["x"]),
        lambda: pv.attacks.SinglingOut(attempts=0),
        lambda: pv.attacks.SinglingOut(known="everything"),
        lambda: pv.attacks.SinglingOut(combinations=0),
        lambda: pv.attacks.Linkability(first=["a"]),
        lambda: pv.attacks.Linkability(first=["a"], second=["a"]),
        lambda: pv.attacks.Linkability(neighbours=0),
        lambda: pv.attacks.Inference(column="s", known=["s"]),
        lambda: pv.attacks.Inference(confidence=1.0),
        lambda: pv.attacks.Inference(tolerance=-1),
        lambda: wilson(1, 2, confidence=0),
        lambda: wilson(1, 2, confidence=1),
        lambda: pv.attacks.Inference(seed=-1),
        lambda: pv.attack(FRAME, PLAN, attacks=["Homogeneity"]),
    ],
)
def test_parameters_are_checked(wrong: Any) -> None:
    with pytest.raises(PlanError) as error:
        wrong()
    says(error, ":")


@pytest.mark.parametrize(
    ("attack", "words"),
    [
        (pv.attacks.BackgroundKnowledge(column="s", exclude=["zzz"]), ("zzz",)),
        (pv.attacks.Similarity(column="s", radius=1), ("'s'", "radius")),
        (pv.attacks.Similarity(column="s", tree={"g": ["x"]}), ("'s'", "tree")),
        (pv.attacks.RecordLinkage(known=["fax"]), ("'fax'",)),
        (pv.attacks.Linkability(first=["age"], second=["fax"]), ("'fax'",)),
        (pv.attacks.SinglingOut(known=["fax"]), ("'fax'",)),
        (pv.attacks.Inference(column="s", tolerance=0.1), ("'s'", "tolerance")),
        (pv.attacks.Target(knows={"fax": 1}), ("'fax'",)),
    ],
)
def test_what_the_tables_do_not_have(attack: pv.attacks.Attack, words: tuple[str, ...]) -> None:
    with pytest.raises(ParaventError) as error:
        pv.attack(FRAME, PLAN, original=PEOPLE, attacks=[attack])
    says(error, *words)


def test_a_tolerant_run_skips_what_a_strict_one_refuses() -> None:
    people = pl.DataFrame({"age": ["young"], "job": ["a"], "s": ["x"]})
    found = pv.attack(FRAME, PLAN, against=people, strict=False)
    assert "attack.homogeneity.s" in found
    assert "attack.linkage" not in found
    assert any("age" in lack for lack in found.skipped.values())


def test_empty_releases() -> None:
    found = pv.attack(FRAME.clear(), PLAN, original=PEOPLE)
    assert found["attack.linkage"]["matched"] == 0
    assert found["attack.homogeneity.s"].value == 0
    assert "a row in the release" in found.skipped["Inference"]


def test_names_that_polars_reads_as_patterns() -> None:
    frame = pl.DataFrame({"^a$": ["1", "1", "2"], "*": ["x", "y", "x"]})
    plan = pv.Plan({"^a$": pv.Quasi(), "*": pv.Sensitive()}, [pv.KAnonymity(1)])
    assert pv.attack(frame, plan)["attack.homogeneity.*"].exposed.tolist() == [2]
    scene = Scene(frame, ("^a$",), ("*",), people=Population(frame), original=Population(frame))
    found = pv.attacks.run_all([attack() for attack in pv.attacks.ALL], scene)
    assert found["attack.linkage"]["max"] == 1
    assert found["attack.inference.*"]["attack"] == pytest.approx(2 / 3)


def test_scenes_name_what_is_missing() -> None:
    with pytest.raises(TableError) as error:
        Scene(FRAME, ("zip",))
    says(error, "'zip'")
    assert Population(PEOPLE).members.tolist() == [0, 1]


def test_an_attacker_may_hold_a_value_for_impossible() -> None:
    assert pv.attacks.BackgroundKnowledge(prior={"x": 0}).prior == {"x": 0}


def test_classes_that_are_known_are_counted_as_they_are() -> None:
    assert Scene(FRAME, ("age", "job"), groups=np.array([0, 1, 0])).sizes.tolist() == [2, 1]
    assert Scene(FRAME.clear(), ("age", "job"), groups=np.zeros(0, dtype=np.int64)).sizes.tolist() == []
