"""Settings: how the page is served, and to whom."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass, field
from pathlib import Path

from paravent.errors import PlanError
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
    """Without `users`, one person on this machine; with it, the people of that file.

    >>> Settings(host="0.0.0.0").check()
    Traceback (most recent call last):
    ...
    paravent.errors.PlanError: without accounts the page is for this machine alone. Make accounts with --users, or leave --host out.
    """  # noqa: E501

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

    @property
    def base(self) -> str:
        """How its own address begins, without the port."""
        name = self.names[0] if self.names else "127.0.0.1"
        return f"{'https' if self.certificate else 'http'}://{name}"

    def check(self) -> None:
        """Refuse what would let strangers in, or read passwords on their way."""
        try:
            here = self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            raise PlanError(f"--host {self.host!r} is no address. Give one such as 127.0.0.1 or 0.0.0.0.") from None
        if not here and self.users is None:
            raise PlanError(
                "without accounts the page is for this machine alone. Make accounts with --users, or leave --host out."
            )
        if not here and not self.secure:
            raise PlanError(
                "passwords would travel in the clear. Give --certificate and --key, or put a proxy with TLS before it "
                "and say so with --behind-proxy https://NAME."
            )
        if self.behind_proxy is not None and not self.behind_proxy.startswith(("http://", "https://")):
            raise PlanError("--behind-proxy is the address that people see, such as https://data.example.org.")
        for what, path in (("--certificate", self.certificate), ("--key", self.key)):
            if path is not None and not path.is_file():
                raise PlanError(f"{what}: there is no file {str(path)!r}.")
        if self.key is not None and self.certificate is None:
            raise PlanError("--key belongs to a --certificate. Give both.")
