"""Columns whose values have changed places: what is published of them, and what is told about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from paravent.published import Permuted
from paravent.published.by_row import missing_cells
from paravent.treatments.treatment import Treated, Work


def with_pattern(work: Work, columns: Sequence[str], groups: np.ndarray) -> np.ndarray:
    """Groups divided by which of the columns are missing: within them, values change places and missing cells stay."""
    for name in columns:
        missing = missing_cells(work.cells(name))
        if missing.any():
            groups = 2 * groups + missing
    return np.unique(groups, return_inverse=True)[1] if groups.size and groups.max() > len(groups) else groups


def moved(work: Work, received: Mapping[str, np.ndarray], groups: np.ndarray, words: str) -> Treated:
    """Each column with the value of the row that each row receives from. `groups` are not mixed; `words` say how."""
    cells, told = {}, []
    figures: dict[str, float] = {}
    for name, source in received.items():
        before = work.cells(name)
        after = before.gather(source)
        cells[name] = Permuted(after, groups)
        changed = int(after.ne_missing(before).sum())
        told.append(f"{changed} of {len(before)} cells of {name!r} have another value")
        figures[f"changed.{name}"] = changed
    return Treated(cells, trace=(f"{words}: {', '.join(told)}.",), figures=figures)
