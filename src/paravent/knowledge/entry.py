"""Entry: what is known about one thing, as a person reads it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Relation:
    """`name` and `label` of a relation, and what it leads to: the key of an entry (`leads`) or a plain value."""

    name: str
    label: str
    value: str
    reads: str
    leads: bool


@dataclass(frozen=True)
class Entry:
    """What is known about one thing. It prints as a page."""

    key: str
    kind: str
    label: str
    definition: str
    help: str
    relations: tuple[Relation, ...]

    def values(self, name: str) -> tuple[str, ...]:
        """What a relation leads to: keys of entries, or plain values."""
        return tuple(relation.value for relation in self.relations if relation.name == name)

    def value(self, name: str) -> str | None:
        """What a relation of one value leads to."""
        return next(iter(self.values(name)), None)

    @property
    def registered(self) -> str | None:
        """The name in the registry of methods, treatments, models or attacks."""
        return self.value("registeredAs")

    @property
    def executable(self) -> bool:
        """Whether paravent can run it."""
        return self.value("executable") == "true"

    def to_dict(self) -> dict[str, object]:
        relations: dict[str, list[str]] = {}
        for relation in self.relations:
            relations.setdefault(relation.name, []).append(relation.value)
        return {
            "key": self.key,
            "kind": self.kind,
            "label": self.label,
            "definition": self.definition,
            "help": self.help,
            "relations": relations,
        }

    def __str__(self) -> str:
        parts = [f"{self.label} ({self.kind} {self.key})"]
        parts += [textwrap.fill(text, 110) for text in (self.definition, self.help) if text]
        told: dict[str, list[str]] = {}
        for relation in self.relations:
            shown = (
                f"{relation.reads} ({relation.value})"
                if relation.leads and relation.reads != relation.value
                else relation.reads
            )
            told.setdefault(relation.label, []).append(shown)
        width = max(map(len, told), default=0)
        lines = [
            textwrap.fill(
                ", ".join(values), 110, initial_indent=f"  {label:<{width}}  ", subsequent_indent=" " * (width + 4)
            )
            for label, values in told.items()
        ]
        return "\n\n".join([*parts, "\n".join(lines)] if lines else parts)
