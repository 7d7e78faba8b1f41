"""Settings: how the page is served, and to whom."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from paravent.web.workspace.quota import Quota


def default_folder() -> Path:
    """Where projects lie when nobody says otherwise.

    >>> default_folder().name
    'paravent'
    """
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "paravent"


@dataclass(frozen=True)
class Settings:
    """Without `users`, one person on this machine; with it, the people of that file."""

    folder: Path = field(default_factory=default_folder)
    host: str = "127.0.0.1"
    port: int = 8080
    port_is_asked: bool = False
    """Whether somebody named the port; else any other does as well."""
    users: Path | None = None
    quota: Quota = field(default_factory=Quota)
    certificate: Path | None = None
    key: Path | None = None
    behind_proxy: str | None = None
    """The address that people see, such as https://data.example.org, where a proxy stands before the server."""
    names: tuple[str, ...] = ()
    """Further host names by which the server may be called."""

    @property
    def secure(self) -> bool:
        """Whether browsers reach it by https."""
        return self.certificate is not None or (self.behind_proxy or "").startswith("https://")
