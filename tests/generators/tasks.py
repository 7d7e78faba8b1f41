"""Small tables as methods get them: columns under trees that may be wider than the data, weights, models, rows to
spare and a target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paravent.hierarchy.tree import Tree
from paravent.methods import Axis, Target, Task
from paravent.privacy.k_anonymity import KAnonymity
from paravent.privacy.l_diversity import LDiversity
from paravent.table.kinds import Kind


def tree_axis(name: str, values: Sequence[str], paths: list[list[str]], weight: float = 1.0) -> Axis:
    """A column of texts under the tree of some paths."""
    given = Tree.from_paths(name, paths)
    tree = given.restrict(np.array(sorted({given.leaf_of[value] for value in values})))
    codes = np.array([tree.leaf_of[value] for value in values], dtype=np.int32)
    return Axis(name, Kind.NOMINAL, codes, tree.leaves, tree, weight=weight, given=given)


def halved(size: int, depth: int, name: str = "") -> list[list[str]]:
    """The paths of a tree over so many values: pairs, pairs of pairs and so on."""
    return [[f"{name}v{i}", *(f"{name}g{h}:{i >> h + 1}" for h in range(depth)), "*"] for i in range(size)]


def random_axis(
    rng: np.random.Generator,
    name: str,
    rows: int,
    *,
    sizes: tuple[int, int] = (1, 8),
    depth: int | None = None,
    weights: Sequence[float] = (),
) -> Axis:
    """A column under a tree of so many values, some of which may not occur; a depth is drawn where none is given."""
    size = int(rng.integers(sizes[0], sizes[1] + 1))
    depth = int(rng.integers(0, 3)) if depth is None else depth
    values = [f"v{i}" for i in rng.integers(0, size, rows).tolist()]
    return tree_axis(name, values, halved(size, depth), float(rng.choice(weights)) if weights else 1.0)


def axis_of_eight(name: str, codes: np.ndarray) -> Axis:
    """A column of some of eight values, which stand in pairs and pairs of pairs."""
    return tree_axis(name, [f"{name}v{i}" for i in codes.tolist()], halved(8, 2, name))


def axes_of_eight(rng: np.random.Generator, rows: int) -> tuple[Axis, ...]:
    """One to three columns of eight values."""
    return tuple(axis_of_eight("xyz"[j], rng.integers(0, 8, rows)) for j in range(int(rng.integers(1, 4))))


def random_task(seed: int) -> Task:
    """A small table with trees of 1 to 4 levels, a k, sometimes l-diversity, sometimes suppression, and a target."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(2, 26))
    axes = tuple(random_axis(rng, f"t{j}", rows, weights=(0.5, 1, 4)) for j in range(int(rng.integers(1, 4))))
    sensitive = {"disease": rng.integers(0, 3, rows).astype(np.int32)}
    models: list[Any] = [KAnonymity(int(rng.integers(1, min(rows, 4) + 1)))]
    if rng.random() < 0.4:
        models.append(LDiversity(2, "disease", kind=str(rng.choice(["distinct", "entropy"]))))
    limit = int(rng.integers(0, rows)) if rng.random() < 0.5 else 0
    classes = Target(rng.integers(0, 3, rows).astype(np.int32), 3, np.array([1.0, 2.0, 5.0]))
    return Task(rows, axes, tuple(models), sensitive, limit, targets={"class": classes})
