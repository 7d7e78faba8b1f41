"""Homogeneity: everybody in a class has the same sensitive value, or nobody has a value that many others have.

Nobody needs to find a row then: it is enough to find the class (Machanavajjhala et al. 2007, "homogeneity attack").
The same holds for what is absent: a class without a single case of cancer tells of each of its members that they have
none (negative disclosure).
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
class Homogeneity(ColumnAttack):
    """Classes that give a sensitive value away, and classes that rule a common value out.

    A value is common when at least the share `common` of the release has it.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": ["2*", "2*", "3*", "3*"], "disease": ["flu", "flu", "flu", "cold"]})
    >>> found = Homogeneity(column="disease").run(Scene(frame, ("age",)))
    >>> found.exposed.tolist(), found["attack.homogeneity.disease"]
    ([0, 1], 0.5)
    """

    column: str | None = None
    common: float = 0.1

    title: ClassVar[str] = "Homogeneity"
    short: ClassVar[str] = "homogeneity"
    stopped_by: ClassVar[str] = "l-diversity: at least l different sensitive values in every class"

    def __post_init__(self) -> None:
        check_number("Homogeneity: common", self.common, low=0, high=1)

    def run(self, scene: Scene) -> Finding:
        column, histogram = self.named, scene.histogram(self.named)
        alone = histogram.highest(histogram.count) == histogram.sizes  # somebody may hold other values beside
        exposed = scene.exposed(alone)
        share = histogram.table / scene.total
        present = histogram.summed(share[histogram.value]) if len(histogram.count) else np.zeros(0)
        absent = 1.0 - present / max(float(share.sum()), 1.0)  # the shares of people who hold several sum to more
        mean_absent = float((absent * scene.sizes).sum() / max(int(scene.sizes.sum()), 1))
        common = np.flatnonzero(share >= self.common)
        held = histogram.summed((share[histogram.value] >= self.common).astype(np.int64))
        without = held < len(common)
        ruled_out = scene.share(scene.exposed(without))
        given_away = scene.share(exposed)
        return Finding(
            self,
            f"“{column}” is certain for {as_percent(given_away)} of the {scene.counted}, in groups where all have the "
            f"same; for {as_percent(ruled_out)} a value that at least {as_percent(self.common)} of all {scene.counted} "
            "have is ruled out.",
            (
                self.figure(
                    "", given_away, f"Rows whose {column} is certain",
                    f"The share of rows in classes where everybody has the same {column}.",
                ),
                self.figure(
                    "ruled_out", ruled_out, f"Rows of which a common {column} is ruled out",
                    f"The share of rows in classes where nobody has some {column} that at least "
                    f"{as_percent(self.common)} of all rows have.",
                ),
                self.figure(
                    "absent", mean_absent, f"How much of {column} a class rules out",
                    f"The mean share of the table whose {column} does not occur in a row's class.",
                ),
            ),
            exposed=scene.positions(exposed),
            degree=np.ones(len(exposed)),
        )  # fmt: skip
