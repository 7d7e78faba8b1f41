"""Conflicts: a layer that was made over older shipped knowledge, and what is shipped now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from paravent.knowledge.layer.merge import own, withdrawn
from paravent.knowledge.rdf import KNOW, OPAM, RDF, Graph, key_of


@dataclass(frozen=True)
class Conflict:
    """An entry and a relation of it, what was shipped when the layer was made, what is shipped now, and what the layer
    says (None: it takes the statement back)."""

    key: str
    relation: str
    was: str
    shipped: str | None
    mine: str | None

    def __str__(self) -> str:
        mine = "takes it back" if self.mine is None else f"says {self.mine!r}"
        if self.relation == "type":
            return f"{self.key}: the shipped knowledge has an entry of this key now, and your layer has one of its own."
        if self.shipped is None:
            return f"{self.key}: {self.relation} is no longer shipped (it was {self.was!r}), and your layer {mine}."
        now = f"is shipped as {self.shipped!r} now (it was {self.was!r})"
        return f"{self.key}: {self.relation} {now}, and your layer {mine}."


def conflicts(shipped: Graph, layer: Graph) -> tuple[Conflict, ...]:
    """Every shipped statement that the layer replaced or took back and that has changed since, and entries that both
    have."""
    found = []
    mine = own(layer)
    for subject, predicate, was in withdrawn(layer).values():
        if None in (subject, predicate, was) or (subject, predicate, was) in shipped:
            continue
        now, said = _value(shipped, subject, predicate, was), _value(mine, subject, predicate, was)
        if now is not None and now == said:
            continue  # the shipped knowledge came to say the same
        if now is None and said is None and (subject, RDF.type, None) in shipped:
            continue  # both took it back
        found.append(Conflict(key_of(subject), key_of(predicate), key_of(was), _text(now), _text(said)))
    for node, _, concept in mine.triples((None, RDF.type, None)):
        if str(node).startswith(str(KNOW)) and (node, RDF.type, None) in shipped:
            found.append(Conflict(key_of(node), "type", "", key_of(concept), key_of(concept)))
    return tuple(sorted(set(found), key=lambda each: (each.key, each.relation, each.was)))


def _value(graph: Graph, subject: Any, predicate: Any, was: Any) -> Any:
    """The value that stands where `was` stood: of the same language."""
    if predicate == OPAM["owns"]:
        return None
    for value in sorted(graph.objects(subject, predicate), key=str):
        if getattr(value, "language", None) == getattr(was, "language", None):
            return value
    return None


def _text(term: Any) -> str | None:
    return None if term is None else key_of(term)
