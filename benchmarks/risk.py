"""Risk: column sets, special uniques and estimates, beside plain counting. `python -m benchmarks.risk`

The baseline of the sets is one Polars `group_by` a set; that of SUDA counts every set the same way and keeps the
minimal ones. Then: how the cost grows with rows and with columns.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations

import numpy as np
import polars as pl

import paravent as pv
from benchmarks.printing import best_of, print_table
from benchmarks.tables import QUASI, adult, enlarged
from paravent.privacy.grouping import class_sizes
from paravent.privacy.risk.individual import individual_risk
from paravent.privacy.risk.numeric import numeric_risk
from paravent.privacy.risk.population import Population
from paravent.privacy.risk.subsets import quasi_identifiers
from paravent.privacy.risk.suda import suda
from paravent.privacy.risk.uniqueness import population_uniqueness

USA = 317_238_626


def plain_subsets(frame: pl.DataFrame, columns: list[str], max_size: int) -> dict[tuple[str, ...], int]:
    """How many rows each set singles out, one `group_by` at a time."""
    return {
        subset: frame.group_by(subset).len().filter(pl.col("len") == 1).height
        for size in range(1, max_size + 1)
        for subset in combinations(columns, size)
    }


def plain_suda(frame: pl.DataFrame, columns: list[str], max_size: int) -> int:
    """The number of minimal sample uniques: who is alone in a set, and in none of its subsets."""
    alone: dict[tuple[str, ...], np.ndarray] = {}
    total = 0
    for size in range(1, max_size + 1):
        for subset in combinations(columns, size):
            unique = frame.select((pl.len().over(subset) == 1).alias("alone"))["alone"].to_numpy()
            minimal = unique.copy()
            for smaller in combinations(subset, size - 1):
                minimal &= ~alone[smaller] if smaller else True
            alone[subset] = unique
            total += int(minimal.sum())
    return total


def beside_plain_counting(frame: pl.DataFrame) -> None:
    columns = frame.select(QUASI).select(pl.all().cast(pl.String).cast(pl.Categorical).to_physical())
    plain, counted = best_of(2, lambda: plain_subsets(columns, QUASI, 8))
    ours, found = best_of(5, lambda: quasi_identifiers(frame, QUASI, max_size=8))
    assert {s.columns: s.singled_out for s in found.subsets} == counted
    slow, total = best_of(1, lambda: plain_suda(columns, QUASI, 8))
    quick, special = best_of(5, lambda: suda(frame, QUASI, fraction=0.01))
    assert total == len(special.row)
    rows = [
        ["255 column sets", plain, ours, plain / ours, f"{len(found.minimal)} minimal"],
        ["SUDA2, all sizes", slow, quick, slow / quick, f"{total} minimal uniques"],
    ]
    print_table(
        f"Adult, {frame.height} rows, 8 columns", ["what", "plain (s)", "paravent (s)", "times faster", "found"], rows
    )


def estimates(frame: pl.DataFrame) -> None:
    sizes = class_sizes(frame, QUASI)
    people = Population.of(USA, rows=frame.height)
    weighted = frame.with_columns(weight=pl.lit(USA / frame.height))
    rng = np.random.default_rng(1)
    numbers = pl.DataFrame(rng.standard_normal((2_000, 5)), schema=list("abcde"))
    noisy = numbers + pl.DataFrame(0.3 * rng.standard_normal((2_000, 5)), schema=list("abcde"))
    rows = [
        [
            "pv.risk with a population",
            *_timed(lambda: pv.risk(frame, QUASI, population=USA)["risk.population.uniques"]),
        ],
        ["population uniqueness", *_timed(lambda: population_uniqueness(sizes, people).share)],
        ["individual risk", *_timed(lambda: individual_risk(weighted, QUASI, "weight").average)],
        ["individual risk, exact", *_timed(lambda: individual_risk(weighted, QUASI, "weight", exact=True).average)],
        ["numbers linked back, 2 000 × 5", *_timed(lambda: numeric_risk(numbers, noisy).disclosure)],
    ]
    print_table("Estimates", ["what", "seconds", "result"], rows)


def _timed(call: Callable[[], float]) -> tuple[float, float]:
    return best_of(3, call)


def growth(frame: pl.DataFrame) -> None:
    rows: list[list[object]] = []
    for count in (30_162, 100_000, 300_000, 1_000_000):
        table = frame.select(QUASI) if count == frame.height else enlarged(frame.select(QUASI), count)
        sets, _ = best_of(2, partial(quasi_identifiers, table, QUASI, max_size=3))
        small, _ = best_of(2, partial(suda, table, QUASI, max_size=3))
        whole, _ = best_of(1, partial(suda, table, QUASI))
        people, _ = best_of(2, partial(pv.risk, table, QUASI, population=USA))
        rows.append([count, sets, small, whole, people])
    head = ["rows", "sets of ≤ 3 (s)", "SUDA ≤ 3 (s)", "SUDA, all sizes (s)", "pv.risk with a population (s)"]
    print_table("Growth with rows, 8 columns", head, rows)
    rng = np.random.default_rng(2)
    rows = []
    for width in (8, 12, 16, 20):
        extra = {f"extra {j}": rng.integers(0, 4, frame.height) for j in range(width - 8)}
        table = frame.select(QUASI).with_columns(**{name: pl.Series(values) for name, values in extra.items()})
        sets, found = best_of(1, partial(quasi_identifiers, table, max_size=4))
        small, special = best_of(1, partial(suda, table, table.columns, max_size=4))
        rows.append([width, len(found.subsets), sets, small, len(special.row)])
    head = ["columns", "sets of ≤ 4", "sets (s)", "SUDA ≤ 4 (s)", "minimal uniques"]
    print_table(f"Growth with columns, {frame.height} rows", head, rows)


def main() -> None:
    frame = adult()
    beside_plain_counting(frame)
    estimates(frame)
    growth(frame)


if __name__ == "__main__":
    main()
