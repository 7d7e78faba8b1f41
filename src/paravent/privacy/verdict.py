"""Verdict: what was found about a finished release."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from paravent.privacy.classes import Classes
from paravent.privacy.model import Model


def counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


@dataclass(frozen=True)
class Check:
    """One model: what was asked, the level that the release has, and how many classes fall short."""

    model: Model
    level: float
    holds: bool
    failing: int
    reading: str = ""
    """How cells are read where that makes the promise a weaker one; empty: as they are."""

    @property
    def demand(self) -> str:
        """What was asked, and how it was counted where that is weaker."""
        return f"{self.model.describe()} {self.reading}".rstrip()

    def __str__(self) -> str:
        short = "" if self.holds else f"; {counted(self.failing, 'class', 'classes')} short of it"
        verdict = "holds" if self.holds else "FAILS"
        return f"{verdict}  {self.demand}  ({self.model.key} = {self.level:g}{short})"


@dataclass(frozen=True, repr=False)
class Verdict:
    """Whether a release keeps its promises. It is true when all of them hold.

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
    def levels(self) -> dict[str, float]:
        """The level of each model under its dotted name."""
        return {check.model.key: check.level for check in self.checks}

    def to_dict(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "models": [
                {
                    "demand": check.demand,
                    "key": check.model.key,
                    "level": check.level if math.isfinite(check.level) else None,
                    "holds": check.holds,
                    "failing_classes": check.failing,
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
            ("✓ holds" if check.holds else "✗ fails", check.model.describe(), check.model.key, f"{check.level:g}",
             check.failing or "")
            for check in self.checks
        ]  # fmt: skip
        rows += [("✗ fails", fault, "", "", "") for fault in self.faults]
        said = str(self).splitlines()[len(self.checks) + len(self.faults) :]
        return notebook.shown(
            "Every promise holds" if self.holds else "Not every promise holds",
            notebook.table(["", "asked for", "name", "reached", "groups short of it"], rows, right=[3, 4]),
            notebook.sentences(said),
        )

    def why_not(self) -> str:
        """The broken promises in one sentence."""
        broken = [
            f"{check.model.describe()} fails in {counted(check.failing, 'class', 'classes')} "
            f"({check.model.key} is {check.level:g})"
            for check in self.checks
            if not check.holds
        ]
        return "; ".join([*broken, *self.faults])
