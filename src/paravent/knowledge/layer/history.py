"""Versions of a layer: every state that was, whole, in a folder beside the file. The last one can be taken back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from paravent.errors import PlanError
from paravent.table.atomic import replacing

_HEAD = re.compile(r"# version (\d+) · (\S+) · (.*)")


@dataclass(frozen=True)
class Version:
    """A state of the layer: its number, when it came about, and by what change."""

    number: int
    at: str
    change: str
    path: Path


def folder(layer: Path) -> Path:
    return layer.with_name(f"{layer.name}.versions")


def versions(layer: Path) -> tuple[Version, ...]:
    """All states, the first first; the last is the one in use."""
    found = []
    for path in sorted(folder(layer).glob("*.ttl")):
        head = _HEAD.match(path.read_text(encoding="utf-8").split("\n", 1)[0])
        if head is not None:
            found.append(Version(int(head[1]), head[2], head[3], path))
    return tuple(sorted(found, key=lambda version: version.number))


def write(layer: Path, text: str, change: str) -> Version:
    """The layer with a new text, and the version that remembers it. A file that was edited by hand in between becomes a
    version of its own first."""
    known = versions(layer)
    if layer.exists():
        before = _body(layer.read_text(encoding="utf-8"))
        if not known or _body(known[-1].path.read_text(encoding="utf-8")) != before:
            known = (*known, _remember(layer, before, "edited by hand", known))
    version = _remember(layer, text, change, known)
    _put(layer, text)
    return version


def undo(layer: Path) -> Version:
    """Take the last change back. What was taken back is gone."""
    known = versions(layer)
    current = _body(layer.read_text(encoding="utf-8")) if layer.exists() else None
    if known and current is not None and _body(known[-1].path.read_text(encoding="utf-8")) != current:
        gone = Version(known[-1].number + 1, "", "edited by hand", layer)  # back to the last version that is known
        _put(layer, _body(known[-1].path.read_text(encoding="utf-8")))
        return gone
    if not known:
        raise PlanError(f"{layer}: there is no change to take back.")
    gone = known[-1]
    if len(known) > 1:
        _put(layer, _body(known[-2].path.read_text(encoding="utf-8")))
    else:
        layer.unlink(missing_ok=True)
    gone.path.unlink()
    return gone


def _remember(layer: Path, text: str, change: str, known: tuple[Version, ...]) -> Version:
    number = known[-1].number + 1 if known else 1
    at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    change = " ".join(change.split())
    path = folder(layer) / f"{number:05d}.ttl"
    path.parent.mkdir(parents=True, exist_ok=True)
    _put(path, f"# version {number} · {at} · {change}\n{text}")
    return Version(number, at, change, path)


def _body(text: str) -> str:
    first, _, rest = text.partition("\n")
    return rest if _HEAD.match(first) else text


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
