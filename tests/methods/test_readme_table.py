"""The methods table of README.md is written by its benchmark: markers, columns, and methods that exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import methods as benchmark
from benchmarks.printing import table_text

README = Path(__file__).parents[2] / "README.md"


def written() -> list[list[str]]:
    text = README.read_text(encoding="utf-8")
    assert text.count(benchmark.BEGIN) == text.count(benchmark.END) == 1
    table = text.split(benchmark.BEGIN)[1].split(benchmark.END)[0].strip()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def test_the_table_stands_between_its_markers() -> None:
    head, rule, *rows = written()
    assert tuple(head) == benchmark.COLUMNS
    assert all(set(cell) == {"-"} for cell in rule)
    assert rows
    known = {type(method).__name__ for method in benchmark.known()}
    assert {row[0].strip("`").split("(")[0] for row in rows} <= known
    losses = [float(row[benchmark.COLUMNS.index("loss (GCP)")]) for row in rows]
    assert losses == sorted(losses)


def test_a_new_table_takes_the_place_of_the_old_one() -> None:
    text = f"before\n{benchmark.BEGIN}\n| old |\n{benchmark.END}\nafter\n"
    table = table_text(("a", "b"), [["x", 0.5]])
    found = benchmark.with_table(text, table)
    assert found == f"before\n{benchmark.BEGIN}\n{table}\n{benchmark.END}\nafter\n"
    assert benchmark.with_table(found, table) == found


def test_markers_that_are_gone_are_said() -> None:
    with pytest.raises(SystemExit, match="markers"):
        benchmark.with_table("nothing", "| a |")
