"""Workbooks are zip archives: a small one can unpack to more than the memory holds. Its own list says so."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

from paravent.errors import TableError
from paravent.web.workspace.files import TooLarge
from paravent.web.workspace.quota import Quota, spelled

FILES = 10_000
RATIO = 200
"""No workbook of a spreadsheet program packs its cells more than so many times."""
FREE = 50 << 20
"""Up to here nothing is asked of the ratio."""
DEFLATE = 1032
"""No byte of a packed part can stand for more than so many."""


def refuse_bomb(path: Path, shown: str, quota: Quota) -> None:
    """Look at the sizes that the archive declares, before anything unpacks it. Where a lie about them could do harm,
    every part is unpacked once, a piece at a time, to see that it ends where it says."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            unpacked = sum(entry.file_size for entry in entries)
            packed = sum(entry.compress_size for entry in entries)
            harmless = min(quota.upload, max(FREE, RATIO * path.stat().st_size))
            if len(entries) > FILES or unpacked > harmless:
                raise TooLarge(
                    f"{shown} would unpack to {spelled(unpacked)} in {len(entries)} parts, which no ordinary workbook "
                    "does. Save the sheet as CSV, and upload that."
                )
            if packed * DEFLATE > harmless:
                for entry in entries:
                    _unpack(archive, entry)
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, NotImplementedError, RuntimeError, EOFError):
        raise TableError(f"{shown} is no workbook, or it is damaged. Save it again as .xlsx.") from None


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
    """Read a part to its declared end; its checksum does not fit where there is more."""
    with archive.open(entry) as part:
        while part.read(1 << 20):
            pass
