"""What `pv.knowledge` offers: short ways to the knowledge as it is used, with the user's layer in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paravent.arguments import check_call
from paravent.knowledge.answer import Answer
from paravent.knowledge.base import SECONDS
from paravent.knowledge.entry import Entry
from paravent.knowledge.exporting import Format
from paravent.knowledge.filtering import Filtered
from paravent.knowledge.loading import load
from paravent.knowledge.replay import Walk
from paravent.plan.plan import Plan
from paravent.table.atomic import replacing


def ask(question: str, *, language: str = "en", **given: str) -> Answer:
    """The answer to a named question, such as "CQ2"; `questions()` lists them. `given` are keys of entries.

    >>> ask("metrics-of", requirement="completeness").rows
    (('utility.completeness', 'Completeness', 'higher', 'share'),)
    """
    check_call(ask, locals())
    return load(language=language).ask(question, **given)


def questions() -> Mapping[str, str]:
    """The named questions, with what each asks.

    >>> questions()["CQ1"]
    'Which techniques of anonymization exist, and what do they do?'
    """
    return load().questions()


def query(text: str, *, seconds: float = SECONDS) -> Answer:
    """The answer to SPARQL of your own. It can read the knowledge and nothing else, and is stopped after `seconds`.

    >>> query("SELECT ?a WHERE { ?a opam:registeredAs 'Datafly' }").rows
    (('datafly',),)
    """
    check_call(query, locals())
    return load().query(text, seconds=seconds)


def show(name: str, *, language: str = "en") -> Entry:
    """What is known about a technique, an algorithm, a model, a measure or anything else; it prints as a page.

    >>> show("k-anonymity", language="fr").label
    'k-anonymat'
    """
    check_call(show, locals())
    return load(language=language).entry(name)


def entries(kind: str, *, language: str = "en") -> tuple[Entry, ...]:
    """Every entry of a kind: "technique", "algorithm", "model", "attack", "metric", "requirement", "context" and so on.

    >>> [entry.key for entry in entries("generator")][:2]
    ['generate-delta', 'generate-k']
    """
    check_call(entries, locals())
    return load(language=language).entries(kind)


def help_text(name: str, *, language: str = "en") -> str:
    """The help text of an entry, as the user's layer has it or as it is shipped.

    >>> help_text("max-sup").split(".")[0]
    'A few odd rows can cost everybody else much detail'
    """
    check_call(help_text, locals())
    return load(language=language).help(name)


def say(phrase: str, *, language: str = "en", **values: object) -> str:
    """A sentence of the guide, with values filled in; `entries("phrase")` lists them.

    >>> say("place", language="fr", name="Datafly (k=5)", rank=1, count=12, score="0.0914")
    'Datafly (k=5) arrive en position 1 sur 12, avec un score de 0.0914.'
    """
    check_call(say, locals())
    return load(language=language).say(phrase, **values)


def thresholds(requirement: str) -> tuple[float, ...]:
    """The eight differences between two alternatives from which one counts as better, and how much.

    >>> thresholds("classification")
    (2.0, 5.0, 8.0, 10.0, 12.0, 14.0, 16.0, 19.0)
    """
    check_call(thresholds, locals())
    return load().thresholds(requirement)


def suitable(context: Mapping[str, Any], technique: str = "generalization", *, language: str = "en") -> Filtered:
    """Which algorithms suit a context by the rules of the knowledge, and the sentence for each that does not.

    >>> found = suitable({"size-of-data": "large", "usage-need": "classification", "target-column": "salary"})
    >>> "samarati" in found.kept, found.dropped["samarati"][0].rule
    (False, 'F5')
    """
    check_call(suitable, locals())
    return load(language=language).suitable(context, technique)


def picture(name: str, path: str | os.PathLike[str] | None = None, *, language: str = "en") -> str:
    """The process of a technique or an algorithm as SVG; written to `path` where one is given.

    >>> "<title" in picture("datafly")
    True
    """
    check_call(picture, locals())
    text = load(language=language).picture(name)
    if path is not None:
        with replacing(Path(path)) as part:
            part.write_text(text, encoding="utf-8")
    return text


def how(method: str, table: Any, plan: Plan | None = None, *, rows: int = 6, language: str = "en", **more: Any) -> Walk:
    """How a method works, step by step on your own table. Without a plan, one is drafted.

    >>> import polars as pl
    >>> import paravent as pv
    >>> ages = pl.DataFrame({"age": [31, 32, 38, 39], "disease": ["flu", "ulcer", "flu", "cold"]})
    >>> columns = {"age": pv.Quasi(pv.intervals(5, 10)), "disease": pv.Sensitive()}
    >>> how("datafly", ages, pv.Plan(columns, pv.KAnonymity(2))).stages[-1].rows[0]
    ('[30, 35[',)
    """
    check_call(how, locals())
    return load(language=language).how(method, table, plan, rows=rows, **more)


def export(path: str | os.PathLike[str] | None = None, *, format: Format = "turtle") -> str:
    """The whole knowledge, the user's layer in it, as Turtle, RDF/XML or JSON-LD; written to `path` where given.

    >>> export(format="turtle").startswith("@prefix dcterms:")
    True
    """
    check_call(export, locals())
    text = load().export(format)
    if path is not None:
        with replacing(Path(path)) as part:
            part.write_text(text, encoding="utf-8")
    return text


def notes() -> tuple[str, ...]:
    """Sentences about a user's layer that was not loaded, or whose changes meet newer shipped ones."""
    return load().notes
