"""One person: what a release tells somebody who knows a few things about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import polars as pl

from paravent.errors import PlanError, TableError
from paravent.measures import as_percent
from paravent.privacy.attacks.attack import Attack, Finding
from paravent.privacy.attacks.background import BackgroundKnowledge
from paravent.privacy.attacks.scene import Population, Scene


@dataclass(frozen=True, kw_only=True)
class Target(Attack):
    """The rows that fit what is known of a person, and what they say about the sensitive columns.

    `knows` maps columns to what is known: a value, or a label such as `[20, 29]`. `prior`, `base` and `exclude` are
    beliefs about the one column `column`, as in `BackgroundKnowledge`. The finding's `exposed` are the rows that fit;
    `beliefs[column][value]` is how likely each value is. With a table of people, `presence` is the chance that the
    person is in the release at all. It is about one person: never part of a report.

    >>> frame = pl.DataFrame({"age": ["[20, 29]", "[30, 39]", "[30, 39]"], "disease": ["flu", "cancer", "cancer"]})
    >>> found = Target(knows={"age": 35}).run(Scene(frame, ("age",), ("disease",)))
    >>> found.exposed.tolist(), found.beliefs["disease"]
    ([1, 2], {'cancer': 1.0, 'flu': 0.0})
    """

    knows: Mapping[str, Any]
    column: str | None = None
    prior: Mapping[Any, float] = field(default_factory=dict)
    base: Mapping[Any, float] = field(default_factory=dict)
    exclude: Sequence[Any] = ()

    title: ClassVar[str] = "One person"
    stopped_by: ClassVar[str] = "k-anonymity for their row, l-diversity and t-closeness for what it says"

    def __post_init__(self) -> None:
        if not isinstance(self.knows, Mapping) or not self.knows:
            raise PlanError("Target: knows must map columns to what is known, such as {'age': 35}.")
        if (self.prior or self.base or self.exclude) and self.column is None:
            raise PlanError("Target: beliefs are about one sensitive column. Name it with column=….")

    @property
    def key(self) -> str:
        return "attack.target"

    def run(self, scene: Scene) -> Finding:
        rows = self._rows(scene, list(self.knows))
        every = scene.sensitive if scene.told is None else (*scene.sensitive, *scene.told.sensitive)
        columns = every if self.column is None else (self.column,)
        beliefs = {name: self._beliefs(scene, name, rows) for name in columns}
        surest = max((max(of.values(), default=0.0) for of in beliefs.values()), default=0.0)
        fitting = len(rows) if scene.persons is None else len(np.unique(scene.persons[rows]))
        chance = 1 / fitting if fitting else 0.0
        presence = self._presence(scene) if scene.people is not None else None
        return Finding(
            self,
            f"What is known fits {len(rows)} row{'' if len(rows) == 1 else 's'}; a sensitive value is "
            f"{as_percent(surest)} sure at most, if the person is in the release.",
            (
                self.figure("", chance, "Chance of picking their row", "One of the rows that fit, picked by chance."),
                self.figure("rows", len(rows), "Rows that fit", "Rows that cover all that is known.", unit="count"),
                self.figure("belief", surest, "Surest guess", "The strongest belief in a sensitive value."),
                *(
                    [self.figure("presence", presence, "Chance to be in the release", "Rows that fit / people who do.")]
                    if presence is not None
                    else []
                ),
            ),
            exposed=scene.positions(rows),
            degree=np.full(len(rows), chance),
            beliefs=beliefs,
        )

    def _beliefs(self, scene: Scene, column: str, rows: np.ndarray) -> dict[Any, float]:
        if scene.told is not None and column in scene.told.sensitive:
            return self._told(scene.told, column, rows)
        codes, values = scene.values(column)
        fits = np.zeros(scene.n_rows, dtype=bool)
        fits[rows] = True
        once = scene.one_each(fits.astype(np.int64), codes)
        weighed = np.bincount(codes[once[fits[once]]], minlength=len(values)).astype(np.float64)
        return self._scaled(weighed, column, values)

    def _scaled(self, weighed: np.ndarray, column: str, values: pl.Series) -> dict[Any, float]:
        """Beliefs that sum to 1, with what was believed before."""
        if self.prior or self.base or self.exclude:
            known = BackgroundKnowledge(column=column, prior=self.prior, base=self.base, exclude=self.exclude)
            weighed = weighed * known.weights(values)
        total = weighed.sum()
        return dict(zip(values.to_list(), (weighed / total if total else weighed).tolist(), strict=True))

    def _told(self, told: Scene, column: str, rows: np.ndarray) -> dict[Any, float]:
        """The shares of the classes of the rows that fit, each of them equally likely."""
        permuted = sorted(told.hidden & set(self.knows))
        if permuted:
            raise TableError(
                f"Target: the values of {permuted[0]!r} were permuted, so no row is one person's. Try the attacks on "
                "classes, such as pv.attacks.Homogeneity."
            )
        histogram, values = told.histogram(column), told.values(column)[1]
        often = np.bincount(told.of_row[rows], minlength=len(told.sizes))
        shares = histogram.count / histogram.sizes[histogram.owner] * often[histogram.owner]
        weighed = np.bincount(histogram.value, weights=shares, minlength=len(values))
        return self._scaled(weighed, column, values)

    def _presence(self, scene: Scene) -> float:
        """Each row that fits belongs to one of the people who fit it, all equally likely."""
        assert scene.people is not None
        columns = [name for name in self.knows if name in scene.people.frame.columns]
        if not columns:
            return 0.0
        people = scene.links(scene.people, columns).people_of_row[self._rows(scene, columns)]
        return float(min(1.0, (1 / np.maximum(people, 1)).sum()))

    def _rows(self, scene: Scene, columns: Sequence[str]) -> np.ndarray:
        """The rows that cover what is known in these columns."""
        one = Population(pl.DataFrame([pl.Series(name, [self.knows[name]]) for name in columns]), called="person")
        links = scene.links(one, scene.shared(one, columns))
        fitting = np.zeros(len(links.classes), dtype=bool)
        for _, of_class in links.pairs():
            fitting[of_class] = True
        return np.flatnonzero(fitting[links.classes.of_row])
