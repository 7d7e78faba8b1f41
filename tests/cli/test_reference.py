"""docs/reference/command-line.md against what `--help` says: every command, and no option that does not exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from paravent.cli.app import app

PAGE = (Path(__file__).parents[2] / "docs/reference/command-line.md").read_text(encoding="utf-8")
TABLE = PAGE.split("|---|---|---|\n")[1].split("\n\n")[0]
ROWS = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in TABLE.splitlines()]


def commands(group: Any, *above: str) -> Iterator[tuple[str, ...]]:
    """Every command, by its words."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, *above, name)
        else:
            yield (*above, name)


ALL = sorted(commands(get_command(app)))


def help_of(*words: str) -> str:
    done = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert done.exit_code == 0
    return done.output


def options_of(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", text))


def named_in(cell: str) -> list[tuple[str, ...]]:
    """The commands that the first cell of a row names: `tree show`, `propose` are two of one group."""
    found: list[tuple[str, ...]] = []
    for call in re.findall(r"`([^`]+)`", cell):
        words = tuple(word for word in call.split() if re.fullmatch(r"[a-z][a-z-]*", word))
        found.append(words if words in ALL else (found[-1][0], *words))
    return found


def test_the_table_names_every_command_once() -> None:
    assert sorted(command for row in ROWS for command in named_in(row[0])) == ALL


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_says_what_the_command_takes(row: list[str]) -> None:
    for words in named_in(row[0]):
        usage = help_of(*words).split("\n\n")[0]
        for argument in re.findall(r"\b[A-Z]{2,}\b", row[0]):
            assert argument in usage, f"paravent {' '.join(words)} has no argument {argument}: {usage}"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_names_options_that_exist(row: list[str]) -> None:
    known = set().union(*(options_of(help_of(*words)) for words in named_in(row[0])))
    named = options_of(" ".join(re.findall(r"`(-[^`]*)`", " ".join(row[1:]))))
    assert named <= known, f"{sorted(named - known)} in the row of {row[0]}"


def test_the_text_names_options_that_exist() -> None:
    known = set().union(*(options_of(help_of(*words)) for words in ALL))
    named = options_of(" ".join(re.findall(r"`([^`]*)`", PAGE.replace(TABLE, ""))))
    assert {"--plan", "--json", "--force"} <= named
    assert named <= known, sorted(named - known)


def test_the_formats_are_those_that_help_tells() -> None:
    told = re.search(r"A file \(([^)]*)\)", " ".join(help_of("profile").split()))
    assert told is not None
    endings = {
        "CSV": ".csv", "TSV": ".tsv", "Parquet": ".parquet", "Arrow": ".arrow", "Feather": ".feather", "Excel": ".xlsx",
        "JSON lines": ".jsonl", "SQLite": ".sqlite", "SPSS": ".sav", "Stata": ".dta", "SAS": ".sas7bdat",
    }  # fmt: skip
    named = re.search(r"`TABLE` is a file \(([^)]*)\)", PAGE)
    assert named is not None
    assert {endings[name] for name in named[1].split(", ")} | {".xpt"} == set(told[1].split(", "))


def test_the_exit_codes_are_those_that_help_tells() -> None:
    told = dict(re.findall(r"(\d+) ([a-z][^;.]*)", " ".join(help_of().split("Exit codes:")[1].split())))
    page = dict(re.findall(r"^\| (\d+) \| ([^|]*) \|", PAGE, re.MULTILINE))
    assert set(told) <= set(page)
    assert page["0"] == told["0"]
