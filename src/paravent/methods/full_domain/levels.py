"""Full-domain generalization: every cell of a column on one level of its tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paravent import kernels
from paravent.errors import PlanError, either
from paravent.hierarchy.tree import Level, Tree
from paravent.kernels.cutting import SCALE
from paravent.methods.method import Axis, Labels, Recoding
from paravent.methods.rule import Levels
from paravent.utility.cost import METRICS, CostModel
from paravent.utility.cost.axes import given_trees


@dataclass(frozen=True, eq=False)
class LevelCosts:
    """What it costs to stand on each level, one column.

    `kept[l]` is the cost of all cells on level l, as a share of what it costs to suppress them all; `spare[l][v]` what
    a cell with value v costs more when its row is suppressed, in `unit`s of that share. `most` is what suppressing all
    cells of the column costs, beside the other columns.
    """

    kept: np.ndarray
    spare: tuple[np.ndarray, ...]
    unit: float
    most: float = 1.0


_MOST_LEVELS = 1000
"""Every level is a step that a search may take, and each step counts all classes anew: more would take hours."""


def check_trees(axes: Sequence[Axis], method: str) -> None:
    """Refuse what a method that moves columns along the levels of their trees cannot do, or not in a day."""
    for axis in axes:
        if axis.tree is None:
            raise PlanError(
                f"column {axis.name!r} has no tree, and {method} moves columns along the levels of their trees. "
                "Give it one, such as "
                + either(
                    "pv.intervals(5, 10, 20) or pv.flat().",
                    f"--tree {axis.name!r}='intervals(5, 10, 20)' or --tree {axis.name!r}='flat()'.",
                )
            )
    levels = sum(axis.tree.height for axis in axes if axis.tree is not None)
    if levels > _MOST_LEVELS:
        raise PlanError(
            f"{method}: the trees of the {len(axes)} quasi-identifiers have {levels} levels together, and it searches "
            f"combinations of at most {_MOST_LEVELS}. Name fewer quasi-identifiers, give trees with fewer levels, or "
            "take Mondrian."
        )


def covered_share(axis: Axis, *, all_leaves: bool) -> list[np.ndarray]:
    """For each level and value: (values under its label − 1) / (values − 1). Numbers and dates by their span, unless
    all leaves of the tree as given are counted (Loss of Iyengar 2002, as in ARX)."""
    assert axis.tree is not None
    shares = []
    given = axis.given if all_leaves and axis.given is not None else axis.tree
    leaf = axis.leaf if given is axis.given else np.arange(len(axis))
    line = None if all_leaves else axis.positions
    for level in given.levels:
        if line is None:
            count = np.bincount(level.codes)[level.codes[leaf]]
            share = (count - 1) / max(given.n_leaves - 1, 1)
        else:
            low, high = np.full(len(level.labels), np.inf), np.full(len(level.labels), -np.inf)
            np.minimum.at(low, level.codes, np.where(np.isnan(line), -np.inf, line))
            np.maximum.at(high, level.codes, np.where(np.isnan(line), np.inf, line))
            width = float(np.nanmax(line) - np.nanmin(line)) or 1.0
            alone = np.bincount(level.codes)[level.codes] == 1
            share = np.where(alone, 0.0, np.minimum((high - low)[level.codes] / width, 1.0))
        shares.append(share)
    return shares


def level_costs(axes: Sequence[Axis], metric: str) -> list[LevelCosts]:
    """The costs of all levels under `loss` (all leaves count), `gcp` (values that occur count) or one of the seven
    metrics of the loss model."""
    if metric in ("loss", "gcp"):
        found = []
        for axis in axes:
            counts = axis.counts
            shares = covered_share(axis, all_leaves=metric == "loss")
            kept = np.array([float(counts @ share) / axis.n_rows for share in shares])
            spare = tuple(np.floor(SCALE * (1 - share)).astype(np.int64) for share in shares)
            found.append(LevelCosts(kept, spare, 1 / SCALE / axis.n_rows))
        return found
    model = CostModel.of(given_trees(axes), metric, rows=axes[0].n_rows)
    found = []
    for axis, tree, climb in zip(axes, model.trees, model.climb, strict=True):
        counts = axis.counts
        left = [climb[_over(level, tree)][axis.leaf] for level in tree.levels]
        most = int(counts @ climb[axis.leaf])
        kept = np.array([float(counts @ (climb[axis.leaf] - each)) / (most or 1) for each in left])
        found.append(LevelCosts(kept, tuple(left), 1 / (most or 1), float(most * model.unit)))
    return found


def _over(level: Level, tree: Tree) -> np.ndarray:
    """The node that each leaf of a tree stands at on one of its levels."""
    ends = np.r_[level.starts[1:], len(level.codes)] - 1
    node = tree.ancestor(level.starts.astype(np.int32), ends)
    if level.labels == (tree.top,):
        node[:] = tree.root  # that of a single leaf is no leaf
    return np.asarray(node[level.codes])


def priced_levels(axes: Sequence[Axis], costs: Sequence[LevelCosts]) -> list[list[kernels.PricedLevel]]:
    """The levels of all columns as the kernel takes them."""
    found = []
    for axis, cost in zip(axes, costs, strict=True):
        assert axis.tree is not None
        priced = []
        for level, spare in zip(axis.tree.levels, cost.spare, strict=True):
            priced.append(
                kernels.PricedLevel(np.ascontiguousarray(level.codes, dtype=np.int32), len(level.labels), spare)
            )
        found.append(priced)
    return found


def classes_at(axes: Sequence[Axis], node: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The class of each row when the columns stand on the levels of a node, and a row of each class."""
    columns, sizes = [], []
    for axis, at in zip(axes, node, strict=True):
        assert axis.tree is not None
        level = axis.tree.levels[at]
        columns.append(level.codes.astype(np.int32)[axis.codes])
        sizes.append(len(level.labels))
    folded = kernels.fold(columns, sizes)
    return folded.tuple_of_row, folded.representative


def recoding_at(axes: Sequence[Axis], node: Sequence[int], suppressed: np.ndarray, trace: tuple[str, ...]) -> Recoding:
    """The release of a node, with the rows of some classes (a mask over rows) suppressed."""
    of_row, example = classes_at(axes, node)
    return recoding_of(axes, node, np.where(suppressed, -1, of_row), example, trace)


def recoding_of(
    axes: Sequence[Axis], node: Sequence[int], of_row: np.ndarray, example: np.ndarray, trace: tuple[str, ...]
) -> Recoding:
    """The release of a node from the class of each row (−1: suppressed) and a row of each class."""
    left = np.flatnonzero(np.bincount(of_row + 1, minlength=len(example) + 1)[1:])
    number = np.full(len(example) + 1, -1, dtype=np.int32)  # the last entry is class −1
    number[left] = np.arange(len(left), dtype=np.int32)
    cells = {}
    for axis, at in zip(axes, node, strict=True):
        assert axis.tree is not None
        level = axis.tree.levels[at]
        used, codes = np.unique(level.codes[axis.codes[example[left]]], return_inverse=True)
        cells[axis.name] = Labels(codes.astype(np.int32), tuple(level.labels[code] for code in used.tolist()))
    rule = Levels({axis.name: int(at) for axis, at in zip(axes, node, strict=True)})
    return Recoding(number[of_row], len(left), cells, trace, rule=rule)


METRIC_NAMES = ("loss", "gcp", *METRICS)
