"""Every method on Adult: time, loss, classes, suppressed rows. `python -m benchmarks.methods [k] [times as many rows]`

Time is that of the method alone, after encoding, and as a ratio to Mondrian with median cuts in the same run; loss is
GCP. Given a second number, the table is enlarged by it too, and the last column tells how the time grows. A method that
is exported is in the table, with the settings below or as it comes.
"""

from __future__ import annotations

import sys
from dataclasses import fields
from typing import Any

import polars as pl

import paravent as pv
from benchmarks.printing import print_table
from benchmarks.tables import adult, enlarged, plan
from paravent.methods.method import Method
from paravent.plan.catalogue import ROOMS, catalogue

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
    """The methods as they are exported, the baseline first."""
    classes: dict[str, Any] = dict(catalogue(Method, ROOMS["method"]))  # type: ignore[type-abstract]
    found = [method for name in sorted(classes) for method in SETTINGS.get(name) or [classes[name]()]]
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
    main(*map(int, sys.argv[1:3]))
