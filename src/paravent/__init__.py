"""paravent: anonymize a table about people, prove what the result protects against, and measure what it cost.

Importing this module is free: each name is loaded when it is first used (PEP 562).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what the table below says, for type checkers and editors
    # fmt: off
    # ruff: noqa: I001
    from paravent import data, methods
    from paravent.comparison.best_k import BestK, best_k
    from paravent.comparison.comparison import Comparison
    from paravent.comparison.run import compare
    from paravent.comparison.sweep import sweep
    from paravent.errors import CancelledError, InfeasibleError, ParaventError, PlanError, TableError, TreeError
    from paravent.errors import RoleError, UnsafeReleaseError
    from paravent.hierarchy.builders import balanced, by_frequency, ordered_groups, quantiles, tree_file
    from paravent.hierarchy.builders.dates import dates
    from paravent.hierarchy.builders.flat import flat
    from paravent.hierarchy.builders.groups import groups
    from paravent.hierarchy.builders.icd import icd
    from paravent.hierarchy.builders.intervals import intervals
    from paravent.hierarchy.builders.prefixes import prefixes
    from paravent.plan.about import About
    from paravent.plan.attack import attack
    from paravent.plan.draft import draft
    from paravent.plan.assess import quasi_identifiers, risk
    from paravent.plan.judge import measure, verify
    from paravent.plan.k_sweep import k_sweep
    from paravent.plan.plan import Plan
    from paravent.plan.release import Release
    from paravent.plan.roles import Drop, Identifier, Insensitive, Quasi, Sensitive
    from paravent.plan.runner import anonymize
    from paravent.privacy import AlphaKAnonymity, AverageRisk, BetaLikeness, ColumnAnonymity, DeltaDisclosure
    from paravent.privacy import DeltaPresence
    from paravent.privacy import KAnonymity, KMap, LDiversity, MaximumRisk, PopulationUniqueness, SampleUniqueness
    from paravent.privacy import TCloseness, attacks
    from paravent.table.clean import clean
    from paravent.table.kinds import Kind
    from paravent.profiling.profile import profile
    from paravent.table.read import read
    from paravent.table.table import Table
    from paravent.table.write import write
    # fmt: on

_ROOMS = {
    "comparison.best_k": "BestK best_k",
    "comparison.comparison": "Comparison",
    "comparison.run": "compare",
    "comparison.sweep": "sweep",
    "errors": "CancelledError InfeasibleError ParaventError PlanError RoleError TableError TreeError"
    " UnsafeReleaseError",
    "hierarchy.builders": "balanced by_frequency dates flat groups icd intervals ordered_groups prefixes quantiles"
    " tree_file",
    "plan.about": "About",
    "plan.attack": "attack",
    "plan.draft": "draft",
    "plan.assess": "quasi_identifiers risk",
    "plan.judge": "measure verify",
    "plan.k_sweep": "k_sweep",
    "plan.plan": "Plan",
    "plan.release": "Release",
    "plan.roles": "Drop Identifier Insensitive Quasi Sensitive",
    "plan.runner": "anonymize",
    "privacy": "AlphaKAnonymity AverageRisk BetaLikeness ColumnAnonymity DeltaDisclosure DeltaPresence KAnonymity KMap"
    " LDiversity MaximumRisk PopulationUniqueness SampleUniqueness TCloseness",
    "table.clean": "clean",
    "table.kinds": "Kind",
    "profiling.profile": "profile",
    "table.read": "read",
    "table.table": "Table",
    "table.write": "write",
}
_MODULES = {"attacks": "privacy.attacks", "data": "data", "methods": "methods"}
_HOME = {name: f"paravent.{room}" for room, names in _ROOMS.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"paravent.{_MODULES[name]}")
    if name == "__version__":
        return import_module("importlib.metadata").version("paravent")
    if name not in _HOME:
        near = import_module("paravent.near").suggest(name, __all__) if not name.startswith("_") else ""
        raise AttributeError(f"module 'paravent' has no attribute {name!r}. {near}".rstrip())
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


# fmt: off
__all__ = [
    "About", "AlphaKAnonymity", "AverageRisk", "BestK", "BetaLikeness", "CancelledError", "ColumnAnonymity",
    "Comparison", "DeltaDisclosure", "DeltaPresence", "Drop", "Identifier", "InfeasibleError", "Insensitive",
    "KAnonymity", "KMap", "Kind", "LDiversity", "MaximumRisk", "ParaventError", "Plan", "PlanError",
    "PopulationUniqueness", "Quasi", "Release", "RoleError", "SampleUniqueness", "Sensitive", "TCloseness", "Table",
    "TableError", "TreeError", "UnsafeReleaseError", "anonymize", "attack", "attacks", "balanced", "best_k",
    "by_frequency", "clean", "compare", "data", "dates", "draft", "flat", "groups", "icd", "intervals", "k_sweep",
    "measure", "methods", "ordered_groups", "prefixes", "profile", "quantiles", "quasi_identifiers", "read", "risk",
    "sweep", "tree_file", "verify", "write",
]
