"""What a generalized table costs under the seven metrics at once, and over a range of k (Mauger 2021, §3.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from paravent.errors import PlanError
from paravent.hierarchy.tree import Tree
from paravent.utility.cost.model import CostModel
from paravent.utility.cost.weights import METRICS, Conventions


def alterations(
    trees: Sequence[Tree],
    original: Sequence[np.ndarray],
    released: Sequence[np.ndarray],
    conventions: Conventions | None = None,
) -> dict[str, float]:
    """The alteration of a table in percent under each of the seven metrics."""
    rows = len(original[0]) if original else 1
    return {
        name: CostModel.of(trees, name, conventions=conventions, rows=rows).alteration(original, released)
        for name in METRICS
    }


def generalized_share(original: Sequence[np.ndarray], released: Sequence[np.ndarray]) -> float:
    """The share of cells that show a higher node than before, in percent."""
    cells = sum(len(nodes) for nodes in original)
    changed = sum(int((a != b).sum()) for a, b in zip(original, released, strict=True))
    return 100 * changed / cells if cells else 0.0


def root_share(trees: Sequence[Tree], released: Sequence[np.ndarray]) -> float:
    """The share of cells that show the root, in percent."""
    cells = sum(len(nodes) for nodes in released)
    at_root = sum(int((nodes == tree.root).sum()) for tree, nodes in zip(trees, released, strict=True))
    return 100 * at_root / cells if cells else 0.0


def vmn(curve: Mapping[int, float], low: int, high: int) -> float:
    """The normalised mean value of a curve over k: its area between two tested k, over the length of that interval.

    >>> vmn({3: 10.0, 5: 20.0, 9: 20.0}, 3, 9)
    18.333333333333332
    """
    points = sorted(k for k in curve if low <= k <= high)
    if len(points) < 2 or points[0] != low or points[-1] != high:
        raise PlanError(f"the mean over k from {low} to {high} needs measured values at both ends. Measure them.")
    area = sum((curve[a] + curve[b]) / 2 * (b - a) for a, b in pairwise(points))
    return area / (high - low)
