"""Queries ask, and do nothing else: one SELECT, whatever the database would allow."""

from __future__ import annotations

import re
import sqlite3

from paravent.errors import TableError, quote

_BEGIN = re.compile(r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/|\()*([^\s(;]*)", re.DOTALL)
_ASKS = ("SELECT", "WITH", "VALUES", "TABLE")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_UNSURE = ("--", "/*", "#", "\\", "$", "`")
"""Signs of comments and quotes that databases read differently: a semicolon beside them may be anything."""


def check_query(query: str, what: str) -> None:
    """Refuse a query that is not one SELECT.

    >>> check_query("SELECT name FROM people WHERE note LIKE '%;%'", "people.db")
    >>> check_query("ATTACH 'other.db' AS other", "people.db")
    Traceback (most recent call last):
    ...
    paravent.errors.TableError: people.db: the query begins with 'ATTACH'. Pass one SELECT (or WITH … SELECT).
    """
    found = _BEGIN.match(query)
    word = found[1] if found else ""
    if word.upper() not in _ASKS:
        raise TableError(f"{what}: the query begins with {quote(word)}. Pass one SELECT (or WITH … SELECT).")
    body = query.rstrip().rstrip(";")
    if ";" not in body:
        return
    if any(sign in body for sign in _UNSURE) or ";" in _QUOTED.sub("", body):
        raise TableError(
            f"{what}: the query holds a semicolon, after which another statement may stand. "
            "Pass one SELECT, without comments where a text holds a semicolon."
        )


def only_asking(action: int, *_about: str | None) -> int:
    """What SQLite may do for a query (an authorizer): read, and nothing else."""
    asks = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
    return sqlite3.SQLITE_OK if action in asks else sqlite3.SQLITE_DENY
