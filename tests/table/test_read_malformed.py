"""Every malformed input gets one clear sentence, or is read with a note that says what was odd."""

import gzip
import os
from pathlib import Path

import polars as pl
import pytest

from paravent.errors import TableError
from paravent.table.read import read


def make(folder: Path, data: bytes | str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ("", "is empty"),
        ("\n\r\n \n", "is empty"),
        ("a,a\n1,2\n", "columns 1 and 2 are both called 'a'"),
        (",b\n1,2\n", "column 1 has no name"),
        ("a,*\n1,2\n", "column 2 is called '*', which reads as a pattern"),
        ("a,b,c\n1,2,3\n4,5\n6,7,8\n", "row 2 (line 3): 2 fields where the first line has 3"),
        ("a,b,c\n1,2,3\n4,5,6,7\n6,7,8\n", "row 2 (line 3): 4 fields where the first line has 3"),
        ("a,b\n1,x\n2,\n3\n", "row 3 (line 4): 1 field where the first line has 2"),
        ('a,b\n1,"x\n3,4\n5,6\n', "line 2: a quote is opened and never closed"),
        ('a,b\n1,"x"y\n3,4\n', "line 2: text follows a closing quote"),
        ("a,b\n1,x\0y\n", "line 2: a NUL byte"),
        ("a,b\n1,é\n".encode() + b"2,\xff\n", "byte 0xff in line 3 is not UTF-8"),
        (gzip.compress(b"a,b\n1,2\n" * 1000, mtime=0)[:-20], "cannot be read"),
        (b"\xff\xfe" + "a,b\n1,2\n".encode("utf-16-le") + b"\x00", "is not UTF-16"),
        (("x" * (17 << 20)), "first line is longer than 16 MiB"),
        (",".join(f"c{i}" for i in range(30_000)) + "\n", "the most is 20000"),
    ],
)
def test_csv_that_is_no_table(tmp_path: Path, data: bytes | str, sentence: str) -> None:
    with pytest.raises(TableError) as caught:
        read(make(tmp_path, data))
    assert sentence in str(caught.value)
    assert str(caught.value).count("\n") == 0
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_huge_field_is_named(tmp_path: Path) -> None:
    path = make(tmp_path, "a,b\n1,x\n2," + "y" * (17 << 20) + "\n3,z\n")
    with pytest.raises(TableError, match=r"column 'b', row 2: the value is 17 MiB long, the most is 16 MiB"):
        read(path)


def test_long_lines_deep_in_the_file_are_ragged_by_name(tmp_path: Path) -> None:
    rows = ["a,b"] + [f"{i},x" for i in range(50_000)]
    rows[40_001] += ",z"
    with pytest.raises(TableError, match=r"row 40001 \(line 40002\): 3 fields"):
        read(make(tmp_path, "\n".join(rows)))


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("t.parquet", b"PAR1" + b"\0" * 50, "damaged"),
        ("t.parquet", b"a,b\n1,2\n", "is not Parquet"),
        ("t.arrow", b"ARROW1" + b"\0" * 50, "damaged"),
        ("t.xlsx", b"PK\x03\x04" + b"\0" * 50, "damaged"),
        ("t.sqlite", b"SQLite format 3\0" + b"\1" * 500, "SQLite said"),
        ("t.sqlite", b"", "is empty"),
        ("t.jsonl", b"", "is empty"),
        ("t.jsonl", b'{"a": 1}\n{"a": \n', "line 2: not valid JSON"),
        ("t.jsonl", b'{"a": 1}\n[1, 2]\n', "line 2: a list where an object"),
        ("t.jsonl", b'{"a": [1, 2]}\n', "column 'a' holds lists or objects"),
        ("t.jsonl", b'{"a": 1, "b": {"c": 1}}\n', "column 'b' holds lists or objects"),
        ("t.json", b'[{"a": 1}]', "JSON is read as JSON lines only"),
    ],
)
def test_other_formats(tmp_path: Path, name: str, data: bytes, sentence: str) -> None:
    with pytest.raises(TableError) as caught:
        read(make(tmp_path, data, name))
    assert sentence in str(caught.value)
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_paths(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="is a folder"):
        read(tmp_path)
    with pytest.raises(TableError, match="does not exist"):
        read(tmp_path / "absent.csv")
    with pytest.raises(TableError, match="Download the file"):
        read("https://example.org/people.csv")
    with pytest.raises(TableError, match="a list cannot be read"):
        read([1, 2])
    with pytest.raises(TableError, match=r"cannot be opened|does not exist"):
        read("a\0b.csv")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(tmp_path: Path) -> None:
    path = make(tmp_path, "a\n1\n")
    path.chmod(0)
    with pytest.raises(TableError, match="permission denied"):
        read(path)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"delimiter": "§"}, "delimiter='§' is not one plain character"),
        ({"delimiter": ""}, "delimiter='' is not one plain character"),
        ({"encoding": "klingon"}, "encoding='klingon' is not known"),
        ({"encoding": "base64"}, "encoding"),
        ({"decimal": "!"}, "decimal='!' is not a decimal sign"),
        ({"header": ["a"]}, "header= names 1 columns"),
        ({"header": "yes"}, "neither yes nor no"),
        ({"format": "pdf"}, "format='pdf' is not known"),
        ({"format": "parquet"}, "damaged"),
        ({"sheet": 1}, "for which sheet= means nothing"),
        ({"query": "select 1"}, "for which query= means nothing"),
        ({"kinds": {"z": "float"}}, "there is no column 'z'"),
        ({"kinds": {"a": "flaot"}}, "'flaot' is not a kind"),
        ({"na": {"z": ["?"]}}, "there is no column 'z'"),
    ],
)
def test_arguments(tmp_path: Path, arguments: dict, sentence: str) -> None:
    path = make(tmp_path, "a,b\n1,2\n")
    with pytest.raises(TableError) as caught:
        read(path, **arguments)
    assert sentence in str(caught.value)


def test_forced_kind_names_the_first_value_that_forbids_it(tmp_path: Path) -> None:
    path = make(tmp_path, "age,job\n34,x\nabc,y\n51,z\n")
    with pytest.raises(TableError, match=r"column 'age', row 2: 'abc' is not a whole number") as caught:
        read(path, kinds={"age": "integer"})
    assert "abc" not in caught.value.redacted


def test_one_stray_word_is_named_with_column_row_and_value(tmp_path: Path) -> None:
    cells = [str(20 + i % 60) for i in range(200_000)]
    cells[123_455] = "abc"
    table = read(make(tmp_path, "age\n" + "\n".join(cells)))
    assert table.frame["age"].dtype == pl.String
    (note,) = table.notes
    assert "column 'age' stays text: row 123456 holds 'abc'" in note
    assert "na=['abc']" in note
    assert "abc" not in note.redacted
    assert read(make(tmp_path, "age\n" + "\n".join(cells)), na=["abc"]).frame["age"].dtype == pl.Int64


def test_nested_and_binary_frames() -> None:
    with pytest.raises(TableError, match="column 'a' holds lists or objects"):
        read(pl.DataFrame({"a": [[1], [2]]}))
    with pytest.raises(TableError, match="column 'a' holds bytes"):
        read(pl.DataFrame({"a": [b"x"]}))
    with pytest.raises(TableError, match="has no columns"):
        read(pl.DataFrame())
    with pytest.raises(TableError, match="column 1 has no name"):
        read(pl.DataFrame({"": [1]}))
