"""Which released cells still show the value of their original row."""

from __future__ import annotations

import numpy as np

from paravent.privacy.risk.hidden_failure import comparable
from paravent.utility.subject import Subject


def unchanged(subject: Subject, name: str) -> np.ndarray:
    """Row by row, for a column that both tables have. A cell that was missing and is still counts as unchanged."""
    assert subject.original is not None
    assert subject.kept is not None
    everything = len(subject.kept) == subject.n_rows and bool(np.array_equal(subject.kept, np.arange(subject.n_rows)))
    reading = next((reading for reading in subject.readings if reading.axis.name == name), None)
    if reading is not None and name not in subject.treated:
        wanted = reading.axis.codes if everything else reading.axis.codes[subject.kept]
        own: np.ndarray = reading.only.astype(np.int32)[reading.codes] == wanted
        return np.asarray(own | reading.never_known[reading.codes])
    before, after = subject.original[name].alias("cells"), subject.released[name].alias("cells")
    before = before if everything else before.gather(subject.kept)
    if before.dtype != after.dtype:
        before, after = comparable(before, after), comparable(after, before)
    return before.eq_missing(after).to_numpy()
