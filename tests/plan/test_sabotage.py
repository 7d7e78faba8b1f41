"""Methods that lie: none of them may get a release out."""

from __future__ import annotations

import dataclasses

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.methods.method import Labels, Recoding
from paravent.plan import assemble as assembling
from paravent.plan import runner


def test_classes_that_are_too_small(health: pv.Table, health_plan: pv.Plan, untouched: type) -> None:
    with pytest.raises(pv.UnsafeReleaseError, match=r"2-anonymity fails in 8 classes \(privacy.k is 1\)"):
        pv.anonymize(health, health_plan.replace(method=untouched()))


def test_labels_that_do_not_cover(health: pv.Table, health_plan: pv.Plan, shifted: type) -> None:
    with pytest.raises(pv.UnsafeReleaseError, match="does not cover"):
        pv.anonymize(health, health_plan.replace(method=shifted()))


def test_classes_that_are_homogeneous(health: pv.Table, health_plan: pv.Plan) -> None:
    @dataclasses.dataclass(frozen=True)
    class _BySensitive(type(health_plan.method)):  # type: ignore[misc]
        def run(self, task):
            codes = task.sensitive["maladie"]
            cells = {
                axis.name: Labels(
                    np.arange(codes.max() + 1), tuple(f"*{'' if i == 0 else i}" for i in range(codes.max() + 1))
                )
                for axis in task.axes
            }
            return Recoding(codes, int(codes.max()) + 1, cells)

    plan = health_plan.replace(protect=[pv.LDiversity(2, "maladie")], method=_BySensitive())
    with pytest.raises(pv.UnsafeReleaseError, match="distinct 2-diversity of 'maladie' fails in 5 classes"):
        pv.anonymize(health, plan)


@pytest.mark.parametrize("fault", ["rows", "classes", "negative", "floats", "columns", "labels", "cells", "nonsense"])
def test_answers_of_the_wrong_shape(health: pv.Table, health_plan: pv.Plan, broken: type, fault: str) -> None:
    with pytest.raises(pv.UnsafeReleaseError, match="Nothing is released"):
        pv.anonymize(health, health_plan.replace(method=broken(fault=fault)))


def sabotaged(monkeypatch: pytest.MonkeyPatch, change) -> None:
    """Let the assembling of the frame go wrong, after the method did its work."""

    def assemble(*args):
        finished = assembling.assemble(*args)
        return dataclasses.replace(finished, frame=change(finished.frame))

    monkeypatch.setattr(runner, "assemble", assemble)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda frame: frame.with_columns(genre=pl.Series(["F", *frame["genre"].cast(str)[1:]])), "fails in 1 class"),
        (lambda frame: frame.with_columns(pl.Series("first name", list("abcdefgh"))), "'first name' must not be"),
        (
            lambda frame: frame.with_columns(cp=pl.col("cp").cast(str) + pl.Series([str(i) for i in range(8)])),
            "fails in 8",
        ),
        (lambda frame: frame.head(3), "5 rows are suppressed"),
    ],
)
def test_frames_that_were_assembled_wrongly(
    health: pv.Table, health_plan: pv.Plan, one_class: type, monkeypatch: pytest.MonkeyPatch, change, words: str
) -> None:
    plan = health_plan.replace(method=one_class())
    pv.anonymize(health, plan)
    sabotaged(monkeypatch, change)
    with pytest.raises(pv.UnsafeReleaseError, match=words):
        pv.anonymize(health, plan)


def test_a_mark_that_still_speaks(
    health: pv.Table, health_plan: pv.Plan, one_class: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = health_plan.replace(method=one_class(suppress=2), suppression=0.5, suppressed="mark")
    sabotaged(monkeypatch, lambda frame: frame.with_columns(maladie=pl.lit("flu")))
    with pytest.raises(pv.UnsafeReleaseError, match="not blank"):
        pv.anonymize(health, plan)


@pytest.mark.parametrize("of_row", [[0, 1, 1, 1, 1, 1, 1, 2], [0, 1, 1, 1, 1, 1, 1, -2], [0, 1, 1]])
def test_classes_that_are_not_there(health: pv.Table, health_plan: pv.Plan, one_class: type, of_row: list[int]) -> None:
    @dataclasses.dataclass(frozen=True)
    class _Beyond(one_class):  # type: ignore[misc]
        def run(self, task):
            cells = {axis.name: Labels(np.zeros(2, dtype=np.int32), ("*",)) for axis in task.axes}
            return Recoding(np.array(of_row, dtype=np.int32), 2, cells)

    with pytest.raises(pv.UnsafeReleaseError, match="Nothing is released"):
        pv.anonymize(health, health_plan.replace(method=_Beyond()))
