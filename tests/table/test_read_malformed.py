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
        ({"header": "yes"}, "header must be True or False"),
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


@pytest.mark.parametrize(
    ("text", "delimiter", "sentence"),
    [
        (
            "age;zip;sex\n34;01234;m\n35;99999;f\n",
            ",",
            r"'age;zip;sex', which holds semicolon 2 times\. Pass delimiter=';'",
        ),
        ("age,zip,sex\n34,01234,m\n35,99999,f\n", ";", r"comma 2 times\. Pass delimiter=','"),
        ("age\tzip\n34\t01234\n", "|", r"tab once\. Pass delimiter='\\t'"),
        ("age^zip^sex\n34^01234^m\n", None, r"caret 2 times\. Pass delimiter='\^'"),
        ("age zip sex\n34 01234 m\n", None, r"blank 2 times\. Pass delimiter=' '"),
    ],
)
def test_a_wrong_delimiter_is_refused(tmp_path: Path, text: str, delimiter: str | None, sentence: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(TableError, match=sentence):
        read(path, delimiter=delimiter)
    right = next(sign for sign in ";,\t^ " if sign in text.splitlines()[0])
    assert len(read(path, delimiter=right).names) == len(text.splitlines()[0].split(right))


@pytest.mark.parametrize(
    "text",
    ["full name\nAnn Smith\nBob\n", "age\n1\n2\n", '"a;b;c"\nx\n', "time of day\n12:30\n", "name\na b c\nd e f\n"],
)
def test_one_column_is_one_column(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert len(read(path).names) == 1


def test_a_text_column_named_count_is_read(tmp_path: Path) -> None:
    """Words for missing are counted in a column that may be called anything."""
    for name in ("count", "n", "marker", "value", "len", "literal", "proportion", "cells", "index", "row", "code"):
        path = tmp_path / "t.csv"
        path.write_text(f"{name},other\na,1\n?,2\nb,3\nb,4\n")
        table = read(path)
        assert table.frame[name].to_list() == ["a", "?", "b", "b"]
        assert any(f"column '{name}': 1 cell holds '?'" in note for note in table.notes)
        import paravent as pv

        assert pv.profile(table)
        assert pv.clean(read(path, na=["?"]), impute=True)[0].frame[name].to_list() == ["a", "b", "b", "b"]
        plan = pv.Plan({name: pv.Quasi(), "other": pv.Quasi()}, [pv.KAnonymity(2)], suppression=1.0)
        assert pv.anonymize(table, plan).verdict


def test_an_unclosed_quote_is_named_wherever_it_is(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    line = 'a,"b ""c""",1\n'
    for before in (0, 1, 400_000):  # beyond the chunks that are looked at
        path.write_text("x,y,z\n" + line * before + 'a,"b,1\n' + "a,b,1\n" * 3)
        with pytest.raises(TableError, match=f"line {before + 2}: a quote is opened and never closed"):
            read(path)
        path.write_text("x,y,z\n" + line * before + 'a,"b,1\n' + line * 3)
        with pytest.raises(TableError, match=f"line {before + 2}: a quote is opened and never closed"):
            read(path)
    path.write_text("x,y,z\n" + line * 3 + 'a,"b"c,1\n')
    with pytest.raises(TableError, match="line 5: text follows a closing quote"):
        read(path)


@pytest.mark.skipif(not hasattr(Path, "symlink_to"), reason="no links here")
def test_a_symlink_loop_is_one_sentence(tmp_path: Path) -> None:
    import polars as pl

    from paravent.cli.targets import check_targets
    from paravent.table.write import write

    frame = pl.DataFrame({"a": [1]})
    for name in ("loop.csv", "loop.db", "loop.xlsx"):
        loop = tmp_path / name
        loop.symlink_to(loop)
        for work in (
            lambda loop=loop: read(loop),
            lambda loop=loop: read(f"sqlite:///{loop}"),
            lambda loop=loop: write(frame, loop),
            lambda loop=loop: check_targets(loop),
            lambda loop=loop: check_targets(tmp_path / "x.csv", source=str(loop)),
        ):
            with pytest.raises(TableError, match=r"leads back to itself|does not exist|is there already"):
                work()
        assert loop.is_symlink()
    first, second = tmp_path / "a", tmp_path / "b"
    first.symlink_to(second)
    second.symlink_to(first)
    for work in (lambda: read(first / "x.csv"), lambda: write(frame, first / "x.csv")):
        with pytest.raises(TableError):
            work()


def test_what_is_no_file_is_neither_read_nor_replaced(tmp_path: Path) -> None:
    import os

    import polars as pl

    from paravent.table.write import write

    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    with pytest.raises(TableError, match="is not a file"):
        read(pipe)
    with pytest.raises(TableError, match="is not a file"):
        write(pl.DataFrame({"a": [1]}), pipe)
    assert pipe.is_fifo()
    for name in ("x" * 5000 + ".csv", "a\0.csv"):
        for work in (
            lambda name=name: read(tmp_path / name),
            lambda name=name: write(pl.DataFrame({"a": [1]}), tmp_path / name),
        ):
            with pytest.raises(TableError) as caught:
                work()
            assert len(str(caught.value)) < 6000
