"""The cube as individuals of the ontology: a Turtle view of its evaluations, written line by line.

An evaluation names its algorithm, requirement, metric and value, and what it is constrained by: values of inputs (k, l,
epsilon, the share of rows that may be suppressed) and of descriptors of the table. Values that occur in several
evaluations are one individual.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from paravent.knowledge.cube.criteria import CRITERIA, METRICS
from paravent.knowledge.descriptors import NAMES

PREFIXES = """@prefix opam: <urn:paravent:opam:> .
@prefix know: <urn:paravent:knowledge:> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
_REQUIREMENTS = {"distributions": "distribution-preservation", "time": "execution-time"}
_METRICS = {
    "utility.learning.naive_bayes": "utility.learning",
    "utility.marginals.1.mean": "utility.marginals",
    "utility.marginals.2.mean": "utility.marginals",
    "cost.seconds": "execution-seconds",
    "cost.megabytes": "peak-memory",
}
_INPUTS = {"k": "k", "l": "l", "epsilon": "epsilon", "suppression": "max-sup"}
_DESCRIPTORS = {"shape": "data-distribution", "columns": "quasi-identifier-count", "rows": "row-count"}


def turtle(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The lines of a Turtle file with these evaluations, those that are numbers."""
    yield PREFIXES
    for name in NAMES:
        if name not in _DESCRIPTORS:
            label = name.replace("_", " ")
            yield f'know:descriptor-{name} a opam:DatasetDescriptor ; rdfs:label "{label}"@en .'
    known: set[str] = set()
    for place, row in enumerate(row for row in rows if row["value"] is not None):
        names = []
        for name, value in _conditions(row):
            individual = f"value-{name}-{_slug(value)}"
            names.append(f"know:{individual}")
            if individual not in known:
                known.add(individual)
                yield _value(individual, name, value)
        yield _evaluation(place, row, names)


def _conditions(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name in (*_INPUTS, "shape", *NAMES):
        if row[name] is not None:
            yield name, row[name]


def _value(individual: str, name: str, value: Any) -> str:
    if name in _INPUTS:
        return (
            f"know:{individual} a opam:InputValue ; opam:ofInput know:{_INPUTS[name]} ; opam:value {_literal(value)} ."
        )
    descriptor = _DESCRIPTORS.get(name, f"descriptor-{name}")
    return (
        f"know:{individual} a opam:DatasetDescriptorValue ; opam:ofDatasetDescriptor know:{descriptor} ; "
        f"opam:value {_literal(value)} ."
    )


def _evaluation(place: int, row: Mapping[str, Any], conditions: list[str]) -> str:
    metric = METRICS[row["metric"]]
    parts = [
        f"know:evaluation-{place + 1} a opam:ExperimentalEvaluation",
        f"opam:evaluatesAlgorithm know:{algorithm(row['method'])}",
        f"opam:evaluatesRequirement know:{requirement(metric.criterion)}",
        f"opam:evaluatesMetric know:{metric_name(metric.name)}",
        f"opam:value {_literal(row['value'])}",
        f'opam:unit "{metric.unit}"',
        f"dcterms:source {_literal(row['source'])}",
    ]
    if row["date"]:
        parts.append(f'dcterms:created "{row["date"]}"^^xsd:date')
        parts.append(f"rdfs:comment {_literal(_told(row))}")
    if conditions:
        parts.append("opam:constrainedBy " + ", ".join(conditions))
    return " ;\n    ".join(parts) + " ."


def _told(row: Mapping[str, Any]) -> str:
    return f"{row['method']} on {row['table']}, seed {row['seed']}, version {row['version']}, {row['machine']}"


def requirement(criterion: str) -> str:
    """The requirement of the ontology that a criterion is."""
    return _REQUIREMENTS.get(criterion, CRITERIA[criterion].name)


def metric_name(metric: str) -> str:
    """The metric of the ontology that one of ours is."""
    return _METRICS.get(metric, "utility.queries" if metric.startswith("utility.queries") else metric)


def algorithm(label: str) -> str:
    """The algorithm of the ontology that a setting is, by the call or the registered name of its entry."""
    name = label.split("(", maxsplit=1)[0]
    cut = re.search(r'cut="(\w+)"', label)
    for entry, registered, call in _algorithms():
        if registered == name and (cut is None or f"cut='{cut[1]}'" in call):
            return entry
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()
    return words if cut is None else f"{words}-{cut[1]}"


@cache
def _algorithms() -> tuple[tuple[str, str, str], ...]:
    path = Path(str(files("paravent.knowledge"))) / "ontology" / "algorithms.ttl"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    pattern = re.compile(
        r'^know:(\S+) a [^\n]*opam:Algorithm\b(?:(?!\n\n).)*?opam:registeredAs "(\w+)"'
        r'(?:(?!\n\n).)*?opam:call "([^\n]*)" ;',
        re.MULTILINE | re.DOTALL,
    )
    return tuple((found[1], found[2], found[3]) for found in pattern.finditer(text))


def _slug(value: Any) -> str:
    return re.sub(r"[^0-9A-Za-z]+", "-", f"{value:g}" if isinstance(value, float) else str(value)).strip("-")


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return f'"{value!r}"^^xsd:double'
    text = str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'
