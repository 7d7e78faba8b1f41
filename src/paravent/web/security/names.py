"""By which names the server may be called. A page of another site that points its name to this machine is refused."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

LOCAL = ("127.0.0.1", "localhost", "[::1]")


class Names:
    """
    >>> names = Names(LOCAL, port=8080, secure=False)
    >>> names.host("localhost:8080"), names.host("evil.example:8080"), names.host("127.0.0.1")
    (True, False, False)
    >>> names.origin("http://127.0.0.1:8080"), names.origin("https://127.0.0.1:8080"), names.origin("null")
    (True, False, False)
    """

    def __init__(self, hosts: Iterable[str], *, port: int, secure: bool, public: str | None = None) -> None:
        scheme, usual = ("https", 443) if secure else ("http", 80)
        self._hosts = {f"{host.lower()}:{port}" for host in hosts}
        if port == usual:
            self._hosts |= {host.lower() for host in hosts}
        self._origins = {f"{scheme}://{host}" for host in self._hosts}
        if public is not None:  # behind a proxy, which passes on the name that people see
            parts = urlsplit(public)
            self._hosts.add(parts.netloc.lower())
            self._origins.add(f"{parts.scheme}://{parts.netloc}".lower())

    def host(self, given: str) -> bool:
        return given.lower() in self._hosts

    def origin(self, given: str) -> bool:
        return given.lower() in self._origins
