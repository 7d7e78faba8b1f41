"""Workbooks are zip archives: a small one can unpack to more than the memory holds. Its own list says so."""

from __future__ import annotations

import zipfile
from pathlib import Path

from paravent.errors import TableError
from paravent.web.workspace.files import TooLarge
from paravent.web.workspace.quota import Quota, spelled

FILES = 10_000
RATIO = 200
"""No workbook of a spreadsheet program packs its cells more than so many times."""
FREE = 50 << 20
"""Up to here nothing is asked of the ratio."""


def refuse_bomb(path: Path, shown: str, quota: Quota) -> None:
    """Look at the sizes that the archive declares, before anything unpacks it; a lie about them is found by unpacking
    no more than was declared."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise TableError(f"{shown} is no workbook, or it is damaged. Save it again as .xlsx.") from None
    unpacked = sum(entry.file_size for entry in entries)
    packed = max(1, path.stat().st_size)
    if len(entries) > FILES or unpacked > quota.upload or (unpacked > FREE and unpacked / packed > RATIO):
        raise TooLarge(
            f"{shown} would unpack to {spelled(unpacked)} in {len(entries)} parts, which no ordinary workbook does. "
            "Save the sheet as CSV, and upload that."
        )
