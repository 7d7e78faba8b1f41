"""l-diversity (Machanavajjhala et al. 2007): every class holds enough different sensitive values."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.errors import InfeasibleError, PlanError
from paravent.kernels.demands import Demand, DemandKind
from paravent.privacy.classes import Classes, Histogram
from paravent.privacy.entropy import at_least, effective_numbers
from paravent.privacy.exact import as_written, at_most, shown
from paravent.privacy.model import SensitiveModel

KINDS = ("distinct", "entropy", "recursive", "tolerance", "frequency")
_DEMANDS = {
    "distinct": DemandKind.DISTINCT,
    "entropy": DemandKind.ENTROPY,
    "recursive": DemandKind.RECURSIVE,
    "tolerance": DemandKind.TOLERANCE,
}


@dataclass(frozen=True, repr=False)
class LDiversity(SensitiveModel):
    """Every class has at least l well-represented values of a sensitive column.

    `distinct`: at least l different values. `entropy`: exp(entropy) of at least l (l may be a fraction). `recursive`:
    with frequencies r1 ≥ r2 ≥ …, r1 < c · (r_l + r_(l+1) + …). `tolerance`: l different values at least, and the shares
    of the l most frequent ones differ by at most epsilon (Mauger 2021, Def. 4.1.3). `frequency`: no value has more than
    1 / l of a class (Xiao, Tao 2006, Def. 2), which implies distinct, entropy and, for any c above 1, recursive. A
    missing sensitive value counts as one value. `knowing` names other sensitive columns that the attacker knows.

    >>> pairs = Histogram(np.array([0, 1, 3]), np.array([0, 0, 1]), np.array([2, 1, 1]), np.array([3, 1]))
    >>> LDiversity(2, "disease").holds(Classes(np.array([2, 2]), {"disease": pairs})).tolist()
    [False, True]
    """

    l: float  # noqa: E741 (the name the model has in the literature)
    column: str
    kind: str = "distinct"
    c: float | None = None
    epsilon: float | None = None
    knowing: tuple[str, ...] | None = None

    protects: ClassVar[str] = (
        "Somebody who finds a person's class still meets at least l values that the person may have."
    )
    leaves_open: ClassVar[str] = (
        "The values may mean nearly the same, or be far likelier in the class than in the table."
    )

    def __post_init__(self) -> None:
        self.check_columns()
        if self.kind not in KINDS:
            raise PlanError(f"LDiversity: kind must be one of {', '.join(KINDS)}, not {self.kind!r}.")
        if isinstance(self.l, bool) or not isinstance(self.l, int | float) or not 1 <= self.l < math.inf:
            raise PlanError(f"LDiversity: l must be a number of at least 1, not {self.l!r}.")
        if self.kind not in ("entropy", "frequency"):
            if self.l != int(self.l):
                raise PlanError(f"LDiversity: {self.kind} l-diversity takes a whole number for l, not {self.l!r}.")
            object.__setattr__(self, "l", int(self.l))
        self._check_own("c", "recursive", self.c, above=0, most=math.inf)
        self._check_own("epsilon", "tolerance", self.epsilon, above=None, most=1)

    def _check_own(self, name: str, kind: str, value: float | None, *, above: float | None, most: float) -> None:
        """A parameter that one kind needs and no other takes."""
        if self.kind != kind:
            if value is not None:
                raise PlanError(f"LDiversity: {name} belongs to kind={kind!r}, not to {self.kind!r}. Leave it out.")
            return
        number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if number and value is not None and (value >= 0 if above is None else value > above) and value <= most:
            return
        span = "a positive number" if above is not None else "a number from 0 to 1"
        raise PlanError(f"LDiversity: {kind} l-diversity takes {span} for {name}, not {value!r}.")

    @property
    def least_size(self) -> int:
        """One row of each of l values; recursive: one row each of so many that 1 < c · (values − l + 1)."""
        if self.kind == "recursive":
            assert self.c is not None
            return int(self.l) + math.floor(1 / as_written(self.c))
        return math.ceil(self.l)

    @property
    def absorbs(self) -> bool:
        return self.kind == "distinct" and not self.known

    @property
    def reads_shares(self) -> bool:
        return self.kind != "distinct"

    def demand_on(self, place: int, codes: np.ndarray) -> Demand:  # noqa: ARG002
        if self.kind == "frequency":
            return Demand(DemandKind.SHARE, place, float(1 / as_written(self.l)))
        return Demand(_DEMANDS[self.kind], place, float(self.l), float(self.c or self.epsilon or 0))

    @property
    def monotone_under_generalization(self) -> bool:
        # {a, b} and {a, c} have equally frequent values, their union has not.
        return self.kind != "tolerance" or self.epsilon == 1

    @property
    def key(self) -> str:
        return self.keyed({"recursive": "recursive_c", "tolerance": "tolerance"}.get(self.kind, f"{self.kind}_l"))

    def holds(self, classes: Classes) -> np.ndarray:
        histogram = self.histogram(classes)
        if self.kind == "distinct":
            return np.asarray(np.diff(histogram.start) >= self.l)
        if self.kind == "entropy":
            return histogram.once(("at least", self.l), lambda: at_least(histogram, as_written(self.l)))
        if self.kind == "frequency":
            return at_most(histogram.highest(histogram.count), histogram.sizes, 1 / as_written(self.l))
        if self.kind == "tolerance":
            assert self.epsilon is not None
            gap = at_most(_gap(histogram, int(self.l)), histogram.sizes, as_written(self.epsilon))
            return np.asarray(gap & (np.diff(histogram.start) >= self.l))
        most, rest = _head_and_tail(histogram, int(self.l))
        assert self.c is not None
        c = as_written(self.c)
        if max(most.max(initial=1), rest.max(initial=1)) * max(c.numerator, c.denominator) >= 2**62:
            most, rest = most.astype(object), rest.astype(object)
        return np.asarray(most * c.denominator < c.numerator * rest, dtype=bool)

    def worst(self, levels: Iterable[float]) -> float:
        lowest = self.kind in ("distinct", "entropy", "frequency")
        return min(levels, default=0) if lowest else max(levels, default=0)

    def level(self, classes: Classes) -> float:
        """Distinct, entropy and frequency: the largest l that holds. Recursive: the bound that c must exceed.
        Tolerance: the smallest epsilon that holds."""
        histogram = self.histogram(classes)
        if not len(classes):
            return 0
        if self.kind == "distinct":
            return int(np.diff(histogram.start).min())
        if self.kind == "entropy":
            lowest = float(effective_numbers(histogram).min())
            return shown(lowest, self.l, holds=bool(self.holds(classes).all()), most=False)
        if self.kind == "frequency":
            lowest = float((histogram.sizes / histogram.highest(histogram.count)).min())
            return shown(lowest, self.l, holds=bool(self.holds(classes).all()), most=False)
        if self.kind == "tolerance":
            assert self.epsilon is not None
            gap = _gap(histogram, int(self.l)) / histogram.sizes
            gap[np.diff(histogram.start) < self.l] = math.inf
            return shown(float(gap.max()), self.epsilon, holds=bool(self.holds(classes).all()), most=True)
        most, rest = _head_and_tail(histogram, int(self.l))
        return float(np.divide(most, rest, out=np.full(len(most), np.inf), where=rest > 0).max())

    def check_feasible(self, whole: Classes) -> None:
        if self.holds(whole).all():
            return
        best = self.level(whole)
        if self.kind == "tolerance":
            self._check_tolerance(whole)
            return
        if self.kind == "recursive":
            found = f"has no {self.l:g} values" if math.isinf(best) else f"needs c above {best:.6g}"
            remedy = "Ask for a smaller l." if math.isinf(best) else f"Ask for c above {best:.6g}, or a smaller l."
        else:
            # Rounded down, so that what is advised holds.
            reached = best if isinstance(best, int) else math.floor(best * 1e4) / 1e4
            found, remedy = f"reaches {reached}", f"Ask for l of at most {reached}."
        raise InfeasibleError(f"{self.describe()} cannot hold: {self._whole()} {found}. {remedy}")

    def _check_tolerance(self, whole: Classes) -> None:
        """The model is not monotone: other classes than the whole table may hold. But the most frequent of l values
        whose shares differ by at most epsilon has a share of at most (1 + (l − 1) · epsilon) / l in every class, and so
        in the table."""
        histogram = self.histogram(whole)
        l, distinct = int(self.l), int(np.diff(histogram.start).min())  # noqa: E741
        if distinct < l:
            raise InfeasibleError(
                f"{self.describe()} cannot hold: {self._whole()} has {distinct} different values. "
                f"Ask for l of at most {distinct}."
            )
        assert self.epsilon is not None
        bound = (1 + (l - 1) * as_written(self.epsilon)) / l
        most, sizes = histogram.highest(histogram.count), histogram.sizes
        if not at_most(most, sizes, bound).all():
            worst = int(np.argmax(most / sizes))
            share = int(most[worst]) / int(sizes[worst])
            needed = math.ceil((l * share - 1) / max(l - 1, 1) * 1e4) / 1e4
            raise InfeasibleError(
                f"{self.describe()} cannot hold: one value has {share:.4g} of all rows. "
                f"Ask for epsilon of at least {needed}, or a smaller l."
            )

    def _whole(self) -> str:
        return "a group of rows that is known to be together" if self.known else "the whole table"

    def describe(self) -> str:
        if self.kind == "recursive":
            return f"recursive ({self.c:g}, {self.l})-diversity {self.about()}"
        if self.kind == "tolerance":
            return f"{self.l}-diversity with tolerance {self.epsilon:g} {self.about()}"
        return f"{self.kind} {self.l:g}-diversity {self.about()}"


def _descending(histogram: Histogram) -> np.ndarray:
    """The counts of each class from its most frequent value to its rarest."""
    return histogram.once("descending", lambda: _sorted_counts(histogram))


def _sorted_counts(histogram: Histogram) -> np.ndarray:
    if not len(histogram.count):
        return histogram.count
    width = int(histogram.count.max()) + 1
    if width * len(histogram.start) >= 2**62:
        return histogram.count[np.lexsort((-histogram.count, histogram.owner))]
    keys = histogram.owner * width + (width - 1 - histogram.count)
    keys.sort()
    return np.asarray(width - 1 - keys % width)


def _head_and_tail(histogram: Histogram, l: int) -> tuple[np.ndarray, np.ndarray]:  # noqa: E741
    """For each class r1, the count of its most frequent value, and r_l + r_(l+1) + …"""
    start = histogram.start[:-1]
    counts = _descending(histogram)
    place = np.arange(len(counts)) - start[histogram.owner]
    return counts[start], histogram.summed(np.where(place >= l - 1, counts, 0))


def _gap(histogram: Histogram, l: int) -> np.ndarray:  # noqa: E741
    """For each class r1 − r_l, or r1 where there are fewer than l values."""
    start, distinct = histogram.start[:-1], np.diff(histogram.start)
    counts = _descending(histogram)
    lth = np.where(distinct >= l, counts[np.minimum(start + l - 1, len(counts) - 1)], 0) if len(counts) else start
    return np.asarray(counts[start] - lth)
