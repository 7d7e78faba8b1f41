"""Mondrian on Adult: loss and time beside a plain-Python Mondrian. `python -m benchmarks.mondrian`

Loss is GCP, the mean share of each column's range that a cell covers (0: untouched, 1: suppressed). With the reference
data at hand it is computed twice: by paravent, and by the yardstick that reads the written release.
"""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path
from typing import Any, get_args

import numpy as np

import paravent as pv
from benchmarks.plain_mondrian import plain_mondrian
from benchmarks.printing import best_of, print_table
from benchmarks.tables import QUASI, SHARED, adult, plan
from paravent.hierarchy.files import write_tree
from paravent.methods import Axis
from paravent.methods.label_space import LabelStyle
from paravent.plan.encode import encode


def yardstick() -> Any:
    """The yardstick of the reference data, or None."""
    path = SHARED / "tools" / "yardstick.py"
    if not path.exists():
        return None
    spec = importlib.util.spec_from_file_location("yardstick", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def reference_loss(release: pv.Release, axes: tuple[Axis, ...], k: int) -> float | str:
    """GCP as the yardstick reads it, with ranges `a~b` in the leaf order of our trees."""
    judge = yardstick()
    if judge is None:
        return "-"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "adult.csv").write_bytes((SHARED / "data" / "adult" / "adult.csv").read_bytes())
        for axis in axes:
            assert axis.tree is not None
            write_tree(axis.tree, folder / f"hierarchy_{axis.name}.csv")
        release.write(folder / "release.csv")
        return float(judge.evaluate(judge.read(str(folder / "release.csv")), k=k, folder=name)["gcp"])


def plain_loss(axes: tuple[Axis, ...], k: int) -> tuple[float, float, int]:
    rows = list(zip(*(axis.codes.tolist() for axis in axes), strict=True))
    ruler = []
    for axis in axes:
        place = axis.positions if axis.positions is not None else np.arange(len(axis), dtype=float)
        ruler.append(((place - place[0]) / (place[-1] - place[0])).tolist())
    seconds, classes = best_of(1, lambda: plain_mondrian(rows, ruler, k))
    total = 0.0
    for group in classes:
        for j, place in enumerate(ruler):
            codes = [rows[i][j] for i in group]
            total += (place[max(codes)] - place[min(codes)]) * len(group)
    return seconds, total / len(rows) / len(axes), len(classes)


def main() -> None:
    table = pv.read(adult())
    axes = encode(table, plan(pv.methods.Mondrian()))
    for k in (2, 5, 10, 25):
        baseline, loss, classes = plain_loss(axes, k)
        rows: list[list[object]] = [["plain Python, median", "interval", baseline, 1.0, loss, "-", classes]]
        for cut in ("loss", "median"):
            for labels in get_args(LabelStyle):
                for strict in (True, False):
                    method = pv.methods.Mondrian(cut=cut, labels=labels, strict=strict)
                    chosen = plan(method, k=k)
                    releases = [pv.anonymize(table, chosen) for _ in range(3)]
                    release = releases[-1]
                    seconds = min(r.timings["anonymize"] for r in releases)
                    measures = release.measure()
                    name = f"paravent, {cut}{'' if strict else ', relaxed'}"
                    judged = reference_loss(release, axes, k)
                    found = measures["utility.gcp"]
                    rows.append([name, labels, seconds, baseline / seconds, found, judged, len(release.classes)])
        head = ["method", "labels", "seconds", "times faster", "GCP", "GCP (yardstick)", "classes"]
        print_table(f"Adult, {len(table)} rows, {len(QUASI)} quasi-identifiers, k = {k}", head, rows)


if __name__ == "__main__":
    main()
