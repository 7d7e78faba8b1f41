"""Did you mean: wherever a name is given, the near one is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app

FRAME = pl.DataFrame({"age": [1, 2, 3, 4], "disease": ["a", "b", "a", "b"]})
PLAN = pv.Plan({"age": pv.Quasi(), "disease": pv.Sensitive()}, pv.KAnonymity(2))


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda: pv.anonymize(FRAME, pv.Plan({"agee": pv.Quasi()}, pv.KAnonymity(2))), "age"),
        (lambda: pv.anonymize(FRAME, PLAN.replace(protect=[pv.LDiversity(2, "diseas")])), "disease"),
        (lambda: pv.anonymize(FRAME, quasi=["AGE"], k=2), "age"),
        (lambda: pv.verify(FRAME.rename({"age": "aged"}), PLAN), "aged"),
        (lambda: pv.read(FRAME, kinds={"agee": "integer"}), "age"),
        (lambda: pv.read(FRAME, na={"agee": "?"}), "age"),
        (lambda: pv.profile(FRAME, columns=["agee"]), "age"),
        (lambda: pv.Plan.from_document({**PLAN.to_document(), "method": {"name": "Mondrain"}}), "Mondrian"),
        (lambda: pv.Plan.from_document({**PLAN.to_document(), "protect": [{"model": "KAnonimity"}]}), "KAnonymity"),
        (lambda: pv.dates("months"), "month"),
        (lambda: pv.attack(FRAME, PLAN, attacks=["Homogenity"]), "Homogeneity"),
        (lambda: pv.anonymize(FRAME, PLAN).measure("learnin"), "learning"),
    ],
)
def test_in_python(call: Callable[[], Any], meant: str) -> None:
    with pytest.raises(pv.ParaventError, match=f"Did you mean '{meant}'"):
        call()


@pytest.mark.parametrize(
    ("room", "wrong", "meant"), [(pv, "KAnonimity", "KAnonymity"), (pv.methods, "Mondrain", "Mondrian")]
)
def test_names_of_the_package(room: Any, wrong: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=f"Did you mean '{meant}'"):
        getattr(room, wrong)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("-q", "agee", "-k", "2"), "age"),
        (("-q", "age", "-s", "diseas", "-k", "2"), "disease"),
        (("-q", "age", "-k", "2", "--method", "Mondrain()"), "Mondrian"),
        (("-q", "age", "-k", "2", "--method", "Mondrian(lables='set')"), "labels"),
        (("-q", "age", "--protect", "KAnonimity(2)"), "KAnonymity"),
        (("-q", "age", "-k", "2", "--tree", "age=intervalls(2)"), "intervals"),
        (("-q", "age", "-k", "2", "--tree", "agee=flat()"), "age"),
    ],
)
def test_on_the_command_line(tmp_path: Path, words: tuple[str, ...], meant: str) -> None:
    FRAME.write_csv(tmp_path / "t.csv")
    done = CliRunner().invoke(app, ["anonymize", str(tmp_path / "t.csv"), *words])
    assert done.exit_code == 2
    assert f"Did you mean '{meant}'" in done.stderr
    assert "pv." not in done.stderr
