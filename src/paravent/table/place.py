"""Where a table lies, however it is spelled: nobody shall write over what was read."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from paravent.errors import TableError

_LOCAL = frozenset({"", "localhost", "127.0.0.1", "::1", "0.0.0.0"})
_PORTS = {"postgresql": 5432, "mysql": 3306, "mariadb": 3306, "mssql": 1433, "oracle": 1521}


@dataclass(frozen=True)
class Place:
    """A file, or a database (a SQLite `file` or a `server`) with the table or the query that was read there."""

    file: Path | None = None
    server: tuple[str, str, int, str] | None = None
    table: str | None = None
    query: str | None = None

    @classmethod
    def of(cls, source: str | os.PathLike[str], table: str | None = None, query: str | None = None) -> Place:
        """
        >>> Place.of("sqlite:///people.db", "staff") == Place.of("people.db", "staff")
        True
        >>> Place.of("postgresql+psycopg://me:secret@LOCALHOST/clinic", "a").server
        ('postgresql', '', 5432, 'clinic')
        """
        text = os.fspath(source)
        if "://" not in text:
            return cls(Path(os.path.expanduser(text)), None, table, query)
        backend = text.split("://")[0].split("+")[0].lower()
        if backend == "sqlite":
            name = text.split("://", 1)[1].removeprefix("/").split("?")[0].removeprefix("file:")
            return cls(Path(unquote(name)), None, table, query)
        return cls(None, _server(text, backend), table, query)

    def is_same_file(self, path: Path) -> bool:
        """Also through links of either kind and names of other case."""
        try:
            if self.file is not None and path.exists():
                return os.path.samefile(self.file, path)
        except OSError:
            return False
        return self.file is not None and os.path.realpath(self.file) == os.path.realpath(path)

    def would_be_lost(self, target: Place) -> bool:
        """Whether writing to `target` would replace what was read here."""
        if target.file is not None:
            same = self.is_same_file(target.file)
        else:
            same = self.server is not None and self.server == target.server
        if not same or (self.table is None and self.query is None):
            return same
        if target.table is None:
            return True  # the whole file
        bare = target.table.rpartition(".")[2].casefold()
        if self.table is not None:
            return self.table.rpartition(".")[2].casefold() == bare
        return re.search(rf"(?<!\w){re.escape(bare)}(?!\w)", str(self.query).casefold()) is not None


def refuse_own_source(own: Place | None, target: str | os.PathLike[str], table: str | None) -> None:
    """Refuse to write over what was read."""
    if own is not None and own.would_be_lost(Place.of(target, table)):
        what = "the table itself" if own.query is None else "read by the query"
        named = f"table {table!r}" if table is not None else os.fspath(target)
        raise TableError(f"{named} is {what}. Write to another place, so that the original stays.")


def _server(url: str, backend: str) -> tuple[str, str, int, str] | None:
    backend = {"postgres": "postgresql"}.get(backend, backend)
    try:
        parts = urlsplit(url)
        asked = parse_qs(parts.query)
        host = (parts.hostname or asked.get("host", [""])[0]).casefold()
        port = parts.port or int(asked.get("port", [_PORTS.get(backend, 0)])[0])
    except ValueError:
        return None
    name = unquote(parts.path.lstrip("/")) or asked.get("dbname", [unquote(parts.username or "")])[0]
    return backend, "" if host in _LOCAL else host, port, name
