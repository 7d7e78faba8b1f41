"""Files on their way: what a browser sends lies beside the projects while it comes, and nowhere else."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from paravent.web.workspace.files import erase, private_folder


@contextlib.contextmanager
def incoming(folder: Path) -> Iterator[None]:
    """Temporary files of this process lie in a folder that only its owner may look into. What a server that was killed
    has left there of somebody's table is erased before the next one begins."""
    own, before = folder / "incoming", tempfile.tempdir
    erase(own)
    tempfile.tempdir = str(private_folder(own))
    try:
        yield
    finally:
        tempfile.tempdir = before
        erase(own)
