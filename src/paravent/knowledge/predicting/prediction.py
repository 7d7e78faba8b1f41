"""Prediction: a number that has not been measured, with an interval, what it rests on, and in how many runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from paravent.arguments import Checked
from paravent.knowledge.cube.criteria import METRICS

Evidence = Literal["published", "cube", "landmark", "cube and landmark", "none"]


@dataclass(frozen=True)
class Prediction(Checked):
    """What a method is expected to give: `value`, an interval from `low` to `high` that should hold the truth nine
    times in ten, the `evidence` it rests on, and the `support`: the runs behind it. Without evidence it abstains:
    `value` is None, and `reason` says why. `because` are the cuts of the tree on the way to it, in words.

    >>> print(Prediction("Datafly()", "utility.gcp", 0.31, 0.22, 0.4, "cube", 12))
    0.31 (0.22 to 0.4; cube, 12 runs)
    >>> print(Prediction.abstained("Datafly()", "utility.gcp", "no run of the cube is like it"))
    no prediction: no run of the cube is like it
    """

    method: str
    metric: str
    value: float | None
    low: float | None = None
    high: float | None = None
    evidence: Evidence = "none"
    support: int = 0
    reason: str = ""
    source: str = ""
    because: tuple[str, ...] = ()

    @classmethod
    def abstained(cls, method: str, metric: str, reason: str) -> Prediction:
        return cls(method, metric, None, reason=reason)

    @property
    def criterion(self) -> str:
        return METRICS[self.metric].criterion

    def __bool__(self) -> bool:
        return self.value is not None

    def __str__(self) -> str:
        if self.value is None or self.low is None or self.high is None:
            return f"no prediction: {self.reason}"
        runs = f"{self.support} run{'s' * (self.support != 1)}"
        behind = self.source if self.evidence == "published" else f"{self.evidence}, {runs}"
        return f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g}; {behind})"
