"""MinGen: minimal distortion over all combinations of levels, by the outliers that the literature prints."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.methods import MinGen

from .conftest import oracle

SOURCE = oracle("guided_table_24")
TABLE_24 = pl.DataFrame(SOURCE["rows"], schema=SOURCE["columns"], orient="row")
OUTLIERS = {  # of every combination of levels, k = 2 (Sexe, Code postal, Niveau)
    (0, 0, 0): 8, (0, 0, 1): 8, (0, 1, 0): 5, (1, 0, 0): 8, (0, 0, 2): 5, (0, 1, 1): 5, (0, 2, 0): 3, (1, 0, 1): 5,
    (1, 1, 0): 3, (0, 0, 3): 5, (0, 1, 2): 3, (0, 2, 1): 3, (1, 0, 2): 3, (1, 1, 1): 1, (1, 2, 0): 2, (0, 1, 3): 0,
    (0, 2, 2): 1, (1, 0, 3): 0, (1, 1, 2): 0, (1, 2, 1): 0, (0, 2, 3): 0, (1, 1, 3): 0, (1, 2, 2): 0, (1, 2, 3): 0,
}  # fmt: skip
TOPS = (1, 2, 3)


def plan(folder: Path, most: int) -> pv.Plan:
    columns: dict[str, Any] = {name: pv.Insensitive() for name in TABLE_24.columns}
    for name in ("sex", "zip", "education"):
        path = folder / f"{name}.csv"
        path.write_text("\n".join(";".join(levels) for levels in SOURCE["trees"][name]), encoding="utf-8")
        columns[name] = pv.Quasi(str(path))
    return pv.Plan(columns, [pv.KAnonymity(2)], MinGen(), suppression=(most + 0.1) / 12)


@pytest.mark.parametrize("most", range(9))
def test_table_24(most: int, tmp_path: Path) -> None:
    """Each generalized cell is charged a unit a level, a suppressed one all levels of its column."""

    def charge(node: tuple[int, ...]) -> int:
        return (12 - OUTLIERS[node]) * sum(node) + OUTLIERS[node] * sum(TOPS)

    least = min(charge(node) for node, outliers in OUTLIERS.items() if outliers <= most)
    release = pv.anonymize(TABLE_24.with_columns(pl.col("zip").cast(pl.String)), plan(tmp_path, most))
    assert f"minimal distortion ({least})" in release.trace[1]
    node = tuple(
        int(part.split()[-1]) for part in release.trace[1].removeprefix("Took ").split(" of minimal")[0].split(",")[:3]
    )
    assert charge(node) == least
    assert release.verdict.suppressed == OUTLIERS[node]


def test_the_lattice_is_that_of_the_source() -> None:
    assert set(OUTLIERS) == set(product(range(2), range(3), range(4)))


def test_weights_of_columns_count() -> None:
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"a": rng.integers(0, 8, 40), "b": rng.integers(0, 8, 40)})

    def levels(a: float, b: float) -> str:
        columns: dict[str, Any] = {
            "a": pv.Quasi(pv.intervals(2, 4), weight=a), "b": pv.Quasi(pv.intervals(2, 4), weight=b)
        }  # fmt: skip
        return pv.anonymize(frame, pv.Plan(columns, [pv.KAnonymity(4)], MinGen())).trace[1]

    heavy_a, heavy_b = levels(50, 1), levels(1, 50)
    assert int(heavy_a.split("a ")[1][0]) < int(heavy_b.split("a ")[1][0])


def test_a_large_lattice_is_refused_before_the_work() -> None:
    columns: dict[str, Any] = {f"c{i}": pv.Quasi(pv.intervals(2, 4, 8, 16, 32)) for i in range(6)}
    frame = pl.DataFrame({name: np.arange(64) for name in columns})
    with pytest.raises(
        pv.PlanError, match=r"MinGen looks at combinations of levels, and this plan has .* more than 20000"
    ):
        pv.anonymize(frame, pv.Plan(columns, [pv.KAnonymity(2)], MinGen()))


def test_what_cannot_hold_is_said() -> None:
    frame = pl.DataFrame({"a": [1, 2, 3], "s": ["x", "y", "x"]})
    columns: dict[str, Any] = {"a": pv.Quasi(pv.flat()), "s": pv.Sensitive()}
    with pytest.raises(pv.InfeasibleError):
        pv.anonymize(frame, pv.Plan(columns, [pv.LDiversity(3, "s")], MinGen()))
