"""Delimited text is spelled as the input, or as somebody says."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app
from paravent.table.read import read
from paravent.table.write import write

GERMAN = "Alter;Größe;Krankheit\n" + "".join(f"{20 + i % 3};1,{i % 5}5;Müdigkeit {i % 2}\n" for i in range(20))


@pytest.fixture
def german(tmp_path: Path) -> Path:
    path = tmp_path / "leute.csv"
    path.write_bytes(GERMAN.encode("cp1252"))
    return path


def plan() -> pv.Plan:
    return pv.Plan({"Alter": pv.Quasi(), "Krankheit": pv.Sensitive()}, pv.KAnonymity(3), person=None, order="source")


def test_a_release_is_spelled_as_its_input(german: Path) -> None:
    release = pv.anonymize(german, plan())
    release.write(german.parent / "r.csv")
    text = (german.parent / "r.csv").read_bytes().decode("cp1252")
    assert text.splitlines()[:2] == ["Alter;Größe;Krankheit", "20;1,05;Müdigkeit 0"]
    assert pv.verify(german.parent / "r.csv", plan())
    release.write(german.parent / "r.tsv")
    assert (german.parent / "r.tsv").read_bytes().decode("cp1252").splitlines()[1] == "20\t1,05\tMüdigkeit 0"


def test_a_plain_file_and_single_options(german: Path) -> None:
    release, path = pv.anonymize(german, plan()), german.parent / "r.csv"
    release.write(path, dialect="plain")
    assert path.read_text("utf-8").splitlines()[1] == "20,1.05,Müdigkeit 0"
    release.write(path, delimiter="|", encoding="utf-8-sig")
    assert path.read_bytes().startswith(b"\xef\xbb\xbfAlter|")
    assert "|1,05|" in path.read_text("utf-8-sig")
    release.write(path, dialect="plain", decimal=",")  # a comma for numbers leaves another sign for cells
    assert path.read_text("utf-8").splitlines()[1] == "20;1,05;Müdigkeit 0"
    release.write(path, encoding="utf-16")
    assert "Größe" in path.read_bytes().decode("utf-16")


def test_letters_that_the_input_could_not_say(german: Path) -> None:
    """The encoding of the input is kept where it can say everything; one that was asked for must."""
    table = read(german)
    frame = table.frame.with_columns(Krankheit=pl.lit("Ω"))
    changed = pv.Table(frame, table.columns, table.rows, table.origin)
    write(changed, german.parent / "r.csv")
    assert "Ω" in (german.parent / "r.csv").read_text("utf-8")
    with pytest.raises(pv.TableError, match=r"column 'Krankheit', row 1: 'Ω' holds a letter that cp1252 lacks"):
        write(changed, german.parent / "s.csv", encoding="cp1252")
    assert not (german.parent / "s.csv").exists()


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("t.csv", {"delimiter": ",", "decimal": ","}, "the same sign"),
        ("t.csv", {"delimiter": ";;"}, "not one plain character"),
        ("t.csv", {"decimal": "x"}, "not a decimal sign"),
        ("t.csv", {"encoding": "klingon"}, "is not known"),
        ("t.csv", {"encoding": "rot13"}, "is not known"),
        ("t.csv", {"dialect": "french"}, "dialect must be .* 'input' or 'plain', not 'french'"),
        ("t.csv", {"formulas": "run"}, "formulas must be 'guard' or 'keep', not 'run'"),
        ("t.parquet", {"decimal": ","}, "for which decimal= means nothing"),
        ("t.sqlite", {"encoding": "utf-8"}, "for which encoding= means nothing"),
    ],
)
def test_mistakes(tmp_path: Path, name: str, options: dict[str, str], words: str) -> None:
    with pytest.raises(pv.TableError, match=words):
        write(pl.DataFrame({"a": [1.5]}), tmp_path / name, **options)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_dialects_on_the_command_line(german: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(german.parent)
    words = ["anonymize", "leute.csv", "-q", "Alter", "-s", "Krankheit", "-k", "3", "--order", "source", "--no-person"]
    words += ["--insensitive", "Größe"]

    def first_row(*more: str, encoding: str = "utf-8") -> str:
        result = CliRunner().invoke(app, [*words, "-o", "r.csv", "--force", *more])
        assert result.exit_code == 0, result.output
        return (german.parent / "r.csv").read_bytes().decode(encoding).splitlines()[1]

    assert first_row(encoding="cp1252") == "20;1,05;Müdigkeit 0"
    assert first_row("--dialect", "plain") == "20,1.05,Müdigkeit 0"
    assert first_row("--output-delimiter", "tab", "--output-encoding", "utf-8") == "20\t1,05\tMüdigkeit 0"
    assert first_row("--output-decimal", ".", encoding="cp1252") == "20;1.05;Müdigkeit 0"
