"""The public names of the package, each with the module that it comes from.

Models and tree builders are those of the registry; functions and other classes are named here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any

from paravent.registry import entries

MODULES: Mapping[str, str] = MappingProxyType(
    {
        "attacks": "paravent.privacy.attacks",
        "data": "paravent.data",
        "guide": "paravent.guide",
        "knowledge": "paravent.knowledge",
        "methods": "paravent.methods",
        "private": "paravent.private",
        "treatments": "paravent.treatments",
    }
)

_NAMES = {
    "comparison.best_k": "BestK best_k",
    "comparison.comparison": "Comparison",
    "comparison.run": "compare",
    "comparison.sweep": "sweep",
    "engine.anonymize": "anonymize",
    "engine.spark.options": "Spark",
    "engine.spark.release": "SparkRelease",
    "engine.streaming.run": "anonymize_file",
    "errors": "CancelledError InfeasibleError ParaventError PlanError RoleError TableError TreeError"
    " UnsafeReleaseError",
    "guide.context": "Context",
    "guide.guidance": "Guidance",
    "guide.situation": "Situation",
    "plan.about": "About",
    "plan.assess": "quasi_identifiers risk",
    "plan.attack": "attack",
    "plan.draft": "draft",
    "plan.judge": "measure verify",
    "plan.k_sweep": "k_sweep",
    "plan.plan": "Plan",
    "plan.release": "Release",
    "plan.roles": "Drop Identifier Insensitive Quasi Sensitive",
    "private.ledger": "Budget",
    "private.transcript": "Transcript",
    "profiling.profile": "profile",
    "table.clean": "clean",
    "table.kinds": "Kind",
    "table.read": "read",
    "table.table": "Table",
    "table.write": "write",
}


@cache
def homes() -> Mapping[str, str]:
    """The module of each public name.

    >>> homes()["anonymize"], homes()["KAnonymity"], homes()["intervals"]
    ('paravent.engine.anonymize', 'paravent.privacy.k_anonymity', 'paravent.hierarchy.builders.intervals')
    """
    named = {name: f"paravent.{home}" for home, names in _NAMES.items() for name in names.split()}
    return MappingProxyType({**entries("builder"), **entries("model"), **named})


def names() -> list[str]:
    """Every public name, sorted, those of modules among them."""
    return sorted([*homes(), *MODULES])


def load(name: str) -> Any:
    """What a public name stands for."""
    return import_module(MODULES[name]) if name in MODULES else getattr(import_module(homes()[name]), name)
