"""Pictures in a palette: few colours stay as they are, many are put together with their likes."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

from tools.palette import shrink


def png(pixels: np.ndarray, kinds: list[int]) -> bytes:
    """A PNG of true colours, each line filtered in one of these ways."""
    height, width, _ = pixels.shape
    flat = pixels.astype(np.int64)
    lines = b""
    for at in range(height):
        kind = kinds[at % len(kinds)]
        left = np.vstack([np.zeros((1, 3), int), flat[at, :-1]])
        over = flat[at - 1] if at else np.zeros((width, 3), int)
        corner = np.vstack([np.zeros((1, 3), int), over[:-1]])
        guess = left + over - corner
        apart = [abs(guess - each) for each in (left, over, corner)]
        paeth = np.where(
            (apart[0] <= apart[1]) & (apart[0] <= apart[2]), left, np.where(apart[1] <= apart[2], over, corner)
        )
        expected = (np.zeros_like(left), left, over, (left + over) // 2, paeth)[kind]
        lines += bytes([kind]) + ((flat[at] - expected) & 255).astype(np.uint8).tobytes()
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    found = b"\x89PNG\r\n\x1a\n"
    for name, content in parts:
        found += struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
    return found


def shown(data: bytes) -> np.ndarray:
    """The colours of a PNG in a palette."""
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert (depth, kind) == (8, 3)
    chunks, at = {}, 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        chunks[data[at + 4 : at + 8]] = data[at + 8 : at + 8 + size]
        at += 12 + size
    palette = np.frombuffer(chunks[b"PLTE"], dtype=np.uint8).reshape(-1, 3)
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), dtype=np.uint8).reshape(height, 1 + width)
    assert not lines[:, 0].any()
    return palette[lines[:, 1:]]


@pytest.mark.parametrize("kinds", [[0], [1], [2], [3], [4], [0, 1, 2, 3, 4]])
def test_few_colours_stay_as_they_are(tmp_path: Path, kinds: list[int]) -> None:
    draw = np.random.default_rng(1)
    pixels = draw.integers(0, 256, (200, 3), dtype=np.uint8)[draw.integers(0, 200, (40, 30))]
    path = tmp_path / "few.png"
    path.write_bytes(png(pixels, kinds))
    shrink(path)
    assert (shown(path.read_bytes()) == pixels).all()


def test_many_colours_lie_near(tmp_path: Path) -> None:
    across, down = np.meshgrid(np.arange(256), np.arange(128))
    pixels = np.dstack([across, down * 2, (across + down) // 2]).astype(np.uint8)
    path = tmp_path / "many.png"
    path.write_bytes(png(pixels, [4]))
    shrink(path)
    first = path.read_bytes()
    assert abs(shown(first).astype(int) - pixels).mean() < 6
    path.write_bytes(png(pixels, [0]))
    shrink(path)
    assert path.read_bytes() == first


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "none.png"
    path.write_bytes(b"GIF89a" + bytes(40))
    with pytest.raises(ValueError, match="no PNG of true colours"):
        shrink(path)
