"""Knowledge: the shipped entries under a user's layer, and the questions that can be put to them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from paravent.arguments import check_call
from paravent.errors import Note, PlanError
from paravent.knowledge.answer import Answer
from paravent.knowledge.entry import Entry, Relation
from paravent.knowledge.named import Question, named, question_named
from paravent.knowledge.rdf import KNOW, OPAM, RDF, RDFS, SKOS, Graph, Literal, URIRef, key_of, know
from paravent.knowledge.terms import KINDS, concept, spoken
from paravent.near import suggest

if TYPE_CHECKING:
    from paravent.knowledge.exporting import Format
    from paravent.knowledge.filtering import Filtered
    from paravent.knowledge.replay import Walk
    from paravent.plan.plan import Plan

SECONDS = 10.0
"""How long a query of a user may take."""

KEY = re.compile(r"[^\W_][\w.-]*")
"""What the key of an entry looks like."""
_BRACES = re.compile(r"\{(\w+)\}")
_UNTOLD = {RDF.type, RDFS.label, SKOS.definition, OPAM["text"], OPAM["about"], OPAM["isOwnedBy"]}
_SAID = {"en": ("no", "yes"), "fr": ("non", "oui")}


@cache
def _prepared(text: str) -> Any:
    """A query of ours, parsed once."""
    from rdflib.plugins.sparql import prepareQuery

    return prepareQuery(text)


class Knowledge:
    """What is known, as one graph: the shipped entries and those of a layer, which stand in their place.

    `notes` are sentences about a layer that was not loaded, or whose changes meet newer shipped ones. `language` is
    that of labels and texts, "en" or "fr".

    >>> from paravent.knowledge.shipped import graph
    >>> known = Knowledge(graph())
    >>> known.entry("datafly").label, known.entry("k-anonymity").registered
    ('Datafly', 'KAnonymity')
    """

    def __init__(self, graph: Graph, *, language: str = "en", notes: tuple[Note, ...] = ()):
        check_call(Knowledge.__init__, locals())
        self.graph = graph
        self.language = spoken(language)
        self.notes = notes
        self._entries: dict[str, Entry] = {}
        self._answers: dict[tuple[str, ...], Answer] = {}

    def __repr__(self) -> str:
        return f"<Knowledge: {len(self.graph)} statements>"

    def questions(self) -> Mapping[str, str]:
        """The named questions, with what each asks."""
        return {name: question.asks for name, question in named().items()}

    def ask(self, name: str, **given: str) -> Answer:
        """The answer to a named question; `given` holds the keys of the entries that it needs."""
        question = question_named(name)
        self._check(question, given)
        keys = {role: self.entry(key).key for role, key in given.items()}
        asked = (question.text, *(f"{role}={keys[role]}" for role in sorted(keys)))
        if asked not in self._answers:
            bound: dict[str, Any] = {role: know(key) for role, key in keys.items()}
            bound["language"] = Literal(self.language)
            found = self.graph.query(_prepared(question.text), initBindings=bound)
            self._answers[asked] = _answer(found)
        return self._answers[asked]

    def query(self, text: str, *, seconds: float = SECONDS) -> Answer:
        """The answer to a SPARQL query, found in a process of its own that may read nothing but this knowledge, write
        nowhere, reach no network, and take no longer than `seconds`."""
        from paravent.knowledge.outside import asked_outside

        return asked_outside(self.graph, text, seconds)

    def keys(self, kind: str | None = None) -> tuple[str, ...]:
        """The keys of all entries, or of those of a kind, sorted."""
        concepts = [KINDS[each] for each in KINDS] if kind is None else [concept(kind)]
        found = {key for each in concepts for key in self._of_type(each)}
        return tuple(sorted(found))

    def entries(self, kind: str) -> tuple[Entry, ...]:
        """Every entry of a kind, by key."""
        return tuple(self.entry(key) for key in self.keys(kind))

    def entry(self, name: str) -> Entry:
        """The entry of a key, a registered name or a label, whatever its case."""
        if KEY.fullmatch(name) and (know(name), RDF.type, None) in self.graph:
            return self._entry(know(name))
        found = self._names.get(name.casefold().replace(" ", "-"), set()) | self._names.get(name.casefold(), set())
        if len(found) > 1:  # a name that variants share is the name of what they vary
            found = {key for key in found if (know(key), OPAM["isVariantOf"], None) not in self.graph} or found
        if len(found) > 1:
            several = ", ".join(sorted(map(repr, found)))
            raise PlanError(f"knowledge: {name!r} may be {several}. Name one of them.")
        if not found:
            near = suggest(name, {*self.keys(), *self._names})
            raise PlanError(f"knowledge: there is no entry {name!r}. {near}")
        return self._entry(know(*found))

    def help(self, name: str) -> str:
        """The help text of an entry: the layer's where it has one, else the shipped one, else its definition."""
        entry = self.entry(name)
        return entry.help or entry.definition

    def text(self, name: str) -> str:
        """The text of a lesson or of a help object, by its key."""
        return self._text(know(name), OPAM["text"])

    def about(self, name: str) -> tuple[str, ...]:
        """The keys of the entries that a lesson or a help object is about."""
        return tuple(sorted(key_of(each) for each in self.graph.objects(know(name), OPAM["about"])))

    def say(self, phrase: str, **values: object) -> str:
        """What a phrase says, with values filled in for the names between its braces."""
        text = self._text(know(f"say-{phrase}"), OPAM["says"])
        if not text:
            phrases = [key.removeprefix("say-") for key in self.keys("phrase")]
            raise PlanError(f"knowledge: there is no phrase {phrase!r}. {suggest(phrase, phrases)}")
        return _BRACES.sub(lambda found: str(values.get(found[1], found[0])), text)

    def called(self, name: str, *, otherwise: str = "") -> str:
        """The label of a criterion or a metric; of a metric without an entry of its own, that of the nearest above it
        ("utility.learning" for "utility.learning.naive_bayes")."""
        near = name
        while (know(near), RDF.type, None) not in self.graph:
            near, _, last = near.rpartition(".")
            if not last or not near:
                return otherwise or name
        return self.label(know(near))

    def thresholds(self, requirement: str) -> tuple[float, ...]:
        """The eight differences between two alternatives from which one counts as better, and how much."""
        key, tables = self.entry(requirement).key, self.entries("thresholds")
        for entry in tables:
            if entry.value("ofRequirement") == key:
                return tuple(float(bound) for bound in (entry.value("bounds") or "").split())
        judged = ", ".join(sorted(entry.value("ofRequirement") or "" for entry in tables))
        raise PlanError(f"thresholds: {requirement!r} has none. Those that have: {judged}.")

    def suitable(self, context: Mapping[str, Any], technique: str = "generalization") -> Filtered:
        """Which algorithms suit a context by the rules, and the sentence for each that does not."""
        from paravent.knowledge.filtering import filtered

        return filtered(self, context, technique)

    def picture(self, name: str) -> str:
        """The process of a technique or an algorithm as SVG."""
        from paravent.knowledge.drawing import picture

        return picture(self, name)

    def how(self, method: str, table: Any, plan: Plan | None = None, *, rows: int = 6, **more: Any) -> Walk:
        """How a method works, step by step on a table."""
        from paravent.knowledge.replay import walk

        return walk(self, method, table, plan, rows=rows, **more)

    def export(self, format: Format = "turtle") -> str:
        """Everything, as Turtle, RDF/XML or JSON-LD."""
        from paravent.knowledge.exporting import exported

        return exported(self.graph, format)

    @cached_property
    def _names(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for each in KINDS.values():
            for key in self._of_type(each):
                node = know(key)
                first = {key, *map(str, self.graph.objects(node, OPAM["registeredAs"]))}
                for name in first:
                    found.setdefault(name.casefold(), set()).add(key)
        for each in ("Technique", "Algorithm", "PrivacyModel", "AttackScenario", "Metric"):
            for key in self._of_type(each):
                for label in self.graph.objects(know(key), RDFS.label):
                    found.setdefault(str(label).casefold(), {key})
        return found

    def _of_type(self, name: str) -> set[str]:
        below = set(self.graph.transitive_subjects(RDFS.subClassOf, OPAM[name]))
        return {
            key_of(node)
            for each in below
            for node in self.graph.subjects(RDF.type, each)
            if str(node).startswith(str(KNOW))
        }

    def _entry(self, node: URIRef) -> Entry:
        if str(node) not in self._entries:
            self._entries[str(node)] = self._made(node)
        return self._entries[str(node)]

    def _made(self, node: URIRef) -> Entry:
        types = {key_of(each) for each in self.graph.objects(node, RDF.type)}
        kinds = [word for word, name in KINDS.items() if name in types]
        helps = [
            each
            for each in self.graph.subjects(OPAM["about"], node)
            if (each, RDF.type, OPAM["HelpText"]) in self.graph
        ]
        relations = sorted(
            Relation(
                key_of(predicate),
                self._called(predicate, thing),
                key_of(thing),
                self._reads(thing),
                isinstance(thing, URIRef),
            )
            for predicate, thing in self.graph.predicate_objects(node)
            if predicate not in _UNTOLD
            and not (isinstance(thing, Literal) and thing.language not in (None, self.language))
        )
        return Entry(
            key_of(node),
            kinds[-1] if kinds else min(types, default="entry"),
            self.label(node),
            self._text(node, SKOS.definition),
            " ".join(self._text(each, OPAM["text"]) for each in sorted(helps, key=str)),
            tuple(relations),
        )

    def label(self, node: object) -> str:
        """How an entry or a relation is called."""
        return self._text(node, RDFS.label) or key_of(node)

    def _called(self, predicate: Any, thing: Any) -> str:
        """The name of a relation; of a characteristic, the name of that."""
        if predicate == OPAM["owns"]:
            for characteristic in self.graph.objects(thing, OPAM["ofCharacteristic"]):
                return self.label(characteristic)
        return self.label(predicate)

    def _reads(self, thing: object) -> str:
        if isinstance(thing, URIRef):
            return self.label(thing)
        if isinstance(thing, Literal) and isinstance(thing.value, bool):
            return _SAID[self.language][thing.value]
        return str(thing)

    def _text(self, node: Any, predicate: URIRef) -> str:
        texts = {getattr(text, "language", None): str(text) for text in self.graph.objects(node, predicate)}
        return texts.get(self.language) or texts.get("en") or texts.get(None, "")

    def _check(self, question: Question, given: Mapping[str, str]) -> None:
        known = (*question.parameters, *question.optional)
        for name in given:
            if name not in known:
                raise PlanError(f"question {question.name}: there is no parameter {name!r}. {suggest(name, known)}")
        for name in question.parameters:
            if name not in given:
                raise PlanError(f"question {question.name}: it needs the {name} that it is about.")


def _answer(found: Any) -> Answer:
    columns = tuple(map(str, found.vars or ()))
    return Answer(columns, tuple(tuple(_plain(row[name]) for name in columns) for row in found))


def _plain(term: Any) -> Any:
    if term is None:
        return None
    return term.toPython() if isinstance(term, Literal) else key_of(term)
