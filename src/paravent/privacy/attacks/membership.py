"""Membership: is a person in the release at all?

Being in a table of patients tells something by itself. Of the people who fit a class, so many are in it as it has
rows: k of k' give a chance of k / k' (table linkage; Nergiz, Atzori, Clifton 2007).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.measures import as_percent
from paravent.privacy.attacks.attack import Attack, Finding
from paravent.privacy.attacks.scene import Scene
from paravent.privacy.model import check_number


@dataclass(frozen=True, kw_only=True)
class Membership(Attack):
    """The chance of each person in a table of the population to be in the release.

    Each row of a class belongs to one of the people who fit the class, all equally likely; a person's chance is the sum
    over the classes that they fit, and at most 1. Where classes do not overlap that is rows / people. A person is
    exposed at a chance of at least `belief`, or of 0.

    >>> import polars as pl
    >>> from paravent.privacy.attacks.scene import Population
    >>> people = pl.DataFrame({"age": [21, 22, 23, 24, 35]})
    >>> scene = Scene(pl.DataFrame({"age": ["[20, 29]"] * 3}), ("age",), people=Population(people))
    >>> Membership().chances(scene).tolist()
    [0.75, 0.75, 0.75, 0.75, 0.0]
    """

    known: Sequence[str] | None = None
    belief: float = 0.9

    title: ClassVar[str] = "Table linkage (membership)"
    stopped_by: ClassVar[str] = "δ-presence: bounds on rows / people in every class"

    def __post_init__(self) -> None:
        check_number("Membership: belief", self.belief, low=0, high=1, open_low=True)

    @property
    def key(self) -> str:
        return "attack.membership"

    def lacks(self, scene: Scene) -> str | None:
        if scene.people is None or scene.people.is_original:
            return "a table of people of whom some are not in the release"
        return None

    def chances(self, scene: Scene) -> np.ndarray:
        """For each person, the chance to be in the release."""
        assert scene.people is not None, "lacks() says so"
        links = scene.links(scene.people, scene.shared(scene.people, self.known))
        inside = scene.people_in(links.classes.of_row, len(links.classes))
        per_person = inside / np.maximum(links.people_of_class, 1)
        chance = np.zeros(len(links.people))
        for kind, of_class in links.pairs():
            chance += np.bincount(kind, weights=per_person[of_class], minlength=len(chance))
        return np.asarray(np.minimum(chance, 1.0)[links.people.of_row])

    def run(self, scene: Scene) -> Finding:
        chance = self.chances(scene)
        count = max(len(chance), 1)
        nearly, absent = chance >= self.belief, chance == 0
        present, gone = float(nearly.sum()) / count, float(absent.sum()) / count
        lowest = float(chance[~absent].min()) if not absent.all() else 0.0
        sure = as_percent(self.belief)
        return Finding(
            self,
            f"Of {as_percent(present)} of the people in the table that was given it is at least {sure} sure that they "
            f"are in the release, of {as_percent(gone)} certain that they are not.",
            (
                self.figure(
                    "", present, "People known to be in the release",
                    f"The share of the people who are in the release with a chance of at least {sure}.",
                ),
                self.figure(
                    "max", float(chance.max(initial=0.0)), "Highest chance to be in the release",
                    "The chance of the person who is most clearly in the release.",
                ),
                self.figure(
                    "min", lowest, "Lowest chance to be in the release",
                    "The lowest chance of somebody who fits a row.", better="neither",
                ),
                self.figure(
                    "absent", gone, "People known to be absent",
                    "The share of the people who fit no row.",
                ),
            ),
            people=np.flatnonzero(nearly),
            degree=chance[nearly],
        )  # fmt: skip
