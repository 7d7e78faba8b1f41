"""Every treatment on four columns, and how it grows. `python -m benchmarks.treatments [rows of the largest table]`

Times are those of a treatment's `run`, the best of three, by the clock and by the processor (all threads); the release
that a plan makes of it is not counted. Ghosts are emptied when a release is put together: their time is that of it.
Pseudonyms cost an HMAC for each distinct value: the numbers have 630 000 of them. Record swapping runs on people in
households, of which there are two to five. `growth` is the power of the rows with which the processor's time grows from
the smallest table to the largest. A limit is kept where the clock or the processor stays below it: others who use the
machine stretch the clock.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable

import numpy as np
import polars as pl

import paravent as pv
from benchmarks.printing import print_table
from paravent import registry
from paravent.plan.ghosts import emptied
from paravent.treatments import Treatment, Work

T = pv.treatments
NUMBERS, WORDS, GEOGRAPHY = ("n0", "n1", "n2", "n3"), ("w0", "w1", "w2", "w3"), ("region", "district", "place")
KEY = "PARAVENT_BENCHMARK_KEY"
CASES: list[tuple[str, Treatment, float]] = [
    ("TopCode", T.TopCode(NUMBERS, share=0.02), 1.0),
    ("BottomCode", T.BottomCode(NUMBERS, share=0.02), 1.0),
    ("Recode, equal frequency", T.Recode(NUMBERS, groups=10), 1.0),
    ("Recode, groups of equal width", T.Recode(NUMBERS, groups=10, by="width"), 1.0),
    ("Recode, width", T.Recode(NUMBERS, width=100), 1.0),
    ("Recode, breaks", T.Recode(NUMBERS, breaks=(0, 500, 1000, 5000)), 1.0),
    ("Recode, mapping", T.Recode(WORDS, mapping={"a00": "most"}, other="rest"), 1.0),
    ("Recode, tree", T.Recode(NUMBERS, tree=pv.intervals(100, 1000)), 1.0),
    ("Round", T.Round(NUMBERS, base=10), 1.0),
    ("Round, random", T.Round(NUMBERS, base=10, how="random"), 1.0),
    ("Round, controlled", T.Round(NUMBERS, base=10, controlled=True, groups=("w0",)), 1.0),
    ("Round, controlled, random", T.Round(NUMBERS, base=10, how="random", controlled=True, groups=("w0",)), 1.0),
    ("Mask", T.Mask(WORDS, last=1), 1.0),
    ("Pseudonymize, places", T.Pseudonymize((*GEOGRAPHY, "household"), key_env=KEY), 1.0),
    ("Pseudonymize, numbers", T.Pseudonymize(NUMBERS, key_env=KEY), 1.0),
    ("Ghost", T.Ghost(NUMBERS, of="age"), 1.0),
    ("Suppress, rare values", T.Suppress(WORDS, rarer=50), 1.0),
    ("Sample", T.Sample(share=0.5, strata=("w0",)), 1.0),
    ("Noise, additive", T.Noise(NUMBERS), 1.0),
    ("Noise, additive, outliers", T.Noise(NUMBERS, outliers=True), 1.0),
    ("Noise, correlated", T.Noise(NUMBERS, kind="correlated"), 1.0),
    ("Noise, multiplicative", T.Noise(NUMBERS, kind="multiplicative"), 1.0),
    ("Noise, orthogonal", T.Noise(NUMBERS, kind="orthogonal"), 1.0),
    ("Swap, random", T.Swap(NUMBERS, kind="random", share=0.5), 1.0),
    ("Swap, rank, one column", T.Swap("n0", window=0.05), 0.5),
    ("Swap, rank, four columns", T.Swap(NUMBERS, window=0.05), 1.0),
    ("Swap, target", T.Swap(("n0", "n1", "n2", "n3"), kind="target", risk=("age", "w0", "w1"), k=3), 1.0),
    (
        "Swap, records",
        T.Swap(
            GEOGRAPHY, kind="records", household="household", risk=("age", "w0"), k=3, similar=("kind",), share=0.05
        ),
        3.0,
    ),
    ("Shuffle, plain", T.Shuffle(NUMBERS), 1.0),
    ("Shuffle, ranks", T.Shuffle(("n0", "n1"), kind="ranks", given=("n2", "n3")), 1.0),
    ("PRAM", T.PRAM(WORDS), 1.0),
    ("PRAM, within groups", T.PRAM(WORDS[1:], within=("w0",)), 1.0),
    ("Relocate", T.Relocate(("age", "place"), k=5, most=1.0), 1.0),
]


def people(rows: int) -> pl.DataFrame:
    """Skewed and correlated numbers, words of a few letters, households of two or three people in nested places."""
    rng = np.random.default_rng(3)
    shared = rng.standard_normal(rows)
    numbers = {name: np.round(np.exp(0.6 * shared + 0.8 * rng.standard_normal(rows)) * 1000, 2) for name in NUMBERS}
    letters = np.array([f"{letter}{number:02d}" for letter in "abcde" for number in range(8)])
    words = {name: letters[np.minimum(rng.geometric(0.12, rows) - 1, 39)] for name in WORDS}
    household = np.sort(rng.integers(0, max(rows * 2 // 5, 1), rows))
    place = rng.integers(0, 2000, int(household.max(initial=0)) + 1)[household]
    kind = rng.integers(0, 4, int(household.max(initial=0)) + 1)[household]
    where = {"region": place // 500, "district": place // 50, "place": place}
    return pl.DataFrame(
        {**numbers, **words, **where, "household": household, "kind": kind, "age": rng.integers(0, 100, rows)}
    )


def action(treatment: Treatment, table: pv.Table) -> Callable[[], object]:
    """What is timed."""
    if not isinstance(treatment, T.Ghost):
        return lambda: treatment.run(Work(table, np.random.default_rng(1)))
    plan = pv.Plan({}, [], treat=[treatment])
    columns = {name: table.frame[name] for name in table.names}
    columns[treatment.of] = columns[treatment.of] // 10 * 10
    return lambda: emptied(columns, table.frame, plan)


def timed(treatment: Treatment, table: pv.Table, times: int = 3) -> tuple[float, float]:
    """The shortest time by the clock, and the least of the processor."""
    clock = processor = math.inf
    run = action(treatment, table)
    for _ in range(times):
        began, spent = time.perf_counter(), time.process_time()
        run()
        clock, processor = min(clock, time.perf_counter() - began), min(processor, time.process_time() - spent)
    return clock, processor


def main() -> None:
    os.environ[KEY] = "a key of a benchmark, which is no secret"
    largest = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    sizes = [largest // 10, largest * 3 // 10, largest]
    tables = [pv.read(people(size)) for size in sizes]
    rows = []
    for name, treatment, limit in CASES:
        found = [timed(treatment, table) for table in tables]
        growth = math.log(found[-1][1] / found[0][1]) / math.log(sizes[-1] / sizes[0])
        kept = "yes" if min(found[-1]) < limit else "no"
        rows.append([name, *(clock for clock, _ in found), found[-1][1], f"{growth:.2f}", f"{limit:g}", kept])
    head = [
        "treatment",
        *(f"{size:,} rows".replace(",", " ") for size in sizes),
        "processor",
        "growth",
        "limit",
        "kept",
    ]
    print_table("Seconds of a treatment of four columns (three of places)", head, rows)
    missing = set(registry.entries("treatment")) - {type(treatment).__name__ for _, treatment, _ in CASES}
    if missing:
        print(f"\nNot measured: {', '.join(sorted(missing))}.")


if __name__ == "__main__":
    main()
