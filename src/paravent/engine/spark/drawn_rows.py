"""A sample of rows on a cluster: those with the lowest of numbers that only the owner of the table can draw again.

The number of a row is a hash (SHA-256) of the seed and a hash of the whole table, of the row's own cells and of how
many rows equal to it came before. So many rows with the lowest numbers stay as are asked for, no more and no fewer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from paravent.engine.spark.domains import quoted
from paravent.engine.spark.faults import one_sentence
from paravent.engine.spark.parts import Part, code_name, folded_rows, hashes, with_codes
from paravent.engine.spark.rows import frame_of
from paravent.errors import InfeasibleError
from paravent.treatments.sample import Sample

_SLOT, _KEY, _TAKEN, _AT = "__slot", "__key", "__taken", "__at"
_SLOTS = 256
"""Parts of a stratum by the first byte of numbers, so that no machine puts a whole stratum in order."""
_MOST = 1_000_000


def drawn_rows(session: Any, frame: Any, part: Part) -> tuple[Any, str]:
    """The rows that stay, as a Spark frame that nobody has computed yet, and what was done in words. Strata are in the
    order of their values, a missing cell last, where equal remainders compete."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    step = part.step
    assert isinstance(step, Sample)
    names = frame.columns
    strata = [code_name(i) for i in range(len(step.strata))]
    copies = folded_rows(frame).withColumn(_AT, f.explode(f.sequence(f.lit(1), f.col("__n").cast("int")))).drop("__n")
    secret = f.lit(f"{part.secret} {part.plan.seed} {part.place} {part.said!r}")
    key = f.sha2(f.concat_ws("|", secret, *hashes(names), f.col(_AT)), 256)
    rows = with_codes(session, copies.withColumn(_KEY, key).drop(_AT), part)
    with one_sentence("counting rows"):
        spread = rows.groupBy(*strata).count().limit(_MOST // 4 + 1).count() * _SLOTS <= _MOST if strata else True
        slot = f.substring(_KEY, 1, 2) if spread else f.lit("")
        rows = rows.withColumn(_SLOT, slot)
        counts = frame_of(rows.groupBy(*strata, _SLOT).count().toArrow()).sort(*strata, _SLOT)
    taken = _taken(step, counts, strata)
    told = f"Sample: {int(taken[_TAKEN].sum())} of {int(counts['count'].sum())} rows stay."
    if not taken[_TAKEN].sum():
        raise InfeasibleError(f"treat[{part.place}]: {part.said!r} leaves no row. Keep more of them.")
    known = session.createDataFrame(taken.select(*strata, _SLOT, _TAKEN).to_arrow())
    place = f.row_number().over(Window.partitionBy(*strata, _SLOT).orderBy(_KEY))
    chosen = rows.join(f.broadcast(known), [*strata, _SLOT]).withColumn(_AT, place).where(f.col(_AT) <= f.col(_TAKEN))
    return chosen.select(*map(quoted, names)), told


def _taken(step: Sample, counts: pl.DataFrame, strata: list[str]) -> pl.DataFrame:
    """How many rows of each slot stay: whole slots first, of the next one the rest."""
    sizes = counts["count"].to_numpy().astype(np.int64)
    stratum = counts.select(pl.struct(strata).rle_id()).to_series().to_numpy() if strata else np.zeros(len(sizes), int)
    of_stratum = np.bincount(stratum, weights=sizes).astype(np.int64)
    wanted = step.wanted(of_stratum)
    before = np.cumsum(sizes) - sizes
    before -= np.repeat((np.cumsum(of_stratum) - of_stratum), np.bincount(stratum))
    return counts.with_columns(pl.Series(_TAKEN, np.clip(wanted[stratum] - before, 0, sizes)))
