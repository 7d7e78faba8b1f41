"""Pictures of few colours: a PNG in a palette of 256 takes a third of the bytes, and nobody sees the difference.

Colours are put together by median cut: the box of colours that spreads widest, by how many pixels it has, is cut where
its pixels halve. The same picture gives the same bytes.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOURS = 256
_CHANNELS = {2: 3, 6: 4}
_Pixels = np.ndarray[tuple[int, ...], np.dtype[np.uint8]]


def shrink(path: Path) -> None:
    """Write a PNG of true colours anew, in a palette."""
    pixels = _read(path.read_bytes())
    packed = pixels.astype(np.int64) @ np.array([1 << 16, 1 << 8, 1])
    known, place = np.unique(packed, return_inverse=True)
    colours = np.stack([known >> 16, known >> 8 & 255, known & 255], axis=1)
    amounts = np.bincount(place.ravel(), minlength=len(colours))
    boxes = _boxes(colours, amounts)
    palette = np.zeros((len(boxes), 3), dtype=np.uint8)
    number = np.zeros(len(colours), dtype=np.uint8)
    for at, box in enumerate(boxes):
        palette[at] = np.rint(np.average(colours[box], axis=0, weights=amounts[box])).astype(np.uint8)
        number[box] = at
    path.write_bytes(_written(number[place].reshape(pixels.shape[:2]), palette))


def _boxes(colours: np.ndarray, amounts: np.ndarray) -> list[np.ndarray]:
    """Groups of colours that look alike, by their places."""
    boxes = [np.arange(len(colours))]
    while len(boxes) < _COLOURS:
        spreads = [_spread(colours[box], amounts[box]) for box in boxes]
        widest = int(np.argmax([spread.max() for spread in spreads]))
        if spreads[widest].max() == 0:
            break
        box = boxes.pop(widest)
        box = box[np.argsort(colours[box, int(np.argmax(spreads[widest]))], kind="stable")]
        halves = np.cumsum(amounts[box])
        cut = int(np.clip(np.searchsorted(halves, halves[-1] / 2), 1, len(box) - 1))
        boxes += [box[:cut], box[cut:]]
    return boxes


def _spread(colours: np.ndarray, amounts: np.ndarray) -> np.ndarray:
    """How far the colours of a box lie apart on each channel; many pixels count more, but not as much more."""
    if len(colours) < 2:
        return np.zeros(3)
    spread: np.ndarray = colours.max(axis=0) - colours.min(axis=0)
    return spread * float(amounts.sum()) ** 0.25


def _read(data: bytes) -> _Pixels:
    """The pixels of a PNG as browsers write it: 8 bits a channel, not interlaced."""
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    if not data.startswith(_SIGNATURE) or depth != 8 or kind not in _CHANNELS:
        raise ValueError("this is no PNG of true colours")
    packed, at = b"", 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        packed += data[at + 8 : at + 8 + size] if data[at + 4 : at + 8] == b"IDAT" else b""
        at += 12 + size
    n = _CHANNELS[kind]
    lines = np.frombuffer(zlib.decompress(packed), dtype=np.uint8).reshape(height, 1 + width * n)
    rows = np.zeros((height + 1, width, n), dtype=np.uint8)
    for at, line in enumerate(lines):
        rows[at + 1] = _line(int(line[0]), line[1:].reshape(width, n), rows[at])
    return rows[1:, :, :3]


def _line(filtered: int, line: _Pixels, above: _Pixels) -> _Pixels:
    if filtered == 0:
        return line
    if filtered == 1:
        return np.cumsum(line, axis=0, dtype=np.uint8)
    if filtered == 2:
        return line + above
    found = np.zeros((len(line) + 1, line.shape[1]), dtype=np.int64)
    up = np.vstack([np.zeros((1, line.shape[1]), dtype=np.int64), above])
    for at, pixel in enumerate(line.astype(np.int64), start=1):
        left, over, corner = found[at - 1], up[at], up[at - 1]
        found[at] = (pixel + ((left + over) // 2 if filtered == 3 else _paeth(left, over, corner))) & 255
    return found[1:].astype(np.uint8)


def _paeth(left: np.ndarray, over: np.ndarray, corner: np.ndarray) -> np.ndarray:
    near = left + over - corner
    to_left, to_over, to_corner = abs(near - left), abs(near - over), abs(near - corner)
    return np.where((to_left <= to_over) & (to_left <= to_corner), left, np.where(to_over <= to_corner, over, corner))


def _written(places: _Pixels, palette: _Pixels) -> bytes:
    height, width = places.shape
    lines = np.hstack([np.zeros((height, 1), dtype=np.uint8), places])
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", palette.tobytes()),
        (b"IDAT", zlib.compress(lines.tobytes(), 9)),
        (b"IEND", b""),
    )
    return _SIGNATURE + b"".join(
        struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        for name, content in parts
    )
