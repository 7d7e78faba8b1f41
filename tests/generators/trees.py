"""Trees of texts: groups of groups, some branches shorter than others."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

Under = dict[str, Any] | list[Any]


def grown(rng: np.random.Generator, values: list[str], name: str, depth: int) -> Under:
    """Values in groups of groups; some stand beside the groups, and some groups hold one thing alone."""
    if depth == 0 or len(values) == 1:
        return list(values)
    cuts = sorted(rng.choice(len(values) + 1, int(rng.integers(1, 4))).tolist())
    ends = [0, *cuts, len(values)]
    parts = [values[a:b] for a, b in pairwise(ends) if b > a]
    found: list[Any] = []
    for i, part in enumerate(parts):
        if rng.random() < 0.25:
            found += part
        else:
            found.append({f"{name}.{i}": grown(rng, part, f"{name}.{i}", depth - 1)})
    return found


def paths_of(under: Under | str) -> list[list[str]]:
    """The labels over each leaf, the leaf first."""
    if isinstance(under, str):
        return [[under]]
    if isinstance(under, dict):
        return [[*path, label] for label, below in under.items() for path in paths_of(below)]
    return [path for part in under for path in paths_of(part)]


def padded(paths: list[list[str]]) -> list[list[str]]:
    """Paths of equal length: the leaf is repeated where a branch is shorter."""
    depth = max(map(len, paths))
    return [[path[0]] * (depth - len(path)) + path for path in paths]
