"""One column of a profile: read once, described in counts and shapes, never in values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from paravent.errors import TreeError
from paravent.hierarchy.builders import prefixes
from paravent.hierarchy.proposals import in_vocabulary, propose
from paravent.hierarchy.spec import TreeSpec
from paravent.profiling.detect import Confidence, Facts, Proposal
from paravent.profiling.distribution import Distribution, distribution, entropy, normalised_entropy, uniformity
from paravent.profiling.lexicon import Role
from paravent.profiling.rounded_range import rounded_range
from paravent.profiling.warnings import column_warnings
from paravent.table.alike import look_alikes
from paravent.table.domain import Coded, Domain
from paravent.table.infer import sample
from paravent.table.kinds import Kind
from paravent.table.table import Table
from paravent.table.text import as_text, is_text

MOSTLY_DIFFERENT = 0.5  # share of a sample
MOST_COMPARED = 50_000  # different values


@dataclass(frozen=True)
class ColumnProfile:
    """One column. `entropy` is in bits over the values that are not missing, `normalised_entropy` divides it by that
    of equally frequent values; `uniformity` decides the `distribution` (see `distribution.py`). `alike` holds the
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


@dataclass(frozen=True, eq=False)
class Seen:
    """A column that was read once: what is known of it, its domain where it has one, and the counts of its values."""

    facts: Facts
    domain: Domain | None
    counts: np.ndarray
    low: Any = None
    high: Any = None


def look_at(table: Table, name: str, coded: dict[str, Coded]) -> Seen:
    """Read a column. What is coded on the way is put into `coded`."""
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
    return Seen(facts, domain, counts, low, high)


def profile_column(
    table: Table, seen: Seen, proposal: Proposal, vocabularies: Sequence[str | Path] = ()
) -> ColumnProfile:
    """The profile of a column for which a role is proposed. `vocabularies` are tree files that may know its values."""
    facts, domain, counts, low, high = seen.facts, seen.domain, seen.counts, seen.low, seen.high
    column = table.columns[facts.name]
    tree, tree_reason = _tree(table, facts.name, domain, proposal, vocabularies)
    alike = _alike(table.frame[facts.name], facts.distinct, proposal)
    alone = int((counts == 1).sum())
    most = int(counts.max()) / facts.present if facts.present else 0.0
    return ColumnProfile(
        name=facts.name,
        kind=column.kind,
        kind_reason=column.reason,
        rows=facts.rows,
        missing=facts.missing,
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


def _alike(cells: pl.Series, distinct: int, proposal: Proposal) -> tuple[tuple[str, ...], ...]:
    """Values that look alike matter where they are counted."""
    counted = proposal.role in (Role.QUASI, Role.SENSITIVE)
    if not counted or not is_text(cells.dtype) or distinct > MOST_COMPARED:
        return ()
    return tuple(look_alikes(cells.alias("cells").cast(pl.String).drop_nulls().unique().to_list()))


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


def by_vocabulary(table: Table, seen: Seen, proposal: Proposal, vocabularies: Sequence[str | Path]) -> Proposal:
    """The proposal, or a quasi-identifier where nothing surer is known of the column and a vocabulary knows its values:
    whatever groups places, branches or schools, others may know of a person."""
    if proposal.role is not Role.INSENSITIVE and proposal.confidence is not Confidence.GUESS:
        return proposal
    name = seen.facts.name
    known = in_vocabulary(Domain.of(table, name) if seen.domain is None else seen.domain, vocabularies)
    if known is None:
        return proposal
    return Proposal(Role.QUASI, Confidence.LIKELY, known[1], proposal.concept)


def _tree(
    table: Table, name: str, domain: Domain | None, proposal: Proposal, vocabularies: Sequence[str | Path]
) -> tuple[TreeSpec | None, str]:
    """A way to generalize a quasi-identifier; nothing else is generalized."""
    if proposal.role is not Role.QUASI:
        return None, ""
    domain = Domain.of(table, name) if domain is None else domain
    known = in_vocabulary(domain, vocabularies)
    if known is not None:
        return known
    if proposal.concept == "postcode":  # known by its header in four languages, or by its values alone
        spec = prefixes()
        try:
            spec.build(domain)
        except TreeError:
            return propose(domain)
        return spec, "postcodes: masked from the end, one character a level"
    return propose(domain)
