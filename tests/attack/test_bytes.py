"""Bytes of rows and cells that were left out are in nothing that leaves: every format is searched, byte by byte.

Whatever must vanish is marked: texts that begin with `GONE`, numbers whose eight bytes spell `GONE…`, dates, times and
decimals that stand nowhere else. A marker is looked for as text and as the bytes of its type, packed or not.
"""

from __future__ import annotations

import copy
import datetime as dt
import gzip
import io
import json
import pickle
import sqlite3
import struct
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app
from paravent.methods.method import Labels, Method, Recoding, Task

KEPT, GONE = 24, 6
KEY = "a key that is long enough to be one"


def spelled(kind: str, i: int) -> bytes:
    return f"GONE{kind}{i:02d}".encode()[:8].ljust(8, b"x")


def number(i: int) -> int:
    return int.from_bytes(spelled("in", i), "little")


def patient(i: int) -> int:
    return int.from_bytes(spelled("pa", i), "little")


def real(i: int) -> float:
    return float(struct.unpack("<d", spelled("fl", i))[0])


def day(i: int) -> dt.date:
    return dt.date(2931, 7, 1 + i)


def moment(i: int) -> dt.datetime:
    return dt.datetime(2719, 5, 4, 3, 2, 1 + i, 987_650 + i)


def hour(i: int) -> dt.time:
    return dt.time(13, 37, 11 + i, 135_790 + i)


def amount(i: int) -> Decimal:
    return Decimal(f"7531986420{i:02d}.97")


COLUMNS: dict[str, tuple[pl.DataType, Callable[[int], Any], Callable[[int], Any]]] = {
    # name: type, what a row that vanishes holds, what a row that stays holds
    "note": (pl.String(), lambda i: f"GONE-a long note about somebody {i:02d}", lambda i: f"a long note of visit {i}"),
    "short": (pl.String(), lambda i: f"GONE{i:02d}", lambda i: f"s{i}"),
    "ward": (pl.Categorical(), lambda i: f"GONE-ward of {i:02d}", lambda i: f"ward {i % 2}"),
    "grade": (
        pl.Enum([*(f"GONE-grade-{i:02d}" for i in range(GONE)), "low", "high", "GONE-never-used"]),
        lambda i: f"GONE-grade-{i:02d}",
        lambda i: ("low", "high")[i % 2],
    ),
    "income": (pl.Int64(), number, lambda i: i),
    "rate": (pl.Float64(), real, lambda i: i / 2),
    "born": (pl.Date(), day, lambda i: dt.date(2000, 1, 1 + i)),
    "seen": (pl.Datetime("us"), moment, lambda i: dt.datetime(2001, 1, 1, i % 24)),
    "at": (pl.Time(), hour, lambda i: dt.time(i % 24)),
    "paid": (pl.Decimal(20, 2), amount, Decimal),
    "flag": (pl.Boolean(), lambda _: True, lambda _: False),
}


def markers(column: str, i: int) -> Iterator[bytes]:
    """How the marker of a cell can look in a file."""
    value = COLUMNS[column][1](i)
    if isinstance(value, str):
        yield value.encode()
    elif isinstance(value, bool):
        return
    elif isinstance(value, int):
        yield from (spelled("in", i), str(value).encode())
    elif isinstance(value, float):
        yield from (spelled("fl", i), repr(value).encode())
    elif isinstance(value, Decimal):
        whole = int(value * 100)
        yield from (str(value).encode(), str(whole).encode(), whole.to_bytes(8, "little"))
    elif isinstance(value, dt.datetime):
        micros = int((value - dt.datetime(1970, 1, 1)) / dt.timedelta(microseconds=1))
        yield from (value.isoformat().encode(), value.isoformat(" ").encode(), struct.pack("<q", micros))
    elif isinstance(value, dt.date):
        yield from (value.isoformat().encode(), struct.pack("<i", (value - dt.date(1970, 1, 1)).days))
    elif isinstance(value, dt.time):
        nanos = ((value.hour * 60 + value.minute) * 60 + value.second) * 10**9 + value.microsecond * 1000
        yield from (value.isoformat().encode(), struct.pack("<q", nanos), struct.pack("<q", nanos // 1000))


ALL_MARKERS = {(column, i): list(markers(column, i)) for column in COLUMNS for i in range(GONE)}
ALL_MARKERS |= {("patient", i): [str(patient(i)).encode()] for i in range(KEPT + GONE)}


def table() -> pl.DataFrame:
    """The last rows must vanish. What identifies, and what is generalized, must vanish of all rows."""
    n = KEPT + GONE
    data: dict[str, pl.Series] = {
        "name": pl.Series([f"GONE-name-{i:02d}" for i in range(n)]),
        "patient": pl.Series([patient(i) for i in range(n)]),
        "ssn": pl.Series([f"GONE-ssn-{i:02d}" for i in range(n)]),
        "age": pl.Series([20 + i % 3 for i in range(KEPT)] + [90 + i for i in range(GONE)]),
        "town": pl.Series([f"GONE-town-{i:02d}" for i in range(n)]),
        "street": pl.Series([None if i % 4 == 3 else f"GONE-street-{i:02d}" for i in range(n)]),
        "disease": pl.Series([("flu", "cold", "ulcer")[i % 3] if i < KEPT else f"GONE-ill-{i}" for i in range(n)]),
    }
    for name, (dtype, gone, kept) in COLUMNS.items():
        data[name] = pl.Series([kept(i) for i in range(KEPT)] + [gone(i) for i in range(GONE)], dtype=dtype)
    return pl.DataFrame([series.alias(name) for name, series in data.items()])


@dataclass(frozen=True, kw_only=True)
class LastGo(Method):
    """All rows in one class, every cell `*`; the old are suppressed."""

    title: ClassVar[str] = "The last go"
    source: ClassVar[str] = "for tests"

    def run(self, task: Task) -> Recoding:
        of_row = np.zeros(task.n_rows, dtype=np.int32)
        of_row[KEPT:] = -1
        cells = {axis.name: Labels(np.zeros(1, dtype=np.int32), ("*",)) for axis in task.axes}
        return Recoding(of_row, 1, cells)


def plan(**changes: Any) -> pv.Plan:
    keep = {name: pv.Insensitive() for name in COLUMNS}
    columns = {
        "name": pv.Identifier(),
        "patient": pv.Identifier("random"),
        "ssn": pv.Identifier("pseudonym", key_env="PARAVENT_TEST_KEY"),
        "age": pv.Quasi(),
        "town": pv.Quasi(pv.flat()),
        "street": pv.Quasi(pv.flat(), missing="wildcard"),
        "disease": pv.Sensitive(),
        **keep,
    }
    wanted = pv.Plan(columns, [pv.KAnonymity(2), pv.LDiversity(2, "disease")], LastGo(), suppression=0.5, person=None)
    return wanted.replace(**changes)


def without_places() -> dict[str, Any]:
    """Roles with which a real method suppresses the last rows, and those alone."""
    roles = {name: pv.Identifier() if name in ("town", "street") else role for name, role in plan().columns.items()}
    return {**roles, "age": pv.Quasi(pv.flat())}


CASES: dict[str, dict[str, Any]] = {
    "dropped": {"suppressed": "drop"},
    "marked": {"suppressed": "mark"},
    "sorted": {"suppressed": "mark", "order": "sorted"},
    "as they stood": {"suppressed": "drop", "order": "source"},
}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARAVENT_TEST_KEY", KEY)


@pytest.fixture(params=[*CASES, "missing", "imputed", "averaged", "by Datafly"])
def release(request: pytest.FixtureRequest) -> pv.Release:
    frame = table()
    if request.param in CASES:
        return pv.anonymize(frame, plan(**CASES[request.param]))
    if request.param == "missing":  # rows that are dropped for a missing value
        gaps = frame.with_columns(age=pl.when(pl.col("age") < 90).then("age"))
        roles = {**without_places(), "age": pv.Quasi(pv.flat(), missing="drop rows")}
        return pv.anonymize(gaps, plan(columns=roles, method=pv.methods.Mondrian(labels="tree"), suppression=0))
    if request.param == "by Datafly":  # a real method, that suppresses outliers by itself
        demand = [pv.KAnonymity(5)]
        return pv.anonymize(
            frame, plan(columns=without_places(), method=pv.methods.Datafly(), protect=demand, suppressed="mark")
        )
    roles = {name: pv.Identifier() for name in plan().columns if name != "age"} | {"age": pv.Quasi(pv.flat())}
    if request.param == "averaged":  # the numbers that an average replaces
        odd = frame.with_columns(age=pl.Series([number(i) for i in range(GONE)] * 5, dtype=pl.Int64))
        return pv.anonymize(odd, plan(columns=roles, protect=[pv.KAnonymity(3)], method=pv.methods.MDAV()))
    # The lower median stands in for those that are missing, and is generalized with them.
    roles["income"] = pv.Quasi(pv.flat(), missing="impute")
    gaps = frame.with_columns(income=pl.Series([None, number(0), number(1)] * 10, dtype=pl.Int64))
    return pv.anonymize(gaps, plan(columns=roles, protect=[pv.KAnonymity(21)], method=pv.methods.Datafly()))


def search(what: str, data: bytes) -> None:
    """Fail where a marker is found."""
    at = data.find(b"GONE")
    assert at < 0, f"{what}: {data[max(at - 20, 0) : at + 40]!r}"
    utf16 = data.find("GONE".encode("utf-16-le"))
    assert utf16 < 0, f"{what}: {data[max(utf16 - 20, 0) : utf16 + 80]!r}"
    for (column, i), forms in ALL_MARKERS.items():
        for form in forms:
            assert form not in data, f"{what}: {column}, marker {i}"


def arrow_buffers(path: Path) -> Iterator[tuple[str, bytes]]:
    """Everything in an Arrow file, unpacked: buffers with what lies under missing cells, dictionaries, metadata."""
    pa = pytest.importorskip("pyarrow")
    with pa.ipc.open_file(path) as reader:
        yield "schema", str(reader.schema.to_string()).encode() + str(reader.schema.metadata).encode()
        for i in range(reader.num_record_batches):
            for name, array in zip(reader.schema.names, reader.get_batch(i).columns, strict=True):
                parts = [array, array.dictionary] if pa.types.is_dictionary(array.type) else [array]
                for part in parts:
                    for buffer in part.buffers():
                        if buffer is not None:
                            yield name, buffer.to_pybytes()


@pytest.mark.parametrize(
    "ending", ["csv", "tsv", "csv.gz", "jsonl", "jsonl.gz", "parquet", "arrow", "feather", "xlsx", "sqlite"]
)
def test_bytes_of_rows_that_were_left_out_are_in_no_file(release: pv.Release, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"release.{ending}"
    release.write(path)
    data = path.read_bytes()
    search(ending, data)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    if ending.endswith("gz"):
        search(ending, gzip.decompress(data))
    if ending in ("arrow", "feather"):
        for name, buffer in arrow_buffers(path):
            search(f"{ending}: {name}", buffer)
    if ending == "xlsx":
        with zipfile.ZipFile(path) as parts:
            for part in parts.namelist():
                search(f"{ending}: {part}", parts.read(part))
    if ending == "parquet":
        plain = io.BytesIO()  # the same writer without packing: pages, dictionaries, statistics and metadata
        release.frame.write_parquet(plain, compression="uncompressed")
        search("parquet, unpacked", plain.getvalue())


def test_bytes_of_a_table_that_was_replaced_are_not_in_the_database_file(tmp_path: Path) -> None:
    """Free pages keep what was deleted, unless they are overwritten."""
    path = tmp_path / "people.sqlite"
    pv.write(pl.DataFrame({"x": [1]}), path, table="other")
    pv.write(pl.DataFrame({"note": [f"GONE-{i} " * 50 for i in range(500)]}), path, table="release")
    pv.anonymize(table(), plan()).write(path, table="release")
    search("sqlite", path.read_bytes())
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA freelist_count").fetchone()[0] > 0  # there are such pages


def test_bytes_in_postgres(postgres: str) -> None:
    pv.anonymize(table(), plan(suppressed="mark")).write(postgres, table="bytes")
    rows = pv.read(postgres, table="bytes")
    search("postgres", repr(rows.frame.rows()).encode())


def test_bytes_in_memory_and_in_other_libraries(release: pv.Release) -> None:
    """The frame itself holds nothing else, so nobody can hand it on by accident."""
    pytest.importorskip("pandas")
    pa = pytest.importorskip("pyarrow")
    for level in (pl.CompatLevel.newest(), pl.CompatLevel.oldest()):
        for column in release.frame.iter_columns():
            arrow = column.to_arrow(compat_level=level)
            for array in arrow.chunks if isinstance(arrow, pa.ChunkedArray) else [arrow]:
                parts = [array, array.dictionary] if pa.types.is_dictionary(array.type) else [array]
                for buffer in (buffer for part in parts for buffer in part.buffers() if buffer is not None):
                    search(f"memory of {column.name}", buffer.to_pybytes())
    frame = release.to_pandas()
    search("pandas", pickle.dumps(frame))
    for name in frame.columns:
        if hasattr(frame[name], "cat"):
            search(f"pandas categories of {name}", repr(frame[name].cat.categories.tolist()).encode())


def test_bytes_in_reports_plans_and_records(release: pv.Release, tmp_path: Path) -> None:
    release.report(tmp_path / "report.html")
    release.plan.save(tmp_path / "plan.toml")
    search("report", (tmp_path / "report.html").read_bytes())
    search("plan", (tmp_path / "plan.toml").read_bytes())
    search("provenance", json.dumps(release.provenance).encode())
    search("words", "\n".join([repr(release), str(release.verdict), *release.trace, str(release.measure())]).encode())
    search("cautions", repr(release.cautions).encode())


def test_bytes_in_pickles(release: pv.Release) -> None:
    """A release holds its original: it is not pickled. What it tells can be."""
    with pytest.raises(pv.TableError, match=r"the original table would leave with it\. Pickle release\.frame"):
        pickle.dumps(release)
    for what in (release.frame, release.verdict, release.measure(), dict(release.provenance), release.classes):
        search(type(what).__name__, pickle.dumps(what))
    twin = copy.deepcopy(release)
    assert twin.frame.equals(release.frame)
    assert twin.frame is not release.frame
    assert twin.measure().to_dict() == pytest.approx(release.measure().to_dict(), nan_ok=True)
    assert copy.copy(release).frame is release.frame


def test_bytes_left_by_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """JSON, terminal, temporary files: nothing but what was asked for, and no marker in it."""
    work, scratch = tmp_path / "work", tmp_path / "scratch"
    work.mkdir()
    scratch.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr("tempfile.tempdir", None)
    table().write_parquet(tmp_path / "people.parquet")
    wanted = plan(columns=without_places(), protect=[pv.KAnonymity(5)], method=pv.methods.Datafly())
    wanted.save(tmp_path / "plan.toml")
    for ending in ("csv", "xlsx", "arrow", "sqlite"):
        words = ["anonymize", str(tmp_path / "people.parquet"), "--plan", str(tmp_path / "plan.toml"), "--json"]
        more = ["-o", f"r.{ending}", "--report", f"r.{ending}.html", "--save-plan", f"r.{ending}.toml"]
        result = CliRunner().invoke(app, words + more)
        assert result.exit_code == 0, result.output
        search("stdout", result.output.encode())
    made = {f"r.{e}{t}" for e in ("csv", "xlsx", "arrow", "sqlite") for t in ("", ".html", ".toml")}
    assert {path.name for path in work.iterdir()} == made
    assert list(scratch.iterdir()) == []
    for path in work.iterdir():
        search(path.name, path.read_bytes())


def test_bytes_of_rows_that_were_cleaned_away(tmp_path: Path) -> None:
    """What `clean` drops is not in the file either."""
    cleaned, _ = pv.clean(pv.read(table()), outliers={"age": (0, 89)})
    kept = cleaned.frame.select("note", "short", "ward", "grade", "income", "rate", "born", "seen", "at", "paid")
    pv.write(kept, tmp_path / "c.arrow")
    for name, buffer in arrow_buffers(tmp_path / "c.arrow"):
        search(name, buffer)


def test_the_search_finds_what_is_there(tmp_path: Path) -> None:
    """The test of the test: unrebuilt frames are caught."""
    frame = table()
    masked = frame.select(pl.when(pl.col("age") < 90).then(pl.col(name)).alias(name) for name in COLUMNS)
    masked.write_ipc(tmp_path / "m.arrow")
    caught = set()
    for name, buffer in arrow_buffers(tmp_path / "m.arrow"):
        try:
            search(name, buffer)
        except AssertionError:
            caught.add(name)
    assert {"note", "income", "rate", "born", "seen", "at", "paid"} <= caught
