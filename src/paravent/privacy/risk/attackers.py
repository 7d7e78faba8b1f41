"""Re-identification risk: how likely somebody is to pick the right row for a person they know.

Everybody in a class of size s is found with probability 1/s by somebody who knows their quasi-identifiers and that
they are in the table (the prosecutor). The mean over all rows is the share of correct matches of somebody who
links everybody (the marketer). No sample is assumed: the table is taken as its own population.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from paravent.privacy.grouping import class_sizes
from paravent.utility.measures import Measure, Measures

THRESHOLDS = (0.05, 0.1, 0.2, 0.5)


@dataclass(frozen=True)
class Risk:
    """The risk of one table. `above[t]` is the share of rows whose risk is greater than t.

    >>> print(Risk.of_sizes(np.array([1, 1, 2])))
    risk.prosecutor.max      100 %  ↓  Highest risk
    risk.prosecutor.average   75 %  ↓  Average risk
    risk.uniques              50 %  ↓  Unique rows
    risk.above.0.05          100 %  ↓  Rows with a risk above 5 %
    risk.above.0.1           100 %  ↓  Rows with a risk above 10 %
    risk.above.0.2           100 %  ↓  Rows with a risk above 20 %
    risk.above.0.5            50 %  ↓  Rows with a risk above 50 %
    risk.classes                 3     Classes
    """

    rows: int
    classes: int
    highest: float
    average: float
    uniques: float
    above: Mapping[float, float] = field(default_factory=dict)

    @classmethod
    def of_sizes(cls, sizes: np.ndarray, thresholds: Sequence[float] = THRESHOLDS) -> Risk:
        """The risk of a table whose classes have these sizes."""
        rows = int(sizes.sum())
        if rows == 0:
            return cls(0, 0, 0.0, 0.0, 0.0, dict.fromkeys(thresholds, 0.0))
        risk = 1 / sizes
        return cls(
            rows=rows,
            classes=len(sizes),
            highest=float(risk.max()),
            average=len(sizes) / rows,
            uniques=float((sizes == 1).sum() / rows),
            above={limit: float(sizes[risk > limit].sum() / rows) for limit in thresholds},
        )

    def measures(self, prefix: str = "risk") -> Iterator[Measure]:
        """As measures called `risk.prosecutor.max` and so on, or under another prefix."""
        known = "to somebody who knows the quasi-identifiers"
        when = ", before" if prefix.endswith(".before") else ""
        yield Measure(
            f"{prefix}.prosecutor.max", self.highest, f"Highest risk{when}",
            f"The chance of finding the row of the person most exposed, {known}.", unit="share",
        )  # fmt: skip
        yield Measure(
            f"{prefix}.prosecutor.average", self.average, f"Average risk{when}",
            f"The mean chance of finding a person's row, {known}; the share of right matches if all are linked.",
            unit="share",
        )  # fmt: skip
        yield Measure(
            f"{prefix}.uniques", self.uniques, f"Unique rows{when}",
            "The share of rows that nobody else shares: a person known by them is found for certain.", unit="share",
        )  # fmt: skip
        for limit, share in self.above.items():
            yield Measure(
                f"{prefix}.above.{limit:g}", share, f"Rows with a risk above {100 * limit:g} %{when}",
                f"The share of rows found with a chance of more than {limit:g}.", unit="share",
            )  # fmt: skip
        yield Measure(
            f"{prefix}.classes", self.classes, f"Classes{when}",
            "The number of different combinations of the quasi-identifiers.", better="neither", unit="count",
        )  # fmt: skip

    def to_dict(self) -> dict[str, float | None]:
        return Measures(self.measures()).to_dict()

    def __str__(self) -> str:
        return str(Measures(self.measures()))


def risk_of(frame: pl.DataFrame, quasi: Sequence[str], thresholds: Sequence[float] = THRESHOLDS) -> Risk:
    """The risk of any frame, original or released, to somebody who knows the columns `quasi`.

    >>> risk_of(pl.DataFrame({"age": [20, 20, 30]}), ["age"]).uniques
    0.3333333333333333
    """
    return Risk.of_sizes(class_sizes(frame, quasi), thresholds)
