"""A look into the release: a few of its rows, and the groups in which people are most exposed.

No cell is shown that fewer people share than the page allows: what a page tells must not be about anybody.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paravent.measures import as_percent
from paravent.report.screen import HIDDEN, Screen
from paravent.report.words import counted

if TYPE_CHECKING:
    from paravent.plan.release import Release

MOST_ROWS = 6
MOST_GROUPS = 5
MOST_COLUMNS = 12


@dataclass(frozen=True)
class Sample:
    """Rows to be shown under some names. `left_out` columns have no place; `hides` says that a cell is not shown."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int = 0

    @property
    def hides(self) -> bool:
        return any(HIDDEN in row for row in self.rows)


def sample_rows(release: Release, screen: Screen) -> Sample:
    """Some rows of the release, drawn by the seed of its plan."""
    real = np.flatnonzero(~release.subject.placeholder)
    dice = np.random.default_rng([release.plan.seed, MOST_ROWS])
    rows = dice.choice(real, size=min(MOST_ROWS, len(real)), replace=False).tolist()
    first = [name for name in release.frame.columns if name in release.plan.quasi or name in release.plan.sensitive]
    kept = {*first[:MOST_COLUMNS]}
    for name in release.frame.columns:  # the quasi-identifiers and sensitive columns before the others
        if len(kept) < MOST_COLUMNS:
            kept.add(name)
    names = tuple(name for name in release.frame.columns if name in kept)
    return Sample(names, _rows(release, screen, names, rows), release.frame.width - len(names))


def exposed_groups(release: Release, screen: Screen) -> Sample:
    """The smallest groups; of equal ones those first in which a sensitive value can be guessed best."""
    subject, plan = release.subject, release.plan
    classes = subject.classes if subject.links is not None else subject.people
    sizes, counted_by = classes.sizes, "Rows" if classes.members is None else "People"
    if not len(sizes) or subject.astray or not plan.quasi:
        return Sample((), ())
    judged = {
        name: (found.highest(found.count) / sizes, np.diff(found.start))
        for name, found in classes.histograms.items()
        if name in plan.sensitive
    }
    surest = np.max([guess for guess, _ in judged.values()], axis=0) if judged else np.zeros(len(sizes))
    order = np.lexsort((subject.representative, -surest, sizes))[:MOST_GROUPS]
    names = tuple(name for name in release.frame.columns if name in plan.quasi)[:MOST_COLUMNS]
    cells = _rows(release, screen, names, subject.representative[order].tolist())
    rows = []
    for group, labels in zip(order.tolist(), cells, strict=True):
        about = [
            f"{as_percent(float(guess[group]))} ({counted(int(distinct[group]), 'value')})"
            for guess, distinct in judged.values()
        ]
        rows.append((str(int(sizes[group])), *labels, *about))
    left_out = len([name for name in plan.quasi if name in release.frame.columns]) - len(names)
    return Sample((counted_by, *names, *(f"{name}: surest guess" for name in judged)), tuple(rows), left_out)


def _rows(release: Release, screen: Screen, names: tuple[str, ...], rows: list[int]) -> tuple[tuple[str, ...], ...]:
    people = None if screen.persons is None or release.kept is None else screen.persons[release.kept]
    columns = [screen.cells(release.frame[name], name, rows, people) for name in names]
    return tuple(zip(*columns, strict=True)) if columns and rows else ()
