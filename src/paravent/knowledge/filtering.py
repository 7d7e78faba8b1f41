"""Which algorithms suit a context, by the rules of the knowledge, and why the others do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from paravent.errors import PlanError
from paravent.knowledge.base import Knowledge
from paravent.knowledge.entry import Entry
from paravent.near import suggest

_YES = {True: "yes", False: "no"}


@dataclass(frozen=True)
class Reason:
    """A rule that spoke about an algorithm, and its sentence."""

    rule: str
    sentence: str


@dataclass(frozen=True)
class Filtered:
    """`kept` algorithms by key; those `dropped`, each with its reasons; `marks` on kept ones; and `forced` inputs."""

    kept: tuple[str, ...]
    dropped: Mapping[str, tuple[Reason, ...]]
    marks: Mapping[str, tuple[Reason, ...]] = field(default_factory=dict)
    forced: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def filtered(known: Knowledge, context: Mapping[str, Any], technique: str = "generalization") -> Filtered:
    """The algorithms of a technique (and of its parts) that suit a context, by every filter rule of the knowledge.

    `context` holds values of context parameters by their keys: 'expected-type', 'size-of-data' ('small', 'large' or a
    number of rows), 'usage-need', 'target-column', 'interaction' (yes or no), 'suppression-rate' and so on. What is not
    said is not held against an algorithm, but for a target, which some cannot do without.
    """
    parameters = {entry.key for entry in known.entries("context")}
    for name in context:
        if name not in parameters:
            raise PlanError(f"context: there is no parameter {name!r}. {suggest(name, parameters)}")
    said = {name: _said(known, name, value) for name, value in context.items()}
    rules, outputs = known.entries("rule"), _outputs(known)
    keys = [row[0] for row in known.ask("algorithms-of", technique=technique)]
    dropped: dict[str, tuple[Reason, ...]] = {}
    marks: dict[str, tuple[Reason, ...]] = {}
    forced: dict[str, dict[str, int]] = {}
    for key in keys:
        algorithm = known.entry(key)
        for rule in rules:
            effect = _effect(rule, algorithm, said)
            if effect is None:
                continue
            reason = Reason(rule.key, _sentence(rule, algorithm, outputs))
            if effect in ("drop", "keep-only"):
                dropped[key] = (*dropped.get(key, ()), reason)
            elif effect == "force":
                forced.setdefault(key, {})["max-sup"] = 0
                marks[key] = (*marks.get(key, ()), reason)
            elif effect != "keep-all":
                marks[key] = (*marks.get(key, ()), reason)
    kept = tuple(key for key in keys if key not in dropped)
    return Filtered(
        kept,
        dropped,
        {key: found for key, found in marks.items() if key in kept},
        {key: found for key, found in forced.items() if key in kept},
    )


@dataclass(frozen=True)
class Passed:
    """A rule that a context calls up and that leaves an algorithm in: `triple` is what the knowledge says of it."""

    rule: str
    label: str
    algorithm: str
    characteristic: str
    value: str
    triple: tuple[str, str, str]

    def says(self, known: Knowledge) -> str:
        """It in a sentence, with the statement."""
        return known.say(
            "passed",
            label=self.label,
            rule=self.rule,
            algorithm=self.algorithm,
            characteristic=self.characteristic,
            value=self.value,
            triple=" ".join(self.triple),
        )


def passed(known: Knowledge, context: Mapping[str, Any], key: str) -> list[Passed]:
    """The rules that hold in a context and leave an algorithm in, with the statement of the knowledge that does it."""
    said = {name: _said(known, name, value) for name, value in context.items()}
    algorithm, found = known.entry(key), []
    for rule in known.entries("rule"):
        if rule.value("effect") not in ("drop", "keep-only") or not _holds(rule, said):
            continue
        about = {known.entry(each).value("ofCharacteristic") for each in rule.values("selects")}
        for own in algorithm.relations:
            if own.name == "owns" and known.entry(own.value).value("ofCharacteristic") in about:
                triple = (f"know:{key}", "opam:owns", f"know:{own.value}")
                characteristic = f"{own.label[:1].lower()}{own.label[1:]}"
                found.append(Passed(rule.key, rule.label, algorithm.label, characteristic, own.reads, triple))
                break
    return found


def _effect(rule: Entry, algorithm: Entry, said: Mapping[str, str]) -> str | None:
    """What a rule does to an algorithm in a context, if anything."""
    effect = rule.value("effect") or ""
    if effect == "mark-not-executable":
        return None if algorithm.executable else effect
    if not _holds(rule, said):
        return None
    owned = bool(set(rule.values("selects")) & set(algorithm.values("owns")))
    if effect == "keep-all":
        return None
    return effect if owned != (effect == "keep-only") else None


def _holds(rule: Entry, said: Mapping[str, str]) -> bool:
    name, operator, operand = rule.value("whenParameter") or "", rule.value("operator"), rule.value("operand") or ""
    if operator == "always":
        return True
    if operator == "absent":
        return not said.get(name)
    if name not in said:
        return False
    if operator == "equals":
        return said[name] == operand or _number(said[name]) == _number(operand) != None  # noqa: E711
    left, right = _number(said[name]), _number(operand)
    if left is None or right is None:
        return False
    return left > right if operator == "above" else left >= right


def _sentence(rule: Entry, algorithm: Entry, types: set[str]) -> str:
    """The rule's explanation, with the names filled in; nothing else in braces is looked at."""
    outputs = [each for each in algorithm.relations if each.name == "owns" and each.value in types]
    text = rule.value("explanation") or rule.label
    filled = {
        "algorithm": algorithm.label,
        "value": outputs[0].reads if outputs else "",
        "operand": rule.value("operand") or "",
    }
    for name, value in filled.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _outputs(known: Knowledge) -> set[str]:
    return {entry.key for entry in known.entries("value") if entry.value("ofCharacteristic") == "output-type"}


def _said(known: Knowledge, name: str, value: Any) -> str:
    if isinstance(value, bool):
        return _YES[value]
    if name == "size-of-data" and isinstance(value, int | float):
        large = _number(known.entry("large-table").value("value") or "")
        return "large" if large is not None and value >= large else "small"
    return "" if value is None else str(value)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
