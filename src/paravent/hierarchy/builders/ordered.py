"""Trees that follow the order of the values: balanced binary, equal frequency, groups of neighbours."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from paravent.errors import TreeError
from paravent.hierarchy.builders.cuts import check_cuts, cut_level
from paravent.hierarchy.spec import TreeSpec, as_tuple, leaf_level, span_level, tree_over
from paravent.hierarchy.tree import Tree
from paravent.table.domain import Domain
from paravent.table.kinds import Kind

_MOST = 10**9


def check_counts(call: str, what: str, counts: tuple[Any, ...], least: int) -> None:
    for count in counts:
        if not isinstance(count, int) or isinstance(count, bool) or not least <= count <= _MOST:
            raise TreeError(f"{call}: {what} {count!r} must be a whole number of at least {least} (and at most 10^9).")


def check_halving(call: str, groups: tuple[int, ...]) -> None:
    """Numbers of groups, fine to coarse, of which each level can be merged to the next."""
    check_counts(call, "number of groups", groups, 2)
    for many, few in itertools.pairwise(groups):
        if few >= many or many % few != 0:
            raise TreeError(
                f"{call}: {many} groups cannot be merged evenly into {few}, so the levels are not nested. "
                "Give numbers of which each divides the one before, such as 8, 4, 2."
            )


def equal_frequency(counts: np.ndarray, groups: int) -> np.ndarray:
    """The group of each value, ascending, so that groups hold similar numbers of rows. A value is never split."""
    middle = np.cumsum(counts) - counts / 2
    return np.asarray(np.minimum((middle / counts.sum() * groups).astype(np.int64), groups - 1))


@dataclass(frozen=True, repr=False)
class Balanced(TreeSpec):
    call: ClassVar[str] = "balanced"

    def build(self, domain: Domain) -> Tree:
        leaf_level(domain)
        n = len(domain)
        depth = (n - 1).bit_length()
        rank = np.arange(n, dtype=np.int64)
        # floor(rank · 2^d / n) halves every group of depth d − 1 as evenly as can be, and nests exactly.
        return tree_over(domain, *(span_level(domain, rank * 2**d // n) for d in range(depth - 1, 0, -1)))


def balanced() -> Balanced:
    """A balanced binary tree over the values in their order.

    2^n values give height n + 1 and 2^(n − j) nodes on level j.

    >>> import polars as pl
    >>> from paravent.table.kinds import Kind
    >>> domain = Domain("x", Kind.INTEGER, pl.Series([1, 2, 3, 4]), np.ones(4, dtype=np.int64))
    >>> balanced().build(domain).labels
    ('1', '2', '3', '4', '[1, 2]', '[3, 4]', '*')
    """
    return Balanced()


@dataclass(frozen=True, repr=False)
class Quantiles(TreeSpec):
    call: ClassVar[str] = "quantiles"
    main: ClassVar[str] = "groups"

    groups: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", as_tuple(self.groups))
        if not self.groups:
            raise TreeError("quantiles: no number of groups is given. Give one or more, such as 4 or 8, 4, 2.")
        check_halving(self.call, self.groups)

    def build(self, domain: Domain) -> Tree:
        leaf_level(domain)
        finest = equal_frequency(domain.counts, self.groups[0])
        return tree_over(domain, *(span_level(domain, finest // (self.groups[0] // g)) for g in self.groups))


def quantiles(*groups: int) -> Quantiles:
    """Groups of neighbours that hold about equally many rows: so many on each level, fine to coarse.

    >>> import polars as pl
    >>> from paravent.table.kinds import Kind
    >>> domain = Domain("x", Kind.INTEGER, pl.Series([1, 2, 3, 9]), np.array([5, 1, 1, 3]))
    >>> quantiles(2).build(domain).labels
    ('1', '2', '3', '9', '[2, 9]', '*')
    """
    return Quantiles(groups)


@dataclass(frozen=True, repr=False)
class OrderedGroups(TreeSpec):
    call: ClassVar[str] = "ordered_groups"
    main: ClassVar[str] = "sizes"

    sizes: tuple[int, ...] = ()
    cuts: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", as_tuple(self.sizes))
        cuts = as_tuple(self.cuts)
        if cuts and not any(isinstance(level, list | tuple) for level in cuts):
            cuts = (cuts,)
        object.__setattr__(self, "cuts", tuple(as_tuple(level) for level in cuts))
        if bool(self.sizes) == bool(self.cuts):
            raise TreeError("ordered_groups: give either sizes or cuts, such as 3, 4, 3 or cuts=[18, 30, 65].")
        check_counts(self.call, "size", self.sizes, 2)
        check_cuts(self.cuts)

    def fixed_levels(self, name: str, kind: Kind) -> int | None:  # noqa: ARG002
        placed = kind.is_numeric or kind is Kind.DATE  # labels of words are those that occur
        return len(self.cuts) + 1 if self.cuts and placed else None

    def build(self, domain: Domain) -> Tree:
        leaf_level(domain)
        if self.cuts:
            return tree_over(domain, *(cut_level(domain, level) for level in self.cuts))
        rank = np.arange(len(domain), dtype=np.int64)
        sizes = np.minimum(np.cumprod(np.array(self.sizes, dtype=object)), len(domain)).astype(np.int64)
        return tree_over(domain, *(span_level(domain, rank // size) for size in sizes.tolist()))


def ordered_groups(*sizes: int, cuts: Any = ()) -> OrderedGroups:
    """Groups of neighbours in the order of the values, by size or by the values at which new groups begin.

    `ordered_groups(3, 4, 3)` puts 3 values into a group, 4 of those groups into one of the next level, and so on.
    `cuts` lists the first value of every group but the lowest, once a level (coarser levels keep some of the cuts).

    >>> import polars as pl
    >>> from paravent.table.kinds import Kind
    >>> domain = Domain("age", Kind.INTEGER, pl.Series([12, 25, 40, 70]), np.ones(4, dtype=np.int64))
    >>> ordered_groups(cuts=[18, 65]).build(domain).levels[1].labels
    ('< 18', '[18, 65[', '>= 65')
    """
    return OrderedGroups(sizes, cuts)
