"""Singling out: is there a description, taken from the release, that fits exactly one person?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from paravent.errors import PlanError
from paravent.privacy.attacks.attack import Attack, Finding
from paravent.privacy.attacks.covering import Covering
from paravent.privacy.attacks.sampled import SampledAttack
from paravent.privacy.attacks.scene import Population, Scene
from paravent.privacy.grouping import group_rows

QUASI, ALL = "quasi", "all"

Predicates = list[tuple[tuple[str, ...], np.ndarray]]
"""Some columns, and for each predicate over them the labels that a person's values must be covered by."""


@dataclass(frozen=True, kw_only=True)
class SinglingOut(SampledAttack):
    """Descriptions made of cells of the release, tried on the people it is about.

    A description takes the cells of one released row in some columns: `age in [20, 29] and job = clerk`. Those that fit
    the fewest released rows (one, if there are such) are tried, at most `attempts` of them, over at most `combinations`
    sets of columns. It succeeds when its cells cover exactly one person of the original. The blind guess takes each
    cell from another row.
    `known` names the columns, or is `quasi` for the quasi-identifiers or `all` for all columns that the release and the
    original share (both are tried unless you say). A control group should be about as large as the original: a
    description fits one of few people by chance oftener, or more seldom, than one of many.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [20, 20, 30], "job": ["clerk", "nurse", "clerk"]})
    >>> scene = Scene(frame, ("age", "job"), original=Population(frame))
    >>> SinglingOut(known="all").run(scene)["attack"]
    1.0
    """

    known: Sequence[str] | str | None = None
    combinations: int = 32

    title: ClassVar[str] = "Singling out"
    question: ClassVar[str] = "Can somebody be singled out?"
    stopped_by: ClassVar[str] = "k-anonymity over every column that others may know"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.combinations, bool) or not isinstance(self.combinations, int) or self.combinations < 1:
            raise PlanError(f"SinglingOut: combinations must be a whole number from 1 on, not {self.combinations!r}.")
        if isinstance(self.known, str) and self.known not in (QUASI, ALL):
            raise PlanError(f"SinglingOut: known must be {QUASI!r}, {ALL!r} or a list of columns, not {self.known!r}.")

    @property
    def key(self) -> str:
        return f"attack.singling_out.{self.known}" if isinstance(self.known, str) else "attack.singling_out"

    @property
    def heading(self) -> str:
        known = {QUASI: ", by the quasi-identifiers", ALL: ", by every released column"}
        return self.title + (known.get(self.known, "") if isinstance(self.known, str) else "")

    def concrete(self, scene: Scene) -> Sequence[Attack]:
        if self.known is not None or scene.original is None:
            return (self,)
        more = set(scene.common(scene.original)) - set(scene.quasi)
        return [replace(self, known=known) for known in ((QUASI, ALL) if more else (QUASI,))]

    def _columns(self, scene: Scene, original: Population) -> tuple[str, ...]:
        if isinstance(self.known, str) or self.known is None:
            return scene.shared(original, None if self.known == QUASI else scene.common(original))
        return scene.shared(original, self.known)

    def run(self, scene: Scene) -> Finding:
        original = scene.original
        assert original is not None, "lacks() says so"
        others = self.control(scene)
        columns = self._columns(scene, original)
        if others is not None:
            scene.shared(others, columns)
        predicates, rows = self._informed(scene, original, columns)
        blind = self._blind(scene, original, predicates)
        hit = _isolates(scene, original, predicates)
        trial = self.trial(
            hit, _isolates(scene, original, blind), None if others is None else _isolates(scene, others, predicates)
        )
        exposed = np.unique(rows[hit])
        what = "a description taken from the release fits exactly one person"
        many = "" if len(columns) == 1 else "s"
        count = f"{len(columns)} quasi-identifier{many}" if self.known == QUASI else f"{len(columns)} column{many}"
        return Finding(
            self,
            self.sentence(trial, f"{what}, by {count} or some of them"),
            self.figures(trial, what),
            exposed=scene.positions(exposed),
            degree=np.ones(len(exposed)),
            trial=trial,
        )

    def _combinations(self, scene: Scene, columns: tuple[str, ...]) -> list[tuple[str, ...]]:
        """All columns, all quasi-identifiers, and subsets of every size by chance."""
        dice = self.dice(1)
        known = tuple(name for name in columns if name in scene.quasi)
        chosen = dict.fromkeys([columns, *([known] if known else [])])
        for _ in range(4 * self.combinations):
            if len(chosen) >= min(self.combinations, 2 ** len(columns) - 1):
                break
            some = dice.choice(len(columns), dice.integers(1, len(columns) + 1), replace=False)
            chosen[tuple(columns[i] for i in np.sort(some))] = None
        return list(chosen)[: self.combinations]

    def _informed(
        self, scene: Scene, population: Population, columns: tuple[str, ...]
    ) -> tuple[Predicates, np.ndarray]:
        """The descriptions that fit the fewest released rows, drawn by chance, and the row each is taken from."""
        combinations = self._combinations(scene, columns)
        row, size, which = [], [], []
        for i, names in enumerate(combinations):
            labels = [scene.covering(population, name).labels for name in names]
            of_row, count = group_rows(labels, scene.n_rows)
            some = np.zeros(count, dtype=np.int64)
            some[of_row] = np.arange(scene.n_rows)
            row.append(some)
            size.append(scene.people_in(of_row, count))
            which.append(np.full(count, i))
        rows, sizes, of = np.concatenate(row), np.concatenate(size), np.concatenate(which)
        rarest = np.flatnonzero(sizes == sizes.min())
        best = rarest[np.argsort(self.dice(2).random(len(rarest)), kind="stable")[: self.attempts]]
        best = best[np.argsort(of[best], kind="stable")]
        found: Predicates = []
        for i, names in enumerate(combinations):
            taken = rows[best[of[best] == i]]
            if len(taken):
                labels = [scene.covering(population, name).labels[taken] for name in names]
                found.append((names, np.stack(labels, axis=1)))
        return found, rows[best]

    def _blind(self, scene: Scene, population: Population, predicates: Predicates) -> Predicates:
        """The same columns, each cell from a row of its own: only what every column holds by itself is known."""
        dice = self.dice(3)
        found: Predicates = []
        for names, labels in predicates:
            drawn = [
                scene.covering(population, name).labels[dice.integers(0, scene.n_rows, len(labels))] for name in names
            ]
            found.append((names, np.stack(drawn, axis=1)))
        return found


def _isolates(scene: Scene, population: Population, predicates: Predicates) -> np.ndarray:
    """Whether each description fits exactly one person."""
    found = []
    for names, labels in predicates:
        coverings = [scene.covering(population, name) for name in names]
        found.append(
            np.array([_fitting(coverings, cells, population.persons) == 1 for cells in labels.tolist()], dtype=bool)
        )
    return np.concatenate(found) if found else np.zeros(0, dtype=bool)


def _fitting(coverings: list[Covering], cells: list[int], persons: np.ndarray | None) -> int:
    """How many people are covered in every column: those of the rarest cell first, filtered by the others."""
    holders = [covering.holders(label) for covering, label in zip(coverings, cells, strict=True)]
    counts = [sum(map(len, of)) for of in holders]
    rarest_first = sorted(range(len(cells)), key=counts.__getitem__)
    people = np.concatenate(holders[rarest_first[0]])
    for j in rarest_first[1:]:
        if not len(people):
            break
        if counts[j] < len(coverings[j].values):
            people = people[coverings[j].covered(cells[j])[coverings[j].values[people]]]
    return len(people) if persons is None else len(np.unique(persons[people]))
