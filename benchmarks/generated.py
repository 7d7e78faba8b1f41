"""Tables made by a seed: people in 13 000 zip codes, with deep trees, hardly two of them alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

import paravent as pv
from paravent.plan.roles import Role

ZIPS, JOBS, PLACES, BLOCKS = 13_000, 430, 190, 1_600
SPARSE = ["zip", "born", "job", "sex", "birthplace", "income", "diagnosis", "education"]


def sparse(rows: int, *, seed: int = 1) -> pl.DataFrame:
    """People with eight attributes. Towns, jobs and diagnoses are as unequal as they are in life (Zipf), incomes follow
    jobs, and dates of birth have 29 000 values."""
    rng = np.random.default_rng(seed)
    zips, jobs, places, blocks = _codes(rng, ZIPS, 5), _codes(rng, JOBS, 4), _codes(rng, PLACES, 3), _diagnoses(rng)
    job = _drawn(rng, JOBS, rows, 0.9)
    born = np.datetime64("1930-01-01") + np.minimum(rng.gamma(3.0, 9_000.0, rows), 29_000).astype("timedelta64[D]")
    income = np.exp(rng.normal(9.6, 0.5, rows) + (job % 17) * 0.06)
    sexes, schools = pl.Series(["female", "male"]), pl.Series([f"school {i}" for i in range(16)])
    return pl.DataFrame(
        [
            zips.gather(_drawn(rng, ZIPS, rows, 0.7)).alias("zip"),
            pl.Series("born", born.astype("datetime64[D]")),
            jobs.gather(job).alias("job"),
            sexes.gather(rng.integers(0, 2, rows)).alias("sex"),
            places.gather(_drawn(rng, PLACES, rows, 1.6)).alias("birthplace"),
            pl.Series("income", np.minimum(income.round(-2), 300_000).astype(np.int32)),
            blocks.gather(_drawn(rng, BLOCKS, rows, 1.1)).alias("diagnosis"),
            schools.gather(_drawn(rng, 16, rows, 0.6)).alias("education"),
        ]
    )


def sparse_plan(folder: Path, method: pv.methods.Method, *, k: int = 5, seed: int = 1) -> pv.Plan:
    """A plan for `sparse`, whose trees of zip codes and jobs are files in the folder."""
    rng = np.random.default_rng(seed)
    for name, codes in (("zip", _codes(rng, ZIPS, 5)), ("job", _codes(rng, JOBS, 4))):
        ancestors = [
            codes,
            *(codes.str.slice(0, n) + "*" * (len(codes[0]) - n) for n in range(len(codes[0]) - 1, 0, -1)),
        ]
        lines = pl.select(
            pl.concat_str(*map(pl.lit, [*ancestors, pl.repeat("*", len(codes), eager=True)]), separator=";")
        )
        (folder / f"{name}.csv").write_text("\n".join(lines.to_series()) + "\n", encoding="utf-8")
    columns: dict[str, Role] = {
        "zip": pv.Quasi(str(folder / "zip.csv")),
        "born": pv.Quasi(pv.dates("month", "year", "decade")),
        "job": pv.Quasi(str(folder / "job.csv")),
        "sex": pv.Quasi(pv.flat()),
        "birthplace": pv.Quasi(pv.prefixes()),
        "income": pv.Quasi(pv.intervals(500, 1_000, 5_000, 20_000, 100_000)),
        "diagnosis": pv.Quasi(pv.prefixes()),
        "education": pv.Quasi(pv.balanced()),
    }
    return pv.Plan(columns=columns, protect=[pv.KAnonymity(k)], method=method)


def _codes(rng: np.random.Generator, count: int, digits: int) -> pl.Series:
    """So many codes of digits, in a drawn order: neighbours in frequency lie anywhere."""
    drawn = rng.choice(10**digits, count, replace=False)
    return pl.Series(drawn).cast(pl.String).str.zfill(digits)


def _diagnoses(rng: np.random.Generator) -> pl.Series:
    codes = [f"{letter}{number:02d}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for number in range(100)]
    return pl.Series(rng.permutation(np.array(codes))[:BLOCKS].tolist())


def _drawn(rng: np.random.Generator, count: int, rows: int, power: float) -> np.ndarray:
    """Ranks that occur the less often the higher they are."""
    weight = np.arange(1, count + 1, dtype=np.float64) ** -power
    return np.searchsorted(np.cumsum(weight) / weight.sum(), rng.random(rows)).clip(0, count - 1)
