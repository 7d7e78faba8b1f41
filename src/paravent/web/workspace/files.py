"""What a project has on disk: names that people give never become paths."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paravent.errors import TableError
from paravent.table import replacing

_ID = re.compile(r"[0-9a-f]{16}")


class Missing(TableError):  # noqa: N818 (what was asked for is not there)
    """There is nothing by that name."""


class NotAllowed(TableError):  # noqa: N818
    """Somebody may look, and not change."""


class TooLarge(TableError):  # noqa: N818
    """More than somebody may take of the machine."""


def new_id() -> str:
    """A name of our own for something on disk: 16 hexadecimal digits, drawn."""
    return secrets.token_hex(8)


def checked_id(text: object, what: str) -> str:
    """The same text where it is an id; nothing else is ever looked for on disk.

    >>> checked_id("../../etc", "project")
    Traceback (most recent call last):
    ...
    paravent.web.workspace.files.Missing: there is no such project. Go back to the list, and choose one.
    """
    if not isinstance(text, str) or not _ID.fullmatch(text):
        raise Missing(f"there is no such {what}. Go back to the list, and choose one.")
    return text


def private_folder(folder: Path, *, parents: bool = True) -> Path:
    """A folder that only its owner may look into."""
    folder.mkdir(parents=parents, exist_ok=True, mode=0o700)
    return folder


def save_json(path: Path, told: Mapping[str, Any]) -> None:
    """Write a document, whole or not at all, and wait until it is on the disk."""
    with replacing(path) as part:
        part.write_text(json.dumps(told, ensure_ascii=False, allow_nan=False), encoding="utf-8", newline="\n")


def load_json(path: Path) -> dict[str, Any] | None:
    """The document, or None where there is none that can be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def size_of(folder: Path) -> int:
    """The bytes of all files in a folder."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_size
    return total


def erase(path: Path) -> None:
    """Delete a file or a folder. It is renamed first, so that a process that is killed half way leaves nothing that
    looks whole."""
    if not path.exists() and not path.is_symlink():
        return
    grave = path.with_name(f".deleted-{secrets.token_hex(6)}")
    try:
        os.replace(path, grave)
    except OSError as error:
        raise TableError(f"it cannot be deleted: {(error.strerror or str(error)).lower()}.") from None
    if grave.is_dir() and not grave.is_symlink():
        shutil.rmtree(grave, ignore_errors=True)
    else:
        grave.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Take away what deletions and writes that were interrupted have left in a folder."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if path.name.startswith(".deleted-") or (path.name.startswith(".") and path.name.endswith(".part")):
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
