"""Journal: a file that only grows, one JSON record a line, written so that neither a crash nor a neighbour breaks it.

Who appends holds a lock, reads what is there, writes one line and waits until the disk has it. A line that a crash cut
short was never waited for, so nobody acted on it: the next writer takes it away. One that lacks nothing but its end of
line counts: an editor may have taken that. Each line carries a digest of all before it, so that lines lost between
others, changed or put in from elsewhere are noticed. That the last ones are gone is not, nor that an older copy was
put back: whoever may write the file can do that.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paravent.errors import TableError

Record = dict[str, Any]


@dataclass
class Page:
    """The records of a journal while it is locked."""

    path: Path
    descriptor: int
    records: list[Record] = field(default_factory=list)
    digest: str = ""
    end: int = 0
    """Where the last whole line ends."""
    gap: bytes = b""
    """What is to be written before the next line."""

    def append(self, record: Record) -> None:
        """Write a record, and return when the disk has it."""
        digest = _digest(self.digest, record)
        line = self.gap + (json.dumps({**record, "digest": digest}, ensure_ascii=False) + "\n").encode()
        try:
            os.ftruncate(self.descriptor, self.end)
            if os.pwrite(self.descriptor, line, self.end) != len(line):
                raise OSError("the disk is full")
            os.fsync(self.descriptor)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self.descriptor, self.end)
            raise TableError(f"ledger {str(self.path)!r} cannot be written: {error}. Nothing was answered.") from None
        self.records, self.digest, self.end, self.gap = [*self.records, record], digest, self.end + len(line), b""

    def load(self) -> None:
        content = b""
        while part := os.pread(self.descriptor, 1 << 20, len(content)):
            content += part
        self.end = content.rfind(b"\n") + 1
        for number, line in enumerate(content[: self.end].splitlines(), start=1):
            if not self._take(line):
                raise TableError(
                    f"ledger {str(self.path)!r}: line {number} is not what was written there, so what was spent is "
                    "unknown. Restore the file from a copy that is whole."
                )
        if self._take(content[self.end :]):
            self.end, self.gap = len(content), b"\n"

    def _take(self, line: bytes) -> bool:
        """Whether a line is the next record, which is then kept."""
        try:
            record = json.loads(line)
            told = record.pop("digest")
        except (ValueError, KeyError, AttributeError, TypeError):
            return False
        digest = _digest(self.digest, record)
        if told == digest:
            self.records, self.digest = [*self.records, record], digest
        return bool(told == digest)


@contextlib.contextmanager
def locked(path: Path, *, create: bool = False) -> Iterator[Page]:
    """The journal at a path, for one process and thread at a time."""
    descriptor = _open_locked(path, create)
    try:
        page = Page(path, descriptor)
        page.load()
        yield page
    finally:
        os.close(descriptor)  # gives the lock back


def _open_locked(path: Path, create: bool) -> int:
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0), 0o600)
        except OSError as error:
            raise TableError(f"ledger {str(path)!r} cannot be opened: {error.strerror}.") from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(descriptor), path.stat()):  # nobody put another file there meanwhile
                _sync_folder(path)
                return descriptor
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _sync_folder(path: Path) -> None:
    """Let the disk know the name of a file that may be new."""
    folder = os.open(path.resolve().parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _digest(before: str, record: Record) -> str:
    text = before + json.dumps(record, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
