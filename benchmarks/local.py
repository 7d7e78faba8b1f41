"""Local recoding on Adult beside Mondrian and the published numbers of others. `python -m benchmarks.local [--rows N]`

Loss is GCP with tree labels, by paravent and by the yardstick of the reference data where it is at hand. The peers'
columns are published numbers, typed here, for another run on a machine like it; all others are measured in this run.
Seconds are those of the method by the clock; processor seconds count all threads.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import paravent as pv
from benchmarks.mondrian import yardstick
from benchmarks.printing import print_table
from benchmarks.tables import QUASI, adult, enlarged, plan
from paravent.privacy.model import Model

PUBLISHED: dict[int, list[tuple[str, float]]] = {
    2: [("ARX local, 0.01", 0.0307), ("strict Mondrian script, leaf ranges", 0.0276)],
    5: [("ARX local, 0.01 (2.0 s)", 0.0609), ("ARX local, best found (18 s)", 0.0540)],
    10: [("ARX local, 0.01", 0.0843), ("strict Mondrian script, leaf ranges", 0.0849)],
    25: [("ARX local, 0.01", 0.1225), ("strict Mondrian script, leaf ranges", 0.1247)],
}
METHODS: list[tuple[str, pv.methods.Method]] = [
    ("Mondrian", pv.methods.Mondrian()),
    ("Mondrian, relaxed", pv.methods.Mondrian(strict=False)),
    ("LocalRecoding, fast", pv.methods.LocalRecoding(effort="fast")),
    ("LocalRecoding, normal", pv.methods.LocalRecoding()),
]


def judged(release: pv.Release, k: int) -> float | str:
    """GCP as the yardstick reads the written release."""
    judge = yardstick()
    if judge is None:
        return "-"
    with tempfile.TemporaryDirectory() as name:
        release.write(Path(name) / "release.csv")
        return float(judge.evaluate(judge.read(str(Path(name) / "release.csv")), k=k)["gcp"])


def measured(table: pv.Table, method: pv.methods.Method, k: int) -> tuple[pv.Release, float, float]:
    start = time.process_time()
    release = pv.anonymize(table, plan(method, k=k))
    return release, release.timings["anonymize"], time.process_time() - start


DEMANDS: list[tuple[str, list[Model]]] = [
    ("salary-class", [pv.KAnonymity(5), pv.LDiversity(2, "salary-class")]),
    ("salary-class", [pv.KAnonymity(5), pv.TCloseness(0.2, "salary-class")]),
    ("occupation", [pv.KAnonymity(5), pv.LDiversity(3, "occupation")]),
    ("occupation", [pv.KAnonymity(5), pv.LDiversity(3, "occupation", "entropy")]),
]
"""Models beside k, and the column that is sensitive in place of a quasi-identifier."""


def under_models(table: pv.Table) -> None:
    rows: list[list[object]] = []
    for column, models in DEMANDS:
        quasi = [name for name in QUASI if name != column]
        losses: list[object] = []
        for _, method in METHODS[1:]:
            asked = plan(method, quasi=quasi).replace(protect=models)
            roles = {**{name: asked.columns[name] for name in quasi}, column: pv.Sensitive()}
            release = pv.anonymize(table, asked.replace(columns=roles))
            losses += [release.timings["anonymize"], release.measure()["utility.gcp"]]
        rows.append([models[1].describe(), *losses])
    head = ["5-anonymity and", *(f"{name}: {what}" for name, _ in METHODS[1:] for what in ("seconds", "GCP"))]
    print_table(f"Adult, {len(table)} rows, under other models", head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the enlarged table (0: leave it out)")
    asked = parser.parse_args()
    table = pv.read(adult())
    head = [
        "method",
        "seconds",
        "processor seconds, whole run",
        "times relaxed Mondrian",
        "GCP",
        "GCP (yardstick)",
        "classes",
    ]
    for k, peers in PUBLISHED.items():
        rows: list[list[object]] = [[f"{name}, published", "-", "-", "-", loss, "-", "-"] for name, loss in peers]
        found = [(name, *measured(table, method, k)) for name, method in METHODS]
        baseline = found[1][2]
        for name, release, seconds, used in found:
            loss = release.measure()["utility.gcp"]
            rows.append([name, seconds, used, seconds / baseline, loss, judged(release, k), len(release.classes)])
        print_table(f"Adult, {len(table)} rows, {len(QUASI)} quasi-identifiers, k = {k}", head, rows)
    under_models(table)
    if asked.rows:
        large = pv.read(enlarged(adult(), asked.rows))
        rows = [["ARX local, published for 1 000 000 rows", 3.4, "-", "-", 0.010, "-", "-"]]
        found = [(name, *measured(large, method, 5)) for name, method in METHODS[1:]]
        for name, release, seconds, used in found:
            loss = release.measure()["utility.gcp"]
            rows.append([name, seconds, used, seconds / found[0][2], loss, "-", len(release.classes)])
        print_table(f"Adult enlarged, {asked.rows} rows, k = 5", head, rows)


if __name__ == "__main__":
    main()
