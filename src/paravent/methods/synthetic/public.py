"""Public columns of a synthesis: what may be named as such, and how they are counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from paravent.errors import InfeasibleError, PlanError
from paravent.methods.method import RoleName
from paravent.methods.synthetic.coding import Coding, Grid, Listed
from paravent.near import suggest
from paravent.private.graphical.junction import cells_of
from paravent.private.graphical.network import dead_ends
from paravent.private.public_rows import PublicRows

MOST_CELLS = 200_000
"""The cells of all public columns together."""


def check_public(
    public: Sequence[str], roles: Mapping[str, RoleName], names: Sequence[str], never: Sequence[Mapping[str, Any]]
) -> None:
    """Raise PlanError where a column cannot be public, before anything is spent."""
    for name in public:
        if name not in names:
            raise PlanError(f"public: the release has no column {name!r}. {suggest(name, names)}")
        if roles[name] == "sensitive":
            raise PlanError(
                f"public: column {name!r} is sensitive in the plan, and public columns are released as they are. Leave "
                "it out of public, or give it another role."
            )
    if len(set(public)) < len(public):
        raise PlanError("public: a column is named twice. Name it once.")
    if public and len(public) == len(names):
        raise PlanError("public: every column of the release is public, so there is nothing to protect. Name fewer.")
    for each in never:
        if each and set(each) <= set(public):
            raise PlanError(
                f"impossible: {' and '.join(map(repr, each))} are public, and their rows are released as they are. "
                "Name another column too, or leave the constraint out."
            )


def public_coding(name: str, cells: pl.Series, told: Coding | None) -> Coding:
    """The cells that a public column is counted in: those that the plan tells, with exact quantiles where it asks for
    bins, else a cell for each value that occurs. Neither is a secret."""
    if told is None:
        (texts,) = zip(*PublicRows.of((0,), [cells]).values, strict=True)
        return Listed(name, tuple(text for text in texts if text is not None))
    if not isinstance(told, Grid) or told.bins is None:
        return told
    places = np.sort(told.places(cells))
    places = places[places >= 0]
    ends = [len(places) * each // told.bins for each in range(1, told.bins)] if len(places) else []
    return replace(told.cut_at([int(places[end]) for end in ends]), bins=None)


def check_cells_of(public: Sequence[int], sizes: Sequence[int], names: Sequence[str]) -> None:
    cells = cells_of(public, sizes)
    if cells > MOST_CELLS:
        raise PlanError(
            f"public: columns {', '.join(repr(names[column]) for column in public)} have {cells} cells together, more "
            f"than {MOST_CELLS}. Name fewer, or say in domains= into which cells a column is cut."
        )


def check_rows_possible(
    known: Mapping[int, np.ndarray], sizes: Sequence[int], never: Mapping[tuple[int, ...], np.ndarray]
) -> None:
    """Raise where constraints leave nothing that could be drawn beside some public row. `never` rules out unforeseen
    values of the other columns too, as noise may."""
    others = [column for column in range(len(sizes)) if column not in known]
    for columns, mask in dead_ends([*known, *others], sizes, never).items():
        if set(columns) <= set(known) and mask[tuple(known[column] for column in columns)].any():
            raise InfeasibleError("impossible: nothing is left that could be drawn beside a public row. Rule out less.")
