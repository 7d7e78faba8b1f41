"""Accounts: a TOML file with what each person may do, and what their password and key were hashed to.

It is read again when it changes, so that somebody who is taken out of it is out at once.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import threading
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paravent.errors import PlanError, TableError
from paravent.near import suggest
from paravent.table import replacing
from paravent.web.security.tickets import same

ROLES = ("owner", "viewer", "expert")
SHORTEST = 10
"""Letters that a password must have."""
_NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,59}")
_DUMMY = "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ"
"""A hash that no password has: a stranger waits as long as somebody with a wrong password."""


@dataclass(frozen=True)
class User:
    """`views` names the person whose projects a viewer looks at."""

    name: str
    role: str
    password: str
    key: str = ""
    views: str = ""

    @property
    def folder(self) -> str:
        """The name of their folder, which follows from theirs and could be any."""
        return hashlib.sha256(self.name.encode()).hexdigest()[:16]


class Users:
    """The people of a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._stamp = (0, 0)
        self._users: Mapping[str, User] = {}
        self.all()

    def all(self) -> Mapping[str, User]:
        """Everybody, by name, as the file says now. A file that cannot be read lets nobody in."""
        with self._lock:
            try:
                status = self._path.stat()
            except OSError as error:
                self._users = {}
                raise TableError(
                    f"{self._path} cannot be read: {(error.strerror or '').lower()}. "
                    "Make it with paravent serve --users FILE --add-user NAME."
                ) from None
            stamp = (status.st_mtime_ns, status.st_size)
            if stamp != self._stamp:
                self._users = {}
                self._users = read_users(self._path)
                self._stamp = stamp
            return self._users

    def get(self, name: str) -> User | None:
        try:
            return self.all().get(name)
        except TableError:
            return None

    def by_key(self, key: str) -> User | None:
        """Whose key it is."""
        digest = hashed_key(key)
        try:
            people = list(self.all().values())
        except TableError:
            return None
        return next((user for user in people if user.key and same(user.key, digest)), None)

    def check(self, name: str, password: str) -> User | None:
        """The person, where the password is theirs. It takes as long for a name that nobody has."""
        from argon2 import PasswordHasher
        from argon2.exceptions import Argon2Error, InvalidHashError

        user = self.get(name)
        try:
            PasswordHasher().verify(_DUMMY if user is None else user.password, password)
        except (Argon2Error, InvalidHashError):
            return None
        return user


def read_users(path: Path) -> dict[str, User]:
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TableError(f"{path} cannot be read: {error}.") from None
    people = told.get("users")
    if not isinstance(people, Mapping):
        raise TableError(f"{path} names no users. Add one with paravent serve --users {path} --add-user NAME.")
    found = {name: _user(path, name, about) for name, about in people.items()}
    for user in found.values():
        if user.role == "viewer" and user.views not in found:
            raise TableError(
                f"{path}: {user.name} is a viewer of {user.views or 'nobody'}. Name whose projects they look at, "
                f"with views = …. {suggest(user.views, found)}"
            )
    return found


def add_user(path: Path, name: str, role: str, password: str, views: str = "") -> str:
    """Add a person to the file, or give one a new password and key. The key is returned, and kept nowhere."""
    import tomli_w
    from argon2 import PasswordHasher

    if not _NAME.fullmatch(name):
        raise PlanError(f"a name is made of small letters, digits and . _ @ -, and {name!r} is not. Choose another.")
    if role not in ROLES:
        raise PlanError(f"there is no role {role!r}. {suggest(role, ROLES)}")
    if len(password) < SHORTEST:
        raise PlanError(f"the password must have {SHORTEST} letters or more. A sentence of four words is a good one.")
    known = read_users(path) if path.exists() else {}
    if role == "viewer" and views not in known:
        raise PlanError(f"a viewer looks at somebody's projects: name them with --views. {suggest(views, known)}")
    key = f"pv_{secrets.token_urlsafe(32)}"
    known[name] = User(name, role, PasswordHasher().hash(password), hashed_key(key), views)
    document = {"users": {user.name: _document(user) for user in known.values()}}
    with replacing(path) as part:
        os.chmod(part, 0o600)
        part.write_text(tomli_w.dumps(document), encoding="utf-8")
    return key


def hashed_key(key: str) -> str:
    """A key is drawn from so many that a plain hash of it tells nothing."""
    return f"sha256:{hashlib.sha256(key.encode('utf-8', 'replace')).hexdigest()}"


def _document(user: User) -> dict[str, str]:
    told = {"role": user.role, "password": user.password, "key": user.key, "views": user.views}
    return {name: value for name, value in told.items() if value}


def _user(path: Path, name: str, about: Any) -> User:
    if not _NAME.fullmatch(name):
        raise TableError(f"{path}: a name is made of small letters, digits and . _ @ -, and {name!r} is not.")
    if not isinstance(about, Mapping):
        raise TableError(f"{path}: users.{name} must be a table with role and password.")
    for entry, value in about.items():
        if entry not in ("role", "password", "key", "views") or not isinstance(value, str):
            raise TableError(
                f"{path}: users.{name}.{entry} means nothing. Use role, password, key and views, as texts."
            )
    role = about.get("role", "owner")
    if role not in ROLES:
        raise TableError(f"{path}: users.{name}.role: there is no role {role!r}. {suggest(role, ROLES)}")
    if not about.get("password", "").startswith("$argon2"):
        raise TableError(f"{path}: users.{name} has no password that was hashed by Argon2. Use --add-user {name}.")
    return User(name, role, about["password"], about.get("key", ""), about.get("views", ""))
