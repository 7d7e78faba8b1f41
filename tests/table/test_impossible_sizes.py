"""Arrow and Parquet files that claim impossible sizes are refused before polars believes them and ends the process."""

from __future__ import annotations

import io
import json
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from paravent.errors import TableError
from paravent.table.arrow_check import check_arrow
from paravent.table.parquet_check import check_parquet
from paravent.table.read import read
from paravent.table.thrift import read_struct

N = 40
LONG = "a text that is too long to stand in a view"
FRAME = pl.DataFrame(
    {
        "age": [34, 51, None, 7] * (N // 4),
        "job": ["clerk", LONG, "", None] * (N // 4),
        "pay": [1.5, -2.25, None, 0.0] * (N // 4),
        "flag": [True, None, False, True] * (N // 4),
    }
).with_columns(
    pl.col("job").cast(pl.Categorical).alias("kind"),
    pl.col("job").cast(pl.Enum(["clerk", LONG, ""])).alias("sort"),
    pl.col("age").cast(pl.Date).alias("day"),
    pl.lit(None).alias("nothing"),
)
NESTED = FRAME.with_columns(pl.concat_list("age", "age").alias("list"), pl.struct("age", "job").alias("struct"))
FRAMES = {
    "flat": FRAME,
    "nested": NESTED,
    "no rows": FRAME.clear(),
    "no columns": pl.DataFrame(),
}


def arrow(frame: pl.DataFrame, compression: Any, *, stream: bool = False) -> bytes:
    file = io.BytesIO()
    (frame.write_ipc_stream if stream else frame.write_ipc)(file, compression=compression)
    return file.getvalue()


def parquet(frame: pl.DataFrame, compression: Any = "uncompressed") -> bytes:
    file = io.BytesIO()
    frame.write_parquet(file, compression=compression)
    return file.getvalue()


def in_arrow_tools(frame: pl.DataFrame) -> pa.Table:
    return frame.to_arrow(compat_level=pl.CompatLevel.oldest())


def checked(check: Callable[[Any], None], data: bytes) -> None:
    check(io.BytesIO(data))


@pytest.mark.parametrize("name", FRAMES)
def test_whole_files_pass(name: str) -> None:
    frame = FRAMES[name]
    for compression in ("uncompressed", "lz4", "zstd"):
        for stream in (False, True):
            checked(check_arrow, arrow(frame, compression, stream=stream))
        checked(check_parquet, parquet(frame, compression))
    for compression in ("snappy", "gzip", "brotli"):
        checked(check_parquet, parquet(frame, compression))


@pytest.mark.parametrize("name", ["flat", "nested", "no rows"])
def test_whole_files_of_other_writers_pass(name: str) -> None:
    table = in_arrow_tools(FRAMES[name])
    for compression in ("uncompressed", "lz4", "zstd"):
        file = io.BytesIO()
        pyarrow.feather.write_feather(table, file, compression=compression, chunksize=7)
        checked(check_arrow, file.getvalue())
    for version in ("1.0", "2.0"):
        for dictionary in (False, True):
            file = io.BytesIO()
            pyarrow.parquet.write_table(
                table,
                file,
                data_page_version=version,
                use_dictionary=dictionary,
                row_group_size=13,
                data_page_size=16,
                write_page_checksum=True,
                write_page_index=True,
            )
            checked(check_parquet, file.getvalue())


def test_runs_as_dense_as_compression_allows_pass() -> None:
    frame = pl.DataFrame({"x": pl.zeros(4_000_000, dtype=pl.Int64, eager=True)})
    data = arrow(frame, "zstd")
    assert len(data) < frame.estimated_size() / 3_000
    checked(check_arrow, data)


def test_a_page_header_with_long_statistics_passes() -> None:
    file = io.BytesIO()
    table = pa.table({"x": ["v" * 3_000] * 5})
    pyarrow.parquet.write_table(table, file, data_page_version="1.0", compression="none", use_dictionary=False)
    checked(check_parquet, file.getvalue())


def unpacked_length(data: bytes) -> int:
    """Where a compressed Arrow file says how long the numbers of the first column are, once unpacked."""
    return data.index(struct.pack("<q", N * 8) + b"\x28\xb5\x2f\xfd")  # the magic number of zstd


def buffer_of_age(data: bytes) -> int:
    """Where the metadata of an Arrow file that is not compressed says how long the numbers of the first column are."""
    return data.index(struct.pack("<qqqq", 0, 5, 64, N * 8)) + 24


def damaged_arrow(kind: str) -> bytes:
    data = bytearray(arrow(FRAME, "uncompressed" if kind.startswith("buffer") else "zstd", stream="stream" in kind))
    match kind:
        case "compressed" | "compressed in a stream":
            struct.pack_into("<q", data, unpacked_length(data), 1 << 52)
        case "compressed, negative":
            struct.pack_into("<q", data, unpacked_length(data), -2)
        case "buffer":
            struct.pack_into("<q", data, buffer_of_age(data), 1 << 61)
        case "buffer, negative":
            struct.pack_into("<q", data, buffer_of_age(data), -1)
    return bytes(data)


def damaged_page(values: int) -> bytes:
    """A Parquet file whose first page claims so many values."""
    data = bytearray(parquet(FRAME.select("pay")))
    at = data.index(bytes([0x15, 2 * N]))  # field 1 of the page's header, N in zigzag
    data[at + 1] = ((values << 1) ^ (values >> 31)) & 255
    return bytes(data)


def damaged_rows(rows: int) -> bytes:
    """A Parquet file of nothing but missing values that claims so many rows."""
    wide, narrow = _varint(2 * rows), _varint(2 * N)
    data = parquet(FRAME.select("nothing"))
    length = int.from_bytes(data[-8:-4], "little")
    footer = data[-8 - length : -8].replace(b"\x16" + narrow, b"\x16" + wide)
    return data[: -8 - length] + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def _varint(number: int) -> bytes:
    found = []
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


DAMAGED = {
    "compressed.arrow": damaged_arrow("compressed"),
    "stream.arrow": damaged_arrow("compressed in a stream"),
    "negative.arrow": damaged_arrow("compressed, negative"),
    "buffer.arrow": damaged_arrow("buffer"),
    "below.arrow": damaged_arrow("buffer, negative"),
    "page.parquet": damaged_page(-40),
    "more.parquet": damaged_page(63),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_an_impossible_size_is_one_sentence(name: str, tmp_path: Path) -> None:
    """In a process of its own: polars would end it."""
    corpus, log = tmp_path / "corpus", tmp_path / "log"
    corpus.mkdir()
    (corpus / name).write_bytes(DAMAGED[name])
    worker = [sys.executable, str(Path(__file__).with_name("fuzz_worker.py")), str(corpus), str(log)]
    done = subprocess.run(worker, capture_output=True, check=False)
    (end,) = [json.loads(line) for line in log.read_text().splitlines()]
    assert (done.returncode, end["end"]) == (0, "error"), done.stderr[-500:]
    assert "it is damaged or not what it claims to be" in end["message"]
    assert "claims" in end["message"].split(":", 1)[1]


def test_more_rows_than_memory_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    path.write_bytes(damaged_rows(1 << 60))
    with pytest.raises(TableError, match="more memory than there is"):
        read(path)


def test_every_cut_ends_in_an_error(tmp_path: Path) -> None:
    for name, data, check in (
        ("a.arrow", arrow(FRAME, "zstd"), check_arrow),
        ("a.parquet", parquet(FRAME), check_parquet),
    ):
        for length in range(8, len(data)):
            with pytest.raises((ValueError, IndexError)):
                checked(check, data[:length])
        path = tmp_path / name
        path.write_bytes(data[:-1])
        with pytest.raises(TableError, match="does not end as"):
            read(path)


def test_thrift_numbers_and_nesting() -> None:
    assert read_struct(bytes([0x15, 0x01, 0x19, 0x25, 0x02, 0x03, 0x2C, 0x11, 0x00, 0x00])) == (
        {1: -1, 2: [1, -2], 4: {1: True}},
        10,
    )
    with pytest.raises(ValueError, match="more than 64 bits"):
        read_struct(b"\x15" + b"\xff" * 12)
    with pytest.raises(ValueError, match="nested without end"):
        read_struct(b"\x1c" * 100)
    with pytest.raises(IndexError):
        read_struct(b"\x18\x7fab")
