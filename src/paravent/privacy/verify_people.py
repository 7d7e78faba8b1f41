"""The verifier's count of people: who is in which class of a finished release, and what they hold.

Arrays in, classes out. It shares nothing with the way methods count people.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from paravent.privacy.classes import Classes, Histogram
from paravent.table.domain import Domain


class Values(NamedTuple):
    """A sensitive column: the code of each row, how many codes there are, and what they stand for."""

    codes: np.ndarray
    width: int
    domain: Domain | None = None


def people_classes(
    key: np.ndarray, persons: np.ndarray, values: Mapping[str, Values], *, links: np.ndarray | None = None
) -> Classes:
    """Classes of people, given the key of the class that each row is in and whose row it is, in the order of keys.

    `links` groups the rows that the release shows to belong together, as one person's: then all rows of a group tell
    people apart, and a class holds the people of groups whose rows are in the same classes, equally often.

    >>> key, persons = np.array([0, 0, 0, 1, 1]), np.array([7, 7, 8, 7, 8])
    >>> people_classes(key, persons, {}).sizes.tolist()
    [2, 2]
    >>> people_classes(key, persons, {}, links=persons).sizes.tolist()
    [1, 1]
    """
    _, persons = np.unique(persons, return_inverse=True)
    persons = persons.reshape(-1)
    everybody = int(persons.max(initial=-1)) + 1
    _, of_row = np.unique(key if links is None else _portraits(key, links), return_inverse=True)
    of_row = of_row.reshape(-1)
    n_classes = int(of_row.max(initial=-1)) + 1
    inside = _distinct(of_row, persons)
    sizes = np.bincount(inside[0], minlength=n_classes)
    members = Histogram(
        np.r_[0, np.cumsum(sizes)], inside[1], np.ones(len(inside[1]), dtype=np.int64), np.bincount(persons)
    )
    return Classes(
        sizes,
        {name: _holders(of_row, persons, found, sizes, everybody) for name, found in values.items()},
        members=members,
    )


def _holders(of_row: np.ndarray, persons: np.ndarray, values: Values, sizes: np.ndarray, everybody: int) -> Histogram:
    """How many people of each class hold each value."""
    whole = np.bincount(_distinct(values.codes, persons)[0], minlength=values.width)
    held = _distinct(of_row, values.codes, persons)
    new = np.ones(held.shape[1], dtype=bool)
    new[1:] = (np.diff(held[:2], axis=1) != 0).any(axis=0)
    first = np.flatnonzero(new)
    return Histogram(
        np.searchsorted(held[0, first], np.arange(len(sizes) + 1)),
        held[1, first].astype(np.int32),
        np.diff(np.append(first, held.shape[1])),
        whole,
        values.domain,
        sizes,
        everybody,
    )


def _distinct(*columns: np.ndarray) -> np.ndarray:
    """The different rows of some columns, in order."""
    rows = np.stack([np.asarray(column, dtype=np.int64) for column in columns])
    rows = rows[:, np.lexsort(rows[::-1])]
    new = np.ones(rows.shape[1], dtype=bool)
    new[1:] = (np.diff(rows, axis=1) != 0).any(axis=0)
    return rows[:, new]


def _portraits(key: np.ndarray, links: np.ndarray) -> np.ndarray:
    """A number for each row, equal for rows of groups whose rows are in the same classes, equally often."""
    _, group = np.unique(links, return_inverse=True)
    group = group.reshape(-1)
    order = np.lexsort((key, group))
    text = key[order].astype(np.int64).tobytes()
    ends = (np.cumsum(np.bincount(group)) * 8).tolist()
    seen: dict[bytes, int] = {}
    found = np.empty(len(ends), dtype=np.int64)
    begin = 0
    for i, end in enumerate(ends):
        found[i] = seen.setdefault(text[begin:end], len(seen))
        begin = end
    return found[group]
