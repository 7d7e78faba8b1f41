"""Catalogue: models and methods by name, found where they live, so that a new one is known as soon as it is written."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import TypeVar

T = TypeVar("T")

ROOMS = {"method": "paravent.methods", "model": "paravent.privacy"}


def catalogue(base: type[T], room: str) -> dict[str, type[T]]:
    """The classes of a kind: those that their package exports, then any other that a program has defined.

    >>> from paravent.privacy import Model
    >>> sorted(catalogue(Model, "paravent.privacy"))[:2]
    ['AlphaKAnonymity', 'AverageRisk']
    """
    package = importlib.import_module(room)
    exported = (getattr(package, name) for name in getattr(package, "__all__", ()))
    known = {found.__name__: found for found in exported if isinstance(found, type) and _is_concrete(found, base)}
    for found in _descendants(base):
        if _is_concrete(found, base) and not found.__name__.startswith("_") and getattr(found, "listed", True):
            known.setdefault(found.__name__, found)
    return known


def _is_concrete(found: type, base: type) -> bool:
    return issubclass(found, base) and not getattr(found, "__abstractmethods__", None)


def _descendants(base: type[T]) -> Iterator[type[T]]:
    for child in reversed(base.__subclasses__()):  # the last definition of a name is the one in use
        yield child
        yield from _descendants(child)
