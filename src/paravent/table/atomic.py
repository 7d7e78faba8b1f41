"""Files appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
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
        batch = _BATCH.get()
        if batch is not None:
            batch.waiting.append((part, target))
            return
        os.replace(part, target)
        _to_disk(target.parent)
    except OSError as error:
        raise TableError(f"{target} cannot be written: {(error.strerror or str(error)).lower()}.") from None
    finally:
        if (part, target) not in _waiting():
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)


@dataclass
class _Batch:
    """Files that wait beside their targets, and what is done when all of them are in place (a database)."""

    waiting: list[tuple[Path, Path]] = field(default_factory=list)
    at_last: list[Callable[[], None]] = field(default_factory=list)
    replaced: list[tuple[Path, Path | None]] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)

    def commit(self) -> None:
        for part, target in self.waiting:
            self.replaced.append((target, _kept(target)))
            try:
                os.replace(part, target)
                _to_disk(target.parent)
            except OSError as error:
                raise TableError(
                    f"{target} cannot be written: {(error.strerror or str(error)).lower()}. Nothing was written."
                ) from None
        for act in self.at_last:
            act()

    def undo(self) -> None:
        for target, kept in reversed(self.replaced):
            with contextlib.suppress(OSError):
                target.unlink(missing_ok=True) if kept is None else os.replace(kept, target)

    def tidy(self) -> None:
        leftovers = [part for part, _ in self.waiting] + [kept for _, kept in self.replaced if kept is not None]
        for path in leftovers:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        for folder in self.folders:  # those that are still empty
            with contextlib.suppress(OSError):
                folder.rmdir()


_BATCH: ContextVar[_Batch | None] = ContextVar("files that are written together", default=None)


@contextlib.contextmanager
def together() -> Iterator[None]:
    """Whatever is written inside appears when the block ends, all of it or nothing. A database comes last: when it
    refuses, the files are put back.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> try:
    ...     with together(), replacing(folder / "plan.toml") as part:
    ...         _ = part.write_text("whole")
    ...         raise KeyboardInterrupt
    ... except KeyboardInterrupt:
    ...     list(folder.iterdir())
    []
    """
    if _BATCH.get() is not None:  # a part of what is written together already
        yield
        return
    batch = _Batch()
    token = _BATCH.set(batch)
    try:
        yield
        _BATCH.reset(token)
        batch.commit()
    except BaseException:
        batch.undo()
        raise
    finally:
        with contextlib.suppress(ValueError):
            if _BATCH.get() is batch:
                _BATCH.reset(token)
        batch.tidy()


@contextlib.contextmanager
def apart() -> Iterator[None]:
    """What is written inside appears at once, whatever is written together around it: files that serve the work."""
    token = _BATCH.set(None)
    try:
        yield
    finally:
        _BATCH.reset(token)


def when_files_are_there(act: Callable[[], None]) -> None:
    """Do it now or, where files are written together, when all of them are in place."""
    batch = _BATCH.get()
    act() if batch is None else batch.at_last.append(act)


def make_folder(folder: Path) -> None:
    """Make a folder, if it is not there, for what is written together; it goes again where nothing comes of it."""
    batch = _BATCH.get()
    assert batch is not None
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise TableError(f"The folder {folder} cannot be made: {(error.strerror or str(error)).lower()}.") from None
    batch.folders.append(folder)


def _waiting() -> list[tuple[Path, Path]]:
    batch = _BATCH.get()
    return [] if batch is None else batch.waiting


def _kept(target: Path) -> Path | None:
    """The file that will be replaced, under a name of its own for the time being."""
    if not target.exists():
        return None
    kept = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.old")
    try:
        os.link(target, kept)
    except OSError:
        shutil.copy2(target, kept)
    return kept


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
