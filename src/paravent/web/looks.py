"""What a table looks like: its profile and a small picture of every column, found once for each table."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import paravent as pv
from paravent.plan import profiled
from paravent.table import Domain
from paravent.table.text import as_text

if TYPE_CHECKING:
    from paravent.profiling.profile import Profile
    from paravent.web.workspace import Project

_BINS = 20
_MOST = 12


@dataclass(frozen=True)
class Histogram:
    """The counts of a column: of bins between `low` and `high` where it is ordered by numbers or dates, else of its
    most frequent values, with all others in the last one. `labels` name the bars."""

    counts: tuple[int, ...]
    labels: tuple[str, ...]
    low: Any = None
    high: Any = None
    others: int = 0

    @property
    def measured(self) -> bool:
        return self.low is not None


@dataclass(frozen=True)
class Look:
    """A table's profile (each column by itself), and the histogram of each column that has one."""

    rows: int
    profile: Profile
    histograms: dict[str, Histogram]


def look_of(project: Project) -> Look:
    """The look of a project's table. It takes a moment for a large one: call it where nobody waits."""
    found: Look = project.finding("look", _look)
    return found


def _look(table: pv.Table) -> Look:
    return Look(len(table), profiled(table), {name: histogram(table, name) for name in table.names})


def histogram(table: pv.Table, name: str) -> Histogram:
    """
    >>> histogram(pv.read(pl.DataFrame({"sex": ["F", "M", "F"]})), "sex")
    Histogram(counts=(2, 1), labels=('F', 'M'), low=None, high=None, others=0)
    """
    domain = Domain.of(table, name)
    if len(domain) and domain.positions is not None and len(domain) > 2:
        return _binned(domain)
    return _frequent(domain)


def _binned(domain: Domain) -> Histogram:
    at = np.asarray(domain.positions, dtype=float)
    finite = np.isfinite(at)
    if not finite.any() or at[finite].max() <= at[finite].min():
        return _frequent(domain)
    first, last = int(np.flatnonzero(finite)[0]), int(np.flatnonzero(finite)[-1])
    bins = min(_BINS, len(domain))
    counts, edges = np.histogram(at[finite], bins=bins, weights=domain.counts[finite])
    low, high = domain.values[first], domain.values[last]
    if domain.kind.is_numeric:
        labels = tuple(f"{a:.5g} – {b:.5g}" for a, b in pairwise(edges.tolist()))
        return Histogram(tuple(int(n) for n in counts), labels, float(low), float(high))
    ends = as_text(domain.values.gather([first, last]).alias("values")).to_list()
    return Histogram(tuple(int(n) for n in counts), ("",) * bins, *ends)


def _frequent(domain: Domain) -> Histogram:
    order = np.lexsort((np.arange(len(domain)), -domain.counts))
    shown = order[:_MOST]
    rest = order[_MOST:]
    texts = as_text(domain.values.gather(shown).alias("values")).to_list()
    return Histogram(
        tuple(int(domain.counts[i]) for i in shown),
        tuple(texts),
        others=int(domain.counts[rest].sum()) if len(rest) else 0,
    )


def cells(frame: pl.DataFrame, names: list[str], begin: int, count: int) -> list[list[str | None]]:
    """Some rows as texts; None where a value is missing."""
    columns = [as_text(frame[name].slice(begin, count).alias("cells")).to_list() for name in names]
    return [list(row) for row in zip(*columns, strict=True)] if columns else []
