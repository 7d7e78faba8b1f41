"""Descriptors: what a table is like to a method, measured in a fraction of a second.

Nobody is asked whether their data are uniform or dense: entropy, density, uniqueness, correlation and skew say so, and
the word follows from them. Entropies are in bits. Frequencies are counted over all rows; the association of pairs of
columns is measured on at most `SAMPLE` rows, evenly spread over the table. A missing cell is a value.

How the table collapses on the way to a k (`paravent.knowledge.collapse`) is measured when it is first asked for.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np

from paravent import kernels
from paravent.arguments import check_call
from paravent.errors import PlanError, TableError
from paravent.hierarchy.spec import spec_from_document
from paravent.knowledge.collapse.collapse import NAMES as FACTS
from paravent.knowledge.collapse.collapse import Collapse
from paravent.near import suggest
from paravent.plan.file import resolved
from paravent.plan.plan import Plan
from paravent.plan.roles import Quasi
from paravent.plan.runner import as_table
from paravent.table.domain import Coded, Domain

SAMPLE = 10_000


@dataclass(frozen=True, kw_only=True)
class Descriptors:
    """What a table is like in its quasi-identifiers.

    `rows`, `columns`: of them. `tuples`: different rows. `density`: the share of rows that repeat another one.
    `uniqueness`: the share of rows that nobody shares. `entropy`: mean entropy of the columns, 1 where all values are
    as frequent as one another. `joint`: entropy of whole rows, in bits; `bits`: the sum over columns. `correlation`:
    mean association of two columns (Cramér's V, corrected for chance, or that of ranks where it is more). `skew`: how
    far the most frequent value of a column stands out, mean over columns; 0 where none does, 1 where a column has one
    value alone. `values`: geometric mean of the columns' different values; `most_values`: the most of any. `depth`:
    mean number of levels that trees have above the values, 1 where there is none. `ordered`: the share of columns whose
    values lie on a line. `classes`, `class_entropy`, `majority`, `class_association`: different values of the sensitive
    column, their entropy in bits, the share of the most frequent, and the association with the quasi-identifier that
    tells most about it; 0 where there is none.

    >>> import polars as pl
    >>> table = pl.DataFrame({"sex": ["f", "m", "f", "m"], "zip": [1, 2, 3, 4]})
    >>> found = describe(table, ["sex", "zip"])
    >>> found.tuples, found.uniqueness, found.entropy, found.joint, found.bits
    (4, 1.0, 1.0, 2.0, 3.0)
    """

    rows: int
    columns: int
    tuples: int
    density: float
    uniqueness: float
    entropy: float
    joint: float
    bits: float
    correlation: float
    skew: float
    values: float
    most_values: int
    depth: float
    ordered: float
    classes: int = 0
    class_entropy: float = 0.0
    majority: float = 0.0
    class_association: float = 0.0
    folding: Callable[[], Collapse] | None = field(default=None, repr=False, compare=False)
    """What folds the table that was described; missing where descriptors were read."""

    def at(self, k: int, suppression: float = 0.0, names: Collection[str] = FACTS) -> Mapping[str, float]:
        """What the table comes to look like by the time that k holds, if a share of the rows may be left out: facts of
        its collapse by name, all of them or at least those that are asked for.

        >>> import polars as pl
        >>> table = pl.DataFrame({"sex": ["f", "m", "f", "m"], "zip": [1, 2, 3, 4]})
        >>> found = describe(table, ["sex", "zip"]).at(2)
        >>> found["own.kept"], found["low.loss"], round(found["halves.loss"], 3)  # of zip, two thirds
        (0.0, 0.5, 0.333)
        """
        if self.collapse is None:
            raise PlanError("these descriptors were read, and the table is not at hand. Describe the table itself.")
        return self.collapse.at(k, suppression, names)

    @cached_property
    def collapse(self) -> Collapse | None:
        """The folded table."""
        return None if self.folding is None else self.folding()

    @property
    def shape(self) -> str:
        """The word for it: the first of dense, sparse, correlated, skewed and uniform that holds.

        dense: three rows or more for each different one. sparse: at least 95 % of the rows stand alone, and a column
        tells 64 values or more apart (6 bits). correlated: a correlation from 0.3. skewed: an entropy below 0.85, or a
        skew from 0.25. uniform: none of these.
        """
        if self.density >= 2 / 3:
            return "dense"
        if self.uniqueness >= 0.95 and self.bits >= 6 * self.columns:
            return "sparse"
        if self.correlation >= 0.3:
            return "correlated"
        return "skewed" if self.entropy < 0.85 or self.skew >= 0.25 else "uniform"

    def to_dict(self) -> dict[str, float]:
        """Every descriptor by name."""
        return {name: getattr(self, name) for name in NAMES}

    @classmethod
    def from_dict(cls, entries: Mapping[str, Any]) -> Descriptors:
        """What `to_dict` gave; entries that are no descriptor are passed over."""
        return cls(**{name: entries[name] for name in NAMES if name in entries})


NAMES = tuple(each.name for each in fields(Descriptors) if each.name != "folding")


def describe(
    source: Any, quasi: Plan | Sequence[str], sensitive: str | None = None, *, number: str | None = None
) -> Descriptors:
    """Measure what a table is like in its quasi-identifiers, named one by one or by a plan.

    `source` is a Table or anything that `pv.read` takes. A plan names the sensitive column, too, and its trees count.
    `number` is a column of numbers that somebody wants to predict.
    """
    check_call(describe, locals())
    table = as_table(source)
    plan = quasi if isinstance(quasi, Plan) else None
    names = plan.quasi_names if plan is not None else list(quasi)  # type: ignore[arg-type]
    if plan is not None and sensitive is None:
        sensitive = next(iter(plan.sensitive), None)
    for name in [*names, *(name for name in (sensitive, number) if name is not None)]:
        if name not in table.columns:
            raise PlanError(f"the table has no column {name!r}. {suggest(name, table.names)}")
    if not names:
        raise PlanError("no quasi-identifier is named. Name the columns by which somebody could be found.")
    if not len(table):
        raise TableError("the table has no rows: there is nothing to describe.")
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        coded = list(pool.map(lambda name: Coded.of(table, name), names))
    counts = {name: _counts(each) for name, each in zip(names, coded, strict=True)}
    joint = _joint_counts(coded)
    said = None if sensitive is None else Coded.of(table, sensitive)
    own = None if said is None else _counts(said)
    rows = len(table)
    return Descriptors(
        rows=rows,
        columns=len(names),
        tuples=len(joint),
        density=1 - len(joint) / rows,
        uniqueness=float((joint == 1).sum()) / rows,
        entropy=float(np.mean([_evenness(each) for each in counts.values()])),
        joint=_bits(joint),
        bits=float(sum(_bits(each) for each in counts.values())),
        correlation=_correlation(coded),
        skew=float(np.mean([_skew(each) for each in counts.values()])),
        values=float(np.exp(np.mean([math.log(len(each)) for each in counts.values()]))),
        most_values=max(len(each) for each in counts.values()),
        depth=1.0 if plan is None else float(np.mean([_depth(plan, each.domain) for each in coded])),
        ordered=float(np.mean([table.columns[name].kind.is_ordered for name in names])),
        classes=0 if own is None else len(own),
        class_entropy=0.0 if own is None else _bits(own),
        majority=0.0 if own is None else float(own.max() / own.sum()),
        class_association=0.0 if said is None else _class_association(coded, said),
        folding=partial(Collapse.of, table, plan or Plan({name: Quasi() for name in names}, []), coded, said, number),
    )


def _counts(coded: Coded) -> np.ndarray:
    """How often each value occurs; missing cells are one."""
    counts = coded.domain.counts
    missing = len(coded.codes) - int(counts.sum())
    return np.append(counts, missing) if missing else counts


def _joint_counts(coded: Sequence[Coded]) -> np.ndarray:
    """How often each different row occurs."""
    columns = [each.codes + np.int32(1) for each in coded]
    return np.asarray(kernels.fold(columns, [len(each.domain) + 1 for each in coded]).weight)


def _bits(counts: np.ndarray) -> float:
    shares = counts / counts.sum()
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def _evenness(counts: np.ndarray) -> float:
    return _bits(counts) / math.log2(len(counts)) if len(counts) > 1 else 0.0


def _skew(counts: np.ndarray) -> float:
    """0 where the most frequent value is as frequent as the others, 1 where it is the only one."""
    if len(counts) == 1:
        return 1.0
    even = 1 / len(counts)
    return float((counts.max() / counts.sum() - even) / (1 - even))


def _depth(plan: Plan, domain: Domain) -> float:
    """How many levels a column's tree has above the values; 1, the root, where it has none."""
    tree = resolved(plan).quasi[domain.name].tree
    spec = spec_from_document(tree, name=domain.name) if isinstance(tree, str) else tree
    if spec is None or not len(domain):
        return 1.0
    return float(spec.build(domain).height - 1)


def _correlation(coded: Sequence[Coded]) -> float:
    """The mean over all pairs of columns: that of ranks where both have an order and it says more."""
    if len(coded) < 2:
        return 0.0
    columns = [_Sampled.of(each) for each in coded]
    found = []
    for first, second in combinations(columns, 2):
        by_rank = 0.0
        if first.ranks is not None and second.ranks is not None:
            by_rank = abs(float(first.ranks @ second.ranks))
        found.append(max(by_rank, _associated(first.codes, first.counts, second.codes, second.counts)))
    return float(np.mean(found))


def _class_association(coded: Sequence[Coded], said: Coded) -> float:
    own = _Sampled.of(said)
    columns = [_Sampled.of(each) for each in coded]
    return max(_associated(each.codes, each.counts, own.codes, own.counts) for each in columns)


@dataclass(frozen=True, eq=False)
class _Sampled:
    """A column at rows evenly spread over the table: codes without gaps, how often each occurs, and mean ranks scaled
    to length 1 where the values have an order."""

    codes: np.ndarray
    counts: np.ndarray
    ranks: np.ndarray | None

    @classmethod
    def of(cls, coded: Coded) -> _Sampled:
        step = max(1, len(coded.codes) // SAMPLE)
        _, codes, counts = np.unique(coded.codes[::step], return_inverse=True, return_counts=True)
        ranks = None
        if coded.domain.kind.is_ordered:
            centred = (np.cumsum(counts) - (counts - 1) / 2)[codes] - (len(codes) + 1) / 2
            ranks = centred / (math.sqrt(float(centred @ centred)) or 1.0)
        return cls(codes.astype(np.int64), counts, ranks)


def association(first: np.ndarray, second: np.ndarray) -> float:
    """Cramér's V, corrected for chance (Bergsma 2013): 0 for independent columns, 1 where one tells the other.

    >>> round(association(np.array([0, 0, 1, 1] * 50), np.array([1, 1, 0, 0] * 50)), 9)
    1.0
    >>> association(np.array([0, 0, 1, 1] * 50), np.array([0, 1, 0, 1] * 50))
    0.0
    """
    both = [np.unique(codes, return_inverse=True, return_counts=True)[1:] for codes in (first, second)]
    return _associated(*both[0], *both[1])


def _associated(first: np.ndarray, row_sums: np.ndarray, second: np.ndarray, column_sums: np.ndarray) -> float:
    n, r, c = len(first), len(row_sums), len(column_sums)
    if min(r, c) < 2 or n < 2:
        return 0.0
    cells, observed = np.unique(first * c + second, return_counts=True)
    expected = row_sums[cells // c] * (column_sums[cells % c] / n)
    chi2 = float((observed.astype(float) ** 2 / expected).sum()) - n
    phi2 = max(0.0, chi2 / n - (r - 1) * (c - 1) / (n - 1))
    r_kept, c_kept = r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)
    return math.sqrt(min(1.0, phi2 / max(min(r_kept, c_kept) - 1, 1e-9)))
