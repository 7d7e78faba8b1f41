"""A layer over the shipped knowledge: what is withdrawn goes, what has one value is replaced, all else is added."""

from __future__ import annotations

from typing import Any

from paravent.knowledge.rdf import OPAM, RDF, RDFS, Graph, Literal

Triple = tuple[Any, Any, Any]


def withdrawn(layer: Graph) -> dict[Any, Triple]:
    """The shipped statements that a layer takes back, by the node that says so."""
    found: dict[Any, Triple] = {}
    for node in layer.subjects(RDF.type, OPAM["Withdrawal"]):
        subject, predicate, thing = (
            layer.value(node, OPAM[f"withdrawn{part}"]) for part in ("Subject", "Predicate", "Object")
        )
        found[node] = (subject, predicate, thing)
    return found


def own(layer: Graph) -> Graph:
    """The statements of a layer that are about entries."""
    about = set(withdrawn(layer))
    found = Graph(bind_namespaces="none")
    for triple in layer:
        if triple[0] not in about:
            found.add(triple)
    return found


def merged(shipped: Graph, layer: Graph) -> Graph:
    """The knowledge with the layer in it."""
    found = Graph(bind_namespaces="none")
    found += shipped
    for triple in withdrawn(layer).values():
        if None not in triple:
            found.remove(triple)
    additions = own(layer)
    for subject, predicate, thing in additions:
        for old in rivals(shipped, subject, predicate, thing):
            found.remove((subject, predicate, old))
    found += additions
    return found


def rivals(shipped: Graph, subject: Any, predicate: Any, thing: Any) -> list[Any]:
    """The shipped values in whose place a value of a layer stands: of a relation of one value those of the same
    language, of `owns` those of the same characteristic."""
    present = list(shipped.objects(subject, predicate))
    if predicate == OPAM["owns"]:
        characteristic = shipped.value(thing, OPAM["ofCharacteristic"])
        return [old for old in present if shipped.value(old, OPAM["ofCharacteristic"]) == characteristic != None]  # noqa: E711
    if not single(shipped, predicate):
        return []
    return [old for old in present if _language(old) == _language(thing)]


def single(shipped: Graph, predicate: Any) -> bool:
    """Whether a relation has one value (of each language)."""
    return bool(predicate == RDFS.label or shipped.value(predicate, OPAM["many"]) == Literal(False))


def _language(term: Any) -> str | None:
    return getattr(term, "language", None)
