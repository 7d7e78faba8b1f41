"""The table of methods in the reference says what the methods say."""

from __future__ import annotations

from pathlib import Path

import pytest

import paravent as pv

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "methods.md"
M = pv.methods
INSTANCES = {
    "MuArgus": M.MuArgus(),
    "Datafly": M.Datafly(),
    "Samarati": M.Samarati(),
    "Incognito": M.Incognito(),
    "BottomUp": M.BottomUp(target="t"),
    "TopDown": M.TopDown(target="t"),
    'Mondrian(cut="median")': M.Mondrian(cut="median"),
    'Mondrian(cut="loss")': M.Mondrian(),
    'Mondrian(cut="infogain")': M.Mondrian(cut="infogain", target="t"),
    'Mondrian(cut="lsd")': M.Mondrian(cut="lsd", target="t"),
    "GkAA": M.GkAA(),
    "GAA": M.GAA(),
    "MDAV": M.MDAV(),
    "VMDAV": M.VMDAV(),
    "RefinedMDAV": M.RefinedMDAV(),
    "IndividualRanking": M.IndividualRanking(),
    "Filter": M.Filter(),
    "MinGen": M.MinGen(),
    "LocalSuppression": M.LocalSuppression(),
    "FixedSize": M.FixedSize(by="t"),
}


def rows() -> dict[str, list[str]]:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {first.strip("`"): rest for first, *rest in cells}


def test_the_table_lists_them() -> None:
    assert set(INSTANCES) <= set(rows())


@pytest.mark.parametrize("name", INSTANCES)
def test_a_row_is_true(name: str) -> None:
    method = INSTANCES[name]
    needs, gives, suppresses, solutions, use, _ = rows()[name]
    assert needs == ", ".join(method.needs)
    assert gives == method.gives
    assert suppresses == method.suppresses
    assert solutions == ("many, optimal" if method.many else "one")
    assert method.optimal == method.many
    assert use == method.use
