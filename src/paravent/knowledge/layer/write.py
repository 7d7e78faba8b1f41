"""Changes to a layer, statement by statement. What they replace in the shipped knowledge is remembered."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from math import isnan
from typing import Any

from paravent.errors import PlanError
from paravent.knowledge.base import KEY, Knowledge
from paravent.knowledge.layer.merge import merged, rivals, single, withdrawn
from paravent.knowledge.rdf import DCTERMS, KNOW, OPAM, RDF, RDFS, SKOS, Graph, Literal, URIRef, know, rdflib
from paravent.knowledge.terms import concept
from paravent.near import suggest

_WORDS = {"label": RDFS.label, "definition": SKOS.definition, "source": DCTERMS.source, "broader": SKOS.broader}
_TAGS = (
    "target-using directivity-informative mode-predefined invocation-invoked timing-concurrent format-text "
    "intention-knowledge"
)


class Draft:
    """A layer while it is being changed."""

    def __init__(self, layer: Graph, shipped: Graph, language: str):
        self.graph, self.shipped, self.language = layer, shipped, language

    def add(self, kind: str, key: str, said: Mapping[str, Any]) -> None:
        """A new entry of a kind."""
        name = concept(kind)
        if not KEY.fullmatch(key):
            raise PlanError(f"add {kind}: {key!r} is no key. Write letters, digits and dashes, such as 'my-method'.")
        node = know(key)
        if (node, RDF.type, None) in merged(self.shipped, self.graph):
            raise PlanError(f"add {kind}: there is an entry {key!r} already. Change it, or take another key.")
        for each in {name, *_also(name)}:
            self.graph.add((node, RDF.type, OPAM[each]))
        if name in ("Algorithm", "Treatment") and "executable" not in said:
            said = {**said, "executable": "registeredAs" in said}
        self._say(node, key, said)

    def change(self, key: str, said: Mapping[str, Any]) -> None:
        """Other values of an entry that exists."""
        entry = Knowledge(merged(self.shipped, self.graph)).entry(key)
        self._say(know(entry.key), entry.key, said)

    def evaluate(
        self, algorithm: str, requirement: str, metric: str, value: float, source: str, given: Mapping[str, Any]
    ) -> str:
        """A new evaluation; its key."""
        known = Knowledge(merged(self.shipped, self.graph))
        parts = (known.entry(algorithm).key, known.entry(requirement).key, known.entry(metric).key)
        told = (*parts, repr(value), source, repr(sorted(given.items())))
        key = f"evaluation-{hashlib.sha256(repr(told).encode()).hexdigest()[:10]}"
        node = know(key)
        self.graph.add((node, RDF.type, OPAM["ExperimentalEvaluation"]))
        for name, part in zip(("Algorithm", "Requirement", "Metric"), parts, strict=True):
            self.graph.add((node, OPAM[f"evaluates{name}"], know(part)))
        self.graph.add((node, OPAM["value"], _number(value)))
        self.graph.add((node, DCTERMS.source, Literal(source)))
        for name, each in sorted(given.items()):
            found = known.entry(name)
            concept_, relation = {
                "input": ("InputValue", "ofInput"),
                "descriptor": ("DatasetDescriptorValue", "ofDatasetDescriptor"),
            }.get(found.kind, ("", ""))
            if not concept_:
                raise PlanError(f"evaluate: {name!r} is neither an input nor a descriptor of data.")
            held = know(f"value-{found.key}-{hashlib.sha256(repr(each).encode()).hexdigest()[:8]}")
            self.graph.add((held, RDF.type, OPAM[concept_]))
            self.graph.add((held, OPAM[relation], know(found.key)))
            self.graph.add((held, OPAM["value"], Literal(each)))
            self.graph.add((node, OPAM["constrainedBy"], held))
        return key

    def threshold(self, requirement: str, bounds: Iterable[float]) -> None:
        """Other thresholds of a requirement."""
        known = merged(self.shipped, self.graph)
        node = know(Knowledge(known).entry(requirement).key)
        tables = sorted(known.subjects(OPAM["ofRequirement"], node), key=str)
        if not tables:
            raise PlanError(f"threshold: {requirement!r} has no table of thresholds. Add one with `add thresholds`.")
        text = " ".join(f"{float(bound):g}" for bound in bounds)
        self._put(tables[0], OPAM["bounds"], [Literal(text)])

    def withdraw_value(self, key: str, relation: str, value: str) -> None:
        """Take back the shipped statement that reads like this."""
        node, predicate = know(key), self._relation(key, relation)
        for thing in self.shipped.objects(node, predicate):
            if value in (str(thing), str(thing).removeprefix(str(KNOW))):
                self.withdraw(node, predicate, thing)
                return
        raise PlanError(f"withdraw: {key!r} has no {relation} {value!r} that is shipped.")

    def withdraw(self, subject: Any, predicate: Any, thing: Any) -> None:
        """Remember that a shipped statement no longer counts."""
        name = hashlib.sha256(" ".join(term.n3() for term in (subject, predicate, thing)).encode()).hexdigest()[:12]
        node = know(f"withdrawal-{name}")
        self.graph.add((node, RDF.type, OPAM["Withdrawal"]))
        for part, term in (("Subject", subject), ("Predicate", predicate), ("Object", thing)):
            self.graph.add((node, OPAM[f"withdrawn{part}"], term))

    def remove(self, key: str) -> None:
        """Take out whatever is said of an entry, and of its help."""
        about = {know(key), *(node for node in self._helps(self.graph, know(key)))}
        known = {node for node, triple in withdrawn(self.graph).items() if triple[0] in about}
        gone = [triple for triple in self.graph if triple[0] in about | known]
        if not gone:
            raise PlanError(f"remove: the layer says nothing of {key!r}.")
        for triple in gone:
            self.graph.remove(triple)

    def _say(self, node: URIRef, key: str, said: Mapping[str, Any]) -> None:
        for name, value in said.items():
            if name == "help":
                self._help(node, key, str(value))
                continue
            predicate = self._relation(key, name)
            values = list(value) if isinstance(value, list | tuple | set | frozenset) else [value]
            self._put(node, predicate, [self._term(predicate, each) for each in values])

    def _help(self, node: URIRef, key: str, text: str) -> None:
        known = sorted(self._helps(merged(self.shipped, self.graph), node))
        help_ = known[0] if known else know(f"help-{key}")
        if not known:
            self.graph.add((help_, RDF.type, OPAM["HelpText"]))
            self.graph.add((help_, OPAM["about"], node))
            for tag in _TAGS.split():
                self.graph.add((help_, OPAM[tag.split("-")[0]], know(tag)))
        self._put(help_, OPAM["text"], [Literal(text, lang=self.language)])

    def _helps(self, graph: Graph, node: URIRef) -> list[Any]:
        about = list(merged(self.shipped, self.graph).subjects(OPAM["about"], node))
        return [each for each in about if (each, None, None) in graph and str(each).startswith(f"{KNOW}help-")]

    def _put(self, node: Any, predicate: Any, terms: list[Any]) -> None:
        """Say something in place of what the layer said so far; the shipped values that this hides are remembered."""
        for term in terms:
            for old in list(self.graph.objects(node, predicate)):
                alike = getattr(old, "language", None) == getattr(term, "language", None)
                if single(self.shipped, predicate) and alike:
                    self.graph.remove((node, predicate, old))
            for old in rivals(self.shipped, node, predicate, term):
                if old != term:
                    self.withdraw(node, predicate, old)
        for term in terms:
            self.graph.add((node, predicate, term))

    def _relation(self, key: str, name: str) -> Any:
        if name in _WORDS:
            return _WORDS[name]
        if (OPAM[name], OPAM["many"], None) not in self.shipped:
            known = [str(each).removeprefix(str(OPAM)) for each in self.shipped.subjects(OPAM["many"], None)]
            raise PlanError(f"entry {key!r}: there is no relation {name!r}. {suggest(name, [*known, *_WORDS, 'help'])}")
        return OPAM[name]

    def _term(self, predicate: Any, value: Any) -> Any:
        if (predicate, RDF.type, rdflib.OWL.ObjectProperty) in self.shipped:
            return know(str(value))
        if predicate in (RDFS.label, SKOS.definition):
            return Literal(str(value), lang=self.language)
        ranged = self.shipped.value(predicate, RDFS.range)
        if ranged == RDF.langString:
            return Literal(str(value), lang=self.language)
        if ranged == rdflib.XSD.boolean:
            return Literal(value if isinstance(value, bool) else str(value).casefold() in ("true", "yes", "1"))
        if ranged == rdflib.XSD.integer:
            return Literal(str(value), datatype=rdflib.XSD.integer)
        return Literal(value)


def _also(name: str) -> tuple[str, ...]:
    """The concepts that an entry is stated to be of beside its own."""
    return {
        "Technique": ("AnonymizationProcess",),
        "Algorithm": ("AnonymizationProcess",),
        "Treatment": ("AnonymizationProcess", "Algorithm"),
        "UsageNeed": ("AnonymizationRequirement",),
        "Metric": ("DataMetric",),
    }.get(name, ())


def _number(value: float) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float) or isnan(value):
        raise PlanError(f"evaluate: value must be a number, not {value!r}.")
    return Literal(value)
