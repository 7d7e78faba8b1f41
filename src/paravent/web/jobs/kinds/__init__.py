"""Kinds of jobs: one file each, named as the kind, with a function `run(project, arguments, progress)`.

It calls the library, leaves files in `progress.folder`, and returns what JSON can hold. It runs in a process of its
own, in which the project can only be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paravent.errors import PlanError

if TYPE_CHECKING:
    from paravent.web.jobs.progress import Progress
    from paravent.web.workspace.project import Project

Kind = Callable[["Project", Mapping[str, Any], "Progress"], dict[str, Any]]

_RUN = re.compile(r"^def run\(", re.MULTILINE)


@cache
def kinds() -> tuple[str, ...]:
    """The kinds that there are."""
    here = sorted(Path(__file__).parent.glob("*.py"))
    return tuple(path.stem for path in here if _RUN.search(path.read_text(encoding="utf-8")))


def kind_named(name: str) -> Kind:
    """The function of a kind."""
    if name not in kinds():
        raise PlanError(f"there is no job of the kind {name!r}. There is {', '.join(kinds())}.")

    def late(project: Project, arguments: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
        found: dict[str, Any] = import_module(f"{__name__}.{name}").run(project, arguments, progress)
        return found

    return late
