"""What measuring a release costs, and how it grows. `python -m benchmarks.measures [--rows N]`

Seconds of processor time (user and system) of every family of measures on Adult, enlarged; the release is made
beforehand, the subject is fresh each time. The baseline is a plain script for GCP alone in the same run: a dictionary
of the labels' losses, looked up for every cell. The hard case has as many labels as classes in every column.
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Callable

import numpy as np
import polars as pl

import paravent as pv
from benchmarks.printing import print_table
from benchmarks.tables import adult, enlarged, plan
from paravent.hierarchy.labels import interval_label
from paravent.measures import Measures
from paravent.plan.encode import encode
from paravent.utility.family import Study, known_families
from paravent.utility.loss import label_costs
from paravent.utility.measure import measure
from paravent.utility.subject import Subject

NOT_LEARNING = ("queries", "score")


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def seconds(call: Callable[[], object], times: int = 2) -> float:
    """The least processor time of some runs."""
    best = float("inf")
    for _ in range(times):
        start = cpu()
        call()
        best = min(best, cpu() - start)
    return best


def fresh(release: pv.Release) -> Subject:
    """The subject without anything that was found out about it before."""
    subject = release.subject
    return Subject(
        subject.axes,
        subject.released,
        subject.kept,
        subject.models,
        subject.sensitive,
        subject.marked,
        subject.wildcard,
        subject.levels,
        subject.original,
    )


def plain_loss(release: pv.Release) -> float:
    """GCP as one would script it: a dictionary of the labels' losses, looked up for every cell."""
    lost = []
    for reading in release.subject.readings:
        costs = dict(zip(map(str, reading.labels), label_costs(reading).tolist(), strict=True))
        lost.append(np.mean([costs[cell] for cell in release.frame[reading.axis.name].cast(pl.String).to_list()]))
    return float(np.mean(lost))


def by_rows(most: int) -> None:
    rows: list[list[object]] = []
    last: tuple[int, float] | None = None
    for n in [n for n in (30_000, 100_000, 300_000, 1_000_000, 3_000_000) if n <= most]:
        table = pv.read(enlarged(adult(), n))
        for labels in ("tree", "interval", "set"):
            release = pv.anonymize(table, plan(pv.methods.Mondrian(labels=labels)))
            quick = seconds(lambda r=release: measure(fresh(r)))  # type: ignore[misc]
            everything = seconds(lambda r=release: measure(fresh(r), *NOT_LEARNING))  # type: ignore[misc]
            plain = seconds(lambda r=release: plain_loss(r), 1)  # type: ignore[misc]
            growth = "-"
            if labels == "tree":
                if last is not None:  # 1: in proportion to the rows
                    growth = f"{everything / last[1] / (n / last[0]):.2f}"
                last = (n, everything)
            count = len(measure(fresh(release), *NOT_LEARNING))
            rows.append([n, labels, count, quick, everything, plain, f"{everything / plain:.2f}", growth])
    head = [
        "rows",
        "labels",
        "measures",
        "quick s",
        "all but learning s",
        "GCP alone, plain s",
        "ratio to it",
        "growth against n (tree)",
    ]
    print_table("All measures but learning, processor seconds", head, rows)


def by_family(n: int) -> None:
    release = pv.anonymize(pv.read(enlarged(adult(), n)), plan(pv.methods.Mondrian(labels="set")))
    subject = fresh(release)
    rows: list[list[object]] = []
    for name in ("readings", "classes", "original_tuples", "class_labels", "pairs"):
        start = cpu()
        getattr(subject, name)
        rows.append([f"(subject.{name})", cpu() - start])
    for family in known_families():
        if family.quick or family.name in NOT_LEARNING:
            rows.append([family.name, seconds(lambda f=family: list(f(subject, Study())), 1)])  # type: ignore[misc]
    print_table(f"By family: {n} rows, sets as labels, processor seconds", ["family", "seconds"], rows)


def hard(n: int) -> None:
    """Numbers with hardly two alike, averaged or spanned over groups of five neighbours."""
    rng = np.random.default_rng(0)
    columns = {"income": np.sort(rng.lognormal(10, 1, n).round(2)), "zip": rng.integers(0, 99_999, n)}
    frame = pl.DataFrame(columns)
    axes = encode(pv.read(frame), pv.Plan({name: pv.Quasi() for name in columns}, [pv.KAnonymity(5)]))
    starts = np.arange(0, n, 5)
    of_row = np.arange(n) // 5
    rows: list[list[object]] = []
    for kind in ("microaggregated", "interval"):
        shown = {}
        for name, values in columns.items():
            if kind == "interval":
                ends = zip(np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts), strict=True)
                shown[name] = pl.Series([interval_label(str(low), str(high)) for low, high in ends]).gather(of_row)
            else:
                shown[name] = pl.Series((np.bincount(of_row, weights=values) / np.bincount(of_row))[of_row])
        released = pl.DataFrame(shown)

        def run(released: pl.DataFrame = released) -> Measures:
            return measure(Subject(axes, released, np.arange(n), original=frame), *NOT_LEARNING)

        rows.append([n, kind, len(run()), seconds(run)])
    print_table("Hard: two numbers, a label a class", ["rows", "release", "measures", "processor s"], rows)


def learning(n: int) -> None:
    release = pv.anonymize(pv.read(enlarged(adult(), n)), plan(pv.methods.Mondrian()))
    release.measure()
    rows: list[list[object]] = []
    rows.append(["learning", n, seconds(lambda: release.measure("learning"), 1)])
    print_table("Learning", ["family", "rows", "processor s"], rows)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--rows", type=int, default=1_000_000, help="the largest table (default: 1 million)")
    most = options.parse_args().rows
    by_rows(most)
    by_family(most)
    hard(most)
    learning(min(most, 30_000))


if __name__ == "__main__":
    main()
