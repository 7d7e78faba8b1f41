"""Synthetic tables of Adult: how near the marginals are, what a classifier learns from them, and the processor time.

    python -m benchmarks.synthesis [--epsilon 0.1 1 10] [--runs 5] [--methods AIM MST]

Nine columns, ages unbinned, delta 1e-6, 24 130 rows to learn from and 6 032 real rows to test on. A logistic regression
learns the income from the synthetic rows. Times are those of the method and of the verifier, in processor seconds.
"""

from __future__ import annotations

import argparse
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epsilon", type=float, nargs="+", default=[0.1, 1.0, 10.0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    options = parser.parse_args()
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
