"""Published numbers: evaluations of the literature, kept beside ours with where they are from.

What a source does not say is missing here, too. Both were collected by Ben Fredj (2017) from experiments of others.
"""

from __future__ import annotations

from dataclasses import dataclass

_BEN_FREDJ = "Ben Fredj 2017, chapters 3 and 5, from experiments of the literature"


@dataclass(frozen=True)
class Published:
    """A number of the literature: what it is, of which method, on which kind of table."""

    method: str
    metric: str
    value: float
    shape: str
    k: int | None = None
    columns: int | None = None
    source: str = _BEN_FREDJ


PUBLISHED = (
    Published("Datafly()", "utility.dm", 500_000_000.0, "dense", k=5, columns=3),
    Published('Mondrian(cut="median")', "utility.cavg", 100.0, "uniform"),
    Published('Mondrian(cut="median")', "utility.cavg", 5.0, "dense"),
)
