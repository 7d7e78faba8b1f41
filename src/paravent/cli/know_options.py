"""Options of `paravent know`: the language, the layer, and values given by name."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from paravent.errors import PlanError

Language = Annotated[str, typer.Option(metavar="en|fr", help="The language of labels and texts.")]
LayerFile = Annotated[
    Path | None,
    typer.Option("--layer", metavar="FILE", help="Your layer of the knowledge, where it is not the usual one."),
]

_MOST = 1_000_000


def pairs(given: Iterable[str] | None) -> dict[str, str]:
    """
    >>> pairs(["requirement=precision"])
    {'requirement': 'precision'}
    """
    found = {}
    for text in given or ():
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise PlanError(f"know: {text!r} is no name with a value. Write, for example, requirement=precision.")
        found[name.strip()] = value.strip()
    return found


def literal(text: str) -> Any:
    """A value as in Python, or else the text itself; it is read, not run.

    >>> literal("2"), literal("salary"), literal("{'age': 1}")
    (2, 'salary', {'age': 1})
    """
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return text


def refuse_bad_text(path: Path) -> str:
    """The text of a small file."""
    if path.stat().st_size > _MOST:
        raise PlanError(f"{path}: a query of more than {_MOST // 10**6} MB is none. Name another file.")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise PlanError(f"{path}: it is not written in UTF-8. Save it as UTF-8.") from None
