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
        "api": "ask entries export help_text how notes picture query questions say show suitable thresholds",
        "base": "Knowledge",
        "generators": "delta_for_rows k_from_risk l_from_belief max_suppressed seeds t_from_gain",
        "layer.layer": "Layer",
        "loading": "load",
        "predicting.models": "Predictors",
        "predicting.outlook": "Outlook predict",
        "predicting.prediction": "Prediction",
    },
)
