"""Everything that was found out about the risk of one table: it prints as a table, and speaks in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from paravent.measures import Measure, Measures, as_percent, shortened
from paravent.privacy.risk.attackers import Journalist, Risk
from paravent.privacy.risk.hidden_failure import LeftAsTheyWere
from paravent.privacy.risk.household import HouseholdRisk
from paravent.privacy.risk.individual import IndividualRisk
from paravent.privacy.risk.numeric import NumericRisk
from paravent.privacy.risk.suda import Suda
from paravent.privacy.risk.uniqueness import PopulationUniqueness

PROSECUTOR_ASSUMES = "whoever looks for a person knows all quasi-identifiers and that the person is in the table"


@dataclass(frozen=True, eq=False)
class Assessment:
    """The risk of a table, by the attackers that were looked at; what was not asked for is None.

    It reads like a mapping of dotted names, as do the measures of a release.

    >>> found = Assessment(("age",), Risk.of_sizes(np.array([1, 3])), np.array([1, 3, 3, 3]))
    >>> found["risk.prosecutor.max"], found["risk.marketer.average"]
    (1.0, 0.5)
    >>> print(found.sentences[0])
    1 of 4 rows (25 %) stands alone: whoever knows the age of such a person finds their row for certain.
    """

    quasi: tuple[str, ...]
    prosecutor: Risk
    class_size: np.ndarray
    journalist: Journalist | None = None
    population: PopulationUniqueness | None = None
    individual: IndividualRisk | None = None
    household: HouseholdRisk | None = None
    suda: Suda | None = None
    numeric: NumericRisk | None = None
    hidden_failure: LeftAsTheyWere | None = None
    notes: tuple[str, ...] = ()
    counted: str = "rows"

    @property
    def rows(self) -> int:
        return self.prosecutor.rows

    @property
    def classes(self) -> int:
        return self.prosecutor.classes

    @property
    def highest(self) -> float:
        return self.prosecutor.highest

    @property
    def average(self) -> float:
        return self.prosecutor.average

    @property
    def uniques(self) -> float:
        return self.prosecutor.uniques

    @property
    def above(self) -> Mapping[float, float]:
        return self.prosecutor.above

    def _measures(self) -> Iterator[Measure]:
        yield from self.prosecutor.measures()
        linked = self.prosecutor.average if self.journalist is None else self.journalist.average
        yield Measure(
            "risk.marketer.average", linked, "Right matches, if all are linked",
            "The share of right matches of somebody who links the whole table to people they know.", unit="share",
        )  # fmt: skip
        thresholds = tuple(self.prosecutor.above)
        if self.journalist is not None:
            yield from self.journalist.measures(thresholds=thresholds)
        if self.population is not None:
            yield from self.population.measures()
        if self.individual is not None:
            yield from self.individual.measures(thresholds=thresholds)
        if self.household is not None:
            yield from self.household.measures(thresholds=thresholds)
        for part in (self.suda, self.numeric, self.hidden_failure):
            if part is not None:
                yield from part.measures()

    @cached_property
    def measures(self) -> Measures:
        return Measures(self._measures())

    def __getitem__(self, name: str) -> float:
        return self.measures[name]

    def __contains__(self, name: object) -> bool:
        return name in self.measures

    def __iter__(self) -> Iterator[str]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def to_dict(self) -> dict[str, float | None]:
        return self.measures.to_dict()

    @property
    def assumptions(self) -> dict[str, str]:
        """What each estimate takes for granted."""
        found = {"risk.prosecutor": PROSECUTOR_ASSUMES}
        if self.journalist is not None:
            found["risk.journalist"] = self.journalist.assumes
        if self.population is not None:
            found["risk.population"] = self.population.assumes
        if self.individual is not None:
            found["risk.individual"] = self.individual.assumes
        if self.household is not None:
            found["risk.household"] = self.household.assumes
        if self.suda is not None and self.suda.dis is not None:
            found["risk.suda.dis"] = self.suda.assumes
        if self.numeric is not None:
            found["risk.linkage.distance"] = self.numeric.distance.assumes
            found["risk.linkage.probabilistic"] = self.numeric.probabilistic.assumes
            found["risk.interval"] = self.numeric.rank.assumes
        return found

    def by_row(self) -> pl.DataFrame:
        """What was found for each row, without any value of the table."""
        found: dict[str, np.ndarray] = {"class_size": self.class_size, "prosecutor": 1 / self.class_size}
        if self.journalist is not None:
            found["journalist"] = 1 / self.journalist.population_size
        if self.individual is not None:
            found["individual"] = self.individual.risk
        if self.household is not None:
            found["household"] = self.household.risk
        if self.suda is not None:
            found["suda_score"] = self.suda.score
            if self.suda.dis is not None:
                found["dis_suda"] = self.suda.dis
        return pl.DataFrame(found)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who could still be found, for somebody without the vocabulary."""
        return tuple(_sentences(self))

    def __str__(self) -> str:
        assumed = [f"  {name}: {sentence}" for name, sentence in self.assumptions.items()]
        return "\n".join([str(self.measures), "", *self.sentences, *self.notes, "", "Assumed:", *assumed])

    def __repr__(self) -> str:
        return shortened("\n".join([*self.sentences, *self.notes, str(self.measures)]))

    def _repr_html_(self) -> str:
        from paravent import notebook

        rows = [(m.name, m.text, m.title) for m in self.measures.details()]
        assumed = notebook.table(["risk", "takes for granted"], self.assumptions.items())
        return notebook.shown(
            f"Risk of {self.rows} rows by {', '.join(self.quasi)}",
            notebook.sentences([*self.sentences, *self.notes]),
            notebook.table(["measure", "value", "meaning"], rows, right=[1]),
            notebook.folded("Assumed", assumed),
        )


def _sentences(found: Assessment) -> Iterator[str]:
    if not found.rows:
        yield "The table has no row: nobody can be found in it."
        return
    known = found.quasi[0] if len(found.quasi) == 1 else f"{len(found.quasi)} quasi-identifiers"
    alone = round(found.uniques * found.rows)
    if alone:
        stand = f"{found.counted} ({as_percent(found.uniques)}) {'stands' if alone == 1 else 'stand'} alone"
        yield (
            f"{_number(alone)} of {_number(found.rows)} {stand}: whoever knows the {known} of such a person finds "
            "their row for certain."
        )
    else:
        fewest = _number(round(1 / found.highest))
        yield (
            f"Nobody stands alone: whoever knows the {known} of a person finds {fewest} {found.counted} or more, and "
            f"picks the right one with a chance of at most {as_percent(found.highest)}."
        )
    if found.journalist is not None:
        worst, average = as_percent(found.journalist.highest), as_percent(found.journalist.average)
        yield f"With a register of the population the chance is {worst} at worst and {average} on average."
    if found.population is not None:
        people, share = _number(found.population.population.size), as_percent(found.population.share)
        yield f"Among {people} people, about {share} of these rows are estimated to stand alone as well."
    if found.individual is not None:
        expected, worst = f"{found.individual.expected:.3g}", as_percent(found.individual.highest)
        yield (
            f"By the survey weights, {expected} of {_number(found.rows)} people are expected to be found by somebody "
            f"who tries all; the chance is {worst} for the most exposed."
        )
    if found.household is not None:
        worst, average = as_percent(found.household.highest), as_percent(found.household.average)
        yield f"Through the members of their household the chance is {average} on average and {worst} at worst."
    if found.suda is not None and found.suda.uniques:
        name, share_of_all = max(found.suda.column_contributions.items(), key=lambda item: item[1])
        yield (
            f"{_number(found.suda.uniques)} rows are singled out by {found.suda.max_size} columns or fewer; “{name}” "
            f"takes part in {as_percent(share_of_all)} of that."
        )
    if found.numeric is not None:
        linked, close = as_percent(found.numeric.distance.rate), as_percent(found.numeric.rank.share)
        yield (
            f"Somebody with the original numbers leads {linked} of the perturbed rows back to their person, and "
            f"{close} of the numbers stay close to what they were."
        )
    if found.hidden_failure is not None and found.hidden_failure.count:
        count, share = _number(found.hidden_failure.count), as_percent(found.hidden_failure.rate)
        yield f"{count} released rows ({share}) are still equal to an original row."


def _number(count: float) -> str:
    return f"{count:,.0f}".replace(",", " ")
