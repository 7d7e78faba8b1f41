"""Data shuffling: columns keep their values, ranks of columns keep their correlations, and given the columns that stay,
what a row receives says nothing about what it had.

Muralidhar and Sarathy, Data shuffling: a new masking approach for numerical data (2006). Ranks become normal scores, of
which those to be shuffled are drawn anew, given those of the columns that stay; the value of each rank then goes where
the drawn number of that rank stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from paravent import kernels
from paravent.treatments.noise.products import combined, products
from paravent.treatments.shuffling.normal import normal_quantiles
from paravent.treatments.swapping.partners import in_groups


def shuffled_ranks(columns: np.ndarray, given: np.ndarray, groups: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The row whose value each row receives in each of the columns (an array of columns, as `given` is; nan: missing,
    and stays so). Values do not leave their group; correlations are those within groups, all together."""
    complete = _by_rank(np.arange(len(groups)), groups)
    received = np.tile(np.arange(len(groups)), (len(columns), 1))
    with ThreadPoolExecutor(kernels.threads()) as pool:
        ranked = list(pool.map(lambda column: _Ranked.of(column, groups, complete), (*columns, *given)))
        own, stay = ranked[: len(columns)], ranked[len(columns) :]
        drawn = _drawn(_scores(own, len(groups)), _scores(stay, len(groups)), rng)
        orders = pool.map(lambda each, numbers: _sorted(numbers, each.order, groups), own, drawn)
        for rows, each, order in zip(received, own, orders, strict=True):
            rows[order] = each.order
    return received


@dataclass(frozen=True, eq=False)
class _Ranked:
    """The rows that have a value, by group and then by value; and the normal score of each row's rank in its group, the
    mean over equal values (nan: missing)."""

    order: np.ndarray
    scores: np.ndarray

    @classmethod
    def of(cls, column: np.ndarray, groups: np.ndarray, complete: np.ndarray) -> _Ranked:
        present = np.isfinite(column)
        order = _sorted(column, np.flatnonzero(present), groups)
        by_rank = complete if present.all() else _by_rank(order, groups)
        values, group = column[order], groups[order]
        new = np.ones(len(order), dtype=bool)
        new[1:] = (values[1:] != values[:-1]) | (group[1:] != group[:-1])
        first = np.flatnonzero(new)
        if 0 < len(first) < len(order):
            times = np.diff(first, append=len(order))
            by_rank = np.repeat(np.add.reduceat(by_rank, first) / times, times)
        scores = np.full(len(column), np.nan)
        scores[order] = by_rank
        return cls(order, scores)


def _by_rank(rows: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """The normal scores of ranks, group by group, for these rows."""
    _, _, size, place = in_groups(rows, groups)
    return normal_quantiles((place + 0.5) / np.repeat(size, size))


def _scores(columns: Sequence[_Ranked], rows: int) -> np.ndarray:
    return np.array([each.scores for each in columns]).reshape(len(columns), rows)


def _drawn(scores: np.ndarray, known: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Normal numbers with the correlations of the scores, and with those of what is known, which stays."""
    both = _correlations(np.concatenate((known, scores)))
    size = len(known)
    weights = np.linalg.pinv(both[:size, :size], hermitian=True) @ both[:size, size:]
    rest = both[size:, size:] - both[size:, :size] @ weights
    values, vectors = np.linalg.eigh((rest + rest.T) / 2)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))).T
    drawn = combined(root.T, rng.standard_normal(scores.shape))
    return drawn + combined(weights.T, np.nan_to_num(known)) if size else drawn


def _correlations(scores: np.ndarray) -> np.ndarray:
    """Over the rows that have both scores; made a matrix of correlations again where missing cells left none."""
    present = np.isfinite(scores)
    if present.all():
        found = products(scores, scores) / max(scores.shape[1], 1)
    else:
        filled, known = np.where(present, scores, 0.0), present.astype(float)
        found = products(filled, filled) / np.maximum(products(known, known), 1.0)
    size = np.sqrt(np.maximum(np.diag(found), 1e-300))
    values, vectors = np.linalg.eigh(found / np.outer(size, size))
    found = (vectors * np.maximum(values, 0.0)) @ vectors.T
    size = np.sqrt(np.maximum(np.diag(found), 1e-300))
    return np.asarray(found / np.outer(size, size))


def _sorted(keys: np.ndarray, rows: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Rows by group, then by key. How equal keys follow one another makes no difference to anybody."""
    return in_groups(rows[np.argsort(keys[rows])], groups)[0]
