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
    "Optimal": M.Optimal(),
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
    return {first.strip("`"): rest for first, *rest in cells if len(rest) == 7}  # other tables are narrower


def test_the_table_lists_them() -> None:
    assert set(INSTANCES) <= set(rows())


@pytest.mark.parametrize("name", INSTANCES)
def test_a_row_is_true(name: str) -> None:
    method = INSTANCES[name]
    needs, gives, suppresses, solutions, use, weights, _ = rows()[name]
    assert needs == ", ".join(method.needs)
    assert gives == method.gives
    assert suppresses == method.suppresses
    assert solutions == ("many" if method.many else "one") + (", optimal" if method.optimal else "")
    assert use == method.use
    assert weights == ("count" if method.weighs else "refused")


def test_every_method_says_whether_it_heeds_weights() -> None:
    """The table has all methods that there are, each with what it says of itself."""
    said = {name.strip("` "): cells[5] for names, cells in rows().items() for name in names.split(",")}
    known = [getattr(M, name) for name in M.__all__]
    made = [cls for cls in known if isinstance(cls, type) and issubclass(cls, M.Method) and cls is not M.Method]
    for cls in made:
        named = [name for name in said if name.split("(")[0] == cls.__name__]
        assert named, cls
        if cls.__name__ not in ("Mondrian", "BottomUp", "TopDown"):
            assert {said[name] for name in named} == {"count" if cls().weighs else "refused"}
