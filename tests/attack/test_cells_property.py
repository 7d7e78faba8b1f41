"""Whatever stands in the cells of a release, classes are counted by the letters: beside a count in plain Python."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import struct
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
from hypothesis import example, given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.errors import TableError

PLAN = pv.Plan({"a": pv.Quasi(), "b": pv.Quasi()}, [pv.KAnonymity(1)])
_LETTERS = st.text(alphabet='ab1 0.-+eE"\u00e9\ufeff\u200b\t,;', max_size=3)
_TEXTS = st.one_of(
    _LETTERS, st.sampled_from(["1", "1.0", "01", "NaN", "", " ", "-0.0", "0.0", "\r", "a\r", "a\n", "\r\n"])
)
_FLOATS = st.one_of(st.none(), st.sampled_from([0.0, -0.0, float("nan"), 1.0, 2.0**53]), st.floats())
_JSON = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**60), 2**60), st.sampled_from([1, 1.0, "1", "", 2.0**53, "1.0"])
)


def sizes(found: Any) -> list[int]:
    return sorted(pv.verify(found, PLAN).classes.sizes.tolist())


def counted(rows: list[tuple[Any, ...]]) -> list[int]:
    return sorted(Counter(rows).values())


@settings(max_examples=150)
@given(st.lists(st.tuples(_TEXTS, _TEXTS), min_size=1, max_size=6), st.sampled_from(["\n", "\r\n"]), st.booleans())
@example([("\ufeff1", "x"), ("1", "x")], "\n", False)
def test_csv(rows: list[tuple[str, str]], end: str, everything: bool) -> None:
    """Python writes the file, quoting what it must or all; every cell counts as it was."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator=end, quoting=csv.QUOTE_ALL if everything else csv.QUOTE_MINIMAL)
    writer.writerow(["a", "b", "c"])
    writer.writerows([*row, "end"] for row in rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.csv"
        path.write_bytes(text.getvalue().encode())
        try:
            found = sizes(path)
        except TableError:
            return  # refused is safe
    assert found == counted(rows)


@given(st.lists(st.tuples(_FLOATS, st.sampled_from(["x", "y"])), min_size=1, max_size=6))
def test_floats_by_their_bits(rows: list[tuple[float | None, str]]) -> None:
    frame = pl.DataFrame({"a": pl.Series([a for a, _ in rows], dtype=pl.Float64), "b": [b for _, b in rows]})
    wanted = counted([(None if a is None else struct.pack("<d", a), b) for a, b in rows])
    assert sizes(frame) == wanted
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.parquet"
        frame.write_parquet(path)
        assert sizes(path) == wanted


@settings(max_examples=60)
@given(st.lists(st.tuples(_JSON, _JSON), min_size=1, max_size=6))
def test_json_lines(rows: list[tuple[Any, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.jsonl"
        path.write_text("".join(json.dumps({"a": a, "b": b}) + "\n" for a, b in rows))
        try:
            found = sizes(path)
        except TableError:
            return
    assert found == counted([(json.dumps(a), json.dumps(b)) for a, b in rows])


@settings(max_examples=60)
@given(st.lists(st.tuples(_JSON.filter(lambda cell: not isinstance(cell, bool)), _TEXTS), min_size=1, max_size=6))
def test_sqlite(rows: list[tuple[Any, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.db"
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE t (a, b)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
        connection.commit()
        connection.close()
        assert sizes(path) == counted([(type(a), a, b) for a, b in rows])
