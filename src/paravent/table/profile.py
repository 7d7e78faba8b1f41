"""Profile: what is in a table and what it gives away, before anything is decided.

A profile is printed and passed on. It holds counts, shares and shapes; no value of the table is in what it prints or
in `to_dict()`. The exact lowest and highest values stand in `ColumnProfile.low` and `.high` (and may stand in
`.tree_reason`), those that look alike in `.alike`, for the person at work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from paravent.errors import TreeError
from paravent.hierarchy.spec import TreeSpec
from paravent.table.alike import look_alikes
from paravent.table.detect import Facts, Proposal, detect
from paravent.table.detect_lexicon import Role
from paravent.table.domain import Coded, Domain
from paravent.table.infer import sample
from paravent.table.kinds import Kind
from paravent.table.profile_distribution import Distribution, distribution, entropy, normalised_entropy, uniformity
from paravent.table.profile_range import rounded_range
from paravent.table.profile_subsets import SubsetProfile, profile_subsets
from paravent.table.profile_warnings import column_warnings, table_warnings
from paravent.table.redundancy import Redundancy, redundancies
from paravent.table.table import Table
from paravent.table.text import as_text

MOSTLY_DIFFERENT = 0.5  # share of a sample
MOST_COMPARED = 50_000  # different values


@dataclass(frozen=True)
class ColumnProfile:
    """One column. `entropy` is in bits over the values that are not missing, `normalised_entropy` divides it by that
    of equally frequent values; `uniformity` decides the `distribution` (see `profile_distribution`). `alike` holds the
    groups of different values that look the same (see `table.alike`)."""

    name: str
    kind: Kind
    kind_reason: str
    rows: int
    missing: int
    distinct: int
    alone: int
    entropy: float
    normalised_entropy: float
    uniformity: float
    most_frequent: float
    proposal: Proposal
    tree: TreeSpec | None
    range: str | None
    warnings: tuple[str, ...]
    tree_reason: str = field(default="", repr=False)
    low: Any = field(default=None, repr=False)
    high: Any = field(default=None, repr=False)
    alike: tuple[tuple[str, ...], ...] = field(default=(), repr=False)

    @property
    def role(self) -> Role:
        return self.proposal.role

    @property
    def distribution(self) -> Distribution:
        return distribution(self.uniformity)

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind.value,
            "kind_reason": self.kind_reason,
            "missing": self.missing,
            "distinct": self.distinct,
            "alone": self.alone,
            "entropy": self.entropy,
            "normalised_entropy": self.normalised_entropy,
            "uniformity": self.uniformity,
            "distribution": self.distribution.value,
            "most_frequent": self.most_frequent,
            "alike": sum(map(len, self.alike)),
            "range": self.range,
            "role": self.role.value,
            "confidence": self.proposal.confidence.value,
            "concept": self.proposal.concept,
            "reason": self.proposal.reason,
            "tree": self.tree.to_document() if self.tree else None,
            "warnings": list(self.warnings),
        }


@dataclass(frozen=True, repr=False)
class Profile:
    """What a table holds, column by column, and which sets of its columns single people out. Prints as a table.

    `redundancies` are the columns that follow from another one.
    """

    rows: int
    columns: tuple[ColumnProfile, ...]
    subsets: tuple[SubsetProfile, ...]
    warnings: tuple[str, ...]
    redundancies: tuple[Redundancy, ...] = ()

    def __getitem__(self, name: str) -> ColumnProfile:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return any(column.name == name for column in self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[ColumnProfile]:
        return iter(self.columns)

    def named(self, role: Role) -> tuple[str, ...]:
        """The columns proposed for a role."""
        return tuple(column.name for column in self.columns if column.role is role)

    @property
    def distribution(self) -> Distribution | None:
        """The table's own: that of most of its quasi-identifiers, dense where they are halved; None without any."""
        spread = [column.distribution for column in self.columns if column.role is Role.QUASI]
        if not spread:
            return None
        uniform = sum(each is Distribution.UNIFORM for each in spread)
        return Distribution.UNIFORM if 2 * uniform > len(spread) else Distribution.DENSE

    def quasi_identifiers(self) -> tuple[SubsetProfile, ...]:
        """The column sets that single out somebody, those that single out most first, among equals the smallest."""
        found = [subset for subset in self.subsets if subset.is_quasi_identifier]
        return tuple(sorted(found, key=lambda subset: (-subset.singled_out, len(subset.columns), subset.columns)))

    def to_dict(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "distribution": self.distribution.value if self.distribution else None,
            "columns": [column.to_dict() for column in self.columns],
            "subsets": [
                {
                    "columns": list(subset.columns),
                    "distinct": subset.distinct,
                    "distinction": subset.distinction,
                    "separation": subset.separation,
                    "singled_out": subset.singled_out,
                }
                for subset in self.subsets
            ],
            "redundancies": [
                {"given": found.given, "follows": found.follows, "mutual": found.mutual} for found in self.redundancies
            ],
            "warnings": list(self.warnings),
        }

    def __str__(self) -> str:
        from paravent.table.profile_print import written

        return written(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from paravent.table.profile_print import as_html

        return as_html(self)


def profile(source: Any, *, columns: Sequence[str] | None = None, max_subset: int | None = None) -> Profile:
    """Look at every column, and at sets of the proposed quasi-identifiers (or of `columns`) up to `max_subset`.

    `source` is a table, or whatever `pv.read` makes one of. Without `max_subset` the sets are as large as a few
    seconds allow; the set of all columns is always there.

    >>> found = profile(pl.DataFrame({"zip": [13053, 13068, 13053], "disease": ["flu", "flu", "cancer"]}))
    >>> [(column.name, str(column.role)) for column in found]
    [('zip', 'quasi-identifier'), ('disease', 'sensitive')]
    >>> found.subsets[0].singled_out
    1
    """
    table = _as_table(source)
    coded: dict[str, Coded] = {}
    profiled = tuple(_profile_column(table, name, coded) for name in table.names)
    if columns is None:
        columns = [column.name for column in profiled if column.role is Role.QUASI]
    subsets = profile_subsets(table, columns, max_subset=max_subset, coded=coded)
    roles = {column.name: column.proposal for column in profiled}
    whole = next((subset for subset in subsets if len(subset.columns) == len(columns)), None)
    judged = (name for name in coded if roles[name].role in (Role.QUASI, Role.SENSITIVE))
    follows = redundancies({name: coded[name].codes for name in judged})
    return Profile(len(table), profiled, subsets, table_warnings(len(table), roles, whole, follows), follows)


def _as_table(source: Any) -> Table:
    if isinstance(source, Table):
        return source
    from paravent.table.read import read

    return read(source)


def _profile_column(table: Table, name: str, coded: dict[str, Coded]) -> ColumnProfile:
    column = table.columns[name]
    values = table.frame[name]
    if values.dtype.is_float():
        values = values.fill_nan(None)
    missing = values.null_count()
    drawn = as_text(sample(values))
    seen = drawn.unique(maintain_order=True).to_list()
    domain, counts = _domain(table, values, len(seen) > MOSTLY_DIFFERENT * len(drawn), coded)
    low: Any = None
    high: Any = None
    if domain is not None and len(domain) and column.kind.is_ordered:
        low, high = domain.values[0], domain.values[-1]
    numbers = column.kind.is_numeric and low is not None
    facts = Facts(
        name,
        column.kind,
        rows=len(values),
        missing=missing,
        distinct=len(counts),
        sample=tuple(text.replace("\u00a0", " ") for text in seen),
        low=float(low) if numbers else None,
        high=float(high) if numbers else None,
    )
    proposal = detect(facts)
    tree, tree_reason = _tree(table, name, domain, proposal)
    alike = _alike(domain, proposal)
    alone = int((counts == 1).sum())
    most = int(counts.max()) / facts.present if facts.present else 0.0
    return ColumnProfile(
        name=name,
        kind=column.kind,
        kind_reason=column.reason,
        rows=facts.rows,
        missing=missing,
        distinct=facts.distinct,
        alone=alone,
        entropy=entropy(counts),
        normalised_entropy=normalised_entropy(counts),
        uniformity=uniformity(counts, domain.positions if domain is not None else None),
        most_frequent=most,
        proposal=proposal,
        tree=tree,
        tree_reason=tree_reason,
        range=None if column.kind is Kind.ORDINAL else rounded_range(low, high),
        warnings=column_warnings(facts, proposal, alone, most, alike),
        low=low,
        high=high,
        alike=alike,
    )


def _alike(domain: Domain | None, proposal: Proposal) -> tuple[tuple[str, ...], ...]:
    """Values that look alike matter where they are counted; where nearly every row has its own they say little."""
    counted = proposal.role in (Role.QUASI, Role.SENSITIVE)
    if domain is None or not counted or domain.values.dtype != pl.String or len(domain) > MOST_COMPARED:
        return ()
    return tuple(look_alikes(domain.text))


def _domain(
    table: Table, values: pl.Series, mostly_different: bool, coded: dict[str, Coded]
) -> tuple[Domain | None, np.ndarray]:
    """A column's domain and the counts of its values.

    Where nearly every row has its own value, coding the rows is wasted: numbers and dates are sorted instead, and
    words are only counted.
    """
    name = values.name
    kind = table.columns[name].kind
    if not mostly_different or kind is Kind.ORDINAL:
        coded[name] = Coded.of(table, name)
        return coded[name].domain, coded[name].domain.counts
    if kind in (Kind.NOMINAL, Kind.TEXT):
        counted = pl.DataFrame({"value": values}).drop_nulls().group_by("value").len("count")
        return None, counted["count"].to_numpy().astype(np.int64)
    runs = values.drop_nulls().sort().rle().struct.unnest()
    counts = runs["len"].to_numpy().astype(np.int64)
    return Domain(name, kind, runs["value"].alias(name), counts), counts


def _tree(table: Table, name: str, domain: Domain | None, proposal: Proposal) -> tuple[TreeSpec | None, str]:
    """A way to generalize a quasi-identifier; nothing else is generalized."""
    if proposal.role is not Role.QUASI:
        return None, ""
    from paravent.hierarchy.builders import prefixes
    from paravent.hierarchy.propose import propose

    domain = Domain.of(table, name) if domain is None else domain
    if proposal.concept == "postcode":  # known by its header in four languages, or by its values alone
        spec = prefixes()
        try:
            spec.build(domain)
        except TreeError:
            return propose(domain)
        return spec, "postcodes: masked from the end, one character a level"
    return propose(domain)
