"""Partners of rows: at random, or near in rank. Each function gives the row whose values a row receives.

Dalenius and Reiss, Data-swapping: a technique for disclosure control (1982); Moore, Controlled data-swapping techniques
for masking public use microdata sets (1996).
"""

from __future__ import annotations

import numpy as np

from paravent.kernels.swapping import rank_partners


def random_partners(groups: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """A share of each group's rows in pairs, rows and pairs drawn at random. Shares of a pair are rounded at random: in
    small groups, too, nobody can tell whether a row was swapped."""
    order, start, size, place = in_groups(rng.permutation(len(groups)), groups)
    pairs = np.minimum(np.floor(share * size / 2 + rng.random(len(size))), size // 2).astype(np.int64)
    give = np.where(place < np.repeat(2 * pairs, size), place ^ 1, place)
    received = np.empty(len(groups), dtype=np.int64)
    received[order] = order[np.repeat(start, size) + give]
    return received


def permuted(groups: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """All rows of a group in another order, every order as likely as any other."""
    received = np.empty(len(groups), dtype=np.int64)
    to, *_ = in_groups(rng.permutation(len(groups)), groups)
    received[to], *_ = in_groups(rng.permutation(len(groups)), groups)
    return received


def near_partners(keys: np.ndarray, groups: np.ndarray, window: float, rng: np.random.Generator) -> np.ndarray:
    """Rows in the order of their keys, group by group, swapped within a window: a share of the group's rows, at least
    one rank. Equal keys stand in random order, and may be swapped with one another."""
    shuffled = rng.permutation(len(keys))
    order, start, size, _ = in_groups(shuffled[np.argsort(keys[shuffled], kind="stable")], groups)
    bounds = np.append(start, len(keys)).astype(np.int64)
    reach = np.maximum(1, np.floor(window * size * (1 + 1e-12))).astype(np.int64)
    received = np.empty(len(keys), dtype=np.int64)
    received[order] = order[rank_partners(bounds, reach, rng.random(len(keys)))]
    return received


def in_groups(order: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The rows sorted by group, else as they stand; where each group starts, its size; each row's place in its own."""
    size = np.bincount(groups[order])
    if len(size) > 1:
        small = groups.astype(np.min_scalar_type(len(size)))  # those of 16 bits are sorted by radix
        order = order[np.argsort(small[order], kind="stable")]
    size = size[size > 0]
    start = np.cumsum(size) - size
    return order, start, size, np.arange(len(order)) - np.repeat(start, size)
