"""What a reader of the release could still check off against the original: cells altered, rows left as they were."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from paravent.measures import Absent, Measure
from paravent.privacy.grouping import group_rows
from paravent.privacy.risk.hidden_failure import LeftAsTheyWere
from paravent.utility.family import family
from paravent.utility.subject import Subject


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
        for same in _unchanged(subject, subject.original, subject.kept):
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


def _unchanged(subject: Subject, original: pl.DataFrame, kept: np.ndarray) -> Iterator[np.ndarray]:
    """For each column that both tables have, which released cells show the value of their original row."""
    quasi = {reading.axis.name: reading for reading in subject.readings}
    everything = len(kept) == original.height and bool(np.array_equal(kept, np.arange(len(kept))))
    for name in original.columns:
        if name not in subject.released.columns:
            continue
        if name in quasi:
            reading = quasi[name]
            wanted = reading.axis.codes if everything else reading.axis.codes[kept]
            yield (reading.only.astype(np.int32)[reading.codes] == wanted) | reading.never_known[reading.codes]
        else:
            before, after = original[name].alias("cells"), subject.released[name].alias("cells")
            before = before if everything else before.gather(kept)
            if before.dtype != after.dtype:
                before, after = before.cast(pl.String), after.cast(pl.String)
            yield before.eq_missing(after).to_numpy()


def strangers(subject: Subject, original: pl.DataFrame, rows: np.ndarray) -> int:
    """How many of some released rows equal, cell by cell, any row of the original."""
    there = [reading for reading in subject.readings if reading.axis.name in subject.released.columns]
    exact = rows & ~subject.placeholder
    for reading in there:
        exact &= (reading.only >= 0)[reading.codes]
    asked = np.flatnonzero(exact)
    if not len(asked):
        return 0
    columns = [np.concatenate([reading.axis.codes, reading.only[reading.codes[asked]]]) for reading in there]
    quasi = {axis.name for axis in subject.axes}
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
        before, after = before.cast(pl.String), after.cast(pl.String)
    both = pl.concat([before, after])
    ranks: np.ndarray = both.rank("dense").fill_null(0).cast(pl.Int64).to_numpy()
    return ranks
