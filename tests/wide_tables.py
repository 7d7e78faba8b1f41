"""Small random tables under trees that are wider than they are, with weights: one generator for tests of every room."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

import paravent as pv

from .plain_trees import PlainTree

Under = dict[str, Any] | list[Any]


@dataclass(frozen=True, eq=False)
class WideTable:
    """Rows of texts, and for each column the tree of all values (nested groups, as `pv.groups` takes them), of which
    only some occur, and its weight; a k that the table has rows for, and a sensitive column beside."""

    rows: list[tuple[str, ...]]
    under: list[dict[str, Under]]
    weights: list[float]
    k: int
    sensitive: list[str]

    @property
    def names(self) -> list[str]:
        return [f"c{j}" for j in range(len(self.under))]

    @cached_property
    def frame(self) -> pl.DataFrame:
        columns = dict(zip(self.names, zip(*self.rows, strict=True), strict=True))
        return pl.DataFrame({**columns, "s": self.sensitive}, schema_overrides=dict.fromkeys(columns, pl.String))

    def plan(self, method: pv.methods.Method, *models: Any, weights: bool = False) -> pv.Plan:
        """The plan of k-anonymity (and other models) by the trees, with or without the weights."""
        roles: dict[str, Any] = {
            name: pv.Quasi(pv.groups(under), weight=weight if weights else 1.0)
            for name, under, weight in zip(self.names, self.under, self.weights, strict=True)
        }
        return pv.Plan({**roles, "s": pv.Sensitive()}, [pv.KAnonymity(self.k), *models], method, order="source")

    @cached_property
    def trees(self) -> list[PlainTree]:
        return [PlainTree(padded(paths_of(under))) for under in self.under]

    @cached_property
    def fractions(self) -> list[Fraction]:
        """The weights, the heaviest 1."""
        written = [Fraction(str(weight)) for weight in self.weights]
        return [weight / max(written) for weight in written]


def wide_table(seed: int, *, rows: int = 7) -> WideTable:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, rows + 1))
    under, columns = [], []
    for j in range(int(rng.integers(1, 4))):
        size = int(rng.integers(2, 9))
        values = [f"v{i}" for i in range(size)]
        under.append({"*": _grown(rng, values, f"c{j}", int(rng.choice([0, 1, 2, 2])))})
        some = int(rng.integers(1, size + 1))
        first = int(rng.integers(0, size - some + 1))  # neighbours often have a node below the root
        occurring = np.arange(first, first + some) if rng.random() < 0.6 else rng.choice(size, some, replace=False)
        columns.append([values[i] for i in rng.choice(occurring, n)])
    weights = [float(w) for w in rng.choice([1, 1, 2, 50, 0.1, 0.3], len(under))]
    sensitive = [f"s{i}" for i in rng.integers(0, 3, n)]
    return WideTable(list(zip(*columns, strict=True)), under, weights, int(rng.integers(1, min(n, 3) + 1)), sensitive)


def _grown(rng: np.random.Generator, values: list[str], name: str, depth: int) -> Under:
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
            found.append({f"{name}.{i}": _grown(rng, part, f"{name}.{i}", depth - 1)})
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
