"""Skewness: a class makes a sensitive value much likelier than it is in the table as a whole.

Diverse is not alike: with a virus that 1 % have, a class half of whose members have it is 2-diverse, and takes the
belief in the infection of each of them from 1 % to 50 % (Li, Li, Venkatasubramanian 2007, §3.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.measures import as_percent
from paravent.privacy.attacks.attack import ColumnAttack, Finding
from paravent.privacy.attacks.scene import Scene
from paravent.privacy.model import check_number


@dataclass(frozen=True, kw_only=True)
class Skewness(ColumnAttack):
    """Classes in which some sensitive value is at least `factor` times as likely as in the release, and at least as
    likely as `belief`.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": ["2*"] * 2 + ["3*"] * 98, "virus": ["yes", "no"] + ["no"] * 98})
    >>> found = Skewness(column="virus").run(Scene(frame, ("age",)))
    >>> found["belief"], found["ratio"]
    (0.5, 50.0)
    """

    column: str | None = None
    factor: float = 2.0
    belief: float = 0.5

    title: ClassVar[str] = "Skewness"
    short: ClassVar[str] = "skewness"
    stopped_by: ClassVar[str] = "t-closeness, β-likeness or δ-disclosure: classes that look like the whole table"

    def __post_init__(self) -> None:
        check_number("Skewness: factor", self.factor, low=1, high=float("inf"))
        check_number("Skewness: belief", self.belief, low=0, high=1)

    def run(self, scene: Scene) -> Finding:
        column, histogram = self.named, scene.histogram(self.named)
        total = scene.total
        size = histogram.sizes[histogram.owner]
        posterior, prior = histogram.count / size, histogram.table[histogram.value] / total
        # In whole numbers: posterior ≥ factor · prior, so that a class on the edge counts.
        skewed = (histogram.count * total >= self.factor * histogram.table[histogram.value] * size) & (
            posterior >= self.belief
        )
        marked = np.zeros(len(scene.sizes), dtype=bool)
        marked[histogram.owner[skewed]] = True
        strongest = np.zeros(len(scene.sizes))
        np.maximum.at(strongest, histogram.owner[skewed], posterior[skewed])
        exposed = scene.exposed(marked)
        share = scene.share(exposed)
        gained = histogram.highest(posterior - prior) if len(size) else np.zeros(1)
        over = (posterior * total / histogram.table[histogram.value])[skewed]
        return Finding(
            self,
            f"For {as_percent(share)} of the {scene.counted} a “{column}” becomes at least {self.factor:g} times as "
            f"likely as in the whole table, and at least {as_percent(self.belief)} likely.",
            (
                self.figure(
                    "", share, f"Rows whose {column} becomes much likelier",
                    f"The share of rows in classes where some {column} is at least {self.factor:g} times as likely as "
                    f"in the whole table and at least {as_percent(self.belief)} likely.",
                ),
                self.figure(
                    "belief", float(strongest.max(initial=0.0)), f"Surest skewed guess of {column}",
                    f"The strongest belief in a {column} that its class made much likelier.",
                ),
                self.figure(
                    "ratio", float(over.max(initial=1.0)), f"Times likelier a {column} becomes",
                    f"How many times likelier such a {column} is in its class than in the whole table, at most.",
                    unit="number",
                ),
                self.figure(
                    "gain", float(gained.max(initial=0.0)), f"Belief gained about {column}",
                    f"The largest difference between the share of a {column} in a class and in the whole table.",
                ),
            ),
            exposed=scene.positions(exposed),
            degree=strongest[scene.of_row[exposed]],
        )  # fmt: skip
