"""Naive Bayes that learns from shares: a cell of which half is `a` counts as half an `a`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class NaiveBayes:
    """`log_prior[c]`, and `log_share[f, c]`: the logarithm of the share of value f of its column in class c."""

    log_prior: np.ndarray
    log_share: np.ndarray

    @classmethod
    def fit(
        cls, shares: np.ndarray, classes: np.ndarray, n_classes: int, widths: Sequence[int], weight: np.ndarray
    ) -> NaiveBayes:
        """Expected counts, one added to each (Laplace): row i of `shares` holds the shares of each column's values, and
        stands for `weight[i]` people.

        >>> learnt = NaiveBayes.fit(np.array([[1, 0], [0.5, 0.5], [0, 1]]), np.array([0, 0, 1]), 2, [2], np.ones(3))
        >>> learnt.predict(np.array([[1.0, 0], [0, 1]])).tolist()
        [0, 1]
        """
        member = np.zeros((len(classes), n_classes), dtype=shares.dtype)
        member[np.arange(len(classes)), classes] = weight
        counts = (shares.T @ member).astype(np.float64) + 1
        starts = np.concatenate([[0], np.cumsum(widths)[:-1]]).astype(np.int64)
        totals = np.repeat(np.add.reduceat(counts, starts, axis=0), widths, axis=0)
        prior = np.bincount(classes, weights=weight, minlength=n_classes) + 1
        return cls(np.log(prior / prior.sum()), np.log(counts / totals))

    def predict(self, shares: np.ndarray) -> np.ndarray:
        return np.asarray((self.log_prior + shares @ self.log_share).argmax(axis=1))
