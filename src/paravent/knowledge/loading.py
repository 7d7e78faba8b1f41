"""The knowledge as it is used: shipped entries, and the user's layer where it is sound."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from paravent.arguments import check_call
from paravent.errors import Note, PlanError
from paravent.knowledge import shipped, turtle
from paravent.knowledge.base import Knowledge
from paravent.knowledge.layer.conflicts import conflicts
from paravent.knowledge.layer.layer import mark_checked, was_checked
from paravent.knowledge.layer.merge import merged
from paravent.knowledge.layer.place import usual_path
from paravent.knowledge.validate import faults_of_layer

_MEMORY: dict[tuple[str, ...], Knowledge] = {}


def load(layer: str | os.PathLike[str] | None = None, *, language: str = "en", shipped_only: bool = False) -> Knowledge:
    """The knowledge with a user's layer: the one at a path, or the usual one where there is one.

    A layer that cannot be read or is not sound is not loaded: `notes` say why, and the shipped knowledge works without.

    >>> load(shipped_only=True).entry("samarati").label
    'Samarati'
    """
    check_call(load, locals())
    path = usual_path() if layer is None else Path(layer)
    if layer is not None and not os.path.isfile(path):
        raise PlanError(f"{path}: there is no such layer of knowledge.")
    there = not shipped_only and os.path.isfile(path)
    stamp = (str(path), str(path.stat().st_mtime_ns), str(path.stat().st_size)) if there else ("",)
    known = _MEMORY.get((language, *stamp))
    if known is None:
        known = _MEMORY[(language, *stamp)] = _loaded(path if there else None, language)
    return known


def _loaded(path: Path | None, language: str) -> Knowledge:
    if path is None:
        return Knowledge(shipped.graph(), language=language)
    try:
        layer = turtle.read(path)
        graph = merged(shipped.graph(), layer)
        faults = () if was_checked(path) else faults_of_layer(layer, shipped.graph(), graph)
    except PlanError as error:
        faults = (str(error),)
    if faults:
        used = "The shipped knowledge is used without it."
        notes = [Note(f"{path} is not loaded: {fault.removeprefix(f'{path}: ')}") for fault in faults] + [Note(used)]
        return Knowledge(shipped.graph(), language=language, notes=tuple(notes))
    if not was_checked(path):
        with contextlib.suppress(OSError):  # a layer in a folder that may only be read is checked every time
            mark_checked(path)
    met = conflicts(shipped.graph(), layer)
    return Knowledge(graph, language=language, notes=tuple(Note(str(conflict)) for conflict in met))
