"""How many rows are left."""

from __future__ import annotations

from collections.abc import Iterator

from paravent.measures import Measure
from paravent.utility.family import family
from paravent.utility.subject import Subject


@family(synthetic=True)
def rows(subject: Subject) -> Iterator[Measure]:
    yield Measure(
        "rows.original", subject.n_rows, "Rows before", "Rows of the original table.", better="neither", unit="count"
    )
    if subject.synthetic:
        yield Measure(
            "rows.released",
            subject.released.height,
            "Rows released",
            "Synthetic rows of the release.",
            better="neither",
            unit="count",
        )
        return
    yield Measure(
        "rows.suppressed",
        subject.n_suppressed,
        "Rows suppressed",
        "Rows of the original that are not in the release, or stand there as empty marks; without those that a sample "
        "leaves out.",
        unit="count",
    )
    if subject.n_rows:
        yield Measure(
            "utility.completeness",
            1 - (subject.n_suppressed + subject.left_out) / subject.n_rows,
            "Rows kept",
            "The share of the original's rows that are in the release.",
            better="higher",
            unit="share",
        )
