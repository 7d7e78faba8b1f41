"""Judgements: how much more one thing matters than another, pair by pair, and the weights that follow (AHP).

Weights are the principal eigenvector of the matrix of judgements, summing to 1. Pairs that nobody judged are filled by
what the others imply (Harker 1987); where nothing connects two groups of things, these matter alike. How far the
judgements contradict one another is the consistency ratio (Saaty 1980): the index (λ − n) / (n − 1) over that of random
judgements, which is published for up to ten things and found by simulation above.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations

import numpy as np

from paravent.arguments import Checked
from paravent.errors import PlanError
from paravent.near import suggest

ACCEPTED = 0.1
"""The consistency ratio up to which judgements are taken as they are."""
RANDOM_INDEX = (0.0, 0.0, 0.0, 0.58, 0.90, 1.12, 1.24, 1.32, 1.41, 1.45, 1.49)
SCALE = tuple([1 / n for n in range(9, 1, -1)] + [float(n) for n in range(1, 10)])
_SIMULATED = 400
"""Random matrices behind the index of more than ten things."""

Pairs = Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class Doubt:
    """The judgement that fits the others least: `first` to `second` is `said`, and the others imply `implied`. Without
    it the consistency ratio is `ratio`."""

    first: str
    second: str
    said: float
    implied: float
    ratio: float

    def __str__(self) -> str:
        return (
            f"{self.first} : {self.second} = {spoken(self.said)} fits the others least; they imply about "
            f"{spoken(nearest(self.implied))}"
        )


@dataclass(frozen=True, eq=False)
class Judgements(Checked):
    """Things that are compared, and the judgements about pairs of them.

    >>> found = Judgements.of(["precision", "usage", "completeness"], {("precision", "usage"): 2,
    ...     ("precision", "completeness"): 5, ("usage", "completeness"): 5})
    >>> {name: round(weight, 4) for name, weight in found.weights.items()}, round(found.ratio, 4)
    ({'precision': 0.5591, 'usage': 0.3522, 'completeness': 0.0887}, 0.0462)
    """

    items: tuple[str, ...]
    pairs: Pairs

    @classmethod
    def of(cls, items: Sequence[str], pairs: Pairs, *, where: str = "preferences") -> Judgements:
        """Judgements about things by their names, each pair judged once."""
        names = tuple(items)
        found: dict[tuple[str, str], float] = {}
        for (first, second), said in pairs.items():
            for name in (first, second):
                if name not in names:
                    raise PlanError(f"{where}: there is no {name!r} to compare here. {suggest(name, names)}")
            if first == second:
                raise PlanError(f"{where}: {first!r} is compared with itself. Leave it out.")
            if not 1 / 9 - 1e-9 <= said <= 9 + 1e-9:
                raise PlanError(
                    f"{where}: {first} : {second} = {said:g} must lie between 1/9 and 9 (1 means equal, 9 that the "
                    "first matters extremely more)."
                )
            if (second, first) in found and abs(found[second, first] * said - 1) > 1e-9:
                raise PlanError(f"{where}: {first} and {second} are compared twice, in different ways. Leave one out.")
            if (second, first) not in found:
                found[first, second] = float(said)
        return cls(names, found)

    @cached_property
    def matrix(self) -> np.ndarray:
        """The judgements as a matrix, pairs that nobody judged as the others imply them."""
        given, known = self._given
        if known.all():
            return given
        weights = _principal(_harker(given, known | _bridges(known)))[1]
        return np.where(known, given, weights[:, None] / weights[None, :])

    @cached_property
    def weights(self) -> dict[str, float]:
        """How much each thing matters; they sum to 1."""
        return dict(zip(self.items, _principal(self.matrix)[1].tolist(), strict=True))

    @cached_property
    def ratio(self) -> float:
        """The consistency ratio: 0 where the judgements agree, above 0.1 where they should be looked at again."""
        return consistency(self.matrix)

    @property
    def consistent(self) -> bool:
        return self.ratio <= ACCEPTED

    @cached_property
    def doubt(self) -> Doubt | None:
        """The judgement to look at first, where they are not consistent: without it the others agree best. Of equals,
        one for which the others imply something on the scale, and of these the first given."""
        if self.consistent:
            return None
        found = []
        for pair, said in self.pairs.items():
            rest = Judgements(self.items, {each: value for each, value in self.pairs.items() if each != pair})
            first, second = (self.items.index(name) for name in pair)
            found.append(Doubt(*pair, said, float(rest.matrix[first, second]), rest.ratio))
        return min(found, key=lambda doubt: (round(doubt.ratio, 9), not 1 / 9.5 < doubt.implied < 9.5))

    @cached_property
    def _given(self) -> tuple[np.ndarray, np.ndarray]:
        size = len(self.items)
        given, known = np.ones((size, size)), np.eye(size, dtype=bool)
        for (first, second), said in self.pairs.items():
            i, j = self.items.index(first), self.items.index(second)
            given[i, j], given[j, i] = said, 1 / said
            known[i, j] = known[j, i] = True
        return given, known


def priorities(matrix: np.ndarray) -> np.ndarray:
    """The weights of a whole matrix of judgements."""
    return _principal(matrix)[1]


def consistency(matrix: np.ndarray) -> float:
    """The consistency ratio of a whole matrix of judgements."""
    size = len(matrix)
    if size < 3:
        return 0.0
    index = (_principal(matrix)[0] - size) / (size - 1)
    return float(max(index, 0.0) / random_index(size))


@cache
def random_index(size: int) -> float:
    """The mean index of random judgements about so many things.

    >>> random_index(5), random_index(12) > random_index(10)
    (1.12, True)
    """
    if size < len(RANDOM_INDEX):
        return RANDOM_INDEX[size]
    rng = np.random.default_rng(size)
    upper = np.triu_indices(size, 1)
    matrices = np.ones((_SIMULATED, size, size))
    drawn = rng.choice(SCALE, size=(_SIMULATED, len(upper[0])))
    matrices[:, upper[0], upper[1]] = drawn
    matrices[:, upper[1], upper[0]] = 1 / drawn
    vectors = np.full((_SIMULATED, size), 1 / size)
    for _ in range(60):
        vectors = np.einsum("nij,nj->ni", matrices, vectors)
        vectors /= vectors.sum(axis=1, keepdims=True)
    greatest = np.einsum("nij,nj->ni", matrices, vectors).sum(axis=1)
    return float((greatest.mean() - size) / (size - 1))


def nearest(value: float) -> float:
    """The value of the scale that is nearest by ratio."""
    return min(SCALE, key=lambda step: abs(np.log(step / value)))


def spoken(value: float) -> str:
    """
    >>> spoken(3.0), spoken(1 / 5), spoken(1.5)
    ('3', '1/5', '1.5')
    """
    for number in range(2, 10):
        if abs(value * number - 1) < 1e-9:
            return f"1/{number}"
    return f"{value:g}"


def _principal(matrix: np.ndarray) -> tuple[float, np.ndarray]:
    """The greatest eigenvalue of a positive matrix and its eigenvector, which sums to 1, by powers: at most as many
    steps as it takes until nothing moves beyond the last digits."""
    vector = np.full(len(matrix), 1 / len(matrix))
    for _ in range(10_000):
        moved = matrix @ vector
        moved /= moved.sum()
        if np.abs(moved - vector).max() < 1e-15:
            vector = moved
            break
        vector = moved
    return float((matrix @ vector).sum() / vector.sum()), vector


def _harker(given: np.ndarray, known: np.ndarray) -> np.ndarray:
    """The matrix whose eigenvector the weights are where judgements are missing."""
    found = np.where(known, given, 0.0)
    np.fill_diagonal(found, 1 + (~known).sum(axis=1))
    return found


def _bridges(known: np.ndarray) -> np.ndarray:
    """Pairs to be taken for equal so that everything is compared with everything: the first things of two groups that
    no judgement connects."""
    group = np.arange(len(known))
    for first, second in combinations(range(len(known)), 2):
        if known[first, second]:
            group[group == group[second]] = group[first]
    found = np.zeros_like(known)
    heads = [int(np.flatnonzero(group == each)[0]) for each in dict.fromkeys(group.tolist())]
    for first, second in combinations(heads, 2):
        found[first, second] = found[second, first] = True
    return found
