"""Synthetic tables of Adult: how near the marginals are, what a classifier learns from them, and the processor time.

    python -m benchmarks.synthesis [--epsilon 0.1 1 10] [--runs 5] [--methods AIM MST] [--growth]

Nine columns, ages unbinned, delta 1e-6, 24 130 rows to learn from and 6 032 real rows to test on. A logistic regression
learns the income from the synthetic rows. Times are those of the method and of the verifier, in processor seconds.
`--growth` shows instead how they grow with the rows (Adult, drawn again and again) and with the columns (made up, of at
most 100 values), and the memory.
"""

from __future__ import annotations

import argparse
import resource
import time
from typing import Any

import numpy as np
import polars as pl
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder

import paravent as pv
from benchmarks.printing import print_table
from paravent.data import ADULT_TREES

TARGET = "salary-class"
METHODS: dict[str, Any] = {
    "AIM": pv.methods.AIM(),
    "MST": pv.methods.MST(),
    "PrivBayes": pv.methods.PrivBayes(),
    "NaiveBayes": pv.methods.NaiveBayes(target=TARGET),
}


def halves(seed: int = 1) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows to learn from, and rows to test on."""
    frame = pv.data.adult().frame.select(ADULT_TREES)
    order = np.random.default_rng(seed).permutation(frame.height)
    return frame[order[:24_130]], frame[order[24_130:]]


def plan_of(method: Any, epsilon: float) -> pv.Plan:
    roles = {name: pv.Quasi(str(pv.data.adult_tree_path(name))) for name in ADULT_TREES}
    return pv.Plan(roles, [pv.DifferentialPrivacy(epsilon=epsilon)], method, person=None)


def learned(rows: pl.DataFrame, test: pl.DataFrame) -> float:
    """The accuracy on real rows of what was learnt from some rows."""
    known = [name for name in rows.columns if name != TARGET]
    rows = rows.drop_nulls()
    encoder = OneHotEncoder(handle_unknown="ignore").fit(rows.select(known).to_numpy())
    model = LogisticRegression(max_iter=300).fit(encoder.transform(rows.select(known).to_numpy()), rows[TARGET])
    return float(model.score(encoder.transform(test.select(known).to_numpy()), test[TARGET]))


def grown() -> None:
    """Print how the cost of AIM grows."""
    lines = []
    train, _ = halves()
    for rows in (24_130, 250_000, 1_000_000):
        lines.append(
            [f"{rows}", "9", *_timed(train.sample(rows, with_replacement=True, seed=1), plan_of(METHODS["AIM"], 1))]
        )
    for columns in (10, 20, 40):
        frame, plan = made_up(columns)
        lines.append([f"{frame.height}", f"{columns}", *_timed(frame, plan)])
    head = ["rows", "columns", "processor s", "peak GiB so far"]
    print_table("AIM at epsilon 1, from few rows and columns to many", head, lines)


def _timed(frame: pl.DataFrame, plan: pv.Plan) -> list[str]:
    start = time.process_time()
    pv.anonymize(frame, plan)
    spent = time.process_time() - start
    return [f"{spent:.1f}", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f}"]


def made_up(columns: int, rows: int = 50_000) -> tuple[pl.DataFrame, pv.Plan]:
    """Columns of up to 100 values that depend on one another through one that nobody sees."""
    rng = np.random.default_rng(1)
    hidden = rng.integers(0, 100, rows)
    cells, domains = {}, {}
    for place in range(columns):
        size, tied = int(rng.integers(2, 101)), rng.random()
        cells[f"c{place}"] = np.where(rng.random(rows) < tied, hidden * size // 100, rng.integers(0, size, rows))
        domains[f"c{place}"] = range(size)
    roles = {name: pv.Quasi() for name in cells}
    method = pv.methods.AIM(domains=domains)
    return pl.DataFrame(cells), pv.Plan(roles, [pv.DifferentialPrivacy(epsilon=1)], method, person=None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epsilon", type=float, nargs="+", default=[0.1, 1.0, 10.0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--growth", action="store_true")
    options = parser.parse_args()
    if options.growth:
        grown()
        return
    train, test = halves()
    lines = [["the rows themselves", "", "0", "0", "0", f"{learned(train, test):.3f}", ""]]
    for name in options.methods:
        for epsilon in options.epsilon:
            found = []
            for _ in range(options.runs):
                start = time.process_time()
                release = pv.anonymize(train, plan_of(METHODS[name], epsilon))
                spent = time.process_time() - start
                measures = release.measure()
                distances = [measures[f"utility.marginals.{size}.mean"] for size in (1, 2, 3)]
                found.append([*distances, learned(release.frame, test), spent])
            mean = np.mean(found, axis=0)
            lines.append([name, f"{epsilon:g}", *(f"{value:.3f}" for value in mean[:4]), f"{mean[4]:.2f}"])
    head = ["method", "epsilon", "1-way", "2-way", "3-way", "accuracy", "processor s"]
    print_table("Synthetic rows of Adult", head, lines)


if __name__ == "__main__":
    main()
