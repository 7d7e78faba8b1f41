"""Generated tables with trees, as tasks: sparse ones with deep trees, and wide ones.

Nothing is read and nothing is encoded: a method runs on a task at once, and what it takes is all its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

import paravent as pv
from benchmarks.tables import adult, plan
from benchmarks.wide import wide_task
from paravent.hierarchy.tree import Tree
from paravent.methods import Axis, Task
from paravent.plan.prepare import prepare
from paravent.privacy.k_anonymity import KAnonymity
from paravent.table.kinds import Kind


def sparse_task(rows: int = 63_000, *, k: int = 5, seed: int = 1) -> Task:
    """People who gave money: 13 000 zip codes in 52 states, birth years, amounts, numbers of gifts; hardly two alike.

    Zip codes stand under their digits, amounts and numbers under ever longer intervals. A state follows from the zip
    code; amounts follow from one another, with noise. All rows differ."""
    rng = np.random.default_rng(seed)
    known = np.sort(rng.choice(100_000, 13_000, replace=False))
    drawn = rows + rows // 8 + 64
    zips = known[np.minimum((len(known) * rng.random(drawn) ** 1.4).astype(np.int64), len(known) - 1)]
    gifts = np.minimum(rng.geometric(0.09, drawn), 80)
    least = np.minimum(rng.geometric(0.12, drawn), 120)
    amount = np.minimum(gifts * (least + rng.geometric(0.25, drawn)), 5_000)
    amount = np.where(amount > 200, amount // 10 * 10, amount)
    columns = {
        "zip": (zips, (10, 100, 1_000, 10_000)),
        "age": (np.clip(rng.normal(62, 16, drawn), 1, 98).astype(np.int64), (5, 10, 20, 40)),
        "gender": (rng.choice(4, drawn, p=(0.42, 0.53, 0.02, 0.03)), ()),
        "income": (np.minimum(rng.binomial(7, 0.45, drawn), 7), (2, 4)),
        "state": (zips * 52 // 100_000, (13,)),
        "amount": (amount, (10, 50, 100, 500, 1_000)),
        "gifts": (gifts, (2, 4, 8, 16, 32)),
        "least": (least, (5, 10, 20, 40)),
    }
    values = np.stack([cells for cells, _ in columns.values()], axis=1)
    _, first = np.unique(values, axis=0, return_index=True)
    kept = np.sort(first)[:rows]
    axes = tuple(_numbered(name, cells[kept], steps) for name, (cells, steps) in columns.items())
    return Task(len(kept), axes, (KAnonymity(k),))


def enlarged_task(task: Task, rows: int, *, redrawn: float = 0.05, seed: int = 1) -> Task:
    """A bootstrap of a task in which a share of the cells is drawn anew from its column."""
    rng = np.random.default_rng(seed)
    pick = rng.integers(0, task.n_rows, rows)
    axes = []
    for axis in task.axes:
        cell = np.where(rng.random(rows) < redrawn, rng.integers(0, task.n_rows, rows), pick)
        axes.append(replace(axis, codes=np.ascontiguousarray(axis.codes[cell])))
    return replace(task, n_rows=rows, axes=tuple(axes))


def adult_task(k: int = 5) -> Task:
    """Adult as the benchmarks have it."""
    return prepare(pv.read(adult()), plan(pv.methods.Mondrian(), k=k)).task


@dataclass(frozen=True)
class Named:
    """A table of the records: how it is made, for a k."""

    name: str
    make: Callable[[int], Task]


TABLES = (
    Named("Adult", adult_task),
    Named("63 000 × 8, sparse", lambda k: sparse_task(k=k)),
    Named("540 000 × 8, sparse", lambda k: enlarged_task(sparse_task(k=k), 540_000)),
    Named("1 200 000 × 8, sparse", lambda k: enlarged_task(sparse_task(k=k), 1_200_000)),
    Named("73 000 × 16", lambda k: wide_task(16, 73_000, suppression=0, k=k)),
    Named("30 000 × 24", lambda k: wide_task(24, 30_000, suppression=0, k=k)),
    Named("1 500 × 6", lambda k: wide_task(6, 1_500, suppression=0, k=k)),
    Named("800 × 5", lambda k: wide_task(5, 800, suppression=0, k=k)),
)


def _numbered(name: str, cells: np.ndarray, steps: tuple[int, ...]) -> Axis:
    """A column of whole numbers under intervals of these widths."""
    seen, codes = np.unique(cells, return_inverse=True)
    paths = [[str(v), *(f"{step}:{v // step}" for step in steps), "*"] for v in seen.tolist()]
    tree = Tree.from_paths(name, paths)
    rank = np.array([tree.leaf_of[str(v)] for v in seen.tolist()], dtype=np.int32)
    return Axis(name, Kind.NOMINAL, rank[codes.reshape(-1)], tree.leaves, tree)
