"""Quota: how much one person may take of the machine."""

from __future__ import annotations

import re
from dataclasses import dataclass

from paravent.errors import PlanError
from paravent.web.workspace.files import TooLarge

MB = 1 << 20
GB = 1 << 30


@dataclass(frozen=True)
class Quota:
    """Bytes and seconds; `retention` are the days after which a table that nobody has used is deleted (None: never).

    >>> Quota(upload=3 * MB).refuse_upload("ages.csv", 4 * MB)
    Traceback (most recent call last):
    ...
    paravent.web.workspace.files.TooLarge: ages.csv is larger than the 3 MB that may be uploaded. Upload fewer rows or columns, or use the command line.
    """  # noqa: E501

    upload: int = 2 * GB
    workspace: int = 20 * GB
    columns: int = 5000
    memory: int = 8 * GB
    seconds: float = 3600.0
    retention: float | None = None
    databases: bool = True
    """Whether the server may be asked to read databases: it may reach some that people may not."""

    def refuse_upload(self, name: str, size: int) -> None:
        if size > self.upload:
            raise TooLarge(
                f"{name} is larger than the {spelled(self.upload)} that may be uploaded. "
                "Upload fewer rows or columns, or use the command line."
            )

    def refuse_workspace(self, size: int) -> None:
        if size > self.workspace:
            raise TooLarge(
                f"the workspace would hold more than the {spelled(self.workspace)} that it may. "
                "Delete a project, or a table that you no longer need."
            )

    def refuse_columns(self, name: str, count: int) -> None:
        if count > self.columns:
            raise TooLarge(
                f"{name} has {count} columns; this page takes up to {self.columns}. "
                "Leave some out, or use the command line."
            )


def bytes_of(text: str) -> int:
    """
    >>> bytes_of("500 MB") == 500 * MB, bytes_of("2GB") == 2 * GB
    (True, True)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(MB|GB)\s*", text, re.IGNORECASE)
    if found is None or float(found[1]) == 0:
        raise PlanError(f"{text!r} is no size. Write it as 500MB or 2GB.")
    return int(float(found[1]) * (MB if found[2].upper() == "MB" else GB))


def spelled(size: int) -> str:
    """
    >>> spelled(3 * MB), spelled(5 * GB // 2), spelled(900)
    ('3 MB', '2.5 GB', '900 bytes')
    """
    if size >= GB:
        return f"{size / GB:.3g} GB"
    return f"{size / MB:.3g} MB" if size >= MB else f"{size} bytes"
