"""Re-identification risk: how likely somebody is to pick the right row for a person they know.

Everybody in a class of size s is found with probability 1/s by somebody who knows their quasi-identifiers and that
they are in the table (the prosecutor). The mean over all rows is the share of correct matches of somebody who
links everybody (the marketer). No sample is assumed: the table is taken as its own population.

Somebody who does not know whether the person is in the table, but has a register of the population the table was
drawn from, faces the class as it stands there: of F people, one is right (the journalist; El Emam and Dankar 2008).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from paravent.errors import TableError
from paravent.measures import Measure, Measures
from paravent.privacy.classes import Classes
from paravent.privacy.grouping import class_sizes

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
        return cls.of_classes(Classes(sizes, {}), thresholds)

    @classmethod
    def of_classes(cls, classes: Classes, thresholds: Sequence[float] = THRESHOLDS) -> Risk:
        """The risk of a table with these classes. Where they are classes of people, `rows` are people, and one who is
        in several classes has the risk of the smallest."""
        sizes, counted = classes.sizes, classes.at_risk
        rows = int(counted.sum())
        if rows == 0:
            return cls(0, 0, 0.0, 0.0, 0.0, dict.fromkeys(thresholds, 0.0))
        risk = 1 / sizes
        return cls(
            rows=rows,
            classes=len(sizes),
            highest=float(risk.max()),
            average=len(sizes) / rows if counted is sizes else float(np.dot(counted, risk)) / rows,
            uniques=float(counted[sizes == 1].sum() / rows),
            above={limit: float(counted[risk > limit].sum() / rows) for limit in thresholds},
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


JOURNALIST_ASSUMES = "the register holds everybody of the population, with the same values as the table"


@dataclass(frozen=True, eq=False)
class Journalist:
    """The risk of each row when its class has `population_size` people in a register of the population."""

    population_size: np.ndarray
    assumes: str = JOURNALIST_ASSUMES

    @property
    def highest(self) -> float:
        return float((1 / self.population_size).max(initial=0.0))

    @property
    def average(self) -> float:
        """Also the share of right matches of a marketer, who links the whole table to the register."""
        return float((1 / self.population_size).mean()) if len(self.population_size) else 0.0

    @property
    def uniques(self) -> float:
        """The share of rows whose class has one person in the whole population."""
        return float((self.population_size == 1).mean()) if len(self.population_size) else 0.0

    def above(self, threshold: float) -> float:
        return float((1 / self.population_size > threshold).mean()) if len(self.population_size) else 0.0

    def measures(self, prefix: str = "risk", thresholds: Sequence[float] = THRESHOLDS) -> Iterator[Measure]:
        whom = "by somebody who has a register of the population"
        yield Measure(
            f"{prefix}.journalist.max", self.highest, "Highest risk, by a register",
            f"The chance that the person most exposed is found {whom}. It assumes that {self.assumes}.", unit="share",
        )  # fmt: skip
        yield Measure(
            f"{prefix}.journalist.average", self.average, "Average risk, by a register",
            f"The mean chance that a person is found {whom}. It assumes that {self.assumes}.", unit="share",
        )  # fmt: skip
        yield Measure(
            f"{prefix}.journalist.uniques", self.uniques, "Unique in the register",
            f"The share of rows that fit one person of the population only. It assumes that {self.assumes}.",
            unit="share",
        )  # fmt: skip
        for limit in thresholds:
            yield Measure(
                f"{prefix}.journalist.above.{limit:g}", self.above(limit),
                f"Rows with a risk above {100 * limit:g} %, by a register",
                f"The share of rows found {whom} with a chance of more than {limit:g}. It assumes that {self.assumes}.",
                unit="share",
            )  # fmt: skip


def journalist_risk(frame: pl.DataFrame, register: pl.DataFrame, quasi: Sequence[str]) -> Journalist:
    """Look every row up in a register of the whole population. Cells are compared as text, missing ones as equal.

    >>> sample, register = pl.DataFrame({"age": [20, 30]}), pl.DataFrame({"age": [20, 20, 20, 30, 40]})
    >>> journalist_risk(sample, register, ["age"]).population_size.tolist()
    [3, 1]
    """
    for name in quasi:
        if name not in register.columns:
            raise TableError(f"population: the register has no column {name!r}, a quasi-identifier of the table.")
    if register.height < frame.height:
        raise TableError(
            f"population: the register has {register.height} rows, fewer than the table, which has {frame.height}. "
            "Give everybody that the table was drawn from."
        )
    keys = [f"q{at}" for at in range(len(quasi))]
    ours, theirs = (
        pl.DataFrame([table[name].cast(pl.String).alias(key) for name, key in zip(quasi, keys, strict=True)])
        for table in (frame, register)
    )
    if not keys:
        return Journalist(np.full(frame.height, register.height))
    people = theirs.group_by(keys).len("people")
    found = ours.with_columns(pl.len().over(keys).alias("rows")).join(
        people, on=keys, how="left", nulls_equal=True, maintain_order="left"
    )
    short = found.select((pl.col("people").fill_null(0) < pl.col("rows")).alias("short"))["short"].to_numpy()
    if short.any():
        raise TableError(
            f"population: for {int(short.sum())} rows (first: row {int(short.argmax()) + 1}) the register has fewer "
            "people than the table. It must be the population that the table was drawn from, with the same labels."
        )
    return Journalist(found["people"].to_numpy().astype(np.int64))
