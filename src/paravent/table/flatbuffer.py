"""FlatBuffers, as far as Arrow needs them: tables with numbers, tables and vectors of structs in them.

https://flatbuffers.dev/internals/
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, Final

_OFFSET: Final = struct.Struct("<I")
_BACK: Final = struct.Struct("<i")
_SLOT: Final = struct.Struct("<H")
_LONG: Final = struct.Struct("<q")
_BYTE: Final = struct.Struct("<B")


def root(data: bytes) -> Node:
    """The table that a buffer is about."""
    return Node(data, _unpack(_OFFSET, data, 0))


@dataclass(frozen=True)
class Node:
    """A table at its place in a buffer. Fields that it does not have are 0, empty or None."""

    data: bytes
    place: int

    def byte(self, field: int) -> int:
        at = self._place_of(field)
        return 0 if at is None else _unpack(_BYTE, self.data, at)

    def long(self, field: int) -> int:
        at = self._place_of(field)
        return 0 if at is None else _unpack(_LONG, self.data, at)

    def table(self, field: int) -> Node | None:
        at = self._place_of(field)
        return None if at is None else Node(self.data, at + _unpack(_OFFSET, self.data, at))

    def structs(self, field: int, shape: struct.Struct) -> list[tuple[Any, ...]]:
        at = self._place_of(field)
        if at is None:
            return []
        at += _unpack(_OFFSET, self.data, at)
        length = _unpack(_OFFSET, self.data, at)
        begin, end = at + _OFFSET.size, at + _OFFSET.size + length * shape.size
        if end > len(self.data):
            raise ValueError(f"its metadata holds a list that claims {length} entries")
        return list(shape.iter_unpack(self.data[begin:end]))

    def _place_of(self, field: int) -> int | None:
        slots = self.place - _unpack(_BACK, self.data, self.place)
        slot = 4 + 2 * field
        if slot >= _unpack(_SLOT, self.data, slots):
            return None
        offset = _unpack(_SLOT, self.data, slots + slot)
        return self.place + offset if offset else None


def _unpack(shape: struct.Struct, data: bytes, at: int) -> int:
    if not 0 <= at <= len(data) - shape.size:
        raise ValueError("its metadata points to a place outside itself")
    return int(shape.unpack_from(data, at)[0])
