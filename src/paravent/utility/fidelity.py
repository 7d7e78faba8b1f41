"""What a reader of the release could still check off against the original: cells altered, rows left as they were."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from paravent.measures import Absent, Measure
from paravent.privacy.grouping import group_rows
from paravent.privacy.risk.hidden_failure import LeftAsTheyWere, comparable
from paravent.utility.family import family
from paravent.utility.subject import Subject
from paravent.utility.unchanged import unchanged


@family
def fidelity(subject: Subject) -> Iterator[Measure | Absent]:
    if subject.original is None or subject.n_rows == 0:
        return
    common = tuple(name for name in subject.original.columns if name in subject.released.columns)
    as_it_was = np.zeros(subject.released.height, dtype=bool)
    if subject.kept is None:
        why = "rows were dropped and nobody knows which, so that cells cannot be compared one by one."
        yield Absent("utility.distortion", why)
    else:
        intact = 0
        as_it_was[:] = bool(common)
        for same in (unchanged(subject, name) for name in common):
            intact += int(np.count_nonzero(same))
            as_it_was &= same
        yield Measure(
            "utility.distortion",
            1 - intact / (subject.n_rows * max(subject.original.width, 1)),
            "Distortion",
            "The share of all cells of the original table, dropped rows and columns among them, that no longer show "
            "their value.",
            unit="share",
        )
    rows = int(np.count_nonzero(as_it_was)) + strangers(subject, subject.original, ~as_it_was)
    yield from LeftAsTheyWere(rows, subject.released.height, common).measures()


def strangers(subject: Subject, original: pl.DataFrame, rows: np.ndarray) -> int:
    """How many of some released rows equal, cell by cell, any row of the original."""
    there = [
        reading
        for reading in subject.readings
        if reading.axis.name in subject.released.columns and reading.axis.name not in subject.treated
    ]
    exact = rows & ~subject.placeholder
    for reading in there:
        exact &= (reading.only >= 0)[reading.codes]
    asked = np.flatnonzero(exact)
    if not len(asked):
        return 0
    columns = [np.concatenate([reading.axis.codes, reading.only[reading.codes[asked]]]) for reading in there]
    quasi = {reading.axis.name for reading in there}
    for name in original.columns:
        if name in subject.released.columns and name not in quasi:
            columns.append(
                _together(original[name].alias("cells"), subject.released[name].alias("cells").gather(asked))
            )
    of_row, count = group_rows(columns, subject.n_rows + len(asked))
    known = np.zeros(count, dtype=bool)
    known[of_row[: subject.n_rows]] = True
    return int(np.count_nonzero(known[of_row[subject.n_rows :]]))


def _together(before: pl.Series, after: pl.Series) -> np.ndarray:
    """Codes of two columns, equal where the cells are equal."""
    if before.dtype != after.dtype:
        before, after = comparable(before, after), comparable(after, before)
    both = pl.concat([before, after])
    ranks: np.ndarray = both.rank("dense").fill_null(0).cast(pl.Int64).to_numpy()
    return ranks
