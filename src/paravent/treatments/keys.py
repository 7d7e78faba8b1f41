"""Secret keys of pseudonyms: named in a plan, read when they are needed, stored nowhere."""

from __future__ import annotations

import os
from pathlib import Path

from paravent.errors import PlanError

_SHORTEST_KEY = 16


def check_key_named(who: str, key_env: str | None, key_file: str | os.PathLike[str] | None) -> str | None:
    """Raise PlanError unless one place of a key is named; the path of its file as a text."""
    keys = [key for key in (key_env, key_file) if key is not None]
    if len(keys) != 1:
        raise PlanError(f"{who}: a pseudonym needs a key. Give either key_env=… or key_file=….")
    if any(not isinstance(key, str | os.PathLike) or not os.fspath(key) for key in keys):
        raise PlanError(f"{who}: key_env and key_file must be names, not empty.")
    return None if key_file is None else os.fspath(key_file)


def check_length(who: str, length: object) -> None:
    if isinstance(length, bool) or not isinstance(length, int) or not 4 <= length <= 64:
        raise PlanError(f"{who}: length must be a whole number from 4 to 64, not {length!r}.")


def read_key(where: str, key_env: str | None, key_file: str | None) -> bytes:
    """The secret key of pseudonyms, from where a plan says."""
    if key_env is not None:
        text = os.environ.get(key_env)
        if text is None:
            raise PlanError(f"{where}: the environment variable {key_env!r} is not set. Put the secret key there.")
        key, source = text.strip().encode(), f"the environment variable {key_env!r}"
    else:
        source = f"the key file {key_file!r}"
        try:
            key = Path(str(key_file)).read_bytes().strip()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "no such file"
            raise PlanError(f"{where}: {source} cannot be read: {reason}.") from None
    if len(key) < _SHORTEST_KEY:
        raise PlanError(f"{where}: the key in {source} is too short. Use at least {_SHORTEST_KEY} random bytes.")
    return key
