"""Population uniqueness: who is alone not only in the table, but among everybody it was drawn from.

Somebody unique in a sample may have many doubles who were not drawn. Three models estimate how many people have none;
Dankar, El Emam, Neisa and Roffey (2012) found which of them to trust at which sampling fraction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import nan

import numpy as np

from paravent.measures import Measure
from paravent.privacy.risk import pitman as _pitman
from paravent.privacy.risk import snb as _snb
from paravent.privacy.risk import zayatz as _zayatz
from paravent.privacy.risk.frequencies import Frequencies
from paravent.privacy.risk.population import Population

SMALL_FRACTION = 0.1
ASSUMES = {"pitman": _pitman.ASSUMES, "zayatz": _zayatz.ASSUMES, "snb": _snb.ASSUMES}
_NAMES = {"pitman": "Pitman's model", "zayatz": "Zayatz's model", "snb": "the slide negative binomial model"}


@dataclass(frozen=True)
class PopulationUniqueness:
    """The share of the population that is unique in it, by each model (None: the model does not fit the table), and
    the model that Dankar's rule chooses."""

    population: Population
    pitman: float | None
    zayatz: float
    snb: float | None
    chosen: str

    @property
    def share(self) -> float:
        """By the chosen model. As everybody was as likely to be drawn, this is also the share of the table's rows
        that are unique in the population."""
        share: float = getattr(self, self.chosen)
        return share

    @property
    def assumes(self) -> str:
        """What the chosen estimate takes for granted."""
        return ASSUMES[self.chosen]

    def measures(self, prefix: str = "risk.population") -> Iterator[Measure]:
        yield Measure(
            f"{prefix}.uniques", self.share, "Unique in the population",
            "The share of rows that nobody in the whole population shares, chosen by Dankar's rule among the models "
            f"below. It assumes that {self.assumes}.", unit="share",
        )  # fmt: skip
        for model, name in _NAMES.items():
            share: float | None = getattr(self, model)
            said = f"It assumes that {ASSUMES[model]}." if share is not None else "The model does not fit this table."
            yield Measure(
                f"{prefix}.uniques.{model}", nan if share is None else share, f"Unique in the population, by {name}",
                f"The share of the population that is unique in it, by {name}. {said}", unit="share",
            )  # fmt: skip


def population_uniqueness(class_sizes: np.ndarray, population: Population) -> PopulationUniqueness:
    """Estimate from the class sizes of a sample.

    >>> found = population_uniqueness(np.array([1] * 60 + [2] * 10 + [5] * 4), Population.of(0.05, rows=100))
    >>> found.chosen, round(found.share, 4)
    ('pitman', 0.2189)
    """
    sample = Frequencies.of(class_sizes)
    if sample.rows == 0:
        return PopulationUniqueness(population, 0.0, 0.0, 0.0, "zayatz")
    if population.fraction >= 1:  # the table is the population: nothing is left to estimate
        known = sample.uniques / sample.rows
        return PopulationUniqueness(population, known, known, known, "zayatz")
    zayatz = _share(_zayatz.zayatz(sample, population), sample, population)
    pitman = _share(_pitman.pitman(sample, population), sample, population)
    snb = _share(_snb.snb(sample, population), sample, population)
    assert zayatz is not None
    return PopulationUniqueness(population, pitman, zayatz, snb, _dankar(pitman, zayatz, snb, population.fraction))


def _dankar(pitman: float | None, zayatz: float, snb: float | None, fraction: float) -> str:
    """Pitman for small samples (Zayatz where it does not fit), the lower of Zayatz and SNB for larger ones."""
    if fraction <= SMALL_FRACTION:
        return "zayatz" if pitman is None else "pitman"
    return "zayatz" if snb is None or zayatz < snb else "snb"


def _share(uniques: float | None, sample: Frequencies, population: Population) -> float | None:
    """Of the population; at most as many as in the sample, since who is unique there is unique here."""
    if uniques is None:
        return None
    return min(uniques / population.size, sample.uniques / sample.rows)
