"""Queries of users, in a process of their own.

A query can take for ever, fill the memory, or name graphs elsewhere. The child (`query_child`) gets the statements and
the text, is held to a time and a memory, and is stopped from outside when the time is up.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from paravent.errors import PlanError
from paravent.knowledge.answer import Answer
from paravent.knowledge.rdf import Graph

MEMORY = 2**31
"""Bytes of memory that the child may take."""
START = 20.0
"""Seconds that a slow machine may need to start the child and hand it the statements; the query is not at work yet."""


def asked_outside(graph: Graph, text: str, seconds: float) -> Answer:
    """The answer of a query over the statements of a graph, or one sentence that says what is wrong with it."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
        raise PlanError(f"query: seconds must be a number above 0, not {seconds!r}.")
    child = Path(__file__).with_name("query_child.py")
    statements = graph.serialize(format="nt", encoding="utf-8")
    document = {"query": text, "seconds": seconds, "memory": MEMORY}
    package = str(Path(__file__).parents[2])
    paths = os.pathsep.join([package, *(entry for entry in sys.path if entry)])
    process = subprocess.Popen(
        [sys.executable, str(child)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": "0"},  # the same rows in the same order, every time
    )
    try:
        out, _ = process.communicate(json.dumps(document).encode() + b"\n" + statements, timeout=seconds + START)
    except subprocess.TimeoutExpired:
        raise PlanError(_late(seconds)) from None
    finally:
        process.kill()
        process.wait()
    return _read(out, seconds)


def _read(out: bytes, seconds: float) -> Answer:
    try:
        document: dict[str, Any] = json.loads(out)
    except ValueError:
        document = {"late": True}  # stopped by its own alarm, or out of memory before it could say so
    if document.get("late"):
        raise PlanError(_late(seconds))
    if "wrong" in document:
        raise PlanError(f"query: {document['wrong']}")
    return Answer(tuple(document["columns"]), tuple(map(tuple, document["rows"])))


def _late(seconds: float) -> str:
    return (
        f"query: it was stopped after {seconds:g} seconds without an end, or for taking too much memory. Ask for less, "
        "join the patterns by shared variables, or allow more time."
    )
