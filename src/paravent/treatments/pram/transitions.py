"""Transition matrices of the post-randomisation method, and values drawn by them.

Gouweleeuw, Kooiman, Willenborg and de Wolf, Post randomisation for statistical disclosure control: theory and
implementation (1998). Row k of a matrix has the probabilities with which value k is published as each value.
"""

from __future__ import annotations

import numpy as np


def uniform_matrix(least: np.ndarray) -> np.ndarray:
    """Value k stays with probability `least[k]`, else it becomes any other, each as likely.

    >>> uniform_matrix(np.array([0.8, 0.8, 1.0])).round(2).tolist()
    [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.0, 0.0, 1.0]]
    """
    size = len(least)
    if size < 2:
        return np.ones((size, size))
    matrix = np.repeat(((1 - least) / (size - 1))[:, None], size, axis=1)
    np.fill_diagonal(matrix, least)
    return matrix


def invariant_matrix(least: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Value k stays with probability `least[k]` or more, and the expected counts of what is published are the original.

    With probability 1 − least a value is drawn anew from the distribution of the column. Between two values with
    different minima the smaller chance holds in both directions, so that as many are expected to come as to go.

    >>> invariant_matrix(np.array([0.8, 0.8]), np.array([30, 10])).round(2).tolist()
    [[0.95, 0.05], [0.15, 0.85]]
    """
    share = counts / max(counts.sum(), 1)
    matrix = np.asarray(np.minimum(1 - least[:, None], 1 - least[None, :]) * share)
    np.fill_diagonal(matrix, 0.0)
    np.fill_diagonal(matrix, 1 - matrix.sum(axis=1))
    return matrix


def two_stages(matrix: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """A matrix made invariant: values pass through it, and then back, by the chances that each came from where (§4)."""
    flow = counts[:, None] * matrix
    back = np.divide(flow, flow.sum(axis=0), out=np.zeros_like(flow), where=flow.sum(axis=0) > 0).T
    found = np.asarray(matrix @ back)
    absent = counts == 0
    found[absent] = matrix[absent]  # nobody has it
    return found


def mixed(matrix: np.ndarray, alpha: float) -> np.ndarray:
    """A share alpha of the way from no change to the matrix; what was invariant stays so."""
    return np.asarray(alpha * matrix + (1 - alpha) * np.eye(len(matrix)))


def transition(codes: np.ndarray, matrix: np.ndarray, draw: np.ndarray) -> np.ndarray:
    """The published code of each row, given a number from [0, 1) for each. What has no probability never occurs."""
    order = np.argsort(codes.astype(np.min_scalar_type(len(matrix))), kind="stable")
    bounds = np.searchsorted(codes[order], np.arange(len(matrix) + 1))
    published = np.empty(len(codes), dtype=np.int64)
    for code in np.flatnonzero(np.diff(bounds)).tolist():
        rows = order[bounds[code] : bounds[code + 1]]
        targets = np.flatnonzero(matrix[code])
        ends = np.cumsum(matrix[code, targets])[:-1]  # the last takes what rounding leaves
        published[rows] = targets[np.searchsorted(ends, draw[rows], side="right")]
    return published
