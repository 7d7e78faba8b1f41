"""The table of treatments in the reference has every treatment of the registry, with its source."""

from __future__ import annotations

from pathlib import Path

from paravent import registry

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "treatments.md"


def test_the_table_has_every_treatment_with_its_source() -> None:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    shown = {names.strip("`"): source for names, _, _, source in cells}
    assert shown == {name: registry.load("treatment", name).source for name in registry.entries("treatment")}
