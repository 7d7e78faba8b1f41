"""paravent: anonymize a table about people, prove what the result protects against, and measure what it cost.

Importing this module is free: each name is loaded when it is first used (PEP 562). `public.py` says where from;
`__init__.pyi` says the same to type checkers and editors.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("paravent")
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module 'paravent' has no attribute {name!r}")
    if name != "__all__" and find_spec(f"paravent.{name}") is not None:  # a room
        return import_module(f"paravent.{name}")
    public = import_module("paravent.public")
    known = public.names()
    if name == "__all__":
        return known
    if name not in known:
        near = import_module("paravent.near").suggest(name, known)
        raise AttributeError(f"module 'paravent' has no attribute {name!r}. {near}")
    value = globals()[name] = public.load(name)
    return value


def __dir__() -> list[str]:
    return [*import_module("paravent.public").names(), "__version__"]
