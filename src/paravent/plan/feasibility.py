"""Feasibility: what no release of a table can meet is refused before any work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from paravent.errors import InfeasibleError
from paravent.privacy.classes import Classes, Histogram
from paravent.privacy.model import Model
from paravent.privacy.statistics import Statistics
from paravent.table.domain import Domain


def check_feasible(
    models: Sequence[Model],
    n_rows: int,
    sensitive: Mapping[str, np.ndarray],
    may_suppress: int,
    domains: Mapping[str, Domain] | None = None,
    people: Mapping[str, int] | None = None,
    persons: np.ndarray | None = None,
) -> None:
    """Raise InfeasibleError when a model cannot hold, suppression at its best included.

    A monotone model is judged on all rows in one class: if any division into classes holds, so does their union. The
    others know a condition that every release must meet. `people` holds the number of people of each population.
    Columns that a model takes as known are published unchanged: no class can mix their values. `persons` says whose
    each row is, for models of people.
    """
    statistics = Statistics(models, sensitive, domains, persons=persons)
    counted = statistics.classes(np.zeros(n_rows, dtype=np.int32), 1)
    everybody = {name: np.array([total]) for name, total in (people or {}).items()}
    whole = replace(counted, people=everybody)
    for model in models:
        check_model(model, statistics.seen_by(model, whole)[0], may_suppress)


def check_model(model: Model, seen: Classes, may_suppress: int) -> None:
    """Raise InfeasibleError when a model cannot hold, given all rows in one class as it sees them."""
    try:
        model.check_feasible(seen)
    except InfeasibleError:
        if not may_suppress:
            raise
        if not model.known:  # which rows of which group would have to go is left to the method
            model.check_feasible(_at_best(seen, may_suppress))


def _at_best(whole: Classes, may_suppress: int) -> Classes:
    """What suppression could leave of the table, at its best."""
    return replace(
        whole,
        sizes=np.maximum(whole.sizes - may_suppress, 1) if whole.people else whole.sizes,
        histograms={name: _levelled(found, may_suppress) for name, found in whole.histograms.items()},
    )


def _levelled(histogram: Histogram, may_suppress: int) -> Histogram:
    """The counts after suppressing that many rows of the most frequent values: no other choice of rows leaves the
    values more evenly spread. A row of each value stays: a release without rows is none.

    >>> one = Histogram(np.array([0, 3]), np.array([0, 1, 2]), np.array([7, 4, 1]), np.array([7, 4, 1]))
    >>> _levelled(one, 5).count.tolist()
    [3, 3, 1]
    """
    counts = np.sort(histogram.count)[::-1]
    low, high = 1, int(counts[0]) if len(counts) else 0  # the lowest ceiling that cutting may reach
    while low < high:
        middle = (low + high) // 2
        if int(np.maximum(counts - middle, 0).sum()) <= may_suppress:
            high = middle
        else:
            low = middle + 1
    left = may_suppress - int(np.maximum(counts - low, 0).sum())
    level = np.minimum(histogram.count, low)
    if low > 1:
        tallest = np.flatnonzero(level == low)[:left]
        level[tallest] -= 1
    kept = level > 0
    start = np.array([0, int(kept.sum())])
    return replace(histogram, start=start, value=histogram.value[kept], count=level[kept])
