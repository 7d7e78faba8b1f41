"""paravent synthesize, from its arguments to its files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import paravent as pv

Run = Callable[..., Any]
SAID = ("--domain", "sex=f,m", "--domain", "age=18..65", "--domain", "pay=0..9999/4", "--drop", "name")


@pytest.fixture
def people(tmp_path: Path) -> None:
    rows = [(f"p{i}", "fm"[i % 2], 18 + i % 48, 37 * i % 9000) for i in range(300)]
    pl.DataFrame(rows, schema=["name", "sex", "age", "pay"], orient="row").write_csv(tmp_path / "p.csv")


@pytest.mark.usefixtures("people")
def test_a_synthetic_table_is_written_with_its_transcript_and_charged(run: Run, tmp_path: Path) -> None:
    run("budget", "grant", "p.ledger", "--epsilon", "1", "--delta", "1e-6")
    told = ("synthesize", "p.csv", "--epsilon", "1", "--method", "MST()", "--rows", "50", *SAID, "--budget", "p.ledger")
    made = run(*told, "-o", "s.csv", "--transcript", "s.json", "--json")
    assert made.exit_code == 0, made.output
    assert json.loads(made.stdout)["verdict"]["holds"]
    drawn = pl.read_csv(tmp_path / "s.csv")
    assert drawn.columns == ["sex", "age", "pay"]
    assert drawn.height == 50
    assert pv.Transcript.load(tmp_path / "s.json").rows == 50
    domains = {"sex": ["f", "m"], "age": range(18, 66), "pay": {"from": 0, "to": 9999, "bins": 4}}
    roles = {"name": pv.Drop(), "sex": pv.Insensitive(), "age": pv.Insensitive(), "pay": pv.Insensitive()}
    pv.Plan(roles, [pv.DifferentialPrivacy(epsilon=1)], pv.methods.MST(domains=domains)).save(tmp_path / "p.toml")
    assert run("verify", "s.csv", "--plan", "p.toml", "--transcript", "s.json").exit_code == 0
    assert run("verify", "s.csv", "--plan", "p.toml").exit_code == 1
    again = run(*told, "-o", "t.csv")
    assert again.exit_code == 1
    assert "the budget does not hold" in again.output
    assert not (tmp_path / "t.csv").exists()


@pytest.mark.usefixtures("people")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (SAID, "nothing says how private"),
        (("--epsilon", "1", *SAID[:4]), "nothing says what it can hold"),
        (("--epsilon", "1", "--method", "Mondrian()", *SAID), "draws no synthetic rows"),
        (("--epsilon", "0", *SAID), "above 0"),
    ],
)
def test_what_is_missing_is_said(run: Run, options: tuple[str, ...], words: str) -> None:
    found = run("synthesize", "p.csv", *options)
    assert found.exit_code == 2
    assert words in found.output
