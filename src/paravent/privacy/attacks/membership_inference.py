"""Membership inference: was somebody in the table that synthetic rows were made from?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.privacy.attacks.attack import Finding
from paravent.privacy.attacks.sampled import SampledAttack
from paravent.privacy.attacks.scene import Population, Scene
from paravent.privacy.risk.nearest_rows import nearest_distances


@dataclass(frozen=True, kw_only=True)
class MembershipInference(SampledAttack):
    """Somebody knows everything about a person and asks whether they were in the table: the nearer the nearest released
    row, the likelier (Gower's distance over all shared columns).

    People of the original and of the control group are asked about; whoever is at least as near as half of them all is
    said to have been in. `auc` is the chance that somebody who was in lies nearer than somebody who was not, equals
    counting half: 0.5 is a coin. The blind guess says of as many that they were in.

    >>> import polars as pl
    >>> inside, outside = pl.DataFrame({"age": [20, 30, 40]}), pl.DataFrame({"age": [25, 35, 45]})
    >>> scene = Scene(inside, ("age",), original=Population(inside), control=Population(outside), synthetic=True)
    >>> MembershipInference().run(scene)["auc"]
    1.0
    """

    title: ClassVar[str] = "Membership inference"
    question: ClassVar[str] = "Can it be told who was in the table?"
    stopped_by: ClassVar[str] = "differential privacy: one person changes little of what is drawn"

    @property
    def key(self) -> str:
        return "attack.membership_inference"

    def lacks(self, scene: Scene) -> str | None:
        lack = super().lacks(scene)
        if lack is None and not scene.synthetic:
            return "synthetic rows, whose cells are values; of others, Membership tells who can be in them"
        if lack is None and scene.control is None:
            return "people who are not in the table (control)"
        return lack

    def run(self, scene: Scene) -> Finding:
        original, others = scene.original, self.control(scene)
        assert original is not None, "lacks() says so"
        assert others is not None, "lacks() says so"
        names = [name for name in scene.common(original) if name in others.frame.columns]
        targets = self.drawn(original, 1)
        inside = self._distances(scene, original, targets, names)
        outside = self._distances(scene, others, self.drawn(others, 2), names)
        both = np.concatenate([inside, outside])
        cut = np.median(both)
        blind = self.dice(3).random(len(inside)) < np.mean(both <= cut)
        trial = self.trial(inside <= cut, blind, outside <= cut)
        auc = _ahead(inside, outside)
        what = "a person is said to have been in the table, for a released row is near"
        return Finding(
            self,
            f"{self.sentence(trial, what)} Of somebody who was in it and somebody who was not, the first is nearer in "
            f"{100 * auc:.1f} % of all pairs; 50 % is a coin.",
            (
                *self.figures(trial, what),
                self.figure(
                    "auc", auc, f"{self.title}: AUC",
                    "How often somebody who was in the table lies nearer to a released row than somebody who was not, "
                    "equals counting half: 0.5 where nothing can be told.",
                ),
            ),
            people=targets[inside <= cut],
            trial=trial,
        )  # fmt: skip

    def _distances(self, scene: Scene, people: Population, targets: np.ndarray, names: list[str]) -> np.ndarray:
        assert scene.original is not None
        return nearest_distances(people.frame[targets], scene.released, names, scene.original.frame)


def _ahead(nearer: np.ndarray, farther: np.ndarray) -> float:
    """The share of pairs in which the first is the nearer one, equals counting half."""
    ordered = np.sort(farther)
    after = len(ordered) - np.searchsorted(ordered, nearer, side="right")
    equal = np.searchsorted(ordered, nearer, side="right") - np.searchsorted(ordered, nearer, side="left")
    return float((after + equal / 2).sum() / (len(nearer) * len(ordered)))
