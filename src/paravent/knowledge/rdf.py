"""The library of triples, and the names of the vocabulary. Importing this module is what costs the time of rdflib."""

from __future__ import annotations

from paravent.errors import PlanError

try:
    import rdflib
    from rdflib import RDF, RDFS, Graph, Literal, URIRef
    from rdflib.namespace import DCTERMS, SKOS
except ImportError:
    raise PlanError(
        "the knowledge needs rdflib, which is not installed. Get it with: pip install 'paravent[knowledge]'."
    ) from None

__all__ = ["DCTERMS", "KNOW", "OPAM", "RDF", "RDFS", "SKOS", "Graph", "Literal", "URIRef", "key_of", "know", "rdflib"]

OPAM = rdflib.Namespace("urn:paravent:opam:")
"""Concepts and relations."""
KNOW = rdflib.Namespace("urn:paravent:knowledge:")
"""Entries."""


def know(key: str) -> URIRef:
    """The entry of a key.

    >>> know("datafly")
    rdflib.term.URIRef('urn:paravent:knowledge:datafly')
    """
    return KNOW[key]


def key_of(term: object) -> str:
    """The key of an entry, a concept or a relation; anything else as it is.

    >>> key_of(know("datafly")), key_of(OPAM["Algorithm"]), key_of("x")
    ('datafly', 'Algorithm', 'x')
    """
    text = str(term)
    for prefix in (str(KNOW), str(OPAM), str(DCTERMS), str(SKOS), str(RDFS)):
        if text.startswith(prefix):
            return text.removeprefix(prefix)
    return text
