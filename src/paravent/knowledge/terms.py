"""What a person calls the kinds of entries, and the concept behind each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from paravent.errors import PlanError
from paravent.near import suggest

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "technique": "Technique",
        "algorithm": "Algorithm",
        "treatment": "Treatment",
        "model": "PrivacyModel",
        "attack": "AttackScenario",
        "case": "RealCase",
        "metric": "Metric",
        "requirement": "AnonymizationRequirement",
        "usage": "UsageNeed",
        "input": "AlgorithmInput",
        "generator": "InputGenerator",
        "context": "ContextParameterType",
        "characteristic": "Characteristic",
        "value": "CharacteristicValue",
        "abstraction": "ProcessAbstraction",
        "rule": "FilterRule",
        "thresholds": "ThresholdTable",
        "constraint": "Constraint",
        "evaluation": "ExperimentalEvaluation",
        "descriptor": "DatasetDescriptor",
        "help": "HelpObject",
        "tool": "Tool",
        "quiz": "QuizItem",
        "lesson": "Lesson",
        "phrase": "Phrase",
    }
)
"""By the word that functions and commands take."""

LANGUAGES = ("en", "fr")


def concept(kind: str) -> str:
    """
    >>> concept("model")
    'PrivacyModel'
    """
    if kind not in KINDS:
        raise PlanError(f"knowledge: there is no kind {kind!r}. {suggest(kind, KINDS)}")
    return KINDS[kind]


def spoken(language: str) -> str:
    """
    >>> spoken("fr")
    'fr'
    """
    if language not in LANGUAGES:
        raise PlanError(f"knowledge: there are texts in 'en' and 'fr', not in {language!r}.")
    return language
