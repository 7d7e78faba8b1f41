"""Loss against processor seconds, targets beside it. `python -m benchmarks.records [--only NAME …] [--store]`

For each table: relaxed Mondrian as the baseline, k-member where it takes less than minutes, and LocalRecoding by
budget, each with its loss in percent of Mondrian's, the target, and how the loss moved since the stored run
(`benchmarks/records.json`; `--store` writes it anew). Then bounds, full-domain searches and Mondrian
(`benchmarks.record_searches`). Losses are GCP with nodes of trees. A peer's published figure is
named where one is known for such a table.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import paravent as pv
from benchmarks.printing import print_table
from benchmarks.record_searches import print_searches
from benchmarks.record_tables import TABLES
from paravent.methods import Method, Task
from paravent.methods.local.space import Space

STORED = Path(__file__).parent / "records.json"
M = pv.methods
_SMALL = 100_000
"""k-member takes minutes on tables of more rows."""
Budgets = tuple[tuple[float, float | str], ...]
"""Seconds, and the target: a loss, or what it is compared with."""
ASKED: dict[tuple[str, int], Budgets] = {
    ("Adult", 5): ((1.5, 0.0515), (5.0, 0.050), (60.0, 0.048)),
    ("Adult", 100): ((1.5, "-"), (5.0, "-")),
    ("Adult", 500): ((1.5, "-"), (5.0, "-")),
    ("63 000 × 8, sparse", 5): ((2.0, "-10 %"), (20.0, "-15 %")),
    ("63 000 × 8, sparse", 10): ((10.0, "-8 %"),),
    ("540 000 × 8, sparse", 5): ((20.0, "-10 %"),),
    ("1 200 000 × 8, sparse", 5): ((20.0, "-10 %"),),
    ("73 000 × 16", 5): ((3.0, "below k-member"), (20.0, "5 % below k-member")),
    ("30 000 × 24", 5): ((3.0, "below k-member"), (20.0, "5 % below k-member")),
    ("1 500 × 6", 5): ((1.5, "-"), (5.0, "none of ours less")),
    ("800 × 5", 5): ((1.5, "-"), (5.0, "never more than at 1.5 s")),
}
PEERS = {("Adult", 5): "ARX local: 0.0609 in 2 s, 0.0540 in 18 s"}


def measured(task: Task, space: Space, method: Method) -> tuple[float, float]:
    """The loss of a method, and its processor seconds."""
    start = time.process_time()
    found = method.run(task)
    spent = time.process_time() - start
    return space.loss(found.of_row, found.n_classes), spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", nargs="*", default=[], help="parts of the names of tables, or bounds, wide, models, Mondrian"
    )
    parser.add_argument("--most", type=float, default=20.0, help="budgets of more seconds are left out")
    parser.add_argument("--store", action="store_true", help="keep these figures for the next comparison")
    asked = parser.parse_args()
    stored: dict[str, float] = json.loads(STORED.read_text()) if STORED.exists() else {}
    now = dict(stored)
    makers = {table.name: table.make for table in TABLES}
    for (name, k), budgets in ASKED.items():
        if asked.only and not any(part in name for part in asked.only):
            continue
        task = makers[name](k)
        space = Space(task.axes)
        runs: list[tuple[str, Method, float | str]] = [("Mondrian, relaxed", M.Mondrian(strict=False), "-")]
        if task.n_rows <= _SMALL:
            runs.append(("k-member", M.KMember(), "-"))
        runs += [(f"LocalRecoding, {s:g} s", M.LocalRecoding(budget=s), goal) for s, goal in budgets if s <= asked.most]
        rows: list[list[object]] = []
        base = 0.0
        for what, method, goal in runs:
            loss, spent = measured(task, space, method)
            base = base or loss
            key = f"{name}, k = {k}, {what}"
            moved = f"{100 * (loss / stored[key] - 1):+.2f} %" if key in stored else "new"
            rows.append([what, f"{loss:.5f}", f"{100 * (loss / base - 1):+.1f} %", goal, f"{spent:.2f}", moved])
            now[key] = round(loss, 6)
            print(key, f"{loss:.5f}", f"{spent:.2f} s", flush=True)
        head = ["method", "GCP", "against Mondrian", "target", "processor seconds", "since the stored run"]
        print_table(f"{name}, k = {k}" + (f" ({PEERS[name, k]})" if (name, k) in PEERS else ""), head, rows)
        if asked.store:
            STORED.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print_searches(stored, now, asked.only)
    if asked.store:
        STORED.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
