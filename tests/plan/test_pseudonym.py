"""Replaced identifiers: equal values stay equal, nobody can go back, the key is nowhere."""

from __future__ import annotations

import hashlib
import hmac
import json
from pathlib import Path

import polars as pl
import pytest

import paravent as pv

KEY = "correct horse battery staple"


def frame() -> pl.DataFrame:
    return pl.DataFrame({"name": ["Ana", "Béa", "Ana", None, "Éric"], "age": [1, 1, 1, 1, 1]})


def plan(**identifier) -> pv.Plan:
    columns = {"name": pv.Identifier(**identifier), "age": pv.Quasi()}
    return pv.Plan(columns, pv.KAnonymity(2), person=None, order="source")


def test_pseudonyms_are_hmac_of_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARAVENT_TEST_KEY", KEY)
    released = pv.anonymize(frame(), plan(replace="pseudonym", key_env="PARAVENT_TEST_KEY", length=24)).frame["name"]
    expected = hmac.new(KEY.encode(), "Béa".encode(), hashlib.sha256).hexdigest()[:24]
    assert released[1] == expected
    assert released[0] == released[2] != released[1]
    assert released[3] is None


def test_the_key_can_be_a_file_beside_the_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "key").write_text(KEY + "\n")
    wanted = plan(replace="pseudonym", key_file="key")
    monkeypatch.chdir(tmp_path)
    wanted.save("plan.toml")
    by_file = pv.anonymize(frame(), wanted)
    monkeypatch.chdir("/")
    monkeypatch.setenv("PARAVENT_TEST_KEY", KEY)
    by_variable = pv.anonymize(frame(), plan(replace="pseudonym", key_env="PARAVENT_TEST_KEY"))
    by_plan_file = pv.anonymize(frame(), tmp_path / "plan.toml")
    assert by_file.frame.equals(by_variable.frame)
    assert by_file.frame.equals(by_plan_file.frame)


def test_the_key_is_stored_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARAVENT_TEST_KEY", KEY)
    wanted = plan(replace="pseudonym", key_env="PARAVENT_TEST_KEY")
    release = pv.anonymize(frame(), wanted)
    wanted.save(tmp_path / "plan.toml")
    release.report(tmp_path / "report.html")
    stored = [json.dumps(release.provenance), repr(wanted), repr(release), str(release.trace)]
    stored += [path.read_text() for path in tmp_path.iterdir()]
    assert not any(KEY in text or "horse" in text for text in stored)


def test_keys_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PARAVENT_TEST_KEY", raising=False)
    with pytest.raises(pv.PlanError, match=r"columns\.name: the environment variable 'PARAVENT_TEST_KEY' is not set"):
        pv.anonymize(frame(), plan(replace="pseudonym", key_env="PARAVENT_TEST_KEY"))
    monkeypatch.setenv("PARAVENT_TEST_KEY", "short")
    with pytest.raises(pv.PlanError, match="too short") as raised:
        pv.anonymize(frame(), plan(replace="pseudonym", key_env="PARAVENT_TEST_KEY"))
    assert "'short'" not in str(raised.value)
    with pytest.raises(pv.PlanError, match="cannot be read"):
        pv.anonymize(frame(), plan(replace="pseudonym", key_file=str(tmp_path / "none")))


def test_colliding_pseudonyms_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARAVENT_TEST_KEY", KEY)
    many = pl.DataFrame({"name": [f"person {i}" for i in range(3000)], "age": [1] * 3000})
    with pytest.raises(pv.PlanError, match="greater length"):
        pv.anonymize(many, plan(replace="pseudonym", key_env="PARAVENT_TEST_KEY", length=4))
    assert pv.anonymize(many, plan(replace="pseudonym", key_env="PARAVENT_TEST_KEY")).frame["name"].n_unique() == 3000


def test_random_numbers_follow_the_seed_and_not_the_values() -> None:
    many = pl.DataFrame({"name": [f"person {i % 50}" for i in range(100)], "age": [1] * 100})
    others = many.with_columns(name="x" + pl.col("name").str.reverse())
    wanted = plan(replace="random")
    numbers = pv.anonymize(many, wanted).frame["name"]
    assert sorted(set(numbers)) == list(range(1, 51))
    assert numbers[:50].equals(numbers[50:])
    assert pv.anonymize(many, wanted).frame["name"].equals(numbers)
    # Only who appears where matters: whoever knows the seed cannot turn a number into a name.
    assert pv.anonymize(others, wanted).frame["name"].equals(numbers)
    assert not pv.anonymize(many, wanted.replace(seed=1)).frame["name"].equals(numbers)


def test_marked_rows_have_no_identifier(one_class: type) -> None:
    wanted = plan(replace="random").replace(method=one_class(suppress=2), suppression=0.5, suppressed="mark")
    released = pv.anonymize(frame(), wanted).frame["name"].to_list()
    assert released[:2] == [None, None]
    assert sorted(number for number in released if number) == [1, 2]
