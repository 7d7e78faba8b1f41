"""The classes of a finished frame, found by grouping its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from paravent.privacy.classes import Classes, Histogram
from paravent.privacy.frame_cells import WIDEST, cell_codes, cells_of, coded_values, key_of_rows, runs
from paravent.privacy.verify_people import Values, people_classes

CountPeople = Callable[[pl.DataFrame], Mapping[str, tuple[np.ndarray, int]]]
"""For each population: how many of its people the cells of each row of a frame cover, and how many no row covers."""


class Whose(NamedTuple):
    """Whose each row is, and the rows that the frame itself shows to belong together."""

    persons: np.ndarray
    links: np.ndarray | None

    @classmethod
    def of(cls, persons: np.ndarray, links: np.ndarray | None) -> Whose:
        """Links that link nothing are none."""
        return cls(persons, links if links is not None and len(np.unique(links)) < len(links) else None)


def derive_classes(
    frame: pl.DataFrame,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    with_values: Iterable[str] = (),
    whose: Whose | None = None,
) -> Classes:
    """The classes of the rows that are equal in every quasi-identifier, missing cells equal to one another.

    The codes of the columns `with_values` stand in the order of their values, and the histograms tell what they are.
    With `whose`, people are counted.
    """
    key = key_of_rows([cells_of(frame, name) for name in quasi], frame.height)
    if whose is not None:
        asked = set(with_values)
        values = {
            name: Values(
                *(coded_values(cells_of(frame, name), name) if name in asked else cell_codes(cells_of(frame, name)))
            )
            for name in sensitive
        }
        return people_classes(key, whose.persons, values, links=whose.links)
    keys, sizes = runs(key)
    told = set(with_values)
    return Classes(
        sizes,
        {name: _histogram(key, keys, cells_of(frame, name), name if name in told else None) for name in sensitive},
    )


def with_people(
    classes: Classes, frame: pl.DataFrame, quasi: Sequence[str], count_people: CountPeople, *, in_order: bool
) -> Classes:
    """The classes with the people whom the cells of each cover. Compatible classes stand in order of appearance."""
    key = key_of_rows([cells_of(frame, name) for name in quasi], frame.height)
    firsts = pl.DataFrame({"key": key}).with_row_index("row").group_by("key").agg(pl.col("row").min())
    rows = firsts.sort("row" if in_order else "key")["row"].to_numpy()
    counted = count_people(frame)
    return replace(
        classes,
        people={name: of_row[rows] for name, (of_row, _) in counted.items()},
        beyond={name: beyond for name, (_, beyond) in counted.items()},
    )


def _histogram(key: np.ndarray, keys: np.ndarray, cells: pl.Series, name: str | None = None) -> Histogram:
    domain = None
    if name is None:
        codes, width = cell_codes(cells)
    else:
        codes, width, domain = coded_values(cells, name)
    if int(key.max(initial=0)) * width >= WIDEST:
        key, keys = np.searchsorted(keys, key), np.arange(len(keys))
    pairs, count = runs(key * width + codes)
    start = np.append(np.searchsorted(pairs, keys * width), len(pairs))
    table = np.bincount(codes, minlength=width)
    return Histogram(start, (pairs % width).astype(np.int32), count, table, domain)
