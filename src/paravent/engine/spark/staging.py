"""Staging: a release lies in a hidden folder until it is verified, and is then renamed in one step.

All through Hadoop's file systems, so that a folder may lie on any that the cluster knows. Renaming is atomic on local
disks, HDFS and ABFS. On object stores (S3, GS) it copies: there, `_SUCCESS` appears last, and readers wait for it.
"""

from __future__ import annotations

import secrets
from typing import Any

from paravent.errors import TableError

HIDDEN = "_paravent-"
"""Spark and Hadoop pass over folders whose name begins so."""


class Folder:
    """A path on a file system that the cluster knows."""

    def __init__(self, session: Any, path: str) -> None:
        self.session = session
        self._jvm = session._jvm
        self._path = self._jvm.org.apache.hadoop.fs.Path(path)
        try:
            self._system = self._path.getFileSystem(session._jsc.hadoopConfiguration())
            self._path = self._system.makeQualified(self._path)
        except Exception as error:
            reason = str(getattr(error, "java_exception", error)).splitlines()[0]
            raise TableError(f"{path!r} cannot be reached: {reason[:200]}. Check the address.") from None

    def __str__(self) -> str:
        return str(self._path.toString())

    @property
    def name(self) -> str:
        return str(self._path.getName())

    @property
    def exists(self) -> bool:
        return bool(self._system.exists(self._path))

    @property
    def is_file(self) -> bool:
        return self.exists and bool(self._system.getFileStatus(self._path).isFile())

    def child(self, name: str) -> Folder:
        return Folder(self.session, f"{self}/{name}")

    @property
    def parent(self) -> Folder:
        above = self._path.getParent()
        return self if above is None else Folder(self.session, str(above.toString()))

    def hidden(self) -> Folder:
        """A folder in this one that nobody else has, and that readers pass over."""
        return self.child(f"{HIDDEN}{secrets.token_hex(8)}")

    def files(self) -> list[tuple[str, int]]:
        """The data files below, with their sizes, in the order of their paths; hidden ones are passed over."""
        if self.is_file:
            return [(str(self), int(self._system.getFileStatus(self._path).getLen()))]
        found, walk = [], self._system.listFiles(self._path, True)
        top = len(str(self))
        while walk.hasNext():
            status = walk.next()
            text = str(status.getPath().toString())
            if not any(part.startswith(("_", ".")) for part in text[top:].split("/")):
                found.append((text, int(status.getLen())))
        return sorted(found)

    def make(self) -> None:
        self._system.mkdirs(self._path)

    def rename(self, target: Folder) -> None:
        """Move to a place where nothing is; that fails where something is. What lies elsewhere is brought to a hidden
        folder beside the place first, so that the last step is a rename."""
        above = target.parent
        above.make()
        near, brought = self, None
        if not str(self).startswith(f"{above}/"):
            near = brought = above.hidden()
            copy = self._jvm.org.apache.hadoop.fs.FileUtil.copy
            copy(self._system, self._path, near._system, near._path, False, self.session._jsc.hadoopConfiguration())
        if target.exists or not near._system.rename(near._path, target._path):
            if brought is not None:
                brought.remove()
            raise TableError(f"{str(target)!r} is there already. Name another folder, or remove it first.")

    def remove(self) -> None:
        self._system.delete(self._path, True)
