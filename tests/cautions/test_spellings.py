"""Sensitive values that look alike are named among the cautions; serious where they undo what was asked."""

from __future__ import annotations

import polars as pl

import paravent as pv
from paravent.cautions.caution import Caution


def cautions(diseases: list[str], **sensitive: str) -> list[Caution]:
    frame = pl.DataFrame({"age": [30, 30, 30, 40, 40, 40], "disease": diseases})
    plan = pv.Plan(
        {"age": pv.Quasi(), "disease": pv.Sensitive(**sensitive)},  # type: ignore[arg-type]
        [pv.KAnonymity(3), pv.LDiversity(2, "disease")],
    )
    return [caution for caution in pv.anonymize(frame, plan).cautions if caution.kind == "look-alikes"]


def test_serious_where_a_class_has_one_disease_in_two_spellings() -> None:
    [found] = cautions(["flu", "Flu", "flu ", "flu", "cold", "ulcer"])
    assert found.serious
    assert found.columns == ("disease",)
    assert found.title == "3 values of “disease” look like 1"
    assert "would not keep what was asked" in found.sentence
    assert "alike" in found.remedy
    assert "flu" not in str(found).lower()


def test_a_note_where_every_class_is_mixed_all_the_same() -> None:
    [found] = cautions(["flu", "Flu", "ulcer", "flu", "cold", "ulcer"])
    assert not found.serious


def test_nothing_where_they_count_as_one_or_differ() -> None:
    assert not cautions(["flu", "Flu", "ulcer", "flu", "cold", "ulcer"], alike="one")
    assert not cautions(["flu", "gout", "ulcer", "flu", "cold", "ulcer"])
