"""Files whose lines are in several encodings: said when they are read, and read line by line on request."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app
from paravent.table.mixed import as_utf8, parts_of

NAMES = ("Müller", "Łódź", "Ñandú", "«privé »", "Ann", "Žižek", "Nguyễn", "東京", "‘quoted’ – yes")
CHANCE = "É»"
"""In cp1252 its bytes are one letter of UTF-8, too."""
WESTERN = [name for name in NAMES if name not in ("Łódź", "Nguyễn", "東京")]


def written(folder: Path, *parts: bytes) -> Path:
    path = folder / "people.csv"
    path.write_bytes(b"name;age\n" + b"".join(parts))
    return path


def lines(names: list[str] | tuple[str, ...], encoding: str) -> bytes:
    return "".join(f"{name};{20 + at}\n" for at, name in enumerate(names)).encode(encoding)


def test_a_mixed_file_says_so_and_is_read_as_it_is_written(tmp_path: Path) -> None:
    path = written(tmp_path, lines(WESTERN, "cp1252"), lines(NAMES, "utf-8"))
    table = pv.read(path)
    assert table.origin.choices["encoding"].startswith("latin-1 (byte")
    (note,) = [str(each) for each in table.notes if "encodings" in each]
    assert note == (
        f"{path} mixes encodings: it is read as latin-1, and 8 of 13 lines with letters beyond ASCII (the first is "
        "line 8) are UTF-8, whose letters come out wrong. Pass encoding='mixed' to read each line as it is written, or "
        "save the whole file as UTF-8."
    )
    mended = pv.read(path, encoding="mixed")
    assert mended.frame["name"].to_list() == [*WESTERN, *NAMES]
    assert mended.notes == ()
    assert mended.origin.choices["encoding"] == "mixed (as you said)"


def test_a_file_that_begins_in_utf8_is_refused_with_the_remedy(tmp_path: Path) -> None:
    path = written(tmp_path, lines(NAMES, "utf-8"), lines(WESTERN, "cp1252"))
    with pytest.raises(pv.TableError, match=r"byte 0xfc in line 11 is not UTF-8\. .* encoding='mixed' where some"):
        pv.read(path)
    assert pv.read(path, encoding="mixed").frame["name"].to_list() == [*NAMES, *WESTERN]


@pytest.mark.parametrize("name", [*WESTERN, CHANCE, "privé\u00a0»"])
def test_one_encoding_throughout_is_no_mixture(tmp_path: Path, name: str) -> None:
    """`É»` and `é »` of cp1252 look like a letter of UTF-8 each."""
    path = written(tmp_path, lines(["Zoë", name, "Ann"], "cp1252"))
    assert pv.read(path).notes == ()
    assert pv.read(path).frame["name"].to_list() == ["Zoë", name, "Ann"]


def test_utf8_that_is_told_to_be_latin1_is_doubted(tmp_path: Path) -> None:
    path = written(tmp_path, lines(["Zoë", "Müller", "Ann"], "utf-8"))
    (note,) = pv.read(path, encoding="latin-1").notes
    assert "is read as latin-1, and its 2 lines with letters beyond ASCII (the first is line 2) are UTF-8" in note
    assert pv.read(path).notes == ()


def test_both_in_one_line_and_bytes_that_are_no_letter() -> None:
    both = "Łódź".encode() + "; Müller; €".encode("cp1252") + b"; \x81\n"
    assert as_utf8(both).decode() == "Łódź; Müller; €; \x81\n"
    assert parts_of(both) == parts_of(b"x\xfc")
    assert as_utf8(b"plain\n") == b"plain\n"


def test_every_line_keeps_its_place_whatever_its_ends() -> None:
    for end in (b"\n", b"\r\n"):
        data = b"a;b" + end + b"\xe9;1" + end + b"plain;2" + end + "é;3".encode() + end
        assert as_utf8(data) == b"a;b" + end + "é;1".encode() + end + b"plain;2" + end + "é;3".encode() + end
    assert parts_of(data).other == 2
    assert parts_of(data).first == 4


def test_a_large_file_is_read_the_same_way(tmp_path: Path) -> None:
    """Beyond a mebibyte a file is not read into memory at once."""
    path = written(tmp_path, lines(["Ann"] * 200_000, "cp1252"), lines(["Müller"], "cp1252"), lines(["Zoë"], "utf-8"))
    assert "1 of 2 lines with letters beyond ASCII (the first is line 200003) are UTF-8" in pv.read(path).notes[0]
    assert pv.read(path, encoding="mixed").frame["name"].to_list()[-2:] == ["Müller", "Zoë"]


def test_a_release_of_it_is_written_in_utf8(tmp_path: Path) -> None:
    path = written(tmp_path, lines(["Müller", "Müller"], "cp1252"), lines(["Müller", "Łódź"], "utf-8"))
    table = pv.read(path, encoding="mixed")
    plan = pv.Plan(columns={"name": pv.Quasi(), "age": pv.Drop()}, protect=[pv.KAnonymity(2)], suppression=0.5)
    pv.anonymize(table, plan).write(tmp_path / "out.csv")
    assert "Müller" in (tmp_path / "out.csv").read_text(encoding="utf-8")


def test_the_command_line_says_it_and_takes_the_remedy(tmp_path: Path) -> None:
    path = written(tmp_path, lines(WESTERN, "cp1252"), lines(NAMES, "utf-8"))
    said = " ".join(CliRunner().invoke(app, ["profile", str(path)]).output.split())
    assert "mixes encodings: it is read as latin-1" in said
    assert "mixes encodings" not in CliRunner().invoke(app, ["profile", str(path), "--encoding", "mixed"]).output
