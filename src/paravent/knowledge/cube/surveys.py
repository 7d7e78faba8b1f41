"""Surveys and registers about people that do not ship: how a file of `--data` becomes a table of the grid.

They lie in `surveys/` of that folder, one CSV file each, without rows that lack a cell. Most are from the archives of
the Journal of Applied Econometrics and the Journal of Business & Economic Statistics, as R's package Ecdat has them;
`election` is the American National Election Study of 1996, `marriages` the survey of Fair 1978, `chile` the plebiscite
survey of 1988 (R's package carData). A tree follows from what a column holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from paravent.hierarchy.builders import balanced, flat, intervals, ordered_groups, quantiles
from paravent.hierarchy.spec import TreeSpec

FOLDER = "surveys"
_MANY = 120
"""A number with more different values has a tree by quantiles."""
_FEW = 4
"""A column with fewer different values has no level between them and the root."""


@dataclass(frozen=True)
class Survey:
    """The class and the number to predict; all other columns are quasi-identifiers, `columns` of them."""

    class_of: str
    number: str
    columns: int = 9


SURVEYS: Mapping[str, Survey] = {
    "benefits": Survey("joblost", "rr"),
    "chile": Survey("vote", "statusquo", 6),
    "contacts": Survey("health", "mdu"),
    "election": Survey("PID", "logpopul", 8),
    "hours": Survey("occupation", "hours"),
    "kakadu": Survey("answer", "tvenv"),
    "males": Survey("occupation", "wage"),
    "marriages": Survey("rate_marriage", "affairs", 7),
    "medicare": Survey("hlth", "ofp"),
    "panel": Survey("married", "earnings", 5),
    "schooling": Survey("class", "wage76"),
    "star": Survey("classk", "tmathssk", 6),
    "vietnam": Survey("insurance", "lnhhexp"),
    "wives": Survey("whi", "husby"),
}


def tree_of(cells: pl.Series) -> TreeSpec:
    """The tree of a column by what it holds.

    >>> tree_of(pl.Series([1, 2])), tree_of(pl.Series(range(50)))
    (pv.flat(), pv.intervals(5, 10, 20, 40))
    """
    values = cells.n_unique()
    if values < _FEW:
        return flat()
    if not cells.dtype.is_numeric():
        return balanced() if values > 8 else flat()
    if values > _MANY:
        return quantiles(64, 16, 4)
    if cells.dtype.is_float():
        return quantiles(16, 4) if values > 24 else balanced()
    span = float(str(cells.max())) - float(str(cells.min()))
    if span >= 400:
        return quantiles(16, 4)
    if span >= 30:
        return intervals(5, 10, 20, 40)
    return ordered_groups(3, 2)
