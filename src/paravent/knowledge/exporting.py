"""The knowledge for other programs: Turtle, RDF/XML, JSON-LD. The same knowledge gives the same bytes."""

from __future__ import annotations

import json
from typing import Any, Literal

from rdflib.compare import to_canonical_graph

from paravent.errors import PlanError
from paravent.knowledge.rdf import DCTERMS, KNOW, OPAM, RDFS, SKOS, Graph, rdflib
from paravent.near import suggest

Format = Literal["turtle", "xml", "json-ld"]

_PREFIXES = {"dcterms": DCTERMS, "know": KNOW, "opam": OPAM, "owl": rdflib.OWL, "rdfs": RDFS, "skos": SKOS}
_SERIALIZERS = {"turtle": "turtle", "xml": "xml", "json-ld": "json-ld"}


def exported(graph: Graph, format: Format) -> str:
    """All statements in a format."""
    if format not in _SERIALIZERS:
        raise PlanError(f"export: there is no format {format!r}. {suggest(format, _SERIALIZERS)}")
    copy = Graph(bind_namespaces="none")
    for prefix, address in _PREFIXES.items():
        copy.bind(prefix, str(address))
    for triple in sorted(to_canonical_graph(graph)):
        copy.add(triple)
    text: str = copy.serialize(format=_SERIALIZERS[format])
    if format == "json-ld":
        return json.dumps(_ordered(json.loads(text)), ensure_ascii=False, indent=1) + "\n"
    return text


def _ordered(value: Any) -> Any:
    """Lists of nodes and values in one order: sets have none."""
    if isinstance(value, dict):
        return {key: entry if key == "@list" else _ordered(entry) for key, entry in sorted(value.items())}
    if isinstance(value, list):
        return sorted((_ordered(entry) for entry in value), key=lambda entry: json.dumps(entry, sort_keys=True))
    return value
