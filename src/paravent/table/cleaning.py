"""What cleaning did: its steps, each with what went or changed, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Step:
    """One thing that was done: what, why, and to which columns or rows (their positions in the source, from 0)."""

    what: str
    why: str
    columns: tuple[str, ...] = ()
    rows: np.ndarray | None = None

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


@dataclass(frozen=True, eq=False)
class Cleaning:
    """What cleaning did. Prints as a list; `dropped_rows` are positions in the source."""

    rows_before: int
    rows_after: int
    columns_before: int
    columns_after: int
    steps: tuple[Step, ...] = ()

    @property
    def dropped_rows(self) -> np.ndarray:
        parts = [step.rows for step in self.steps if step.rows is not None and step.what.startswith("dropped")]
        return np.sort(np.concatenate(parts)) if parts else np.empty(0, dtype=np.int64)

    @property
    def dropped_columns(self) -> tuple[str, ...]:
        return tuple(name for step in self.steps if step.rows is None for name in step.columns)

    def __str__(self) -> str:
        before = f"{self.rows_before} rows × {self.columns_before} columns"
        after = f"{self.rows_after} rows × {self.columns_after} columns"
        return "\n".join(
            [f"{before} → {after}", *(f"  {step}" for step in self.steps or ("nothing was dropped or changed",))]
        )

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """For `--json`. Rows are counted, not listed, and values are left out."""
        steps = [
            {
                "what": step.what,
                "why": getattr(step.why, "redacted", step.why),
                "columns": list(step.columns),
                "rows": 0 if step.rows is None else len(step.rows),
            }
            for step in self.steps
        ]
        return {
            "rows": {"before": self.rows_before, "after": self.rows_after},
            "columns": {"before": self.columns_before, "after": self.columns_after},
            "steps": steps,
        }


def counted(n: int, noun: str) -> str:
    """
    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{n} {noun}{'' if n == 1 else 's'}"
