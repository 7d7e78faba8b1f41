"""Whether knowledge is sound, by shapes (SHACL) and what shapes cannot say: one sentence for each fault."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from paravent.errors import PlanError
from paravent.knowledge.rdf import KNOW, OPAM, RDF, RDFS, Graph, Literal, URIRef, key_of, rdflib
from paravent.knowledge.shipped import shapes
from paravent.near import suggest

_SH = rdflib.Namespace("http://www.w3.org/ns/shacl#")
_FOREIGN = {RDF.type, RDFS.label, RDFS.comment, RDFS.seeAlso}
_MOST = 50


def faults_of_layer(layer: Graph, shipped: Graph, merged: Graph) -> tuple[str, ...]:
    """What is wrong with a layer; nothing where it can be loaded."""
    found = list(dict.fromkeys(_words(layer, shipped, merged)))
    if not found:
        found = list(by_shapes(merged, _touched(layer, merged)))
    return tuple(found[:_MOST])


def by_shapes(graph: Graph, entries: Iterable[Any] | None = None) -> tuple[str, ...]:
    """What the shapes find, sorted; of some entries, or of all."""
    try:
        from pyshacl import validate
    except ImportError:
        raise PlanError(
            "checking a layer of knowledge needs pySHACL, which is not installed. Get it with: pip install "
            "'paravent[knowledge]'."
        ) from None
    looked_at = None if entries is None else sorted(set(entries))
    if looked_at is not None and not looked_at:
        return ()
    conforms, report, _ = validate(graph, shacl_graph=shapes(), inference="none", inplace=True, focus_nodes=looked_at)
    if conforms:
        return ()
    if not isinstance(report, Graph):
        raise PlanError(f"the shapes of the knowledge cannot be used: {str(report).splitlines()[0]}")
    faults = set()
    for result in report.subjects(RDF.type, _SH.ValidationResult):
        focus, value = report.value(result, _SH.focusNode), report.value(result, _SH.value)
        said = sorted(str(text) for text in report.objects(result, _SH.resultMessage))
        shown = f" (it says {_shown(value)})" if value is not None and value != focus else ""
        faults.add(f"entry {key_of(focus)!r}: {said[0] if said else 'it does not fit its shape.'}{shown}")
    return tuple(sorted(faults))


def rising(bounds: str) -> bool:
    """Whether thresholds are numbers that rise.

    >>> rising("2 5 8"), rising("2 2 8"), rising("2 x")
    (True, False, False)
    """
    try:
        numbers = [float(part) for part in bounds.split()]
    except ValueError:
        return False
    return all(a < b for a, b in pairwise(numbers))


def _words(layer: Graph, shipped: Graph, merged: Graph) -> Iterator[str]:
    """Names that do not exist, and entries that are none."""
    relations = {key_of(each) for each in shipped.subjects(RDF.type, None) if (each, OPAM["many"], None) in shipped}
    for subject, predicate, thing in layer:
        if not isinstance(subject, URIRef) or not str(subject).startswith(str(KNOW)):
            yield f"{_shown(subject)}: a layer speaks of entries that have a name (know:…), and of nothing else."
            continue
        key = key_of(subject)
        if predicate not in _FOREIGN and (predicate, OPAM["many"], None) not in shipped:
            yield f"entry {key!r}: there is no relation {_shown(predicate)}. {suggest(key_of(predicate), relations)}"
        if predicate == RDF.type and (thing, RDF.type, None) not in shipped:
            yield f"entry {key!r}: there is no concept {key_of(thing)!r}. {suggest(key_of(thing), _concepts(shipped))}"
        elif (
            isinstance(thing, URIRef) and str(thing).startswith(str(KNOW)) and _dangling(layer, subject, thing, merged)
        ):
            yield f"entry {key!r}: {key_of(predicate)!r} leads to {key_of(thing)!r}, which does not exist."
        if (subject, RDF.type, None) not in merged and (subject, RDF.type, OPAM["Withdrawal"]) not in layer:
            yield f"entry {key!r}: it says not what it is, such as `a opam:Algorithm`, and none is shipped."
        if predicate == OPAM["owns"] and (twice := _twice(merged, subject, thing)):
            yield f"entry {key!r}: it owns two values of one characteristic, {key_of(thing)!r} and {key_of(twice)!r}."
        if predicate == OPAM["bounds"] and not rising(str(thing)):
            yield f"entry {key!r}: thresholds must be numbers that rise, not {_shown(thing)}."


def _touched(layer: Graph, merged: Graph) -> set[Any]:
    """The entries that a layer can have broken: those it speaks of, those it withdraws something of, and whatever leads
    to one of them or is led to by one."""
    spoken = {each for triple in layer for each in (triple[0], triple[2]) if isinstance(each, URIRef)}
    leading = {subject for each in spoken for subject in merged.subjects(None, each)}
    about = spoken | leading
    return {each for each in about if isinstance(each, URIRef) and str(each).startswith(str(KNOW))}


def _twice(merged: Graph, subject: URIRef, thing: Any) -> Any:
    """Another value that an algorithm has of the characteristic of this one."""
    characteristic = merged.value(thing, OPAM["ofCharacteristic"])
    for other in merged.objects(subject, OPAM["owns"]):
        if (
            other != thing
            and characteristic is not None
            and merged.value(other, OPAM["ofCharacteristic"]) == characteristic
        ):
            return other
    return None


def _dangling(layer: Graph, subject: URIRef, thing: URIRef, merged: Graph) -> bool:
    """Whether a value names an entry that does not exist; what a withdrawal takes back may be gone already."""
    return (subject, RDF.type, OPAM["Withdrawal"]) not in layer and (thing, RDF.type, None) not in merged


def _concepts(shipped: Graph) -> list[str]:
    return [key_of(each) for each in shipped.subjects(RDF.type, rdflib.OWL.Class) if str(each).startswith(str(OPAM))]


def _shown(term: Any) -> str:
    text = str(term) if isinstance(term, Literal) else key_of(term)
    return repr(text if len(text) <= 60 else f"{text[:59]}…")
