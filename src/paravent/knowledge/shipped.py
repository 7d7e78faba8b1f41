"""The knowledge that comes with the package: the vocabulary, the entries, the shapes that both must fit."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from paravent.knowledge.rdf import Graph

HERE = Path(__file__).parent


def files() -> tuple[Path, ...]:
    """The Turtle files of the shipped knowledge, the vocabulary first."""
    return (HERE / "opam.ttl", *sorted((HERE / "ontology").glob("*.ttl")))


@cache
def graph() -> Graph:
    """The shipped knowledge. It is shared: whoever changes something changes a copy."""
    found = Graph(bind_namespaces="none")
    for path in files():
        found.parse(path, format="turtle")
    return found


@cache
def shapes() -> Graph:
    """What every entry must look like (SHACL)."""
    return Graph(bind_namespaces="none").parse(HERE / "shapes.ttl", format="turtle")


@cache
def digest() -> str:
    """A short name of exactly this shipped knowledge and its shapes."""
    texts = (path.read_bytes() for path in (*files(), HERE / "shapes.ttl"))
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16]
