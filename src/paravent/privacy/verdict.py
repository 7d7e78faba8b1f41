"""Verdict: what was found about a finished release."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from paravent.privacy.classes import Classes
from paravent.privacy.promise import KNOWN_BY, Promise


def counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


@dataclass(frozen=True)
class Check:
    """One promise: what was asked, the level that the release has (nan: nobody can tell), and how many classes fall
    short. `reading` says how cells are read where that makes the promise a weaker one, `words` how the level came
    about where it was not counted class by class."""

    promise: Promise
    level: float
    holds: bool
    failing: int
    reading: str = ""
    words: str = ""

    @property
    def demand(self) -> str:
        """What was asked, and how it was counted where that is weaker."""
        return f"{self.promise.describe()} {self.reading}".rstrip()

    def __str__(self) -> str:
        verdict = "holds" if self.holds else "FAILS"
        return f"{verdict}  {self.demand}  ({self.found})"

    @property
    def found(self) -> str:
        """What was found, in a few words: `privacy.k = 5`."""
        if math.isnan(self.level):
            return self.words
        short = f"; {counted(self.failing, 'class', 'classes')} short of it" if self.failing else ""
        return f"{self.promise.key} = {self.level:g}{short}" + (f"; {self.words}" if self.words else "")

    @property
    def known_by(self) -> str:
        """How it is known whether it holds."""
        return KNOWN_BY[self.promise.known_by]


@dataclass(frozen=True, repr=False)
class Verdict:
    """Whether a release keeps its promises. It is true when all of them hold, which says nothing where there is none:
    `guarantees` tells.

    `faults` are promises other than the models that are broken. `strict_k` is the size of the smallest class when a
    missing cell matches only missing cells; it is below `privacy.k` where wildcards stand in the release. `people` are
    those whom the rows are about, where they were counted instead of rows.
    """

    checks: tuple[Check, ...]
    rows: int
    suppressed: int
    allowed: int | None
    strict_k: int
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    people: int | None = None
    classes: Classes = field(repr=False, compare=False, kw_only=True)

    @property
    def holds(self) -> bool:
        return not self.faults and all(check.holds for check in self.checks)

    def __bool__(self) -> bool:
        return self.holds

    @property
    def guarantees(self) -> bool:
        """Whether anything was promised."""
        return bool(self.checks)

    @property
    def headline(self) -> str:
        """What heads whatever is said about the release."""
        if not self.guarantees:
            return "Nothing is guaranteed: the plan asks for no promise"
        return "Every promise holds" if self.holds else "Not every promise holds"

    @property
    def by_knowledge(self) -> dict[str, list[Check]]:
        """The promises by how they are known."""
        found: dict[str, list[Check]] = {}
        for check in self.checks:
            found.setdefault(check.known_by, []).append(check)
        return found

    @property
    def levels(self) -> dict[str, float]:
        """The level of each promise under its dotted name."""
        return {check.promise.key: check.level for check in self.checks if not math.isnan(check.level)}

    def to_dict(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "guarantees": self.guarantees,
            "promises": [
                {
                    "demand": check.demand,
                    "key": check.promise.key,
                    "level": check.level if math.isfinite(check.level) else None,
                    "holds": check.holds,
                    "known_by": check.promise.known_by,
                    "failing_classes": check.failing,
                    **({"words": check.words} if check.words else {}),
                }
                for check in self.checks
            ],
            "rows": self.rows,
            **({} if self.people is None else {"people": self.people}),
            "suppressed": self.suppressed,
            "suppression_allowed": self.allowed,
            "classes": len(self.classes),
            "strict_k": self.strict_k,
            "faults": list(self.faults),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        allowed = "" if self.allowed is None else f" of at most {self.allowed}"
        people = "" if self.people is None else f" of {counted(self.people, 'person', 'people')}"
        lines = [
            *([] if self.guarantees else [f"{self.headline}."]),
            *map(str, self.checks),
            *(f"FAILS  {fault}" for fault in self.faults),
            f"{counted(self.rows, 'row', 'rows')}{people}, {counted(len(self.classes), 'class', 'classes')}, "
            f"{counted(self.suppressed, 'row', 'rows')} suppressed{allowed}",
            *self.notes,
        ]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from paravent import notebook

        rows = [
            ("✓ holds" if check.holds else "✗ fails", check.promise.describe(), check.promise.key, f"{check.level:g}",
             check.failing or "", check.known_by)
            for check in self.checks
        ]  # fmt: skip
        rows += [("✗ fails", fault, "", "", "", "") for fault in self.faults]
        said = str(self).splitlines()[max(len(self.checks), 1) + len(self.faults) :]  # the headline stands for none
        return notebook.shown(
            self.headline,
            notebook.table(["", "asked for", "name", "reached", "groups short of it", "known"], rows, right=[3, 4]),
            notebook.sentences(said),
        )

    def why_not(self) -> str:
        """The broken promises in one sentence."""
        broken = [
            f"{check.promise.describe()} fails in {counted(check.failing, 'class', 'classes')} "
            f"({check.promise.key} is {check.level:g})"
            if check.failing
            else f"{check.promise.describe()} fails ({check.found})"
            for check in self.checks
            if not check.holds
        ]
        return "; ".join([*broken, *self.faults])
