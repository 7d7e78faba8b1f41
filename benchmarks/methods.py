"""Every method on Adult: time, loss, classes, suppressed rows. `python -m benchmarks.methods [k] [times as many rows]`

`python -m benchmarks.methods --readme` measures the methods once and writes their table into README.md, between its
markers.

Time is that of the method alone, after encoding, and as a ratio to Mondrian with median cuts in the same run; loss is
GCP. Given a second number, the table is enlarged by it too, and the last column tells how the time grows. A method that
generalizes is in the table, with the settings below or as it comes.
"""

from __future__ import annotations

import argparse
import re
import time
from dataclasses import fields
from pathlib import Path
from typing import Any
from unittest.mock import patch

import polars as pl

import paravent as pv
from benchmarks.printing import print_table, table_text
from benchmarks.tables import adult, enlarged, plan
from paravent import registry
from paravent.methods.method import Method, Recoding, Task

README = Path(__file__).parents[1] / "README.md"
BEGIN, END = "<!-- methods: begin, written by `python -m benchmarks.methods --readme` -->", "<!-- methods: end -->"
COLUMNS = ("method", "released cells are", "loss (GCP)", "classes", "suppressed rows", "processor seconds")
CELLS = {"full-domain": "one level a column", "subtree": "one node a value", "multidimensional": "any node"}
TARGET = "salary-class"
M = pv.methods
SETTINGS: dict[str, list[Method]] = {
    "Mondrian": [
        M.Mondrian(cut="median"),
        M.Mondrian(),
        M.Mondrian(cut="infogain", target=TARGET),
        M.Mondrian(cut="lsd", target="age"),
    ],
    "BottomUp": [M.BottomUp(target=TARGET)],
    "TopDown": [M.TopDown(target=TARGET)],
    "Filter": [M.Filter(levels={"age": 3, "education": 1, "native-country": 1, "workclass": 1, "occupation": 2})],
}
BASELINE = M.Mondrian(cut="median")


def known() -> list[Method]:
    """The methods that generalize, as they are exported, the baseline first (averages and groups have another loss)."""
    classes: dict[str, Any] = registry.classes("method")
    named = [name for name in sorted(classes) if classes[name].gives in CELLS]
    found = [method for name in named for method in SETTINGS.get(name) or [classes[name]()]]
    return [BASELINE, *(method for method in found if method != BASELINE)]


def named(method: Method) -> str:
    known_fields = [field for field in fields(method) if field.init]  # type: ignore[arg-type]
    given = [(field.name, getattr(method, field.name)) for field in known_fields]
    plain = {field.name: field.default for field in known_fields}
    parts = [f"{name}={value!r}" for name, value in given if value != plain[name] and not isinstance(value, dict)]
    return f"{type(method).__name__}({', '.join(parts)})"


def run(table: pv.Table, method: Method, k: int, suppression: float) -> pv.Release | str:
    try:
        return pv.anonymize(table, plan(method, k=k).replace(suppression=suppression))
    except pv.InfeasibleError:
        return "does not hold"
    except pv.PlanError:
        return "does not apply"


def timed(table: pv.Table, method: Method, k: int, suppression: float) -> tuple[pv.Release | str, float]:
    """A run, and the processor time of its method: what others do on the machine does not count."""
    spent: list[float] = []
    plain = type(method).run

    def measured(self: Method, task: Task) -> Recoding:
        start = time.process_time()
        found = plain(self, task)
        spent.append(time.process_time() - start)
        return found

    with patch.object(type(method), "run", measured):
        release = run(table, method, k, suppression)
    return release, max(spent, default=0.0)  # a method may run others of its kind: the longest is the whole


def readme_rows(k: int = 5) -> list[list[object]]:
    """One row a method, by loss: with 5 % of the rows suppressed at most, where it suppresses rows at all."""
    table = pv.read(adult())
    found: list[tuple[float, list[object]]] = []
    for method in known():
        release, seconds = timed(table, method, k, 0.05 if method.suppresses == "rows" else 0.0)
        if isinstance(release, str):
            continue
        loss = float(release.measure()["utility.gcp"])
        row: list[object] = [f"`{named(method)}`", CELLS[method.gives], loss]
        row += [len(release.classes), release.verdict.suppressed, seconds]
        found.append((loss, row))
        print(named(method), f"{loss:.4f}", f"{seconds:.2f} s", flush=True)
    return [row for _, row in sorted(found, key=lambda pair: pair[0])]


def with_table(text: str, table: str) -> str:
    """A text with another table between its markers."""
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise SystemExit(f"README.md must hold the markers {BEGIN} and {END}, each once.")
    return re.sub(f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: f"{BEGIN}\n{table}\n{END}", text, flags=re.DOTALL)


def write_readme() -> None:
    table = table_text(COLUMNS, readme_rows())
    README.write_text(with_table(README.read_text(encoding="utf-8"), table), encoding="utf-8")


def main(k: int = 5, times: int = 1) -> None:
    frame: pl.DataFrame = adult()
    tables = [pv.read(frame)]
    if times > 1:
        tables.append(pv.read(enlarged(frame, times * len(frame))))
    for suppression in (0.0, 0.05):
        rows: list[list[object]] = []
        baseline = 0.0
        for method in known():
            releases = [run(table, method, k, suppression) for table in tables]
            first = releases[0]
            if isinstance(first, str):
                rows.append([named(method), first, *["-"] * (4 + (times > 1))])
                continue
            seconds = first.timings["anonymize"]
            baseline = baseline or seconds
            loss = float(first.measure()["utility.gcp"])
            row: list[object] = [named(method), seconds, seconds / baseline, loss, len(first.classes)]
            row.append(first.verdict.suppressed)
            if times > 1:
                grown = releases[1]
                row.append("-" if isinstance(grown, str) else grown.timings["anonymize"] / seconds)
            rows.append(row)
        head = ["method", "seconds", "of median Mondrian", "loss (GCP)", "classes", "suppressed"]
        head += [f"time for {times} × rows"] if times > 1 else []
        print_table(f"Adult, {len(frame)} rows, k = {k}, {suppression:.0%} may be suppressed", head, rows)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="every method on Adult")
    options.add_argument("k", nargs="?", type=int, default=5)
    options.add_argument("times", nargs="?", type=int, default=1, help="a second table with so many times the rows")
    options.add_argument("--readme", action="store_true", help="write the table of README.md")
    asked = options.parse_args()
    if asked.readme:
        write_readme()
    else:
        main(asked.k, asked.times)
