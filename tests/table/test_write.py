"""Files appear whole or not at all, and mistakes with paths get a sentence."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from paravent.errors import TableError
from paravent.table.atomic import replacing
from paravent.table.read import read
from paravent.table.write import write

FRAME = pl.DataFrame({"a": [1, 2], "b": ["x", None]})
WRITER = """
import sys, polars as pl
from paravent.table.write import write
frame = pl.DataFrame({"n": range(400_000)}).with_columns(pl.col("n").cast(pl.String).alias("word"))
print("ready", flush=True)
while True:
    write(frame, sys.argv[1])
"""


@pytest.mark.parametrize("ending", ["csv", "parquet", "sqlite"])
def test_a_killed_run_leaves_the_old_file_or_the_new_one(tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"t.{ending}"
    write(FRAME, target)
    for wait in (0.05, 0.25):
        run = subprocess.Popen([sys.executable, "-c", WRITER, str(target)], stdout=subprocess.PIPE)
        assert run.stdout is not None
        run.stdout.readline()
        time.sleep(wait)
        run.send_signal(signal.SIGKILL)
        run.wait()
        run.stdout.close()
        table = read(target)
        assert len(table) in (2, 400_000)
        if len(table) > 2:
            assert table.names == ["n", "word"]
            assert table.frame["n"][-1] == 399_999


@pytest.mark.parametrize("failure", [KeyboardInterrupt, RuntimeError, OSError])
def test_what_fails_leaves_no_trace(tmp_path: Path, failure: type[BaseException]) -> None:
    target = tmp_path / "t.csv"
    target.write_text("old")
    expected = TableError if failure is OSError else failure

    def fail() -> None:
        with replacing(target) as part:
            part.write_text("half")
            raise failure

    with pytest.raises(expected):
        fail()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_frame_that_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "t.xlsx"
    write(FRAME, target)
    old = target.read_bytes()
    with pytest.raises(TableError, match=r"column 'a', row 2: .* is longer than the 32767 characters of an Excel cell"):
        write(pl.DataFrame({"a": ["x", "y" * 40_000]}), target)
    assert target.read_bytes() == old
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("absent/t.csv", {}, "the folder .*absent does not exist"),
        ("t.pdf", {}, "tells no format"),
        ("t", {}, "tells no format"),
        ("folder.csv", {}, "is a folder"),
        ("t.csv", {"delimiter": "ab"}, "is not one plain character"),
        ("t.csv", {"table": "x"}, "for which table= means nothing"),
        ("t.csv", {"format": "pdf"}, "format='pdf' is not known"),
        ("t.parquet.gz", {}, "Leave out .gz"),
        ("t.xlsx", {"sheet": "a/b"}, "is not a name that Excel allows"),
        ("there.sqlite", {}, "is not a SQLite database"),
    ],
)
def test_mistakes(tmp_path: Path, name: str, arguments: dict, sentence: str) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "there.sqlite").write_text("something else")
    with pytest.raises(TableError, match=sentence):
        write(FRAME, tmp_path / name, **arguments)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.csv", "there.sqlite"]


def test_frames_that_are_no_tables(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="column 'a' holds List"):
        write(pl.DataFrame({"a": [[1]]}), tmp_path / "t.csv")
    with pytest.raises(TableError, match="a list is not a table"):
        write([1], tmp_path / "t.csv")
    with pytest.raises(TableError, match="has no columns"):
        write(pl.DataFrame(), tmp_path / "t.csv")


def test_rights_and_links_are_kept(tmp_path: Path) -> None:
    target, link = tmp_path / "t.csv", tmp_path / "link.csv"
    write(FRAME, target)
    target.chmod(0o640)
    link.symlink_to(target)
    write(FRAME.head(1), link)
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert len(read(target)) == 1


def test_sqlite_keeps_its_other_tables(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    write(FRAME, path, table="one")
    write(FRAME.head(1), path, table='o"dd name')
    write(FRAME.head(0), path, table="one")
    assert len(read(path, table="one")) == 0
    assert len(read(path, table='o"dd name')) == 1
    with sqlite3.connect(path) as connection:
        assert len(connection.execute("SELECT name FROM sqlite_master").fetchall()) == 2
    with pytest.raises(TableError, match=r"say which table to read .* 'o\"dd name', 'one'"):
        read(path)


def test_tables_and_other_frames_are_written(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    path = tmp_path / "t.csv"
    write(FRAME, path)
    table = read(path)
    write(table, tmp_path / "u.csv")
    write(table.frame.to_pandas(), tmp_path / "v.parquet")
    assert read(tmp_path / "u.csv").frame.equals(FRAME)
    assert read(tmp_path / "v.parquet").frame.equals(FRAME)


def test_same_frame_same_bytes(tmp_path: Path) -> None:
    for name in ("t.csv", "t.csv.gz", "t.parquet", "t.arrow", "t.jsonl"):
        write(FRAME, tmp_path / name)
        first = (tmp_path / name).read_bytes()
        write(FRAME, tmp_path / name)
        assert (tmp_path / name).read_bytes() == first


def test_umask_is_respected(tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        write(FRAME, tmp_path / "t.csv")
    finally:
        os.umask(old)
    assert (tmp_path / "t.csv").stat().st_mode & 0o777 == 0o600
