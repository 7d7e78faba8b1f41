"""A layer as a patch (RDF Patch): what it deletes from the shipped knowledge, and what it adds."""

from __future__ import annotations

from paravent.knowledge.layer.merge import merged
from paravent.knowledge.rdf import Graph
from paravent.knowledge.shipped import digest


def patch(shipped: Graph, layer: Graph) -> str:
    """Lines `D s p o .` and `A s p o .`, sorted, between `TX .` and `TC .`: applied to the shipped knowledge of the
    named digest, they give the knowledge with the layer."""
    after = merged(shipped, layer)
    gone = sorted(_line(triple) for triple in shipped if triple not in after)
    new = sorted(_line(triple) for triple in after if triple not in shipped)
    head = [f'H base "{digest()}" .', "TX ."]
    return "\n".join([*head, *(f"D {line} ." for line in gone), *(f"A {line} ." for line in new), "TC .", ""])


def _line(triple: tuple[object, object, object]) -> str:
    return " ".join(term.n3() for term in triple)  # type: ignore[attr-defined]
