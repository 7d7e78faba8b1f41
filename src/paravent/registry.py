"""Registry: what a plan, a command or a user can name, found where it lives and loaded when it is used.

A method, a treatment, a model, a tree builder or a family of measures is known as soon as its file lies in its room:
nothing else lists it. Files are looked through as text, so that a list of names costs no imports. Another kind of
things is one more entry of `KINDS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

from paravent.near import suggest

Homes = Callable[[], Mapping[str, str]]
"""Gives names, each with the module that defines it."""


@dataclass(frozen=True)
class Kind:
    """Things of one kind: the room with their files, and what their definition looks like.

    `base` is the class that they derive from, as its module and name, where programs may define more of them.
    """

    room: str
    looks: re.Pattern[str]
    base: tuple[str, str] | None = None


def _class_with(attribute: str) -> re.Pattern[str]:
    return re.compile(rf"^class (?P<name>[A-Z]\w*)\b(?:.|\n)*?^    {attribute}: ClassVar\[str\] =", re.MULTILINE)


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "method": Kind("paravent.methods", _class_with("title"), ("paravent.methods.method", "Method")),
        "treatment": Kind("paravent.treatments", _class_with("title"), ("paravent.treatments.treatment", "Treatment")),
        "model": Kind("paravent.privacy", _class_with("protects"), ("paravent.privacy.promise", "Promise")),
        "builder": Kind(
            "paravent.hierarchy.builders", re.compile(r'^    call: ClassVar\[str\] = "(?P<name>\w+)"', re.MULTILINE)
        ),
        "family": Kind(
            "paravent.utility", re.compile(r"^@(?:family|on_request)\b[^\n]*\ndef (?P<name>[a-z]\w*)\(", re.MULTILINE)
        ),
    }
)

_DEFINITION = re.compile(r"^(?:@[^\n]*\n)*(?:class|def) ", re.MULTILINE)
"""Where a class or a function begins at the left margin, its decorators first."""
_UNLISTED = re.compile(r"^    listed: ClassVar\[bool\] = False", re.MULTILINE)


@cache
def entries(kind: str) -> Mapping[str, str]:
    """The names of a kind, sorted, each with the module that defines it. Nothing is imported.

    >>> entries("model")["KAnonymity"], entries("builder")["quantiles"]
    ('paravent.privacy.k_anonymity', 'paravent.hierarchy.builders.ordered')
    """
    found: dict[str, str] = {}
    for module, path in _files(KINDS[kind].room):
        for block in _definitions(path.read_text(encoding="utf-8")):
            looked = KINDS[kind].looks.search(block)
            if looked is not None and not _UNLISTED.search(block):
                found.setdefault(looked["name"], module)
    return MappingProxyType(dict(sorted(found.items())))


def load(kind: str, name: str) -> Any:
    """What a name of a kind stands for."""
    return getattr(import_module(entries(kind)[name]), name)


def classes(kind: str) -> dict[str, Any]:
    """The classes of a kind by name, loaded: those of its room, then any other that a program has defined.

    >>> sorted(classes("model"))[:2]
    ['AlphaKAnonymity', 'AverageRisk']
    """
    known = {name: load(kind, name) for name in entries(kind)}
    base = KINDS[kind].base
    if base is not None:
        for found in _descendants(getattr(import_module(base[0]), base[1])):
            abstract = bool(getattr(found, "__abstractmethods__", None))
            if not abstract and not found.__name__.startswith("_") and getattr(found, "listed", True):
                known.setdefault(found.__name__, found)
    return known


def lazily(package: str, homes: Homes) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package (PEP 562): a name is loaded from its module when it is first used.

    `__all__` has all names. One that is none gets a sentence with the nearest.
    """

    def attribute(name: str) -> Any:
        if name == "__all__":
            return sorted(homes())
        if name.startswith("_") or name not in homes():
            near = "" if name.startswith("_") else f". {suggest(name, homes())}"
            raise AttributeError(f"module {package!r} has no attribute {name!r}{near}")
        return getattr(import_module(homes()[name]), name)

    return attribute, lambda: sorted(homes())


def exported(package: str, names: Mapping[str, str]) -> tuple[Homes, Callable[[str], Any], Callable[[], list[str]]]:
    """What rooms above may ask a package for: `homes`, `__getattr__` and `__dir__` of the package. `names` has the
    names that each of its modules gives, with blanks between them."""
    found = {name: f"{package}.{module}" for module, several in names.items() for name in several.split()}

    def homes() -> Mapping[str, str]:
        return found

    return homes, *lazily(package, homes)


def _files(room: str) -> Iterator[tuple[str, Path]]:
    """The modules of a package and of the packages in it, with their files."""
    spec = find_spec(room)
    assert spec is not None
    for place in spec.submodule_search_locations or ():
        for path in sorted(Path(place).rglob("*.py")):
            parts = path.relative_to(place).with_suffix("").parts
            if parts[-1] != "__init__":
                yield ".".join((room, *parts)), path


def _definitions(source: str) -> Iterator[str]:
    """The text of each class and function of a module."""
    starts = [found.start() for found in _DEFINITION.finditer(source)]
    yield from (source[start:end] for start, end in zip(starts, [*starts[1:], len(source)], strict=True))


def _descendants(base: type) -> Iterator[type]:
    child: type
    for child in reversed(base.__subclasses__()):  # the last definition of a name is the one in use
        yield child
        yield from _descendants(child)
