"""Linkability: do two things known about people in different places belong to the same person?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.errors import PlanError
from paravent.privacy.attacks.attack import Finding
from paravent.privacy.attacks.nearest import Nearest
from paravent.privacy.attacks.sampled import SampledAttack
from paravent.privacy.attacks.scene import Population, Scene


@dataclass(frozen=True, kw_only=True)
class Linkability(SampledAttack):
    """Somebody holds the columns `first` of a person in one table and `second` in another, and uses the release to find
    that they belong together.

    For each half the attacker picks the `neighbours` released rows that fit it best (the narrowest cells that cover it,
    equals by chance), and takes the halves for one person's when a row was picked for both. Without names the columns
    are the quasi-identifiers in turn. The blind guess picks rows by chance.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": range(20, 60), "job": [f"job {i}" for i in range(40)]})
    >>> Linkability().run(Scene(frame, ("age", "job"), original=Population(frame)))["attack"]
    1.0
    """

    first: Sequence[str] | None = None
    second: Sequence[str] | None = None
    neighbours: int = 1

    title: ClassVar[str] = "Linkability"
    question: ClassVar[str] = "Can records of one person be linked?"
    stopped_by: ClassVar[str] = "larger classes (k-anonymity), or publishing the columns apart"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.neighbours, bool) or not isinstance(self.neighbours, int) or self.neighbours < 1:
            raise PlanError(f"Linkability: neighbours must be a whole number from 1 on, not {self.neighbours!r}.")
        both = set(self.first or ()) & set(self.second or ())
        if both:
            raise PlanError(f"Linkability: column {min(both)!r} stands in both halves. Leave it out of one.")
        if (self.first is None) != (self.second is None):
            raise PlanError("Linkability: one half is named and the other is not. Name both, or none.")

    @property
    def key(self) -> str:
        return "attack.linkability"

    def lacks(self, scene: Scene) -> str | None:
        lack = super().lacks(scene)
        if lack is None and self.first is None and scene.original is not None:
            shared = [name for name in scene.quasi if name in scene.original.frame.columns]
            return "two quasi-identifiers to link by" if len(shared) < 2 else None
        return lack

    def run(self, scene: Scene) -> Finding:
        original = scene.original
        assert original is not None, "lacks() says so"
        others = self.control(scene)
        shared = scene.shared(original, None if self.first is None else [*self.first, *(self.second or ())])
        halves = (shared[::2], shared[1::2]) if self.first is None else (tuple(self.first), tuple(self.second or ()))
        targets = self.drawn(original, 1)
        hit = self._linked(scene, original, halves, targets, purpose=2)
        control = None
        if others is not None:
            for half in halves:
                scene.shared(others, half)
            control = self._linked(scene, others, halves, self.drawn(others, 3), purpose=4)
        trial = self.trial(hit, self._by_chance(scene.n_rows, len(targets)), control)
        rows = np.zeros(0, dtype=np.int64) if original.row_of is None else np.unique(original.row_of[targets[hit]])
        return Finding(
            self,
            self.sentence(trial, "two halves of a person's quasi-identifiers lead to the same row"),
            self.figures(trial, "two halves of what is known of a person lead to the same row"),
            exposed=scene.positions(rows),
            degree=np.ones(len(rows)),
            people=targets[hit],
            trial=trial,
        )

    def _linked(
        self, scene: Scene, population: Population, halves: Sequence[Sequence[str]], targets: np.ndarray, purpose: int
    ) -> np.ndarray:
        dice = self.dice(purpose)
        picked = [list(Nearest(scene.links(population, half), targets).rows(self.neighbours, dice)) for half in halves]
        if scene.persons is not None:
            picked = [[scene.persons[rows] for rows in half] for half in picked]
        return np.array([bool(np.isin(a, b).any()) for a, b in zip(*picked, strict=True)], dtype=bool)

    def _by_chance(self, n_rows: int, attempts: int) -> np.ndarray:
        dice, count = self.dice(5), min(self.neighbours, n_rows)
        return np.array(
            [
                bool(
                    np.isin(dice.choice(n_rows, count, replace=False), dice.choice(n_rows, count, replace=False)).any()
                )
                for _ in range(attempts)
            ],
            dtype=bool,
        )
