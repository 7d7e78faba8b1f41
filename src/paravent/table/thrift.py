"""Thrift's compact protocol, as far as Parquet needs it: a struct becomes a dictionary from field number to value.

https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

from typing import Any, Final

Struct = dict[int, Any]

_FIXED: Final = {3: 1, 7: 8}
"""Bytes of a value by its type: a byte and a double. Neither is looked at."""

_DEEPEST: Final = 64


def read_struct(data: bytes, at: int = 0, depth: int = 0) -> tuple[Struct, int]:
    """The struct at a place and the place behind it. IndexError where the bytes end within it.

    >>> read_struct(bytes([0x15, 0x54, 0x18, 0x02, 0x68, 0x69, 0x00]))
    ({1: 42, 2: b'hi'}, 7)
    """
    if depth > _DEEPEST:
        raise ValueError("its metadata is nested without end")
    found: Struct = {}
    field = 0
    while True:
        head = data[at]
        at += 1
        if head == 0:
            return found, at
        kind = head & 15
        if head >> 4:
            field += head >> 4
        else:
            field, at = _signed(data, at)
        if kind <= 2:  # a truth value is told by its type
            found[field] = kind == 1
        else:
            found[field], at = _value(data, at, kind, depth)


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if 4 <= kind <= 6:
        return _signed(data, at)
    if kind == 8:
        length, at = _unsigned(data, at)
        if length > len(data) - at:
            raise IndexError
        return data[at : at + length], at + length
    if kind in (9, 10):
        return _list(data, at, depth)
    if kind == 12:
        return read_struct(data, at, depth + 1)
    if kind in _FIXED:
        return None, at + _FIXED[kind]
    raise ValueError(f"its metadata holds a value of the unknown type {kind}")


def _list(data: bytes, at: int, depth: int) -> tuple[list[Any], int]:
    head = data[at]
    at += 1
    length, kind = head >> 4, head & 15
    if length == 15:
        length, at = _unsigned(data, at)
    if length > len(data) - at:  # an element takes a byte at least
        raise IndexError
    found = []
    for _ in range(length):
        if kind <= 2:
            value, at = data[at] == 1, at + 1
        else:
            value, at = _value(data, at, kind, depth + 1)
        found.append(value)
    return found, at


def _unsigned(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("its metadata holds a number of more than 64 bits")


def _signed(data: bytes, at: int) -> tuple[int, int]:
    value, at = _unsigned(data, at)
    return (value >> 1) ^ -(value & 1), at
