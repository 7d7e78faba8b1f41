"""Mondrian against the memory of the machine. `python -m benchmarks.roofline [--rows N]`

Cuts move rows: each is read, written to its side, and half of them once more. What that comes to is told by the cuts
themselves, all of them and those of groups that no cache holds, beside what the memory can move at best (copying a
large array by all threads, measured in the same run). A share near 1 means that memory is the limit, a low one that
counting is.
"""

from __future__ import annotations

import argparse
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import paravent as pv
from benchmarks.generated import sparse, sparse_plan
from benchmarks.measures import cpu
from benchmarks.printing import best_of, print_table
from benchmarks.tables import adult, enlarged, plan
from paravent import kernels
from paravent.methods.label_space import LabelSpace
from paravent.methods.mondrian.table_cuts import SAMPLE
from paravent.plan.encode import encode

_CACHE = 1 << 20
_COPIED = 256 << 20


def bandwidth() -> float:
    """Bytes a second, read and written, when all threads copy."""
    parts = np.array_split(np.ones(_COPIED // 8), kernels.threads())
    targets = [np.empty_like(part) for part in parts]
    with ThreadPoolExecutor(len(parts)) as pool:
        seconds, _ = best_of(5, lambda: list(pool.map(np.copyto, targets, parts)))
    return 2 * _COPIED / seconds


def row(name: str, table: pv.Table, wanted: pv.Plan, limit: float) -> list[object]:
    axes = encode(table, wanted)
    space = LabelSpace.of(axes, "tree")
    fold_seconds, folded = best_of(2, space.folded)
    tuples = np.stack([axis.codes[folded.representative] for axis in space.axes], axis=1)
    used = cpu()
    seconds, _ = best_of(2, lambda: kernels.mondrian(tuples, space.cuts, k=5, weights=folded.weight, sample=SAMPLE))
    used = (cpu() - used) / 2
    cuts = kernels.mondrian(tuples, space.cuts, k=5, weights=folded.weight, sample=SAMPLE, record=True).tree
    lane = 2 if max(len(axis) for axis in axes) < 2**15 else 4
    bytes_of_row = -(-len(axes) // 8) * 8 * lane + 8  # codes, number and weight
    heights = cuts[:, 2] - cuts[:, 0]
    moved = 2.5 * bytes_of_row * heights  # read, written, and half of them once more
    far = float(moved[heights * bytes_of_row > _CACHE].sum())
    everything = float(moved.sum())
    return [
        name,
        len(table),
        len(tuples),
        fold_seconds,
        seconds,
        f"{used / seconds:.1f}",
        everything / 1e9,
        far / 1e9,
        far / limit,
        f"{far / limit / seconds:.2f}",
    ]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--rows", type=int, default=10_000_000, help="rows of each table (default: 10 million)")
    n = options.parse_args().rows
    limit = bandwidth()
    lines = [row("Adult, enlarged", pv.read(enlarged(adult(), n)), plan(pv.methods.Mondrian()), limit)]
    with tempfile.TemporaryDirectory() as name:
        lines.append(row("sparse", pv.read(sparse(n)), sparse_plan(Path(name), pv.methods.Mondrian()), limit))
    head = ["table", "rows", "tuples", "fold s", "cut s", "threads busy", "GB moved", "GB beyond the cache"]
    print_table(
        f"Mondrian, 8 columns, k = 5; memory moves {limit / 1e9:.1f} GB/s",
        [*head, "s at that rate", "share of the roofline"],
        lines,
    )


if __name__ == "__main__":
    main()
