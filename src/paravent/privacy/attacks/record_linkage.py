"""Record linkage: finding the row of a person whose quasi-identifiers are known.

The voter list and the medical file of Sweeney (2002). On a generalized release a person fits every row whose cells
cover what is known of them, whichever class it is in; of those, the attacker picks one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from paravent.measures import as_percent
from paravent.privacy.attacks.attack import Attack, Finding
from paravent.privacy.attacks.covering import Covering
from paravent.privacy.attacks.links import Links
from paravent.privacy.attacks.scene import Population, Scene
from paravent.privacy.grouping import cell_codes
from paravent.table.text import as_text


@dataclass(frozen=True, kw_only=True)
class RecordLinkage(Attack):
    """How many released rows fit each person of a table of people, by the columns `known` (all quasi-identifiers that
    both tables have). `exact` compares cells as they are written: a generalized cell then fits nobody.

    >>> import polars as pl
    >>> people = pl.DataFrame({"name": ["Ana", "Eve"], "age": [22, 35]})
    >>> scene = Scene(pl.DataFrame({"age": ["[20, 29]", "[20, 29]", "35"]}), ("age",), people=Population(people))
    >>> found = RecordLinkage().run(scene)
    >>> found.exposed.tolist(), found.people.tolist(), found["max"]
    ([2], [1], 1.0)
    """

    known: Sequence[str] | None = None
    exact: bool = False

    title: ClassVar[str] = "Record linkage"
    stopped_by: ClassVar[str] = "k-anonymity: at least k rows fit everybody"

    @property
    def key(self) -> str:
        return "attack.linkage.exact" if self.exact else "attack.linkage"

    def lacks(self, scene: Scene) -> str | None:
        return "a table of people" if scene.people is None else None

    def run(self, scene: Scene) -> Finding:
        population = scene.people
        assert population is not None, "lacks() says so"
        columns = scene.shared(population, self.known)
        links = _exact(scene, population, columns) if self.exact else scene.links(population, columns)
        fitting = links.rows_of_person if scene.persons is None else links.different(scene.persons)
        chance = np.divide(1.0, fitting, out=np.zeros(len(fitting)), where=fitting > 0)
        chance = _own(links, population, chance)
        judged = chance[population.members] if population.row_of is not None else chance[fitting > 0]
        found = np.flatnonzero((fitting == 1) & (chance > 0))
        exposed = _rows_of(links, found)
        people, linked = max(len(population), 1), len(found)
        highest, average = float(judged.max(initial=0.0)), float(judged.mean()) if len(judged) else 0.0
        if population.persons is not None:  # somebody with several rows is found by the one that gives most away
            who = (
                population.persons[population.members]
                if population.row_of is not None
                else population.persons[fitting > 0]
            )
            people, linked = len(np.unique(population.persons)), len(np.unique(population.persons[found]))
            average = _highest_each(judged, who)
        astray = ""
        if population.row_of is not None and (chance[population.members] == 0).any():
            share = as_percent(float((chance[population.members] == 0).mean()))
            astray = (
                f" The cells of {share} of the rows do not cover their own person: linking by distance may find more."
            )
        one = "row" if scene.persons is None else "person's rows"
        known = f"{len(columns)} column{'' if len(columns) == 1 else 's'}"
        return Finding(
            self,
            f"By {known}, {as_percent(linked / people)} of the people in the table that was given fit one {one} "
            f"alone; the chance of picking a person's row is {as_percent(highest)} at most and {as_percent(average)} "
            f"on average.{astray}",
            (
                self.figure(
                    "unique", linked / people, "People linked to one row",
                    "The share of the people who fit exactly one row of the release.",
                ),
                self.figure(
                    "max", highest, "Highest chance of a right link",
                    "The chance of picking the right row for the person who fits the fewest.",
                ),
                self.figure(
                    "average", average, "Average chance of a right link",
                    "The mean chance of picking a person's row among those that fit; people who fit none, or are known "
                    "to be absent, are left out.",
                ),
                self.figure(
                    "matched", float((fitting > 0).mean()) if len(fitting) else 0.0, "People who fit some row",
                    "The share of the people who fit at least one row of the release.", better="neither",
                ),
            ),
            exposed=scene.positions(exposed),
            degree=np.ones(len(exposed)),
            people=found,
        )  # fmt: skip


def _highest_each(chance: np.ndarray, persons: np.ndarray) -> float:
    """The mean over people of their highest chance."""
    if not len(chance):
        return 0.0
    _, person = np.unique(persons, return_inverse=True)
    person = person.reshape(-1)
    highest = np.zeros(int(person.max()) + 1)
    np.maximum.at(highest, person, chance)
    return float(highest.mean())


def _own(links: Links, population: Population, chance: np.ndarray) -> np.ndarray:
    """The chance where each person's row is known: none, if that row does not fit them."""
    if population.row_of is None:
        return chance
    members = population.members
    fits = links.fits(members, population.row_of[members])
    right = np.zeros(len(chance))
    right[members[fits]] = chance[members[fits]]
    return right


def _rows_of(links: Links, people: np.ndarray) -> np.ndarray:
    """The rows that fit these people."""
    kinds = np.unique(links.people.of_row[people])
    marked = np.zeros(len(links.classes), dtype=bool)
    for _, of_class in links.pairs(kinds):
        marked[of_class] = True
    return np.flatnonzero(marked[links.classes.of_row])


def _exact(scene: Scene, population: Population, columns: Sequence[str]) -> Links:
    """Equal cells, letter by letter; missing ones are equal to one another."""
    coverings = []
    for name in columns:
        ours, theirs = (as_text(frame[name].alias("cells")) for frame in (scene.released, population.frame))
        both = cell_codes(pl.concat([ours, theirs]))
        values = int(both.max()) + 1 if len(both) else 0
        own = np.arange(values)
        coverings.append(
            Covering(
                name, both[: len(ours)], both[len(ours) :], values + 1, np.arange(values + 1) * 2,
                np.stack([own, np.full(values, values)], axis=1).reshape(-1),
                np.stack([own + 1, np.full(values, values + 1)], axis=1).reshape(-1),
            )
        )  # fmt: skip
    return Links(tuple(coverings))
