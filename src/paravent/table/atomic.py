"""Files appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from paravent.errors import TableError


@contextlib.contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """A path beside `target` to write to; afterwards it takes the target's place in one step.

    A process that is killed leaves the old file as it was (and maybe a hidden `.name.….part`), one that fails or is
    interrupted leaves no trace at all.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "out.txt"
    >>> with replacing(target) as part:
    ...     _ = part.write_text("whole")
    >>> target.read_text(), len(list(target.parent.iterdir()))
    ('whole', 1)
    """
    target = real_path(target)
    _refuse_impossible(target)
    part = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.part")
    try:
        # Created with the rights of the file it replaces, else as any new file; nobody else may open it before that.
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
        yield part
        _to_disk(part)
        os.replace(part, target)
        _to_disk(target.parent)
    except OSError as error:
        raise TableError(f"{target} cannot be written: {(error.strerror or str(error)).lower()}.") from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def real_path(path: Path | str) -> Path:
    """The file that a path leads to, along its links: that is replaced, and not a link to it.

    >>> real_path("/tmp/../tmp").name
    'tmp'
    """
    try:
        found = Path(os.path.realpath(path))
        loops = found.is_symlink()  # it leads back to itself, or realpath would have followed it
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TableError(f"{str(path)[:200]!r} cannot be opened: {reason.lower()}.") from None
    if loops:
        raise TableError(f"{path} is a link that leads back to itself. Name a file.")
    return found


def _refuse_impossible(target: Path) -> None:
    if target.is_dir():
        raise TableError(f"{target} is a folder. Give the name of a file in it.")
    if not target.parent.is_dir():
        raise TableError(f"the folder {target.parent} does not exist. Make it first.")
    if target.exists() and not target.is_file():
        raise TableError(f"{target} is not a file but a device or the like, which cannot be replaced. Name a file.")


def _to_disk(path: Path) -> None:
    """Wait until the bytes are on the disk; some systems cannot do that for folders."""
    with contextlib.suppress(PermissionError, IsADirectoryError) if path.is_dir() else contextlib.nullcontext():
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
