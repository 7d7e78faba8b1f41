"""Verdict: what was found about a finished release."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from paravent.privacy.classes import Classes


@dataclass(frozen=True)
class Judgement:
    """One model: what was asked, the level that the release has, and how many classes fall short."""

    demand: str
    key: str
    level: float
    holds: bool
    failing: int

    def __str__(self) -> str:
        found = f"{self.key} = {self.level:g}"
        return f"{'holds' if self.holds else 'FAILS'}  {self.demand}  ({found}" + (
            ")" if self.holds else f"; {self.failing} classes fall short)"
        )


@dataclass(frozen=True)
class Verdict:
    """Whether a release keeps its promises. It is true when all of them hold.

    `faults` are promises other than the models that are broken. `strict_k` is the size of the smallest class when a
    missing cell matches only missing cells; it is below `privacy.k` where wildcards stand in the release.
    """

    judgements: tuple[Judgement, ...]
    rows: int
    suppressed: int
    allowed: int | None
    strict_k: int
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    classes: Classes = field(repr=False, compare=False, kw_only=True)

    @property
    def holds(self) -> bool:
        return not self.faults and all(judgement.holds for judgement in self.judgements)

    def __bool__(self) -> bool:
        return self.holds

    @property
    def levels(self) -> dict[str, float]:
        """The level of each model under its dotted name."""
        return {judgement.key: judgement.level for judgement in self.judgements}

    def to_dict(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "models": [
                {
                    "demand": judgement.demand,
                    "key": judgement.key,
                    "level": judgement.level,
                    "holds": judgement.holds,
                    "failing_classes": judgement.failing,
                }
                for judgement in self.judgements
            ],
            "rows": self.rows,
            "suppressed": self.suppressed,
            "suppression_allowed": self.allowed,
            "classes": len(self.classes),
            "strict_k": self.strict_k,
            "faults": list(self.faults),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        allowed = "" if self.allowed is None else f" of at most {self.allowed}"
        lines = [
            *map(str, self.judgements),
            *(f"FAILS  {fault}" for fault in self.faults),
            f"{self.rows} rows, {len(self.classes)} classes, {self.suppressed} rows suppressed{allowed}",
            *self.notes,
        ]
        return "\n".join(lines)

    def why_not(self) -> str:
        """The broken promises in one sentence."""
        broken = [
            f"{judgement.demand} fails in {judgement.failing} classes ({judgement.key} is {judgement.level:g})"
            for judgement in self.judgements
            if not judgement.holds
        ]
        return "; ".join([*broken, *self.faults])
