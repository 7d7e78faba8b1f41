"""Are the sizes that an Arrow file states possible? Asked before polars reads it.

Polars believes them: where damage makes a buffer claim petabytes, it asks for them and ends the process. So the
metadata of every message is looked at first, and the eight bytes before each compressed buffer that say how long it is.

https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO, Final

from paravent.table.flatbuffer import Node, root
from paravent.table.memory import check_room

MAGIC: Final = b"ARROW1"
_TAIL: Final = 10  # the length of the footer and the magic
_CONTINUATION: Final = b"\xff\xff\xff\xff"
_DICTIONARY, _BATCH = 2, 3

_DENSEST: Final = 1 << 15
"""Bytes that one compressed byte can stand for: zstd writes a run of 128 KiB in four. LZ4 is less dense."""

_BLOCK: Final = struct.Struct("<qi4xq")
_PAIR: Final = struct.Struct("<qq")
_LONG: Final = struct.Struct("<q")


def check_arrow(file: BinaryIO) -> None:
    """Raise ValueError where a size is impossible, MemoryError where the table cannot be held."""
    size = file.seek(0, 2)
    is_file = _read(file, 0, len(MAGIC)) == MAGIC
    places = _blocks(file, size) if is_file else _messages(file, size)
    check_room(sum(_check_message(file, size, *place) for place in places))


def _blocks(file: BinaryIO, size: int) -> Iterator[tuple[int, int, int]]:
    """Where the messages of a file begin, where their bodies do, and how long these are, as the footer says."""
    tail = _read(file, max(size - _TAIL, 0), _TAIL)
    if len(tail) < _TAIL or tail[4:] != MAGIC:
        raise ValueError("it does not end as an Arrow file does")
    length = int.from_bytes(tail[:4], "little")
    if length > size - _TAIL:
        raise ValueError(f"its footer claims {length} bytes, the file has {size}")
    footer = root(_read(file, size - _TAIL - length, length))
    for field in (2, 3):
        for offset, metadata, body in footer.structs(field, _BLOCK):
            if offset < 0 or metadata < 0:
                raise ValueError("its footer points to a place before the file")
            yield offset, offset + metadata, body


def _messages(file: BinaryIO, size: int) -> Iterator[tuple[int, int, int]]:
    """The same of a stream, where one message follows another."""
    at = 0
    while at < size:
        begin, length = _metadata(file, at)
        if length == 0:
            return
        if begin + length > size:
            raise ValueError(f"a message claims {length} bytes of metadata, the file has {size}")
        body = root(_read(file, begin, length)).long(3)
        yield at, begin + length, body
        at = begin + length + body


def _metadata(file: BinaryIO, at: int) -> tuple[int, int]:
    """Where the metadata of the message at a place begins, and how long it is."""
    head = _read(file, at, 8)
    skip = 4 if head[:4] == _CONTINUATION else 0
    length = int.from_bytes(head[skip : skip + 4], "little", signed=True)
    if length < 0:
        raise ValueError(f"a message claims {length} bytes of metadata")
    return at + skip + 4, length


def _check_message(file: BinaryIO, size: int, at: int, body: int, length: int) -> int:
    """The bytes that the buffers of a message take once they are unpacked."""
    begin, metadata = _metadata(file, at)
    if length < 0 or body + length > size or begin + metadata > size:
        raise ValueError(f"a batch claims to end at byte {body + length}, the file has {size}")
    message = root(_read(file, begin, metadata))
    kind = message.byte(1)
    if kind not in (_DICTIONARY, _BATCH):
        return 0
    batch = message.table(2)
    if kind == _DICTIONARY and batch is not None:
        batch = batch.table(1)
    return 0 if batch is None else _check_batch(file, batch, body, length)


def _check_batch(file: BinaryIO, batch: Node, body: int, length: int) -> int:
    nodes = batch.structs(1, _PAIR)
    for rows, missing in ((batch.long(0), 0), *nodes):
        if not 0 <= missing <= rows:
            raise ValueError(f"a column claims {rows} rows, {missing} of them without a value")
    buffers = batch.structs(2, _PAIR)
    for (count,) in batch.structs(4, _LONG):
        if not 0 <= count <= len(buffers):
            raise ValueError(f"a column claims {count} buffers, the batch has {len(buffers)}")
    is_compressed = batch.table(3) is not None
    needed = max((rows for rows, _ in nodes), default=0)  # a column of nothing but missing values has no buffers
    for offset, held in buffers:
        if offset < 0 or held < 0 or offset + held > length:
            raise ValueError(f"a buffer claims to end at byte {offset + held} of a batch of {length}")
        needed += _unpacked(file, body + offset, held) if is_compressed and held else held
    return needed


def _unpacked(file: BinaryIO, at: int, held: int) -> int:
    if held < _LONG.size:
        raise ValueError(f"a compressed buffer has {held} bytes, too few to say how long it is")
    (length,) = _LONG.unpack(_read(file, at, _LONG.size))
    if length == -1:  # kept as it is, since compression would not have made it shorter
        return held
    if not 0 <= length <= (held - _LONG.size) * _DENSEST:
        raise ValueError(f"a buffer of {held} compressed bytes claims {length}")
    return int(length)


def _read(file: BinaryIO, at: int, length: int) -> bytes:
    file.seek(at)
    return file.read(length)
