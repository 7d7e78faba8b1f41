"""Turtle from outside: one sentence with the line where it is broken."""

from __future__ import annotations

import re
from pathlib import Path

from paravent.errors import PlanError
from paravent.knowledge.rdf import Graph

MOST = 20_000_000
"""Bytes that a layer may have."""


def read(path: Path) -> Graph:
    """The statements of a Turtle file. Nothing that it names is loaded."""
    try:
        if path.stat().st_size > MOST:
            raise PlanError(f"{path}: it has more than {MOST // 10**6} MB, which is no layer of knowledge.")
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise PlanError(f"{path}: it is not written in UTF-8. Save it as UTF-8.") from None
    except OSError as error:
        raise PlanError(f"{path}: it cannot be read: {(error.strerror or str(error)).lower()}.") from None
    return parse(text, str(path))


def parse(text: str, name: str) -> Graph:
    """
    >>> parse("know:a a opam:Algorithm", "my.ttl")
    Traceback (most recent call last):
    ...
    paravent.errors.PlanError: my.ttl: line 1 is not valid Turtle (Prefix "know:" not bound). Correct it there or above.
    """
    found = Graph(bind_namespaces="none")
    try:
        found.parse(data=text, format="turtle", publicID="urn:paravent:layer")
    except RecursionError:
        raise PlanError(f"{name}: it is nested too deeply to be read as Turtle. Make it flatter.") from None
    except Exception as error:
        line = getattr(error, "lines", None)
        told = str(error)
        at = re.search(r"at line (\d+)", told)
        number = int(at[1]) if at else (line + 1 if isinstance(line, int) else 0)
        why = re.search(r"Bad syntax \((.*?)\) at", told, re.DOTALL)
        reason = why[1] if why else type(error).__name__
        if isinstance(error, IndexError):  # the text is over where a statement is not
            number, reason = max(1, len(text.splitlines())), "it ends within a statement"
        place = f"line {number} is not valid Turtle" if number else "it is not valid Turtle"
        raise PlanError(f"{name}: {place} ({reason[:120]}). Correct it there or above.") from None
    return found
