"""Layer: the file in which an expert adds to the knowledge and changes it. What does not validate is not written."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from paravent.arguments import check_call
from paravent.errors import PlanError
from paravent.knowledge import shipped, turtle
from paravent.knowledge.layer import history
from paravent.knowledge.layer.conflicts import Conflict, conflicts
from paravent.knowledge.layer.history import Version
from paravent.knowledge.layer.merge import merged, rivals, withdrawn
from paravent.knowledge.layer.patch import patch
from paravent.knowledge.layer.place import usual_path
from paravent.knowledge.layer.write import Draft
from paravent.knowledge.rdf import DCTERMS, KNOW, OPAM, RDF, RDFS, SKOS, Graph, know
from paravent.knowledge.terms import spoken
from paravent.knowledge.validate import faults_of_layer
from paravent.near import suggest


class Layer:
    """A user's layer in a file. Every change is checked against the shapes, written whole or not at all, and kept as a
    version; the shipped knowledge is never touched.

    >>> import tempfile
    >>> layer = Layer(Path(tempfile.mkdtemp()) / "mine.ttl")
    >>> _ = layer.change("datafly", help="Ask Ann before you take it.")
    >>> [version.change for version in layer.versions]
    ["change of 'datafly': help (en)"]
    >>> layer.undo().change, layer.path.exists()
    ("change of 'datafly': help (en)", False)
    """

    def __init__(self, path: str | os.PathLike[str] | None = None):
        check_call(Layer.__init__, locals())
        self.path = usual_path() if path is None else Path(path)

    def __repr__(self) -> str:
        return f"Layer({str(self.path)!r})"

    def graph(self) -> Graph:
        """The statements of the file; none where there is no file."""
        return turtle.read(self.path) if self.path.exists() else Graph(bind_namespaces="none")

    def faults(self) -> tuple[str, ...]:
        """What is wrong with the file, a sentence each."""
        try:
            layer = self.graph()
        except PlanError as error:
            return (str(error),)
        if not len(layer):
            return ()
        return faults_of_layer(layer, shipped.graph(), merged(shipped.graph(), layer))

    def add(self, kind: str, key: str, *, language: str = "en", **said: Any) -> Version:
        """Add an entry: its label, definition and help, and its relations by name (keys of entries, or values).

        An algorithm that paravent cannot run is known and not executable, unless `registeredAs` names what runs it.
        """
        draft = self._draft(language)
        draft.add(kind, key, said)
        return self._write(draft.graph, f"new {kind} {key!r}")

    def change(self, key: str, *, language: str = "en", **said: Any) -> Version:
        """Change the label, definition, help or relations of an entry, shipped or not. What is replaced is remembered,
        so that a newer shipped text is noticed."""
        if not said:
            raise PlanError(f"change {key!r}: say what shall be changed, such as help='…'.")
        draft = self._draft(language)
        draft.change(key, said)
        return self._write(draft.graph, f"change of {key!r}: {', '.join(said)} ({language})")

    def evaluate(
        self,
        algorithm: str,
        requirement: str,
        metric: str,
        value: float,
        *,
        source: str,
        given: Mapping[str, Any] | None = None,
    ) -> Version:
        """Add an evaluation that was measured or published; `given` holds values of inputs and of descriptors."""
        draft = self._draft("en")
        key = draft.evaluate(algorithm, requirement, metric, value, source, given or {})
        return self._write(draft.graph, f"new evaluation {key!r}")

    def threshold(self, requirement: str, bounds: Iterable[float]) -> Version:
        """Change the eight differences from which one of two alternatives counts as better, and how much."""
        draft = self._draft("en")
        draft.threshold(requirement, bounds)
        return self._write(draft.graph, f"thresholds of {requirement!r}")

    def withdraw(self, key: str, relation: str, value: str) -> Version:
        """Take one shipped statement back."""
        draft = self._draft("en")
        draft.withdraw_value(key, relation, value)
        return self._write(draft.graph, f"withdrawal of {relation} {value!r} of {key!r}")

    def remove(self, key: str) -> Version:
        """Remove whatever the layer says of an entry: an entry of its own, or its changes to a shipped one."""
        draft = self._draft("en")
        draft.remove(key)
        return self._write(draft.graph, f"removal of {key!r}")

    def undo(self) -> Version:
        """Take the last change back, and say which it was."""
        return history.undo(self.path)

    @property
    def versions(self) -> tuple[Version, ...]:
        """Every state of the layer, the first first."""
        return history.versions(self.path)

    def patch(self) -> str:
        """The layer as an RDF Patch of the shipped knowledge."""
        return patch(shipped.graph(), self.graph())

    def conflicts(self) -> tuple[Conflict, ...]:
        """Where what is shipped now differs from what was shipped when the layer was made."""
        return conflicts(shipped.graph(), self.graph())

    def keep(self, key: str) -> Version:
        """Settle the conflicts of an entry: the layer's word stands over what is shipped now."""
        layer = self.graph()
        self._in_conflict(key)
        for node, (subject, predicate, was) in withdrawn(layer).items():
            if subject == know(key) and (subject, predicate, was) not in shipped.graph():
                layer.remove((node, None, None))
                for value in list(layer.objects(subject, predicate)):
                    for old in rivals(shipped.graph(), subject, predicate, value):
                        Draft(layer, shipped.graph(), "en").withdraw(subject, predicate, old)
        if (know(key), RDF.type, None) in shipped.graph():
            layer.remove((know(key), RDF.type, None))
        return self._write(layer, f"kept {key!r} as the layer has it")

    def take(self, key: str) -> Version:
        """Settle the conflicts of an entry: what is shipped now stands."""
        self._in_conflict(key)
        draft = self._draft("en")
        draft.remove(key)
        return self._write(draft.graph, f"took {key!r} as it is shipped")

    def _in_conflict(self, key: str) -> None:
        known = {conflict.key for conflict in self.conflicts()}
        if key not in known:
            raise PlanError(f"layer: there is no conflict about {key!r}. {suggest(key, known)}")

    def _draft(self, language: str) -> Draft:
        return Draft(self.graph(), shipped.graph(), spoken(language))

    def _write(self, layer: Graph, change: str) -> Version:
        faults = faults_of_layer(layer, shipped.graph(), merged(shipped.graph(), layer))
        if faults:
            more = f" There are {len(faults) - 1} more faults." if len(faults) > 1 else ""
            raise PlanError(f"{change}: nothing was written. {faults[0][0].upper()}{faults[0][1:]}{more}")
        for prefix, address in {"opam": OPAM, "know": KNOW, "rdfs": RDFS, "skos": SKOS, "dcterms": DCTERMS}.items():
            layer.bind(prefix, str(address))
        text = layer.serialize(format="turtle")
        version = history.write(self.path, text, change)
        mark_checked(self.path)
        return version


def mark_checked(path: Path) -> None:
    """Remember that exactly this file was found sound over exactly this shipped knowledge."""
    _mark(path).write_text(_name(path), encoding="utf-8")


def was_checked(path: Path) -> bool:
    """Whether the file was found sound as it is, so that it need not be checked on every start."""
    try:
        return _mark(path).read_text(encoding="utf-8") == _name(path)
    except OSError:
        return False


def _mark(path: Path) -> Path:
    folder = history.folder(path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "checked"


def _name(path: Path) -> str:
    return f"{hashlib.sha256(path.read_bytes()).hexdigest()} {shipped.digest()}"
