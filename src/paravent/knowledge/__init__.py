"""Knowledge: what is known about techniques, algorithms, models, attacks and measures, as data that can be asked.

The ontology is Turtle (`opam.ttl` the vocabulary, `ontology/` its entries); names are loaded on first use.
"""

from __future__ import annotations

from paravent.registry import exported

homes, __getattr__, __dir__ = exported(
    __name__,
    {
        "cube.build": "BuildProgress build_cube",
        "cube.criteria": "CRITERIA METRICS Criterion Metric criterion metric",
        "cube.store": "Cube evaluations",
        "descriptors": "Descriptors describe",
    },
)
