"""Whatever goes in: one sentence, the right exit code, and no file that was not there before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
OUT = ("-o", "out.csv", "--report", "out.html", "--save-plan", "saved.toml")

TABLES = {
    "empty.csv": b"",
    "blank.csv": b"\n\n\n",
    "header_only.csv": b"age,zip,disease\n",
    "one_column.csv": b"age\n1\n2\n3\n",
    "ragged.csv": b"age,zip,disease\n1,2\n1,2,3,4,5\n",
    "twice.csv": b"age,age,disease\n1,2,3\n",
    "nameless.csv": b"age,,disease\n1,2,3\n",
    "nul.csv": b"age,zip,disease\n1,\x00,3\n",
    "latin.csv": "age,zip,disease\n1,2,fièvre\n".encode("latin-1"),
    "utf16.csv": "age,zip,disease\n1,2,flu\n".encode("utf-16"),
    "bom.csv": b"\xef\xbb\xbfage,zip,disease\n1,2,flu\n",
    "missing.csv": b"age,zip,disease\n,,\n,,\n,,\n,,\n,,\n",
    "open_quote.csv": b'age,zip,disease\n1,"2,flu\n',
    "not.parquet": b"PAR1 no, it is not",
    "not.xlsx": b"PK\x03\x04 neither",
    "not.jsonl": b'{"age": 1}\n{"age": \n',
    "not.sqlite": b"SQLite format 3\x00 garbage",
    "not.arrow": b"ARROW1 nor this",
    "what.xyz": b"\x00\x01\x02\x03",
    "zero.json": b"",
}


def _told(result: Any, code: int | None = None) -> None:
    """The command failed in words."""
    assert result.exit_code == code if code is not None else result.exit_code in (1, 2), result.output
    assert "Traceback" not in result.output
    assert "defect of paravent" not in result.output
    assert "pv." not in result.output  # hints are in words of the command line
    assert result.stdout == ""
    assert result.stderr.strip()


@pytest.mark.parametrize("name", TABLES)
def test_a_table_that_is_none(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(TABLES[name])
    _told(run("anonymize", name, "-q", "age,zip", "-s", "disease", "-k", 5, *OUT))
    for words in (("profile",), ("plan", "draft"), ("tree", "propose"), ("clean",), ("verify", "-q", "zip", "-k", 5)):
        result = run(*words, name)
        assert result.exit_code in (0, 1, 2), result.output
        assert "Traceback" not in result.output
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("-q", "age", "-k", 49), 1, "48 rows"),
        (("-q", "age", "-k", 5, "-l", 4, "-s", "disease"), 1, "disease"),
        (("-q", "age", "-k", 0), 2, "k"),
        (("-q", "age", "-k", "five"), 2, "--k"),
        (("-q", "age"), 2, "--k"),
        (("-k", 5), 2, "--quasi"),
        ((), 2, "--quasi"),
        (("-q", "agee", "-k", 5), 2, "'agee'"),
        (("-q", "age", "-s", "age", "-k", 5), 2, "'age'"),
        (("-q", "fax", "-k", 5), 2, "fax"),
        (("-q", "age", "-k", 5, "--suppression", 1.5), 2, "suppression"),
        (("-q", "age", "-k", 5, "--suppressed", "burn"), 2, "burn"),
        (("-q", "age", "-k", 5, "--missing", "guess"), 2, "guess"),
        (("-q", "age", "-k", 5, "--seed", -1), 2, "seed"),
        (("-q", "age", "-k", 5, "--method", "Magic"), 2, "Magic"),
        (("-q", "age", "-k", 5, "--method", "Mondrian(labels='colour')"), 2, "colour"),
        (("-q", "age", "-k", 5, "--method", "__import__('os')"), 2, "--method"),
        (("-q", "age", "-k", 5, "--tree", "age=nowhere.csv"), 2, "nowhere.csv"),
        (("-q", "age", "-k", 5, "--tree", "disease=flat()"), 2, "disease"),
        (("-q", "age", "-k", 5, "--tree", "age=intervals(0)"), 2, "intervals"),
        (("-q", "age", "-k", 5, "--protect", "Wishful(0.1)"), 2, "Wishful"),
        (("-q", "age", "-k", 5, "-l", 2), 2, "--sensitive"),
        (("--plan", "nowhere.toml"), 2, "nowhere.toml"),
        (("--plan", "nowhere.toml", "-k", 5), 2, "--plan"),
        (("-q", "age", "-k", 5, "--kind", "age"), 2, "--kind"),
        (("-q", "age", "-k", 5, "--kind", "age=colour"), 2, "colour"),
        (("-q", "age", "-k", 5, "--kind", "nope=integer"), 2, "nope"),
        (("-q", "age", "-k", 5, "--sheet", "One"), 2, "sheet"),
        (("-q", "age", "-k", 5, "--nonsense"), 2, "--nonsense"),
    ],
)
def test_a_wish_that_cannot_be(
    run: Run, patients: Path, tmp_path: Path, words: tuple[Any, ...], code: int, says: str
) -> None:
    named = () if "--plan" in words else ("-i", "name,zip code")
    result = run("anonymize", patients, *named, *words, *OUT)
    _told(result, code)
    assert says in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["patients.csv"]


PLANS = {
    "empty": "",
    "not TOML": "columns = [",
    "binary": "\x00\x01",
    "no quasi": "[[protect]]\nmodel = 'KAnonymity'\nk = 2\n[columns.age]\nrole = 'sensitive'\n",
    "no promise": "[columns.age]\nrole = 'quasi'\n",
    "a promise that is none": "protect = [5]\n[columns.age]\nrole = 'quasi'\n",
    "wrong role": "[[protect]]\nmodel = 'KAnonymity'\nk = 2\n[columns.age]\nrole = 'quasy'\n",
    "k is a text": "[[protect]]\nmodel = 'KAnonymity'\nk = 'two'\n[columns.age]\nrole = 'quasi'\n",
    "unknown column": "[[protect]]\nmodel = 'KAnonymity'\nk = 2\n[columns.height]\nrole = 'quasi'\n",
    "unknown entry": "colour = 1\n[[protect]]\nmodel = 'KAnonymity'\nk = 2\n[columns.age]\nrole = 'quasi'\n",
    "unknown tree": "[[protect]]\nmodel = 'KAnonymity'\nk = 2\n[columns.age]\nrole = 'quasi'\ntree = 'no.csv'\n"
    "[columns.name]\nrole = 'identifier'\n['columns'.'zip code']\nrole = 'drop'\n",
}


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_that_is_none(run: Run, patients: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "plan.toml").write_text(PLANS[name])
    _told(run("anonymize", patients, "--plan", "plan.toml", *OUT), 2)
    _told(run("plan", "check", "plan.toml", patients), 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["patients.csv", "plan.toml"]


@pytest.mark.parametrize(
    "target",
    ["nowhere/out.csv", ".", "patients.csv", "out.colour", "/proc/nope.csv"],
    ids=["folder", "dot", "itself", "ending", "proc"],
)
def test_a_place_that_cannot_be_written(run: Run, patients: Path, tmp_path: Path, target: str) -> None:
    before = patients.read_bytes()
    _told(run("anonymize", patients, "-q", "age", "-i", "name,zip code", "-k", 5, "-o", target), 2)
    assert patients.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["patients.csv"]


def test_a_failing_run_keeps_the_old_release(run: Run, patients: Path, tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("old")
    assert (
        run("anonymize", patients, "-q", "age", "-i", "name,zip code", "-k", 49, "-o", "out.csv", "--force").exit_code
        == 1
    )
    assert (tmp_path / "out.csv").read_text() == "old"


def test_a_release_of_another_table(run: Run, patients: Path, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("colour\nred\n")
    _told(run("measure", patients, "other.csv", "-q", "age", "-k", 5), 2)
    _told(run("verify", "other.csv", "-q", "age", "-k", 5), 2)
    _told(run("measure", patients, "nowhere.csv", "-q", "age", "-k", 5), 2)


@pytest.mark.parametrize(
    "words", [("anonymize",), ("nonsense",), ("tree", "nonsense"), ("verify", "a", "b"), ("demo", "--k", "0")]
)
def test_usage_is_told(run: Run, words: tuple[str, ...]) -> None:
    _told(run(*words), 2)
